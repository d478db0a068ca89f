import Synchronization

/// Whether something works that is tried again and again: told at `/readyz` and in metrics, and logged when it changes.
///
/// It works again when it works and has not failed for a while: on a full disk, a small write still succeeds now and
/// then.
final class Condition: Sendable {
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

    /// - Parameters:
    ///   - name: a part of the names of its metrics.
    ///   - meaning: what works, as a clause: "Whether …".
    ///   - recovery: the message when it works again.
    ///   - log: nil for none.
    ///   - calmSeconds: how long it must not have failed to count as working again.
    ///   - uptime: nanoseconds of the monotonic clock.
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

    /// What is wrong; nil if it works.
    var problem: String? { isFailing ? state.withLock { $0.problem } : nil }

    /// Whether it fails.
    var isFailing: Bool { isFailingNow.load(ordering: .relaxed) }

    /// It failed.
    func failed(_ message: String) {
        failureCount.wrappingAdd(1, ordering: .relaxed)
        let isNew = state.withLock { state in
            defer { state = State(problem: message, lastFailureNanoseconds: uptime()) }
            isFailingNow.store(true, ordering: .relaxed)
            return state.problem == nil
        }
        if isNew { log?.warning(message) }
    }

    /// It worked.
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

extension Condition: MetricSource {
    func write(to text: inout MetricsText) {
        text.gauge("coterie_\(name)_up", "\(meaning).", isFailing ? 0 : 1)
        text.counter(
            "coterie_\(name)_failures_total", "Times that this failed.", failureCount.load(ordering: .relaxed))
    }
}

extension Condition {
    /// How long nothing must have failed to be written.
    private static let calmSeconds: UInt64 = 5

    /// Whether what members do and admins decide can be recorded.
    static func recording(_ log: EventLog?) -> Condition {
        Condition(
            "recording", "Whether what members do and admins decide can be recorded",
            recovery: "changes can be recorded again", log: log, calmSeconds: calmSeconds)
    }

    /// Whether the lists of sessions can be kept.
    static func sessions(
        _ log: EventLog?, uptime: @escaping @Sendable () -> UInt64 = { SystemClock.uptimeNanoseconds }
    ) -> Condition {
        Condition(
            "sessions", "Whether the lists of sessions can be kept", recovery: "sessions can be kept again", log: log,
            calmSeconds: calmSeconds, uptime: uptime)
    }
}

/// The errors and warnings of a daemon's last hour, counted by the minute.
final class RecentTroubles: Sendable {
    private static let minutes = 60

    private struct State {
        /// How many there were in each minute, by the minute modulo `minutes`.
        var counts = [Int](repeating: 0, count: minutes)
        /// The minute that was counted last, since 1970.
        var minute: Int64 = 0
        var last: (message: String, atMilliseconds: Int64)?

        /// Forgets the minutes that have passed since the last one.
        mutating func advance(to minute: Int64) {
            let passed = min(max(minute - self.minute, 0), Int64(RecentTroubles.minutes))
            for step in 0..<passed {
                counts[Int((minute - step) % Int64(RecentTroubles.minutes))] = 0
            }
            self.minute = max(self.minute, minute)
        }
    }

    private let state = Mutex(State())

    /// Takes one down, at a time in Unix milliseconds.
    func note(_ message: String, at now: Int64) {
        state.withLock { state in
            state.advance(to: now / 60_000)
            state.counts[Int(state.minute % Int64(Self.minutes))] += 1
            state.last = (message, now)
        }
    }

    /// How many there were in the hour before a time in Unix milliseconds, and the last of all.
    func reading(at now: Int64) -> (count: Int, last: (message: String, atMilliseconds: Int64)?) {
        state.withLock { state in
            state.advance(to: now / 60_000)
            return (state.counts.reduce(0, +), state.last)
        }
    }
}
