import Foundation

/// Runs what waits for something that a test still has to do, on a thread of its own.
///
/// Tasks share as many threads as there are processors. Were these all to wait like that, no test could go on.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Looks again and again whether a condition is met, at first often.
///
/// An idle machine takes a second or so to meet it. The minute is for a busy one. Other tests may keep this one from
/// its turn for minutes, so it also looks some hundred times.
///
/// - Returns: whether it was met within a minute and these looks.
package func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    var pause = Duration.milliseconds(2)
    var looks = 0
    while looks < 300 || ContinuousClock.now < deadline {
        if try await condition() { return true }
        looks += 1
        try? await Task.sleep(for: pause)
        pause = min(pause * 1.5, .milliseconds(60))
    }
    return false
}
