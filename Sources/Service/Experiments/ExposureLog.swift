import Basics
import CatalogStore
import Changes
import Glibc
import Synchronization

/// The exposures of members in experiments that are still to be written, at most a second later.
///
/// Exposures are in memory only between two writes, so that no answer waits for the disk. A killed daemon loses the
/// exposures since the last write, of all arms alike. While nothing can be written, equal pages are added up. A write
/// that times out may still succeed: then its pages count twice, but never its members.
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
        /// The number of records that are being written.
        var writingCount = 0
        var lostCount: UInt64 = 0
    }

    /// The most records that wait, which take about 50 MB.
    static let limit = 200_000
    /// The number of members whose records are written in one transaction.
    private static let batchSize = 200

    private let waiting = Mutex(Waiting())
    private let failure: HealthCondition

    /// Creates an empty log.
    ///
    /// - Parameter failure: the condition that shows whether writing works.
    init(_ failure: HealthCondition) { self.failure = failure }

    /// Creates the condition that shows whether writing works.
    static func condition(_ log: EventLog?) -> HealthCondition {
        HealthCondition(
            "exposures", "Whether what members of experiments are shown can be recorded",
            recovery: "what members of experiments are shown is recorded again", log: log, calmSeconds: 10)
    }

    /// Adds a page that a member was just shown.
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

    /// Drops the waiting records of a forgotten member.
    func forget(_ id: String) {
        waiting.withLock { waiting in waiting.records = waiting.records.filter { $0.key.userID != id } }
    }

    /// The number of records that are not written yet.
    var waitingCount: Int { waiting.withLock { $0.records.count + $0.writingCount } }

    /// Writes the waiting records, and tries again until all are written or the end has come.
    func finish(to community: any CommunitySource, before end: ContinuousClock.Instant) {
        flush(to: community)
        while waitingCount > 0, ContinuousClock.now < end {
            usleep(100_000)
            flush(to: community)
        }
    }

    /// Writes the waiting records; records that cannot be written keep waiting.
    func flush(to community: any CommunitySource) {
        let records = waiting.withLock { waiting in
            defer { waiting.records = [:] }
            waiting.writingCount = waiting.records.count
            return waiting.records
        }
        // Nothing waits, so the last write has succeeded.
        guard !records.isEmpty else { return failure.worked() }
        var byUser: [String: [ExposureRecord]] = [:]
        for (key, record) in records { byUser[key.userID, default: []].append(record) }
        var rest = byUser.map { MemberChange(ofUser: $0.key, .expose($0.value)) }[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Self.batchSize))
            do throws(Failure) {
                try community.record(exposures: batch)
                waiting.withLock { $0.writingCount -= batch.reduce(0) { $0 + $1.exposureCount } }
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
        waiting.withLock { $0.writingCount = 0 }
    }
}

extension MemberChange {
    fileprivate var exposureCount: Int {
        if case .expose(let records) = action { records.count } else { 0 }
    }
}

extension ExposureLog: MetricSource {
    func write(to text: inout MetricsText) {
        let lost = waiting.withLock { $0.lostCount }
        text.gauge("coterie_exposures_waiting", "Exposures of experiments that are still to be written.", waitingCount)
        text.counter(
            "coterie_exposures_lost_total", "Exposures that were dropped, as too many wait to be written.", lost)
    }
}
