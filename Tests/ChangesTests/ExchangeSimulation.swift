import Changes
import Model
import TestSupport

/// Daemons, a server, a catalog and all that can happen to them, in one thread and simulated time; the decisions are
/// the program's own.
///
/// What was acknowledged is in a plain list: the model that the rest is compared with.
struct ExchangeSimulation {
    /// What went wrong.
    struct Fault: Error, CustomStringConvertible { let description: String }

    private static let batchSize = 3
    private static let versionsKept = 2

    var generator: SeededGenerator
    let rules: ExchangeRules
    var time: Int64 = 1000
    var daemons: [SimulatedDaemon] = []
    var server = SimulatedServer()
    var staleServer = SimulatedServer()
    /// Whether each acknowledged change must be found in the end, and whether the catalog has it.
    var isAcknowledged: [Bool] = []
    var isApplied: [Bool] = []
    var catalog: [String: Int64] = [:]
    var recompute = Recompute.idle
    var mayBeKilled = true
    var nextVersion = 1
    private var nextOrigin = 0

    /// How far the recompute is.
    enum Recompute {
        case idle
        case reading([String: StreamedNumbers])
        case publishing
        case switching(SimulatedVersion)
        case pruning
        case trimming
    }

    init(seed: UInt64, rules: ExchangeRules) {
        generator = SeededGenerator(seed: seed)
        self.rules = rules
        let first = SimulatedVersion(name: 0, taken: .none)
        server.versions = [first]
        server.current = first
        for _ in 0..<3 { daemons.append(SimulatedDaemon(origin: newOrigin(), served: first)) }
    }

    mutating func newOrigin() -> String {
        nextOrigin += 1
        return "j\(nextOrigin)"
    }

    mutating func random(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

    /// Something happens.
    mutating func step() throws(Fault) {
        time += Int64(random(5))
        let place = random(daemons.count)
        switch random(100) {
        case 0..<24: try write(place)
        case 24..<74: try work(place)
        case 74..<78: if daemons[place].isUp, let version = server.current { daemons[place].served = version }
        case 78..<94: try advanceRecompute()
        case 94..<96: daemons[place].isUp ? kill(place) : start(place)
        default: damage(place)
        }
    }

    // MARK: Daemons

    mutating func kill(_ place: Int) {
        daemons[place].isUp = false
        daemons[place].steps = []
    }

    mutating func start(_ place: Int) {
        let old = daemons[place]
        daemons[place] = SimulatedDaemon(
            file: old.file, backup: old.backup, clockOffset: old.clockOffset, origin: newOrigin(), served: old.served)
    }

    /// A change is acknowledged.
    mutating func write(_ place: Int) throws(Fault) {
        guard daemons[place].isUp else { return }
        let latest = daemons[place].file.latestStamp
        let stamp = ChangeStamp.milliseconds(at: time + daemons[place].clockOffset, after: latest)
        guard stamp > latest else { throw Fault(description: "a change comes before one that was known") }
        daemons[place].number += 1
        daemons[place].file.append(
            SimulatedChange(number: daemons[place].number, stamp: stamp, id: isAcknowledged.count),
            of: daemons[place].origin)
        isAcknowledged.append(true)
        isApplied.append(false)
    }

    /// A daemon compares, or does one thing of those that followed from the last comparison.
    mutating func work(_ place: Int) throws(Fault) {
        guard daemons[place].isUp else { return }
        guard let step = daemons[place].steps.popFirst() else { return try compare(place) }
        let exchange = daemons[place].exchange
        switch step {
        case .take(let origin, let last): try take(origin, after: last, place)
        case .wait: break
        case .add(let origin, let last, let isRemade):
            let changes = (daemons[place].file.rows[origin] ?? []).drop { $0.number <= last }.prefix(Self.batchSize)
            guard let end = changes.last?.number else { return }
            if server.add(changes, to: origin, expecting: exchange.streams[origin], isRemade: isRemade) {
                daemons[place].sent[origin] = end
                if isRemade { daemons[place].earlierStreams[origin] = nil }
            }
        }
    }

    private mutating func compare(_ place: Int) throws(Fault) {
        if random(4) == 0 { try prune(place) }
        daemons[place].exchange = ChangeExchange(
            here: daemons[place].file.kept, streams: server.survey,
            earlierStreams: daemons[place].earlierStreams, prunable: daemons[place].prunable)
        daemons[place].earlierStreams = daemons[place].exchange.streams
        var steps = rules.steps(&daemons[place])
        if steps.contains(where: { if case .add(_, _, isRemade: true) = $0 { true } else { false } }) {
            try prune(place)
            daemons[place].exchange.prunable = daemons[place].prunable
            steps = rules.steps(&daemons[place])
        }
        daemons[place].steps = steps[...]
    }

    private mutating func prune(_ place: Int) throws(Fault) {
        let (served, listed) = (daemons[place].served, server.versions.map(\.taken))
        let taken = rules.prunable(listed, served?.taken, daemons[place].exchange)
        if !listed.isEmpty {
            for origin in daemons[place].file.rows.keys {
                for removed in daemons[place].file.remove(of: origin, through: taken.last(of: origin))
                where !isApplied[removed.id] || served?.taken.contains(removed.number, of: origin) == false {
                    throw Fault(
                        description: "change \(removed.id) was removed from a journal that is the last to need it")
                }
            }
        }
        daemons[place].prunable = taken
    }

    /// As `ChangeJournal.follow`.
    private mutating func take(_ origin: String, after last: Int64, _ place: Int) throws(Fault) {
        let found = server.streams[origin]?.changes.drop { $0.number <= last }.prefix(Self.batchSize) ?? []
        for change in found {
            var numbers = daemons[place].file.kept[origin] ?? .none
            let end = numbers.last
            numbers.dispense(through: daemons[place].prunable.last(of: origin))
            guard rules.verdict(numbers, change.number) == .next else { continue }
            if numbers.last > end { _ = daemons[place].file.remove(of: origin, through: numbers.last) }
            daemons[place].file.append(change, of: origin)
        }
    }

    // MARK: The recompute

    mutating func advanceRecompute() throws(Fault) {
        switch recompute {
        case .idle: recompute = .reading(server.survey)
        case .reading(let survey):
            for (origin, numbers) in survey { try apply(origin, through: numbers.last) }
            recompute = .publishing
        case .publishing:
            let version = SimulatedVersion(name: nextVersion, taken: AppliedChanges(catalog))
            nextVersion += 1
            server.versions.append(version)
            recompute = .switching(version)
        case .switching(let version):
            if server.versions.contains(where: { $0.name == version.name }) { server.current = version }
            recompute = .pruning
        case .pruning:
            let excess = server.versions.dropLast(Self.versionsKept).map(\.name)
            server.versions.removeAll { excess.contains($0.name) && $0.name != server.current?.name }
            recompute = .trimming
        case .trimming:
            server.trim(through: AppliedChanges.inAll(server.versions.map(\.taken)))
            recompute = .idle
        }
        // It may be killed between any two things.
        if mayBeKilled, random(20) == 0 { recompute = .idle }
    }

    /// As `Catalog.apply`.
    private mutating func apply(_ origin: String, through end: Int64) throws(Fault) {
        for change in server.streams[origin]?.changes ?? [] where change.number <= end {
            let numbers = SequenceRange(after: 0, last: catalog[origin] ?? 0)
            guard rules.verdict(numbers, change.number) == .next else { continue }
            if isApplied[change.id] { throw Fault(description: "change \(change.id) was applied twice") }
            isApplied[change.id] = true
            catalog[origin] = change.number
        }
    }
}
