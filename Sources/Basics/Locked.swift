import Synchronization

/// A value behind a lock, such as a connection, that any thread may use, but only one at a time.
///
/// What is read out of it must not be used by a thread that does not have the lock.
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
