import Basics
import CatalogStore
import CommandLine
import Glibc
import Model
import SQLite
import Similarity

/// The lower bound of the time to read a catalog.
///
/// SQLite steps through all pairs of its tables and through all photos, and nothing is done with the rows.
enum CatalogScan {
    /// The number of key ranges that threads take in turn.
    private static let rangeCount = 512

    /// Reads the file once to bring it into the system's cache.
    static func warm(_ path: String) throws(Failure) {
        let file = try OpenFile(path, for: .reading)
        let portion = 8 << 20
        for start in stride(from: 0, to: try file.byteCount(), by: portion) {
            _ = try file.bytes(count: portion, at: start)
        }
    }

    /// Steps through all rows of tables in the order of their keys, reading both columns.
    ///
    /// - Returns: the number of rows.
    static func pairs(_ path: String, _ sources: [RelationSource], threads: Int) throws -> Int {
        try sources.reduce(0) { count, source in
            try count
                + scan(path, source.table, [source.rowColumn, source.entryColumn], threads) { rows throws(Failure) in
                    var scanned = Scanned()
                    try rows.forEachIntegerPair { row, entry in scanned.add(row ^ entry) }
                    return scanned
                }
        }
    }

    /// Steps through all photos in the order of their keys, reading the columns that a recompute needs.
    ///
    /// - Returns: the number of photos.
    static func photos(_ path: String, threads: Int) throws -> Int {
        let columns = ["photo_key", "visibility", "user_key", "tags", "latitude", "longitude"]
        return try scan(path, "photos", columns, threads) { rows throws(Failure) in
            var scanned = Scanned()
            while try rows.step() {
                let tags = unsafe rows.withText(3) { $0.count }
                let place = (rows.optionalNumber(4) ?? 0) + (rows.optionalNumber(5) ?? 0)
                scanned.add(rows.integer(0) ^ rows.integer(1) ^ rows.integer(2) ^ Int64(tags) ^ Int64(place))
            }
            return scanned
        }
    }

    /// The number of rows, and a sum of their values that keeps the compiler from removing the loop.
    private struct Scanned {
        private(set) var count = 0
        private var sum: Int64 = 0

        mutating func add(_ value: Int64) {
            count += 1
            sum &+= value
        }

        /// The number of rows; the sum is used to compute it.
        var used: Int { sum == .min ? 0 : count }
    }

    /// Steps through a table on several threads; the first of `columns` is the key by which they share the rows.
    private static func scan(
        _ path: String, _ table: String, _ columns: [String], _ threads: Int,
        _ read: @Sendable (Statement) throws(Failure) -> Scanned
    ) throws -> Int {
        let last = try Database(path: path, mode: .readOnly).integer("SELECT max(\(columns[0])) FROM \(table)") ?? 0
        let width = last / Int64(rangeCount) + 1
        let counts = try Parallel.map(
            rangeCount, threads: threads,
            state: { _ throws(Failure) in
                let database = try Database(path: path, mode: .readOnly)
                let rows = try database.prepare(
                    """
                    SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(columns[0]) BETWEEN ? AND ?
                    ORDER BY \(columns.prefix(2).joined(separator: ", "))
                    """)
                return (database: database, rows: rows)
            }
        ) { state, ranges throws(Failure) in
            state.rows.bind(Int64(ranges.lowerBound) * width, at: 1)
            state.rows.bind(Int64(ranges.upperBound) * width - 1, at: 2)
            return try read(state.rows).used
        }
        return counts.reduce(0, +)
    }
}

/// Reading and writing of little-endian arrays without a header, like those of numpy's `tofile`.
enum RawArrays {
    /// Reads the matrix in `PREFIX.indptr` (64-bit row offsets) and `PREFIX.indices` (32-bit columns).
    static func matrix(prefix: String) throws(Failure) -> BinaryMatrix {
        let offsets: [Int] = try read(prefix + ".indptr")
        let columns: [UInt32] = try read(prefix + ".indices")
        let columnCount = columns.reduce(0) { max($0, Int($1) + 1) }
        do {
            return try BinaryMatrix(columnCount: columnCount, rowOffsets: offsets, columnIndices: columns)
        } catch {
            throw Failure(.badData, "\(prefix).indptr and .indices are no matrix: \(error)")
        }
    }

