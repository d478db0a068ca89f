import Dispatch

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
