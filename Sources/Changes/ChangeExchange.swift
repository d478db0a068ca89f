package import Model

/// The range of one journal's changes that its stream in the store has.
package struct StreamedNumbers: Sendable, Equatable {
    /// The number before the first change in the stream, or `last` if the stream is empty.
    package var after: Int64
    /// The last change in the stream.
    package var last: Int64
    package var count: Int
    /// Whether changes can be added after the last one; otherwise, something that was behind it is gone.
    package var isOpen: Bool

    package init(after: Int64, last: Int64, count: Int, isOpen: Bool = true) {
        (self.after, self.last, self.count, self.isOpen) = (after, last, count, isOpen)
    }

    /// Whether the stream has every change from its first to its last, and can get the next ones.
    package var isWhole: Bool { isOpen && Int64(count) == last - after }
}

/// The steps that give a daemon's journal and the streams of the store the same changes.
///
/// The steps depend only on the present journals and streams. A daemon keeps no record of sent changes. A store that
/// lost
/// its streams, or went back to an older state, therefore needs no special treatment. Every daemon sends the changes of
/// every journal, not only of its own. A change is the same everywhere, and any daemon may send it.
package struct ChangeExchange: Sendable {
    /// One step of the exchange.
    package enum Step: Sendable, Equatable {
        /// Read the changes of a journal after a number from the stream.
        case take(String, after: Int64)
        /// Add the changes after a number to the stream.
        ///
        /// The stream ends at that number, or is made anew, because it is missing or lacks some of them.
        case add(String, after: Int64, isRemade: Bool)
        /// Wait: the stream goes on, but neither side has the changes up to a number any more.
        case wait(String, through: Int64)
    }

    /// The changes in the daemon's journal, by the journal that recorded them first.
    package var here: [String: SequenceRange]
    /// The changes in the streams, by journal.
    package var streams: [String: StreamedNumbers]
    /// The streams a while earlier; a stream that differs from then is being filled by another daemon.
    package var earlierStreams: [String: StreamedNumbers]
    /// The changes that all versions that may serve have already; no daemon needs them.
    package var prunable: AppliedChanges

    package init(
        here: [String: SequenceRange], streams: [String: StreamedNumbers],
        earlierStreams: [String: StreamedNumbers] = [:], prunable: AppliedChanges
    ) {
        self.here = here
        self.streams = streams
        self.earlierStreams = earlierStreams
        self.prunable = prunable
    }

    /// Returns the changes of a journal that are here and that some daemon may need.
    package func needed(of origin: String) -> SequenceRange {
        var numbers = here[origin] ?? .none
        numbers.dispense(through: prunable.last(of: origin))
        return numbers
    }

    /// The steps in the order of the journals' names; empty if both sides have the same changes.
    package var steps: [Step] {
        Set(here.keys).union(streams.keys).sorted().compactMap { step(for: $0) }
    }

    private func step(for origin: String) -> Step? {
        let mine = needed(of: origin)
        if let stream = streams[origin], stream.last > mine.last {
            return stream.after <= mine.last ? .take(origin, after: mine.last) : .wait(origin, through: stream.after)
        }
        guard !mine.isEmpty else { return nil }
        guard let stream = streams[origin], stream.isWhole, stream.after <= mine.after
        else { return .add(origin, after: mine.after, isRemade: true) }
        if stream.last < mine.after {
            // Adding would leave a gap, but another daemon that has more may be about to fill it.
            return earlierStreams[origin] == stream ? .add(origin, after: mine.after, isRemade: true) : nil
        }
        return stream.last < mine.last ? .add(origin, after: stream.last, isRemade: false) : nil
    }

    /// The changes that are here and not in the streams: of each journal, those after `after`.
    package var waiting: [String: SequenceRange] {
        here.keys.reduce(into: [:]) { waiting, origin in
            let mine = needed(of: origin)
            let sent = max(mine.after, streams[origin]?.last ?? 0)
            if sent < mine.last { waiting[origin] = SequenceRange(after: sent, last: mine.last) }
        }
    }
}

/// The position of a change in the order in which the changes of all journals apply, the same everywhere.
///
/// The milliseconds are the Unix time of the journal's clock, but at least one more than any stamp that the journal
/// knew. A change therefore comes after all changes that could have led to it, whatever the clocks say. Equal
/// milliseconds are ordered by the journals' names.
package struct ChangeStamp: Sendable, Hashable, Comparable {
    /// The range of valid stamps; a journal counts on from the latest stamp that it knows.
    package static let bounds: ClosedRange<Int64> = 0...1 << 60

    package var milliseconds: Int64
    /// The name of the journal.
    package var origin: String
    /// The number of the change in its journal.
    package var sequence: Int64

    /// Whether one change applies before another.
    package static func < (one: ChangeStamp, other: ChangeStamp) -> Bool {
        (one.milliseconds, one.origin, one.sequence) < (other.milliseconds, other.origin, other.sequence)
    }

    /// Returns the milliseconds of a new change.
    ///
    /// - Parameters:
    ///   - now: the current time, in Unix milliseconds.
    ///   - latest: the milliseconds of the latest known change.
    package static func milliseconds(at now: Int64, after latest: Int64) -> Int64 {
        min(max(now, latest + 1), bounds.upperBound)
    }
}
/// The range of one journal's changes that a journal, a stream or the catalog keeps.
///
/// The changes of a journal are numbered from 1 on, without a gap, and are always taken in that order. Two numbers
/// therefore describe the range. Its beginning is pruned at some time, and the next change follows its end.
package struct SequenceRange: Sendable, Equatable {
    package static let none = SequenceRange(after: 0, last: 0)

    /// The number up to which changes are prunable, inclusive: all versions that may serve have them.
    package var after: Int64
    /// The last change that is here or was pruned; at least `after`.
    package var last: Int64

    package init(after: Int64, last: Int64) {
        self.after = after
        self.last = last
    }

    /// The treatment of an offered change.
    package enum Verdict: Sendable, Equatable {
        /// The change follows the last one, and is taken.
        case next
        /// The change is here already.
        case repeated
        /// Earlier changes are missing, and would be lost if this one were taken.
        case missing
    }

    /// Returns the treatment of the change with a number.
    package func verdict(on number: Int64) -> Verdict {
        if number <= last { return .repeated }
        return number == last + 1 ? .next : .missing
    }

    /// Whether the range has no change that a daemon may need.
    package var isEmpty: Bool { last <= after }

    /// Counts the changes up to a number, inclusive, as no longer needed.
    package mutating func dispense(through number: Int64) {
        after = max(after, number)
        last = max(last, number)
    }
}
