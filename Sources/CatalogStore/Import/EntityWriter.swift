import RecordReading
import SQLite

/// Writes groups, users or photos, row by row.
///
/// The fields that a record has replace those in the catalog; others stay. A statement is prepared for each set of
/// fields that occurs, of which a file with a header has one or two.
final class EntityWriter {
    private let columns: [ImportKind.Column]
    /// By column, what the catalog notes when it gets a value.
    private let notes: [NotedColumn?]
    private let table: EntityTable
    private let database: Database
    private let owners: IdentifierResolver?
    private var ownerKeys = IdentifierCache()
    private let identifierBytes: Int
    private var statements: [UInt64: Statement] = [:]
    private let selectKey: Statement
    private var seenKeys = BitSet(count: 0)
    private let keepsSeen: Bool
    /// The columns that got a value.
    private(set) var noted: Set<NotedColumn> = []
    private(set) var written = 0
    private(set) var seenCount = 0
    private(set) var pendingCount = 0
    private var rowsWithSlash = 0

    init(_ kind: ImportKind, _ table: EntityTable, _ database: Database, options: ImportOptions) throws(CatalogError) {
        columns = kind.columns
        notes = kind.columns.map { NotedColumn(table, target: $0.target) }
        self.table = table
        self.database = database
        keepsSeen = options.replaces
        identifierBytes = options.identifierBytes
        let isStrict = options.isStrict
        (owners, selectKey) = try wrapping { () throws(DatabaseError) in
            (
                kind == .photos ? try IdentifierResolver(.users, database, isStrict: isStrict) : nil,
                try database.prepare("SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = ?")
            )
        }
    }

    /// How many owners were created.
    var created: [String: Int] { owners.map { ["users": $0.createdCount] } ?? [:] }

    /// Rows whose id has a slash, and owners created whose id has one.
    var idsWithSlash: Int { rowsWithSlash + (owners?.createdWithSlash ?? 0) }

    /// Whether a replacing import saw the row with a key.
    func wasSeen(_ key: Int64) -> Bool { seenKeys.contains(Int(key)) }

    /// The next row begins a new transaction.
    func beginBatch() { pendingCount = 0 }

    /// Writes the current record; the caller has begun a transaction.
    func write(_ reader: borrowing RecordReader) throws(EntityFailure) {
        var values: [FieldValue] = []
        var given: UInt64 = 0
        for (index, column) in columns.enumerated() {
            do throws(RecordProblem) {
                guard let value = try column.value(of: index, in: reader) else { continue }
                values.append(value)
                given |= 1 << UInt64(index)
            } catch { throw .record(error) }
        }
        do {
            let statement = try statement(given)
            let present = columns.enumerated().filter { given & (1 << UInt64($0.offset)) != 0 }
            for (position, (index, column)) in present.enumerated() {
                if case .owner = column.type, case .text(let id) = values[position] {
                    guard let key = try ownerKey(id) else {
                        throw EntityFailure.record(.init(reason: "there is no user \(id)"))
                    }
                    values[position] = .integer(key)
                }
                if let note = notes[index], !values[position].isNull { noted.insert(note) }
                bind(values[position], to: statement, at: Int32(position + 1))
            }
            let before = database.totalChanges
            try statement.run()
            written += Int(database.totalChanges - before)
            pendingCount += 1
            if reader.withField(0, { id in id.indices.contains { id[$0] == UInt8(ascii: "/") } }) { rowsWithSlash += 1 }
            if keepsSeen { try noteSeen(reader.text(0)) }
        } catch let failure as EntityFailure {
            throw failure
        } catch let error as DatabaseError {
            throw .database(error)
        } catch { preconditionFailure("nothing else is thrown: \(error)") }
    }

    private func bind(_ value: FieldValue, to statement: Statement, at index: Int32) {
        switch value {
        case .null: statement.bindNull(at: index)
        case .integer(let integer): statement.bind(integer, at: index)
        case .number(let number): statement.bind(Optional(number), at: index)
        case .text(let text): statement.bind(Optional(text), at: index)
        }
    }

    private func ownerKey(_ id: String) throws(DatabaseError) -> Int64? {
        let slot = ownerKeys.slot(of: id.utf8.span)
        if ownerKeys.keys[Int(slot)] == 0 {
            guard let key = try owners?.key(of: id) else { return nil }
            ownerKeys.setKey(UInt32(key), of: slot)
        }
        let key = Int64(ownerKeys.keys[Int(slot)])
        if ownerKeys.byteCount > identifierBytes || ownerKeys.isNearlyFull { ownerKeys = IdentifierCache() }
        return key
    }

    private func noteSeen(_ id: String) throws(DatabaseError) {
        selectKey.bind(Optional(id), at: 1)
        guard try selectKey.step() else { return }
        let key = Int(selectKey.integer(0))
        selectKey.reset()
        if !seenKeys.contains(key) { seenCount += 1 }
        seenKeys.insert(key)
    }

    private func statement(_ given: UInt64) throws(DatabaseError) -> Statement {
        if let statement = statements[given] { return statement }
        let targets = columns.enumerated().filter { given & (1 << UInt64($0.offset)) != 0 }.map(\.element.target)
        let others = targets.filter { $0 != table.idColumn }
        let marks = targets.map { _ in "?" }.joined(separator: ", ")
        var sql = "INSERT INTO \(table.rawValue) (\(targets.joined(separator: ", "))) VALUES (\(marks)) ON CONFLICT DO "
        if others.isEmpty {
            sql += "NOTHING"
        } else {
            sql += "UPDATE SET " + others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
            sql += " WHERE " + others.map { "\($0) IS NOT excluded.\($0)" }.joined(separator: " OR ")
        }
        let statement = try database.prepare(sql)
        statements[given] = statement
        return statement
    }
}

/// Why a row of groups, users or photos was not written.
enum EntityFailure: Error {
    /// The record is bad.
    case record(RecordProblem)
    /// SQLite failed.
    case database(DatabaseError)
}
