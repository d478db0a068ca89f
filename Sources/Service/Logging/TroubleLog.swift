import Synchronization

/// Logs when something begins to fail, and when it works again: once each, however often it is tried.
final class TroubleLog: Sendable {
    private let log: EventLog
    private let isFailing = Atomic(false)

    init(_ log: EventLog) { self.log = log }

    /// It failed.
    func failed(_ line: String) {
        if !isFailing.exchange(true, ordering: .relaxed) { log.warning(line) }
    }

    /// It worked.
    func worked(_ line: String) {
        if isFailing.exchange(false, ordering: .relaxed) { log.info(line) }
    }
}
