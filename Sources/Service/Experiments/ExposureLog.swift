import CatalogStore
import Experiments
import ModelStore
import Synchronization

/// What members of experiments were shown, until it is written: all of it, a second late at most.
///
/// It is kept in memory only between two writes, so that no answer waits for the disk. A daemon that is killed loses
/// what it showed since the last one, of all arms alike. While nothing can be written, equal pages add up. A write that
/// takes too long may be made all the same: then its pages count twice, never its members.
final class ExposureLog: Sendable {
    private struct Key: Hashable {
        let userID: String
        let experiment: String
        let recommendationID: String
        let firstPosition: Int
        let shownCount: Int
        let filters: String
        let day: Int64
    }

    private struct Waiting {
        var records: [Key: ExposureRecord] = [:]
        /// How many are being written.
        var writingCount = 0
        var lostCount: UInt64 = 0
    }

    /// The most records that wait: about 50 MB.
    static let limit = 200_000
    /// How many members' records are written in one transaction.
    private static let batchSize = 200

    private let waiting = Mutex(Waiting())
    private let failure: Condition

    /// - Parameter failure: whether writing works.
    init(_ failure: Condition) { self.failure = failure }

    /// Whether writing works.
    static func condition(_ log: EventLog?) -> Condition {
        Condition(
            "exposures", "Whether what members of experiments are shown can be recorded",
            recovery: "what members of experiments are shown is recorded again", log: log, calmSeconds: 10)
    }

    /// Adds what a member was just shown.
    func add(_ record: ExposureRecord, ofUser id: String) {
        let key = Key(
            userID: id, experiment: record.experiment, recommendationID: record.recommendationID,
            firstPosition: record.firstPosition, shownCount: record.shownCount, filters: record.filters,
            day: record.firstAtMilliseconds / 86_400_000)
        waiting.withLock { waiting in
            if var known = waiting.records[key] {
                known.add(record)
                waiting.records[key] = known
            } else if waiting.records.count < Self.limit {
                waiting.records[key] = record
            } else {
                waiting.lostCount += 1
            }
        }
    }

    /// Drops what waits of a member who is forgotten.
    func forget(_ id: String) {
        waiting.withLock { waiting in waiting.records = waiting.records.filter { $0.key.userID != id } }
    }

    /// Writes what waits; what cannot be written waits on.
    func flush(to community: any CommunitySource) {
        let records = waiting.withLock { waiting in
            defer { waiting.records = [:] }
            waiting.writingCount = waiting.records.count
            return waiting.records
        }
        defer { waiting.withLock { $0.writingCount = 0 } }
        // Nothing waits: all was written.
        guard !records.isEmpty else { return failure.worked() }
        var byUser: [String: [ExposureRecord]] = [:]
        for (key, record) in records { byUser[key.userID, default: []].append(record) }
        var rest = byUser.map { MemberChange(ofUser: $0.key, .expose($0.value)) }[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Self.batchSize))
            do throws(ServiceError) {
                try community.record(exposures: batch)
                failure.worked()
            } catch {
                failure.failed("exposures cannot be recorded: \(error.message)")
                break
            }
            rest = rest.dropFirst(batch.count)
        }
        for change in rest {
            guard case .expose(let records) = change.action else { continue }
            for record in records { add(record, ofUser: change.userID) }
        }
    }
}

extension ExposureLog: MetricSource {
    func write(to text: inout MetricsText) {
        let (count, lost) = waiting.withLock { ($0.records.count + $0.writingCount, $0.lostCount) }
        text.gauge("coterie_exposures_waiting", "Exposures of experiments that are still to be written.", count)
        text.counter(
            "coterie_exposures_lost_total", "Exposures that were dropped, as too many wait to be written.", lost)
    }
}

/// The experiments of the store, as they were when it was last asked.
final class ExperimentBoard: Sendable {
    private struct State {
        var text: [UInt8]?
        var assigner = Assigner(ExperimentRegister())
    }

    private let follower: VersionFollower
    private let changes: ChangeClock
    private let log: EventLog
    private let state = Mutex(State())

    /// Without experiments, until `poll` finds some.
    init(_ follower: VersionFollower, changes: ChangeClock, log: EventLog) {
        self.follower = follower
        self.changes = changes
        self.log = log
    }

    /// Who is in which arm.
    var assigner: Assigner { state.withLock { $0.assigner } }

    /// Asks the store; while it does not answer, everything stays as it was.
    func poll() {
        guard let text = try? follower.store.experiments(), text != state.withLock({ $0.text }) else { return }
        let register = ExperimentRegister(encoded: text)
        state.withLock { state in
            state.text = text
            guard let register else { return }
            state.assigner = Assigner(register)
            follower.keepLoaded(state.assigner.versions)
        }
        guard let register else {
            return log.error(
                "the experiments of \(follower.store.location) cannot be read: those before go on; upgrade this daemon")
        }
        // Answers that are kept were made for other arms.
        changes.everythingChanged()
        let names = register.entries.filter { $0.stoppedAtMilliseconds == nil }.map(\.definition.name)
        log.info("experiments that are started: \(names.isEmpty ? "none" : names.joined(separator: ", "))")
    }
}
