import CivilTime
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
    /// By column, the words that stand for numbers; none of other columns.
    private let words: [[(word: String, code: Int64)]]
    private let zone: ClockZone
    private let table: EntityTable
    private let database: Database
    private let owners: IdentifierResolver?
    private var ownerKeys = IdentifierCache()
    private let identifierBytes: Int
    private var statements: [UInt64: Statement] = [:]
    /// The statement used last, and its set of fields.
    private var latest: (fields: UInt64, statement: Statement)?
    private let selectKey: Statement
    private var seenKeys = BitSet(count: 0)
    private let keepsSeen: Bool
    /// The set of columns that got a value.
    private var notedFields: UInt64 = 0
    private(set) var written = 0
    private(set) var seenCount = 0
    private(set) var timesWithoutZone = 0
    private var rowsWithSlash = 0

    init(_ kind: ImportKind, _ table: EntityTable, _ database: Database, options: ImportOptions) throws(CatalogError) {
        columns = kind.columns
        notes = kind.columns.map { NotedColumn(table, target: $0.target) }
        words = kind.columns.map(\.type.words)
        zone = options.zone
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

    /// The columns that got a value and are noted.
    var noted: Set<NotedColumn> {
        Set(notes.indices.compactMap { notedFields & (1 << UInt64($0)) != 0 ? notes[$0] : nil })
    }

    /// Whether a replacing import saw the row with a key.
    func wasSeen(_ key: Int64) -> Bool { seenKeys.contains(Int(key)) }

    /// Writes the current record; the caller has begun a transaction.
    func write(_ reader: borrowing RecordReader) throws(EntityFailure) {
        let fields = givenFields(reader)
        do {
            let statement = try statement(fields)
            for index in columns.indices where fields & (1 << UInt64(index)) != 0 {
                try bind(index, of: reader, to: statement)
            }
            let before = database.totalChanges
            try statement.run()
            written += Int(database.totalChanges - before)
            if reader.field(0, contains: UInt8(ascii: "/")) { rowsWithSlash += 1 }
            if keepsSeen { try noteSeen(reader.text(0)) }
        } catch let problem as RecordProblem {
            throw .record(problem)
        } catch let error as DatabaseError {
            throw .database(error)
        } catch { preconditionFailure("nothing else is thrown: \(error)") }
    }

    /// The set of columns that the current record has; an empty word for a number counts as none.
    private func givenFields(_ reader: borrowing RecordReader) -> UInt64 {
        var fields: UInt64 = 0
        for index in columns.indices where reader.isPresent(index) {
            if !words[index].isEmpty, reader.isNull(index) { continue }
            fields |= 1 << UInt64(index)
        }
        return fields
    }

    /// Binds a field to the parameter of its column.
    private func bind(_ index: Int, of reader: borrowing RecordReader, to statement: Statement) throws {
        let column = columns[index]
        let parameter = Int32(index + 1)
        if case .id = column.type {
            try column.checkID(index, in: reader)
            return reader.withField(index) { unsafe statement.bindInPlace($0, at: parameter) }
        }
        guard !reader.isNull(index) else { return statement.bindNull(at: parameter) }
        notedFields |= 1 << UInt64(index)
        switch column.type {
        case .id, .text:
            reader.withField(index) { unsafe statement.bindInPlace($0, at: parameter) }
        case .list:
            let isTidy = reader.withField(index) { list in
                guard ImportKind.Column.isTidy(list) else { return false }
                unsafe statement.bindInPlace(list, at: parameter)
                return true
            }
            if !isTidy { statement.bind(column.list(index, in: reader), at: parameter) }
        case .time:
            let written = try column.time(index, in: reader, zone: zone)
            if !written.hasZone { timesWithoutZone += 1 }
            statement.bind(written.time.seconds, at: parameter)
        case .visibility, .joinPolicy:
            statement.bind(try column.code(index, in: reader, of: words[index]), at: parameter)
        case .degrees(let bound):
            statement.bind(Optional(try column.degrees(index, in: reader, bound: bound)), at: parameter)
        case .owner:
            try column.checkID(index, in: reader)
            let slot = reader.withField(index) { ownerKeys.slot(of: $0) }
            guard let key = try ownerKey(slot) else {
                throw RecordProblem(reason: "there is no user \(reader.text(index))")
            }
            statement.bind(key, at: parameter)
        }
    }

    private func ownerKey(_ slot: UInt32) throws(DatabaseError) -> Int64? {
        if ownerKeys.keys[Int(slot)] == 0 {
            guard let key = try owners?.key(of: ownerKeys.id(slot)) else { return nil }
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

    /// The statement that writes a set of fields; the parameter of a column is its number, from 1.
    private func statement(_ fields: UInt64) throws(DatabaseError) -> Statement {
        if let latest, latest.fields == fields { return latest.statement }
        let statement = if let known = statements[fields] { known } else { try prepared(fields) }
        statements[fields] = statement
        latest = (fields, statement)
        return statement
    }

    private func prepared(_ fields: UInt64) throws(DatabaseError) -> Statement {
        let given = columns.indices.filter { fields & (1 << UInt64($0)) != 0 }
        let targets = given.map { columns[$0].target }
        let others = targets.filter { $0 != table.idColumn }
        let marks = given.map { "?\($0 + 1)" }.joined(separator: ", ")
        var sql = "INSERT INTO \(table.rawValue) (\(targets.joined(separator: ", "))) VALUES (\(marks)) ON CONFLICT DO "
        if others.isEmpty {
            sql += "NOTHING"
        } else {
            sql += "UPDATE SET " + others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
            sql += " WHERE " + others.map { "\($0) IS NOT excluded.\($0)" }.joined(separator: " OR ")
        }
        return try database.prepare(sql)
    }
}

extension ImportKind.ColumnType {
    /// The words that stand for numbers; none of other columns.
    fileprivate var words: [(word: String, code: Int64)] {
        switch self {
        case .visibility: Visibility.words
        case .joinPolicy: GroupJoinPolicy.words
        default: []
        }
    }
}

/// Why a row of groups, users or photos was not written.
enum EntityFailure: Error {
    /// The record is bad.
    case record(RecordProblem)
    /// SQLite failed.
    case database(DatabaseError)
}
