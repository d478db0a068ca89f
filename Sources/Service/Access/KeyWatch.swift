import Synchronization
import Tokens

/// Takes changes of the key file up, and says so.
final class KeyWatch: Sendable {
    private let keys: KeyRing
    private let log: EventLog
    private let failureCount = Atomic<UInt64>(0)

    init(_ keys: KeyRing, log: EventLog) {
        self.keys = keys
        self.log = log
    }

    /// Looks at the file once.
    ///
    /// - Parameter isForced: whether it is read even if it seems to be the same.
    func refresh(isForced: Bool = false) {
        do throws(TokenError) {
            guard try keys.refresh(isForced: isForced) else { return }
            let ids = keys.current.keys.keys.map(\.id).joined(separator: ", ")
            log.info("the keys have changed; tokens of these are accepted now: \(ids)")
        } catch {
            failureCount.wrappingAdd(1, ordering: .relaxed)
            log.error("\(error.message); the keys before stay in use")
        }
    }
}

extension KeyWatch: MetricSource {
    func write(to text: inout MetricsText) {
        text.gauge("coterie_keys", "Keys that tokens are checked with.", keys.current.keys.keys.count)
        text.counter(
            "coterie_key_reload_failures_total", "Changes of the key file that could not be taken up.",
            failureCount.load(ordering: .relaxed))
    }
}
