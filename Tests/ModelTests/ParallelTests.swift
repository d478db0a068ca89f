import Basics
import Model
import Synchronization
import Testing

@Suite("Work that threads share")
struct ParallelTests {
    private struct Failure: Error, Equatable { var number: Int }

    @Test("Results are in order, whatever the portions and threads", arguments: [1, 3, 64])
    func order(threads: Int) {
        for (count, size) in [(0, 1), (1, 1), (1, 7), (100, 1), (100, 7), (100, 100), (101, 100)] {
            let found = Parallel.map(count, inPortionsOf: size, threads: threads, state: { _ in }) { Array($1) }
            #expect(found.flatMap(\.self) == Array(0..<count))
            #expect(found.dropLast().allSatisfy { $0.count == size })
            #expect(Parallel.map(count, threads: threads) { $0 * $0 } == (0..<count).map { $0 * $0 })
        }
    }

    @Test("Each number is taken once, and a thread keeps its state between portions")
    func state() {
        let takenCounts = Mutex([Int](repeating: 0, count: 1000))
        let numbers = Parallel.map(1000, inPortionsOf: 3, threads: 4, state: { (thread: $0, taken: 0) }) {
            state, portion in
            state.taken += 1
            takenCounts.withLock { counts in for number in portion { counts[number] += 1 } }
            return (state.thread, state.taken)
        }
        #expect(takenCounts.withLock { $0 } == [Int](repeating: 1, count: 1000))
        for thread in 0..<4 {
            // A thread's portions are in ascending order.
            let own = numbers.filter { $0.0 == thread }.map(\.1)
            #expect(own == Array(1..<own.count + 1))
        }
        #expect(numbers.count == 334)
    }

    @Test("The error of the first failed number is thrown", arguments: [1, 4])
    func errors(threads: Int) {
        for _ in 0..<20 {
            #expect(throws: Failure(number: 13)) {
                try Parallel.map(5000, threads: threads) { number throws(Failure) in
                    if number == 13 || number > 14 { throw Failure(number: number) }
                }
            }
        }
        #expect(throws: Failure(number: -1)) {
            try Parallel.map(
                9, threads: threads, state: { _ throws(Failure) -> Int in throw Failure(number: -1) }
            ) { _, _ throws(Failure) in }
        }
    }
}
