public import Model

/// What a stream in the store says it has of one journal.
public struct StreamedNumbers: Sendable, Equatable {
    /// The number before the first change that is there; the last, if there is none.
    public var after: Int64
    /// The last change that was ever added.
    public var last: Int64
    /// How many changes there are.
    public var count: Int

    /// What a stream has.
    public init(after: Int64, last: Int64, count: Int) {
        self.after = after
        self.last = last
        self.count = count
    }

    /// Whether it has every change from its first to its last.
    public var isWhole: Bool { Int64(count) == last - after }
}

/// What a daemon has to do so that its journal and the streams of the store come to have the same changes.
///
/// What was sent before is not remembered: what to do follows from what both have now. So a store that lost
/// its streams, or went back to an older state, needs no treatment of its own. Every daemon sends what it has of every
/// journal, not only of its own: as a change is the same wherever it is, it does not matter who sends it.
public struct ChangeExchange: Sendable {
    /// One thing to do.
    public enum Step: Sendable, Equatable {
        /// Read the changes of a journal after a number from the stream.
        case take(String, after: Int64)
        /// Add the changes after a number to the stream, which ends there.
        case add(String, after: Int64)
        /// Make the stream anew, of the changes after a number: it is not there, or lacks some of them.
        case remake(String, after: Int64)
        /// Wait: the stream goes on, but changes up to a number are in it no more, and not here either.
        case wait(String, through: Int64)
    }

    /// What is here, by journal.
    public var here: [String: KeptNumbers]
    /// What the streams have, by journal.
    public var streams: [String: StreamedNumbers]
    /// What the streams had a while before: one that has changed since is being filled by another daemon.
    public var earlierStreams: [String: StreamedNumbers]
    /// What all versions have that may serve: nobody needs to be sent that.
    public var dispensable: TakenChanges

    /// A comparison of both sides.
    public init(
        here: [String: KeptNumbers], streams: [String: StreamedNumbers],
        earlierStreams: [String: StreamedNumbers] = [:], dispensable: TakenChanges
    ) {
        self.here = here
        self.streams = streams
        self.earlierStreams = earlierStreams
        self.dispensable = dispensable
    }

    /// What is here of a journal, as far as anybody may need it.
    public func needed(of origin: String) -> KeptNumbers {
        var numbers = here[origin] ?? .none
        numbers.dispense(through: dispensable.last(of: origin))
        return numbers
    }

    /// What to do, in the order of the journals' names; nothing if both sides have the same.
    public var steps: [Step] {
        Set(here.keys).union(streams.keys).sorted().compactMap { step(for: $0) }
    }

    private func step(for origin: String) -> Step? {
        let mine = needed(of: origin)
        if let stream = streams[origin], stream.last > mine.last {
            return stream.after <= mine.last ? .take(origin, after: mine.last) : .wait(origin, through: stream.after)
        }
        guard !mine.isEmpty else { return nil }
        guard let stream = streams[origin], stream.isWhole, stream.after <= mine.after
        else { return .remake(origin, after: mine.after) }
        if stream.last < mine.after {
            // It could only go on with a gap; but a daemon that has more may be about to fill it.
            return earlierStreams[origin] == stream ? .remake(origin, after: mine.after) : nil
        }
        return stream.last < mine.last ? .add(origin, after: stream.last) : nil
    }

    /// The changes that are here and not in the streams: of each journal those after the number.
    public var waiting: [String: KeptNumbers] {
        here.keys.reduce(into: [:]) { waiting, origin in
            let mine = needed(of: origin)
            let sent = max(mine.after, streams[origin]?.last ?? 0)
            if sent < mine.last { waiting[origin] = KeptNumbers(after: sent, last: mine.last) }
        }
    }
}

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
