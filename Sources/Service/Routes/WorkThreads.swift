import Glibc
import Synchronization

/// Does work that takes long or waits, on threads of its own: those of the server serve other connections meanwhile.
///
/// Work begins in the order in which it came. There are threads only while there is work.
final class WorkThreads: Sendable {
    /// How many threads there are at most.
    let threadLimit: Int
    /// How many pieces of work may wait while every thread does one.
    let waitingLimit: Int
    /// The nice value of the threads.
    private let niceness: Int32

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threadCount = 0
    }

    private let state = Mutex(State())

    /// - Parameter niceness: 0 to 19; at 10, where all processors are busy, a thread gets about a tenth of one.
    init(_ threadLimit: Int, waiting waitingLimit: Int, niceness: Int32 = 0) {
        self.threadLimit = threadLimit
        self.waitingLimit = waitingLimit
        self.niceness = niceness
    }

    /// Takes work to be done.
    ///
    /// - Returns: false if too much waits already, or there can be no thread; then it is not done.
    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.threadCount < threadLimit, start() {
                state.threadCount += 1
            } else if state.threadCount == 0 || state.waiting.count >= waitingLimit {
                return false
            }
            state.waiting.append(work)
            return true
        }
    }

    private func start() -> Bool {
        var thread = pthread_t()
        let threads = unsafe Unmanaged.passRetained(self)
        let outcome = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<WorkThreads>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, threads.toOpaque())
        guard outcome == 0 else {
            unsafe threads.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func run() {
        // On Linux each thread has a nice value of its own, and 0 is the one that asks.
        if niceness > 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) }
        while let work = next() { work() }
    }

    /// The next work; nil if there is none, and the thread ends.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threadCount -= 1
            return nil
        }
    }
}
