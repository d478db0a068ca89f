import Glibc
import Synchronization

/// A thread of the system, for work that waits or takes long.
///
/// Such work would block the shared pool of asynchronous code. A thread goes on if nobody refers to it any more.
package final class WorkThread: Sendable {
    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// The handle, or nil once the thread has ended and was joined.
    private let handle: Mutex<pthread_t?>

    /// Starts a thread, which ends with a function.
    ///
    /// - Parameter niceness: the nice value, from 0 to 19. At 10, a thread gets about a tenth of a processor if all are
    ///   busy.
    /// - Throws: `Failure.tryLater` if the system refuses one more thread.
    @discardableResult
    package init(niceness: Int32 = 0, _ run: @escaping @Sendable () -> Void) throws(Failure) {
        let work = unsafe Unmanaged.passRetained(
            Work {
                // On Linux a nice value belongs to one thread; 0 stands for the calling thread.
                if niceness > 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) }
                run()
            })
        var handle = pthread_t()
        let outcome = unsafe pthread_create(
            &handle, nil,
            { context in
                if let context = unsafe context { unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, work.toOpaque())
        guard outcome == 0 else {
            unsafe work.release()
            throw Failure(.tryLater, "cannot start a thread: \(SystemWords.words(ofError: outcome))")
        }
        self.handle = Mutex(handle)
    }

    deinit { if let handle = handle.withLock({ $0 }) { pthread_detach(handle) } }

    /// Waits until the function has returned; the thread must not call it.
    package func join() {
        handle.withLock { handle in
            if let ended = handle.take() { pthread_join(ended, nil) }
        }
    }
}

/// A value behind a lock, such as a connection, that any thread may use, but only one at a time.
///
/// Values read out of it must not be used by a thread that does not have the lock.
package final class Locked<Value>: Sendable {
    /// The assertion that the lock guards a value, which the compiler cannot check.
    private struct Guarded<Content>: @unchecked Sendable {
        var content: Content
    }

    private let value: Mutex<Guarded<Value>>

    package init(_ value: Value) { self.value = Mutex(Guarded(content: value)) }

    /// Returns the result of a function that uses the value while no other thread does.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try value.withLock { value throws(Failure) in Guarded(content: try body(&value.content)) }.content
    }
}
