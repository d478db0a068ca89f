import Synchronization

/// Logs when something begins to fail, and when it works again: once each, however often it is tried.
final class FailureLog: Sendable {
    private let log: EventLog
    private let recovery: String
    private let isFailing = Atomic(false)

    /// - Parameter recovery: the message when it works again.
    init(_ log: EventLog, recovery: String) {
        self.log = log
        self.recovery = recovery
    }

    /// It failed.
    func failed(_ message: String) {
        if !isFailing.exchange(true, ordering: .relaxed) { log.warning(message) }
    }

    /// It worked.
    func worked() {
        guard isFailing.load(ordering: .relaxed), isFailing.exchange(false, ordering: .relaxed) else { return }
        log.info(recovery)
    }
}
