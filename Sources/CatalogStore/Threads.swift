import Dispatch

/// Runs `body` on so many threads at once and waits for all.
func runOnThreads(_ count: Int, _ body: @Sendable () -> Void) {
    DispatchQueue.concurrentPerform(iterations: max(1, count)) { _ in body() }
}
