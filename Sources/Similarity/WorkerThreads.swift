import Glibc
import Synchronization

/// Runs a closure on several threads at once and returns when all have ended.
///
/// It starts threads of its own, because the work never waits and would block the pool that asynchronous code shares.
/// The calling thread is one of them. If the system refuses to start another, the others do its share.
///
/// - Parameter body: receives the number of its thread, from 0.
func withWorkerThreads(_ count: Int, _ body: @Sendable (_ thread: Int) -> Void) {
    withoutActuallyEscaping(body) { body in
        var handles: [pthread_t] = []
        for thread in 1..<max(1, count) {
            let job = unsafe Unmanaged.passRetained(Job { body(thread) })
            var handle = pthread_t()
            let status = unsafe pthread_create(&handle, nil, runJob, job.toOpaque())
            if status == 0 { handles.append(handle) } else { unsafe job.release() }
        }
        body(0)
        for handle in handles { _ = pthread_join(handle, nil) }
    }
}

private func runJob(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument = unsafe argument { unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
}

private final class Job: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Gives out the numbers 0 ..< count, one at a time, to any thread that asks.
final class WorkQueue: Sendable {
    let count: Int
    private let next = Atomic<Int>(0)

    init(count: Int) { self.count = count }

    /// The next number; nil when all are taken.
    func take() -> Int? {
        let taken = next.add(1, ordering: .relaxed).oldValue
        return taken < count ? taken : nil
    }
}

/// Runs a closure for each of the numbers 0 ..< count, each on the next free thread.
func concurrently(_ threads: Int, count: Int, _ body: @Sendable (_ number: Int) -> Void) {
    let queue = WorkQueue(count: count)
    withWorkerThreads(min(threads, count)) { _ in
        while let number = queue.take() { body(number) }
    }
}

/// Results that several threads produce, each with its number.
final class Collected<Value: Sendable>: Sendable {
    private let values: Mutex<[Value?]>

    init(count: Int) { values = Mutex(Array(repeating: nil, count: count)) }

    func set(_ number: Int, _ value: Value) { values.withLock { $0[number] = value } }

    /// All results, in the order of their numbers.
    func all() -> [Value] { values.withLock { $0.compactMap { $0 } } }
}
