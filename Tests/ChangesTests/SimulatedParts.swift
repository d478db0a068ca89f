import Changes
import Model

/// A change as the simulation knows it: its place among all that were acknowledged stands for what was changed.
struct SimulatedChange: Equatable {
    var number: Int64
    var stamp: Int64
    var id: Int
}

/// What the disk of a daemon holds: the changes of each journal, without gaps.
struct SimulatedFile {
    private(set) var rows: [String: ArraySlice<SimulatedChange>] = [:]
    /// The latest stamp that was ever in it.
    private(set) var latestStamp: Int64 = 0

    /// As `ChangeJournal.kept`.
    var kept: [String: SequenceRange] {
        rows.mapValues { SequenceRange(after: ($0.first?.number ?? 1) - 1, last: $0.last?.number ?? 0) }
    }

    mutating func append(_ change: SimulatedChange, of origin: String) {
        rows[origin, default: []].append(change)
        latestStamp = max(latestStamp, change.stamp)
    }

    /// As `ChangeJournal.removeRows`; returns what was removed.
    mutating func remove(of origin: String, through number: Int64) -> ArraySlice<SimulatedChange> {
        guard let all = rows[origin] else { return [] }
        let removed = all.prefix { $0.number <= number }
        rows[origin] = removed.count == all.count ? nil : all.dropFirst(removed.count)
        return removed
    }

    func has(_ id: Int) -> Bool { rows.values.contains { $0.contains { $0.id == id } } }
}

/// A stream, as Redis keeps it.
struct SimulatedStream {
    var changes: ArraySlice<SimulatedChange> = []
    var last: Int64 = 0

    /// As `JournalStreams.survey`.
    var numbers: StreamedNumbers {
        let end = changes.last?.number ?? 0
        return StreamedNumbers(
            after: changes.first.map { $0.number - 1 } ?? 0, last: end, count: changes.count,
            isOpen: changes.last?.number == last)
    }
}

/// A version that was published.
struct SimulatedVersion {
    var name: Int
    var taken: AppliedChanges
}

/// What a server holds, which can lose any of it.
struct SimulatedServer {
    var streams: [String: SimulatedStream] = [:]
    /// The set of journals: a stream that is not in it is not seen.
    var listed: Set<String> = []
    /// Oldest first.
    var versions: [SimulatedVersion] = []
    var current: SimulatedVersion?

    var survey: [String: StreamedNumbers] {
        listed.reduce(into: [:]) { found, origin in found[origin] = streams[origin]?.numbers }
    }

    /// As the script of `JournalStreams.add`.
    mutating func add(
        _ changes: ArraySlice<SimulatedChange>, to origin: String, expecting expected: StreamedNumbers?, isRemade: Bool
    ) -> Bool {
        listed.insert(origin)
        let found = streams[origin]?.numbers
        guard found?.last == expected?.last, found?.count == expected?.count, isRemade || found?.isOpen != false else {
            return false
        }
        var stream = isRemade ? SimulatedStream() : streams[origin] ?? SimulatedStream()
        for change in changes where change.number > stream.last {
            stream.changes.append(change)
            stream.last = change.number
        }
        streams[origin] = stream
        return true
    }

    /// As `JournalStreams.trim`.
    mutating func trim(through taken: AppliedChanges) {
        for origin in listed {
            guard let stream = streams[origin] else { continue }
            let rest = stream.changes.drop { $0.number <= taken.last(of: origin) }
            streams[origin] = rest.isEmpty ? nil : SimulatedStream(changes: rest, last: stream.last)
            if rest.isEmpty { listed.remove(origin) }
        }
    }
}

/// A process with its disk and its clock.
struct SimulatedDaemon {
    var file = SimulatedFile()
    var backup = SimulatedFile()
    var isUp = true
    /// How far its clock is from the right time.
    var clockOffset: Int64 = 0
    /// The name under which it records, of this process alone.
    var origin: String
    var number: Int64 = 0
    /// The version that serves, of which there is an image on the disk.
    var served: SimulatedVersion?
    var prunable = AppliedChanges.none
    /// What it found when it compared last, and what of it is still to be done.
    var exchange = ChangeExchange(here: [:], streams: [:], prunable: .none)
    var steps: ArraySlice<ChangeExchange.Step> = []
    var earlierStreams: [String: StreamedNumbers] = [:]
    /// For a rule that is wrong on purpose: what this process remembers to have sent.
    var sent: [String: Int64] = [:]
}

/// The rules of the protocol, as the program has them; tests break one at a time.
struct ExchangeRules {
    /// What a taker does with a change.
    var verdict: (SequenceRange, Int64) -> SequenceRange.Verdict = { $0.verdict(on: $1) }
    /// What a journal may remove.
    var prunable: (_ listed: [AppliedChanges], _ served: AppliedChanges?, ChangeExchange) -> AppliedChanges = {
        listed, served, _ in
        AppliedChanges.inAll(listed + [served].compactMap(\.self))
    }
    /// What a daemon does after a comparison, which it may take for another.
    var steps: (inout SimulatedDaemon) -> [ChangeExchange.Step] = { $0.exchange.steps }
}
