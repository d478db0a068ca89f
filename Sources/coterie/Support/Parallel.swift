import Dispatch
import Synchronization

/// Work that several threads share.
enum Parallel {
    /// What `body` makes of each portion of so many elements, in their order.
    ///
    /// - Parameters:
    ///   - count: how many elements there are.
    ///   - portion: how many elements a thread takes at a time.
    ///   - tools: one for each thread, which nobody else uses meanwhile.
    /// - Throws: the first error; the other threads stop at the end of their portions.
    static func map<Tool, Result: Sendable>(
        _ count: Int, portion: Int, _ tools: [Tool], _ body: (Tool, Range<Int>) throws -> Result
    ) throws -> [Result] {
        let next = Atomic(0)
        let outcomes = Mutex<[Int: Swift.Result<Result, any Error>]>([:])
        // Each thread has a tool of its own, and `body` does not outlive this call.
        nonisolated(unsafe) let (tools, body) = (tools, body)
        unsafe DispatchQueue.concurrentPerform(iterations: tools.count) { thread in
            while true {
                let start = next.wrappingAdd(portion, ordering: .relaxed).oldValue
                guard start < count else { return }
                let outcome = Swift.Result { unsafe try body(tools[thread], start..<min(count, start + portion)) }
                outcomes.withLock { $0[start] = outcome }
                if case .failure = outcome { next.store(count, ordering: .relaxed) }
            }
        }
        return try outcomes.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() }
    }
}
