import Dispatch
import Glibc
import SQLite
import Synchronization

/// The floor of reading a catalog: SQLite steps through every pair of its two tables, and nothing is done with them.
enum CatalogScan {
    /// Ranges of groups that threads take in turn.
    private static let rangeCount = 512

    /// Reads the file once, so that it is in the system's cache.
    static func warm(_ path: String) throws(BenchError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .data("cannot open \(path): \(RawArrays.lastError())") }
        defer { close(descriptor) }
        var portion = [UInt8](repeating: 0, count: 8 << 20)
        while unsafe portion.withUnsafeMutableBytes({ unsafe read(descriptor, $0.baseAddress, $0.count) }) > 0 {}
    }

    /// Steps through all rows of memberships and pools in the order of their keys, reading both columns.
    ///
    /// - Returns: how many rows there were.
    static func run(_ path: String, threads: Int) throws -> Int {
        try scan(path, "memberships", "user_key", threads) + scan(path, "pools", "photo_key", threads)
    }

    private static func scan(_ path: String, _ table: String, _ entry: String, _ threads: Int) throws -> Int {
        let last = try largestGroup(path, table)
        let width = last / Int64(rangeCount) + 1
        let next = Atomic<Int>(0)
        let rows = Atomic<Int>(0)
        let failure = Mutex<DatabaseError?>(nil)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            do throws(DatabaseError) {
                let database = try Database(path: path, mode: .readOnly)
                let statement = try database.prepare(
                    """
                    SELECT group_key, \(entry) FROM \(table) WHERE group_key BETWEEN ? AND ?
                    ORDER BY group_key, \(entry)
                    """)
                var (count, sum) = (0, Int64(0))
                while case let index = next.add(1, ordering: .relaxed).oldValue, index < rangeCount {
                    statement.bind(Int64(index) * width, at: 1)
                    statement.bind(Int64(index + 1) * width - 1, at: 2)
                    try statement.forEachIntegerPair { group, entry in
                        count += 1
                        sum &+= group ^ entry
                    }
                }
                // The sum is used, so that the compiler cannot remove the loop.
                rows.add(sum == .min ? 0 : count, ordering: .relaxed)
            } catch { failure.withLock { $0 = $0 ?? error } }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        return rows.load(ordering: .relaxed)
    }

    private static func largestGroup(_ path: String, _ table: String) throws(DatabaseError) -> Int64 {
        let statement = try Database(path: path, mode: .readOnly).prepare("SELECT max(group_key) FROM \(table)")
        return try statement.step() ? statement.integer(0) : 0
    }
}
