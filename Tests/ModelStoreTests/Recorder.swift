import Synchronization

/// Collects what callbacks are given.
final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Mutex<[Value]>([])

    /// What was recorded, in order.
    var values: [Value] { recorded.withLock { $0 } }

    /// Records a value.
    func append(_ value: Value) { recorded.withLock { $0.append(value) } }
}