    static func read<Element: FixedWidthInteger & BitwiseCopyable>(_ path: String) throws(Failure) -> [Element] {
        let file = try OpenFile(path, for: .reading)
        let width = MemoryLayout<Element>.size
        let bytes = try file.byteCount()
        guard bytes.isMultiple(of: width) else {
            throw Failure(
                .badData, "\(path) has \(bytes) bytes, which is no whole number of \(width)-byte integers")
        }
        guard bytes > 0 else { return [] }
        return try unsafe ByteRegion.mapping(file, count: bytes).withBytes(0..<bytes) {
            unsafe Array($0.bindMemory(to: Element.self))
        }
    }

    static func write<Element: BitwiseCopyable>(_ elements: [Element], to file: UnsafeMutablePointer<FILE>) -> Bool {
        unsafe elements.withUnsafeBytes { bytes in
            unsafe fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count
        }
    }
}

/// The rows of a table in memory, column by column; inserting them costs little more than SQLite's own work.
struct PackedRows {
    /// A column; every row has a value or null.
    enum Column {
        case integers([Int64?])
        case numbers([Double?])
        /// All texts one after the other, and the end of each; a null is empty and marked.
        case texts(bytes: [UInt8], ends: [Int], isNull: [Bool])
    }

    let names: [String]
    private(set) var columns: [Column]
    private(set) var count = 0

    /// Reads a table in the order of its keys.
    ///
    /// - Parameters:
    ///   - key: the columns of its key, as SQL.
    ///   - names: the names and SQL types of the columns to read.
    init(_ table: String, key: String, columns names: [(name: String, type: String)], from database: Database) throws {
        self.names = names.map(\.name)
        columns = names.map {
            switch $0.type {
            case "TEXT": .texts(bytes: [], ends: [], isNull: [])
            case "REAL": .numbers([])
            default: .integers([])
            }
        }
        let rows = try database.prepare(
            "SELECT \(self.names.joined(separator: ", ")) FROM \(table) ORDER BY \(key)")
        while try rows.step() {
            for index in columns.indices { columns[index].append(rows, Int32(index)) }
            count += 1
        }
    }

    /// Inserts all rows with a statement that has a parameter for each column.
    func insert(by statement: Statement) throws {
        for row in 0..<count {
            for index in columns.indices { columns[index].bind(row, to: statement, at: Int32(index + 1)) }
            try statement.run()
        }
    }
}

extension PackedRows.Column {
    fileprivate mutating func append(_ row: Statement, _ column: Int32) {
        switch consume self {
        case .integers(var values):
            values.append(row.optionalInteger(column))
            self = .integers(values)
        case .numbers(var values):
            values.append(row.optionalNumber(column))
            self = .numbers(values)
        case .texts(var bytes, var ends, var isNull):
            unsafe row.withText(column) { unsafe bytes.append(contentsOf: $0) }
            ends.append(bytes.count)
            isNull.append(row.isNull(column))
            self = .texts(bytes: bytes, ends: ends, isNull: isNull)
        }
    }

    fileprivate func bind(_ row: Int, to statement: Statement, at parameter: Int32) {
        switch self {
        case .integers(let values): statement.bind(values[row], at: parameter)
        case .numbers(let values): statement.bind(values[row], at: parameter)
        case .texts(let bytes, let ends, let isNull):
            guard !isNull[row] else { return statement.bindNull(at: parameter) }
            let text = bytes.span.extracting((row == 0 ? 0 : ends[row - 1])..<ends[row])
            // The array does not change while the statement runs.
            unsafe statement.bindInPlace(text, at: parameter)
        }
    }
}
