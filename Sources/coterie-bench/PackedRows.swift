import SQLite

/// Rows of a table in memory, column by column, so that inserting them costs no more than SQLite's own work.
struct PackedRows {
    /// A column; every row has a value or null.
    enum Column {
        case integers([Int64?])
        case numbers([Double?])
        /// All texts one after the other, and where each ends; a null is no longer than an empty text, and marked.
        case texts(bytes: [UInt8], ends: [Int], isNull: [Bool])
    }

    let names: [String]
    private(set) var columns: [Column]
    private(set) var count = 0

    /// Reads a table in the order of its keys.
    ///
    /// - Parameter columns: the names of its columns but the key, and their types in SQL.
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

    /// Inserts all rows by a statement with a parameter for each column.
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
            // The array is not changed while the statement runs.
            unsafe statement.bindInPlace(text, at: parameter)
        }
    }
}
