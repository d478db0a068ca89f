import Dispatch
import Synchronization

/// Settings that a running daemon takes up without a restart.
package struct LiveSettings: Sendable {
    /// The tokens that requests need; whether there is a key file, and which, does not change.
    package var access = AccessPolicy()
    /// The sites whose pages may read answers in a browser.
    package var crossOrigin = CrossOriginPolicy()
    /// The addresses of the site's pages and pictures.
    package var addresses = SiteAddresses()
    /// The apps that open addresses of groups.
    package var apps = AppLinks()
    /// The limits on the request rate of clients.
    package var rateLimits = RateLimits.usual
    /// The limits on the recorded interactions of each member.
    package var quota = MemberQuota.usual
    /// The parameters of members' lists.
    package var planning = Planning()
    /// A fingerprint of these parameters and of the program's release, or nil if it is not known.
    package var listSettings: String?
    /// The age above which `/readyz` reports a version as stale.
    package var staleAfter = Duration.seconds(14 * 86400)
    /// Whether every request is logged.
    package var logsRequests = false
    /// Whether the log has the ids of paths; otherwise it has digests.
    package var logsMembers = true

    /// Creates the usual settings, without keys.
    package init() {}
}

/// A source of new settings for a running daemon.
package protocol SettingsSource: Sendable {
    /// Returns the settings if their files have changed since the last call, or nil if not.
    ///
    /// - Parameter isForced: whether unchanged files are read again, too.
    /// - Throws: an error whose description says why a change cannot be used, once for each such change.
    func changes(isForced: Bool) throws -> SettingsChange?
}

/// Settings that were read again.
package struct SettingsChange: Sendable {
    /// The settings that the daemon can take up now.
    package var live: LiveSettings
    /// The names of the changed settings in `live`.
    package var taken: [String]
    /// The names of settings that differ from the start of the daemon and need a restart.
    package var waiting: [String]

    package init(live: LiveSettings, taken: [String], waiting: [String]) {
        self.live = live
        self.taken = taken
        self.waiting = waiting
    }
}

/// Takes up changed settings, and logs them.
///
/// The last good settings stay in use while the new ones are wrong.
final class SettingsWatch: Sendable {
    private struct State {
        var isRefused = false
        var waiting: [String] = []
    }

    private let source: any SettingsSource
    private let log: EventLog
    private let state = Mutex(State())
    private let refreshing = Mutex(())
    private let failureCount = Atomic<UInt64>(0)

    init(_ source: any SettingsSource, log: EventLog) {
        self.source = source
        self.log = log
    }

    /// Asks the source once.
    ///
    /// - Parameters:
    ///   - isForced: whether unchanged files are read again, too.
    ///   - takeUp: applies settings to the daemon; called by one thread at a time.
    func refresh(isForced: Bool = false, takingUp takeUp: (LiveSettings) -> Void) {
        // A signal and the timer may call this at the same time.
        refreshing.withLock { _ in
            do {
                guard let change = try source.changes(isForced: isForced) else { return }
                if !change.taken.isEmpty || isForced { takeUp(change.live) }
                report(change, state.withLock { $0 })
                state.withLock { $0 = State(waiting: change.waiting) }
            } catch {
                state.withLock { $0.isRefused = true }
                failureCount.wrappingAdd(1, ordering: .relaxed)
                log.error("the configuration cannot be used: \(error); the settings before stay in use")
            }
        }
    }

    private func report(_ change: SettingsChange, _ before: State) {
        if !change.taken.isEmpty {
            let message = "the configuration has changed; taken up: \(change.taken.joined(separator: ", "))"
            // Somebody may not have meant to change who has access.
            let concernsAccess = change.taken.contains { $0.hasPrefix("access.") }
            if concernsAccess { log.warning(message) } else { log.info(message) }
        } else if before.isRefused {
            log.info("the configuration can be used again")
        }
        if !change.waiting.isEmpty, change.waiting != before.waiting {
            let names = change.waiting.joined(separator: ", ")
            log.warning("the configuration has changed; these need a restart, and keep their values: \(names)")
        }
    }
}

extension SettingsWatch: MetricSource {
    func write(to text: inout MetricsText) {
        let state = state.withLock { $0 }
        text.gauge("coterie_configuration_up", "Whether the configuration files can be used.", state.isRefused ? 0 : 1)
        text.counter(
            "coterie_configuration_failures_total", "Changes of the configuration that could not be taken up.",
            failureCount.load(ordering: .relaxed))
        text.gauge(
            "coterie_configuration_waiting", "Settings that have changed and need a restart.", state.waiting.count)
    }
}

/// Repeats a task at an interval on a thread of its own, until it is cancelled or deallocated.
final class RepeatingTimer: Sendable {
    let label: String
    // After `init` it is only cancelled, which any thread may do.
    private nonisolated(unsafe) let source: any DispatchSourceTimer
    private let hasEnded = DispatchSemaphore(value: 0)

    init(label: String, interval: Duration, _ body: @escaping @Sendable () -> Void) {
        self.label = label
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: label))
        unsafe self.source = source
        let (seconds, attoseconds) = interval.components
        source.schedule(
            deadline: .now(), repeating: .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
        source.setEventHandler(handler: body)
        source.setCancelHandler { [hasEnded] in hasEnded.signal() }
        source.activate()
    }

    deinit { cancel() }

    /// Prevents further runs; a run under way continues.
    func cancel() { unsafe source.cancel() }

    /// Prevents further runs, and waits for the end of a run under way; the task must not call it.
    func finish() {
        cancel()
        hasEnded.wait()
        // This wakes other waiting threads.
        hasEnded.signal()
    }
}
