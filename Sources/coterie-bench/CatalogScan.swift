import Dispatch
import Glibc
import SQLite
import Synchronization

/// The floor of reading a catalog: SQLite steps through every pair of its two relations and through all photos, and
/// nothing is done with them.
enum CatalogScan {
    /// Ranges of keys that threads take in turn.
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
    static func pairs(_ path: String, threads: Int) throws -> Int {
        try pairs(path, "memberships", "user_key", threads) + pairs(path, "pools", "photo_key", threads)
    }

    private static func pairs(_ path: String, _ table: String, _ entry: String, _ threads: Int) throws -> Int {
        try scan(path, table, ["group_key", entry], threads) { rows throws(DatabaseError) in
            var scanned = Scanned()
            try rows.forEachIntegerPair { group, entry in scanned.add(group ^ entry) }
            return scanned
        }
    }

    /// Steps through all photos in the order of their keys, reading the columns that a recompute needs.
    ///
    /// - Returns: how many photos there were.
    static func photos(_ path: String, threads: Int) throws -> Int {
        let columns = ["photo_key", "visibility", "user_key", "tags", "latitude", "longitude"]
        return try scan(path, "photos", columns, threads) { rows throws(DatabaseError) in
            var scanned = Scanned()
            while try rows.step() {
                let tags = unsafe rows.withText(3) { $0.count }
                let place = (rows.optionalNumber(4) ?? 0) + (rows.optionalNumber(5) ?? 0)
                scanned.add(rows.integer(0) ^ rows.integer(1) ^ rows.integer(2) ^ Int64(tags) ^ Int64(place))
            }
            return scanned
        }
    }

    /// Rows, and a sum of their values that is used, so that the compiler cannot remove the loop.
    private struct Scanned {
        private(set) var count = 0
        private var sum: Int64 = 0

        mutating func add(_ value: Int64) {
            count += 1
            sum &+= value
        }

        /// How many rows there were.
        var used: Int { sum == .min ? 0 : count }
    }

    /// - Parameter columns: the first is the key by which threads share the rows.
    private static func scan(
        _ path: String, _ table: String, _ columns: [String], _ threads: Int,
        _ read: @Sendable (Statement) throws(DatabaseError) -> Scanned
    ) throws -> Int {
        let last = try Database(path: path, mode: .readOnly).integer("SELECT max(\(columns[0])) FROM \(table)") ?? 0
        let width = last / Int64(rangeCount) + 1
        let next = Atomic<Int>(0)
        let rows = Atomic<Int>(0)
        let failure = Mutex<DatabaseError?>(nil)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            do throws(DatabaseError) {
                let database = try Database(path: path, mode: .readOnly)
                let statement = try database.prepare(
                    """
                    SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(columns[0]) BETWEEN ? AND ?
                    ORDER BY \(columns.prefix(2).joined(separator: ", "))
                    """)
                while case let index = next.add(1, ordering: .relaxed).oldValue, index < rangeCount {
                    statement.bind(Int64(index) * width, at: 1)
                    statement.bind(Int64(index + 1) * width - 1, at: 2)
                    rows.add(try read(statement).used, ordering: .relaxed)
                }
            } catch { failure.withLock { $0 = $0 ?? error } }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        return rows.load(ordering: .relaxed)
    }
}
