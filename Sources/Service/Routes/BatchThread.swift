import Glibc
import Synchronization

/// Does work that takes long, one piece after another, on a thread of low priority: others hardly notice.
///
/// There is a thread only while there is work.
final class BatchThread: Sendable {
    /// How many pieces of work may wait while one is done.
    static let limit = 8
    /// The nice value of the thread: where all processors are busy, it gets about a tenth of one.
    private static let niceness: Int32 = 10

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Takes work to be done.
    ///
    /// - Returns: false if too much waits already; then it is not done.
    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.waiting.count < Self.limit else { return false }
            if !state.isRunning {
                guard start() else { return false }
                state.isRunning = true
            }
            state.waiting.append(work)
            return true
        }
    }

    private func start() -> Bool {
        var thread = pthread_t()
        let worker = unsafe Unmanaged.passRetained(self)
        let outcome = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<BatchThread>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, worker.toOpaque())
        guard outcome == 0 else {
            unsafe worker.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func run() {
        // On Linux each thread has a nice value of its own, and 0 is the one that asks.
        _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, Self.niceness)
        while let work = next() { work() }
    }

    /// The next work; nil if there is none, and the thread ends.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
    }
}
