/// The order in which changes of different journals apply, the same wherever they are and however they got there.
///
/// A stamp is the Unix milliseconds of the journal's clock, but at least one more than the stamp of any change that the
/// journal knew: so a change comes after all that could have led to it, whatever the clocks say. Equal stamps are
/// ordered by the journals' names.
public struct ChangeStamp: Sendable, Hashable, Comparable {
    /// What a stamp may be: a journal counts on from the latest that it knows.
    public static let bounds: ClosedRange<Int64> = 0...1 << 60

    /// Milliseconds.
    public var milliseconds: Int64
    /// The journal.
    public var origin: String
    /// The number of the change in its journal.
    public var sequence: Int64

    /// The stamp of a change.
    public init(milliseconds: Int64, origin: String, sequence: Int64) {
        self.milliseconds = milliseconds
        self.origin = origin
        self.sequence = sequence
    }

    /// Whether one change applies before another.
    public static func < (one: ChangeStamp, other: ChangeStamp) -> Bool {
        (one.milliseconds, one.origin, one.sequence) < (other.milliseconds, other.origin, other.sequence)
    }

    /// The milliseconds of a new change.
    ///
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - latest: those of the latest change that is known.
    public static func milliseconds(at now: Int64, after latest: Int64) -> Int64 {
        min(max(now, latest + 1), bounds.upperBound)
    }
}
/// Which changes of one journal are kept somewhere: in a journal, a stream or the catalog.
///
/// The changes of a journal are numbered from 1 on, without a gap. Whoever takes them takes each one after the one
/// before it, so that two numbers say all there is to say: what came first is removed at some time, and what comes next
/// follows the last.
public struct KeptNumbers: Sendable, Equatable {
    /// Nothing yet.
    public static let none = KeptNumbers(after: 0, last: 0)

    /// The changes up to this number are not needed here any more: all versions that may serve have them.
    public var after: Int64
    /// The last change that is here, or that is not needed any more; at least `after`.
    public var last: Int64

    /// The changes after one number up to another.
    public init(after: Int64, last: Int64) {
        self.after = after
        self.last = last
    }

    /// What to do with a change that is offered.
    public enum Verdict: Sendable, Equatable {
        /// It follows the last one: take it.
        case next
        /// It is here already.
        case repeated
        /// Others before it are missing: to take it would lose them.
        case missing
    }

    /// What to do with the change of a number.
    public func verdict(on number: Int64) -> Verdict {
        if number <= last { return .repeated }
        return number == last + 1 ? .next : .missing
    }

    /// Whether there are changes that somebody may need.
    public var isEmpty: Bool { last <= after }

    /// Counts the changes up to a number as no longer needed.
    public mutating func dispense(through number: Int64) {
        after = max(after, number)
        last = max(last, number)
    }
}
