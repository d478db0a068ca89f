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
