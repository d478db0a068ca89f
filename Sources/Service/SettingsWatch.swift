import Synchronization

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
