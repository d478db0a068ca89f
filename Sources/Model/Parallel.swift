import Basics
import Synchronization

/// Work that several threads share.
///
/// Each thread takes the next portion of the work when it is done with one. New threads are started, because the work
/// seldom waits and would block the shared pool of asynchronous code. The calling thread takes part.
package enum Parallel {
    /// Returns the results of a function for portions of the numbers 0 ..< count, in their order.
    ///
    /// - Parameters:
    ///   - size: the number of elements of a portion; the last one may have fewer.
    ///   - threads: the most threads, including this one; their number does not change the results.
    ///   - state: creates the state of a thread, which is kept between its portions.
    /// - Throws: the error of the first failed portion. No thread takes another portion after an error.
    package static func map<State: ~Copyable, Result: Sendable, Failure: Error>(
        _ count: Int, inPortionsOf size: Int = 1, threads: Int,
        state: @Sendable (_ thread: Int) throws(Failure) -> State,
        _ body: @Sendable (_ state: inout State, _ portion: Range<Int>) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        let portions = (count + size - 1) / size
        let outcomes = Mutex([Swift.Result<Result, Failure>?](repeating: nil, count: portions))
        let stateFailure = Mutex<Failure?>(nil)
        let next = Atomic(0)
        run(threads: min(threads, portions)) { thread in
            do throws(Failure) {
                var state = try state(thread)
                while case let number = next.add(1, ordering: .relaxed).oldValue, number < portions {
                    let outcome: Swift.Result<Result, Failure>
                    do throws(Failure) {
                        outcome = .success(try body(&state, number * size..<min(count, (number + 1) * size)))
                    } catch {
                        outcome = .failure(error)
                        next.store(portions, ordering: .relaxed)
                    }
                    outcomes.withLock { $0[number] = outcome }
                }
            } catch {
                next.store(portions, ordering: .relaxed)
                stateFailure.withLock { $0 = $0 ?? error }
            }
        }
        if let error = stateFailure.withLock({ $0 }) { throw error }
        var results: [Result] = []
        results.reserveCapacity(portions)
        // Only portions behind a failed one have no outcome.
        for case let outcome? in outcomes.withLock({ $0 }) { results.append(try outcome.get()) }
        return results
    }

    /// Returns the results of a function for the numbers 0 ..< count, in their order.
    ///
    /// - Throws: the error of the first number that failed.
    package static func map<Result: Sendable, Failure: Error>(
        _ count: Int, threads: Int, _ body: @Sendable (_ number: Int) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        try map(count, threads: threads, state: { _ throws(Failure) in }) { _, portion throws(Failure) in
            try body(portion.lowerBound)
        }
    }

    /// Calls a function for portions of the numbers 0 ..< count, each on the next free thread.
    package static func forEach(
        _ count: Int, inPortionsOf size: Int = 1, threads: Int, _ body: @Sendable (_ portion: Range<Int>) -> Void
    ) {
        _ = map(count, inPortionsOf: size, threads: threads, state: { _ in }) { _, portion in body(portion) }
    }

    /// Runs a function on several threads at once, and returns when all have ended.
    ///
    /// If the system refuses to start a thread, the other threads do its share.
    private static func run(threads: Int, _ body: @Sendable (_ thread: Int) -> Void) {
        withoutActuallyEscaping(body) { body in
            let others = (1..<max(1, threads)).compactMap { thread in try? WorkThread { body(thread) } }
            body(0)
            for thread in others { thread.join() }
        }
    }
}
