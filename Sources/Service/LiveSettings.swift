import Dispatch
import Synchronization

/// What a running daemon takes up without a restart.
public struct LiveSettings: Sendable {
    /// Which requests need which tokens; whether there are keys, and which, does not change.
    public var access = AccessPolicy()
    /// Which sites' pages may read answers in a browser.
    public var crossOrigin = CrossOriginPolicy()
    /// How many requests clients may make.
    public var rateLimits = RateLimits.usual
    /// How much of what each member does is recorded.
    public var quota = MemberQuota.usual
    /// How members' lists are made.
    public var planning = Planning()
    /// How old a version may be before `/readyz` calls it stale.
    public var staleAfter = Duration.seconds(14 * 86400)
    /// Whether every request is logged.
    public var logsRequests = false

    /// The usual settings, without keys.
    public init() {}
}

/// Gives a daemon new settings while it runs.
public protocol SettingsSource: Sendable {
    /// The settings, if what they are read from has changed since they were last asked for.
    ///
    /// - Parameter isForced: whether it is read in any case.
    /// - Returns: nil if nothing has changed.
    /// - Throws: once for each change that cannot be used; its description says why.
    func changes(isForced: Bool) throws -> SettingsChange?
}

/// Settings that were read again.
public struct SettingsChange: Sendable {
    /// What can be taken up now.
    public var live: LiveSettings
    /// The names of the settings that have changed and are taken up now.
    public var taken: [String]
    /// The names of those that differ from what the daemon was started with, and need a restart.
    public var waiting: [String]

    /// A change.
    public init(live: LiveSettings, taken: [String], waiting: [String]) {
        self.live = live
        self.taken = taken
        self.waiting = waiting
    }
}

/// Takes changed settings up, and says so; the last good ones stay in use while the new ones are wrong.
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
    ///   - isForced: whether everything is read again in any case.
    ///   - takeUp: makes settings those of the daemon; called by one thread at a time.
    func refresh(isForced: Bool = false, takingUp takeUp: (LiveSettings) -> Void) {
        // A signal and the timer may come at once.
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
            log.info("the configuration has changed; taken up: \(change.taken.joined(separator: ", "))")
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

/// Does something now and again at an interval, on a thread of its own, until it goes or is cancelled.
final class RepeatingTimer: Sendable {
    // Only cancelled after init, which may be done from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceTimer

    init(label: String, interval: Duration, _ body: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: label))
        unsafe self.source = source
        let (seconds, attoseconds) = interval.components
        source.schedule(
            deadline: .now(), repeating: .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
        source.setEventHandler(handler: body)
        source.activate()
    }

    deinit { cancel() }

    /// Does it no more, once it is done.
    func cancel() { unsafe source.cancel() }
}

/// Why the daemon cannot start, or cannot answer for a while.
public struct ServiceError: Error, Equatable, CustomStringConvertible {
    /// What failed; if the daemon is running already, trying later may help.
    public enum Code: Sendable, Equatable {
        /// At start: the address to listen at is open to other machines.
        case addressRefused
        /// At start: the daemon cannot listen, cannot open a file, or a limit is out of bounds.
        case startFailed
        /// The catalog cannot be read or written.
        case catalogFailed
        /// The daemon's journal cannot be read or written.
        case journalFailed
        /// Members published with a version cannot be read.
        case publishedMembersFailed
        /// The shared store does not answer.
        case storeFailed
        /// The lists of sessions cannot be read or kept.
        case sessionsFailed
        /// No version is loaded.
        case noVersion
    }

    /// What failed.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
