import Basics
import Synchronization

/// Watches whether something that is tried again and again works.
///
/// The state shows at `/readyz` and in metrics, and is logged when it changes. A success counts as recovery only after
/// a while without failures: on a full disk, a small write still succeeds now and then.
final class HealthCondition: Sendable {
    private struct State {
        var problem: String?
        var lastFailureNanoseconds: UInt64 = 0
    }

    private let name: String
    private let meaning: String
    private let recovery: String
    private let log: EventLog?
    private let calmNanoseconds: UInt64
    private let uptime: @Sendable () -> UInt64
    private let state = Mutex(State())
    private let isFailingNow = Atomic(false)
    private let failureCount = Atomic<UInt64>(0)

    /// Creates a condition that holds.
    ///
    /// - Parameters:
    ///   - meaning: the condition as a clause: "Whether …".
    ///   - recovery: the message when it holds again.
    ///   - log: the log of changes; nil for no log.
    ///   - calmSeconds: the time without failures after which a success counts as recovery, in seconds.
    ///   - uptime: the monotonic clock, in nanoseconds.
    init(
        _ name: String, _ meaning: String, recovery: String, log: EventLog?, calmSeconds: UInt64,
        uptime: @escaping @Sendable () -> UInt64 = { SystemClock.uptimeNanoseconds }
    ) {
        self.name = name
        self.meaning = meaning
        self.recovery = recovery
        self.log = log
        calmNanoseconds = calmSeconds * 1_000_000_000
        self.uptime = uptime
    }

    /// The message of the last failure; nil if the condition holds.
    var problem: String? { isFailing ? state.withLock { $0.problem } : nil }

    /// Whether the condition does not hold.
    var isFailing: Bool { isFailingNow.load(ordering: .relaxed) }

    func failed(_ message: String) {
        failureCount.wrappingAdd(1, ordering: .relaxed)
        let isNew = state.withLock { state in
            defer { state = State(problem: message, lastFailureNanoseconds: uptime()) }
            isFailingNow.store(true, ordering: .relaxed)
            return state.problem == nil
        }
        if isNew { log?.warning(message) }
    }

    /// Notes a success.
    func worked() {
        guard isFailing else { return }
        let isOver = state.withLock { state in
            guard state.problem != nil, uptime() - state.lastFailureNanoseconds >= calmNanoseconds else { return false }
            state.problem = nil
            isFailingNow.store(false, ordering: .relaxed)
            return true
        }
        if isOver { log?.info(recovery) }
    }
}

extension HealthCondition: MetricSource {
    func write(to text: inout MetricsText) {
        text.gauge("coterie_\(name)_up", "\(meaning).", isFailing ? 0 : 1)
        text.counter(
            "coterie_\(name)_failures_total", "Times that this failed.", failureCount.load(ordering: .relaxed))
    }
}

extension HealthCondition {
    /// The time without failed writes after which a success counts as recovery, in seconds.
    private static let calmSeconds: UInt64 = 5

    /// Returns the condition that changes of members and admins can be recorded.
    static func recording(_ log: EventLog?) -> HealthCondition {
        HealthCondition(
            "recording", "Whether what members do and admins decide can be recorded",
            recovery: "changes can be recorded again", log: log, calmSeconds: calmSeconds)
    }

    /// Returns the condition that the catalog was found in its place.
    static func catalog(_ path: String, _ log: EventLog?) -> HealthCondition {
        HealthCondition(
            "catalog", "Whether the daemon has found the catalog that it is to read",
            recovery: "reading the catalog \(path)", log: log, calmSeconds: 0)
    }

    /// Returns the condition that members and photos can be read.
    static func reading(_ log: EventLog) -> HealthCondition {
        HealthCondition(
            "reading", "Whether memberships and photos can be read",
            recovery: "memberships and photos can be read again", log: log, calmSeconds: 0)
    }

    /// Returns the condition that the lists of sessions can be kept.
    static func sessions(
        _ log: EventLog?, uptime: @escaping @Sendable () -> UInt64 = { SystemClock.uptimeNanoseconds }
    ) -> HealthCondition {
        HealthCondition(
            "sessions", "Whether the lists of sessions can be kept", recovery: "sessions can be kept again", log: log,
            calmSeconds: calmSeconds, uptime: uptime)
    }
}

/// The problems of a daemon, the same for `/readyz`, the metric `coterie_degraded` and the reports on the board.
struct DaemonProblems: Sendable {
    let follower: VersionFollower
    /// The exchange of changes with other daemons; nil unless the store is shared.
    var replicator: ChangeReplicator?
    /// The place of changes; nil to know nothing of it.
    var community: (any CommunitySource)?
    /// Further conditions that must hold for the daemon to do all its work.
    var conditions: [HealthCondition] = []

    /// A sentence for each problem; empty if all is well.
    var sentences: [String] {
        let found = [follower.current.problem, replicator?.problem, community?.problem] + conditions.map(\.problem)
        // A problem of the journal may be known to two of them.
        return found.compactMap(\.self).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

/// The errors and warnings of a daemon's last hour, counted by the minute.
final class RecentTroubles: Sendable {
    private static let minutes = 60

    private struct State {
        /// The number of errors and warnings in each minute, by the minute modulo `minutes`.
        var counts = [Int](repeating: 0, count: minutes)
        /// The latest minute of the counts, in minutes since 1970.
        var minute: Int64 = 0
        var last: (message: String, atMilliseconds: Int64)?

        /// Clears the counts of the minutes that have passed since the latest one.
        mutating func advance(to minute: Int64) {
            let passed = min(max(minute - self.minute, 0), Int64(RecentTroubles.minutes))
            for step in 0..<passed {
                counts[Int((minute - step) % Int64(RecentTroubles.minutes))] = 0
            }
            self.minute = max(self.minute, minute)
        }
    }

    private let state = Mutex(State())

    /// Counts an error or warning, at a time in Unix milliseconds.
    func note(_ message: String, at now: Int64) {
        state.withLock { state in
            state.advance(to: now / 60_000)
            state.counts[Int(state.minute % Int64(Self.minutes))] += 1
            state.last = (message, now)
        }
    }

    /// Returns the number in the hour before a time in Unix milliseconds, and the last error or warning ever.
    func reading(at now: Int64) -> (count: Int, last: (message: String, atMilliseconds: Int64)?) {
        state.withLock { state in
            state.advance(to: now / 60_000)
            return (state.counts.reduce(0, +), state.last)
        }
    }
}
