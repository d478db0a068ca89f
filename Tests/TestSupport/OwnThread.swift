import Foundation

/// Runs what waits for something that a test still has to do, on a thread of its own.
///
/// Tasks share as many threads as there are processors. Were these all to wait like that, no test could go on.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
