import Basics
import Glibc
import Synchronization
import Testing

@Suite("Threads and locks")
struct ThreadsTests {
    /// A count without a lock of its own.
    private final class Count {
        var value = 0
    }

    private struct Refusal: Error {}

    @Test("A locked value is used by one thread at a time, and all have ended when they were joined")
    func counting() throws {
        let count = Locked(Count())
        let threads = try (0..<4).map { _ in
            try WorkThread {
                for _ in 0..<10_000 { count.withLock { $0.value += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(count.withLock(\.value) == 40_000)
        // A second caller does not wait.
        for thread in threads { thread.join() }
    }

    @Test("A lock is free again after an error")
    func error() {
        let numbers = Locked([1])
        #expect(throws: Refusal.self) {
            try numbers.withLock { numbers throws(Refusal) in
                numbers.append(2)
                throw Refusal()
            }
        }
        #expect(numbers.withLock(\.self) == [1, 2])
    }

    @Test("A nice value belongs to one thread", arguments: [0, 7] as [Int32])
    func niceness(_ niceness: Int32) throws {
        let own = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
        let found = Mutex<Int32?>(nil)
        let thread = try WorkThread(niceness: niceness) {
            found.withLock { $0 = getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
        }
        thread.join()
        #expect(found.withLock(\.self) == max(own, niceness))
        #expect(getpriority(Int32(PRIO_PROCESS.rawValue), 0) == own)
    }

    @Test("A thread that nobody refers to goes on")
    func detached() throws {
        let isDone = Atomic(false)
        try WorkThread {
            usleep(10_000)
            isDone.store(true, ordering: .releasing)
        }
        while !isDone.load(ordering: .acquiring) { usleep(1000) }
    }
}
