import Basics
import RecordReading
import SQLite

/// A writer of groups, users or photos, row by row.
///
/// The fields of a record replace those in the catalog; other fields keep their values. A statement is prepared for
/// each set of fields that occurs. A file with a header has one or two such sets.
final class EntityWriter {
    let columns: [ImportKind.Column]
    /// For each column, the noted column in the catalog that records whether it ever had a value.
    private let notes: [NotedColumn?]
    /// For each column, its words with their codes; empty if the column has other values.
    private let words: [[(word: String, code: Int64)]]
    private let options: ImportOptions
    let table: EntityTable
    private let database: Database
    private let owners: IdentifierResolver?
    private var ownerKeys = IdentifierCache()
    private let identifierBytes: Int
    private var statements: [UInt64: FieldStatements] = [:]
    /// The statements that were used last.
    private var latest: FieldStatements?
    private let selectKey: Statement
    private let forgotten: ForgottenIDs
    private var seenKeys = BitSet(count: 0)
    private let keepsSeen: Bool
    /// The ids of groups or users so far; emptied when there are too many for the memory.
    private var ids = IdentifierCache()
    /// The number of rows of groups or users whose id a row before them has; the last one counts.
    private(set) var repeatedCount = 0
    /// The columns that got a value, as a bit set.
    private var notedFields: UInt64 = 0
    private(set) var written = 0
    /// The number of rows that were left out because their members were forgotten.
    private(set) var forgottenCount = 0
    private(set) var seenCount = 0
    private var rowTimes: [WrittenTime] = []
    /// The lists of the row that were written as arrays, and its texts with character references of HTML.
    private var (rowArrays, rowEscapedTexts) = (0, 0)
    private let isStrict: Bool
    /// The unreadable values of the row that was written last; they were left out.
    private(set) var unreadable: [RecordProblem] = []
    private let findings: ImportFindings
    private(set) var visibility: ImportedVisibility

    init(
        _ kind: ImportKind, _ table: EntityTable, _ database: Database, options: ImportOptions,
        _ findings: ImportFindings
    ) throws(Failure) {
        self.findings = findings
        columns = kind.columns
        notes = kind.columns.map { NotedColumn(table, target: $0.target) }
        words = kind.columns.map(\.type.words)
        self.options = options
        visibility = ImportedVisibility(publicWords: options.publicWords)
        self.table = table
        self.database = database
        keepsSeen = options.replaces || kind == .groups
        identifierBytes = options.identifierBytes
        isStrict = options.isStrict
        let isStrict = isStrict
        (forgotten, owners, selectKey) = (
            try ForgottenIDs(database, readmits: options.readmits),
            kind == .photos ? try IdentifierResolver(.users, database, isStrict: isStrict) : nil,
            try database.prepare("SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = ?")
        )
    }

    /// The number of photo owners that were created as users.
    var created: [String: Int] { owners.map { ["users": $0.createdCount] } ?? [:] }

    /// The noted columns that got a value.
    var noted: Set<NotedColumn> {
        Set(notes.indices.compactMap { notedFields & (1 << UInt64($0)) != 0 ? notes[$0] : nil })
    }

    /// Whether an import of groups, or a replacing one, saw the row with a key.
    func wasSeen(_ key: Int64) -> Bool { seenKeys.contains(Int(key)) }

    /// Writes the current record.
    ///
    /// The caller has begun a transaction.
    ///
    /// - Throws: `RecordProblem` if the record is bad, and `Failure` if SQLite failed.
    func write(_ reader: borrowing RecordReader) throws {
        var fields = givenFields(reader)
        if !unreadable.isEmpty { unreadable.removeAll() }
        visibility.begin()
        if table == .users, try forgotten.contains(reader, 0) {
            forgottenCount += 1
            return
        }
        let changed = try write(reader, &fields)
        // One row of the catalog counts once, however often the files have it.
        if isRepeated(reader) { repeatedCount += 1 } else { written += changed }
        visibility.noteWritten(reader, of: table, in: findings)
        noteDoubts(reader, fields)
        for time in rowTimes { findings.note(time, in: reader) }
        findings.note(.arrayLists, rowArrays, in: reader)
        findings.note(.escapedTexts, rowEscapedTexts, in: reader)
        if keepsSeen { try noteSeen(reader.text(0)) }
    }

    /// Whether a row before the current one has the same id; of photos, of which there are too many, never.
    private func isRepeated(_ reader: borrowing RecordReader) -> Bool {
        guard table != .photos else { return false }
        let count = ids.count
        let isRepeated = reader.withField(0) { Int(ids.slot(of: $0)) < count }
        if ids.byteCount > identifierBytes || ids.isNearlyFull { ids = IdentifierCache() }
        return isRepeated
    }

    /// Writes some fields of the current record, without the unreadable ones.
    ///
    /// - Returns: The number of rows that changed.
    private func write(_ reader: borrowing RecordReader, _ fields: inout UInt64) throws -> Int {
        while true {
            do {
                let statements = try statements(for: fields)
                let inserted = try run(statements.insert, reader, fields)
                guard inserted == 0, let update = statements.update else { return inserted }
                return try run(update, reader, fields)
            } catch let problem as RecordProblem {
                guard let column = problem.column, !isStrict else { throw problem }
                unreadable.append(problem)
                fields &= ~(1 << UInt64(column))
            }
        }
    }

    private func noteDoubts(_ reader: borrowing RecordReader, _ fields: UInt64) {
        for index in columns.indices where columns[index].isID && fields & (1 << UInt64(index)) != 0 {
            guard let doubt = reader.withField(index, { ImportFinding.Kind(ofID: $0) }) else { continue }
            findings.note(doubt, id: reader.text(index))
        }
    }

    /// Binds the fields of the current record, and runs a statement.
    ///
    /// - Returns: The number of rows that changed, without owners created while binding.
    private func run(_ statement: Statement, _ reader: borrowing RecordReader, _ fields: UInt64) throws -> Int {
        rowTimes.removeAll(keepingCapacity: true)
        (rowArrays, rowEscapedTexts) = (0, 0)
        for index in columns.indices where fields & (1 << UInt64(index)) != 0 {
            try bind(index, of: reader, to: statement)
        }
        let before = database.totalChanges
        try statement.run()
        return Int(database.totalChanges - before)
    }

    /// Returns the columns of the current record as a bit set, without null values in columns of words.
    private func givenFields(_ reader: borrowing RecordReader) -> UInt64 {
        var fields: UInt64 = 0
        for index in columns.indices where reader.isPresent(index) {
            if !words[index].isEmpty, reader.isNull(index), !columns[index].type.isWithdrawnByNull,
                !visibility.isGivenByNull(columns[index])
            {
                continue
            }
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
        guard !reader.isNull(index) || visibility.isGivenByNull(column) else {
            return statement.bindNull(at: parameter)
        }
        notedFields |= 1 << UInt64(index)
        switch column.type {
        case .mark: statement.bind(column.isMarked(index, in: reader) ? 1 : 0, at: parameter)
        case .id, .text:
            reader.withField(index) { text in
                if CharacterReference.isAny(in: text) { rowEscapedTexts += 1 }
                unsafe statement.bindInPlace(text, at: parameter)
            }
        case .list:
            let isTidy = reader.withField(index) { list in
                if CharacterReference.isAny(in: list) { rowEscapedTexts += 1 }
                guard ImportKind.Column.isTidy(list) else { return false }
                unsafe statement.bindInPlace(list, at: parameter)
                return true
            }
            guard !isTidy else { return }
            let list = column.list(index, in: reader)
            if list.isArray { rowArrays += 1 }
            statement.bind(list.joined, at: parameter)
        case .time:
            let written = try column.time(index, in: reader, options)
            if let written { rowTimes.append(written) }
            statement.bind(written?.time.seconds, at: parameter)
        case .visibility: statement.bind(try visibility.code(column, index, in: reader), at: parameter)
        case .joinPolicy, .yesOrNo:
            statement.bind(try column.code(index, in: reader, of: words[index]), at: parameter)
        case .degrees(let bound):
            statement.bind(try column.degrees(index, in: reader, bound: bound), at: parameter)
        case .pixels: statement.bind(try column.pixels(index, in: reader), at: parameter)
        case .owner:
            try column.checkID(index, in: reader)
            // The photo is kept, without an owner.
            if try forgotten.contains(reader, index) { return statement.bindNull(at: parameter) }
            let slot = reader.withField(index) { ownerKeys.slot(of: $0) }
            guard let key = try ownerKey(slot) else {
                throw RecordProblem(reason: "there is no user \(reader.text(index))")
            }
            statement.bind(key, at: parameter)
        }
    }

    private func ownerKey(_ slot: UInt32) throws(Failure) -> Int64? {
        if ownerKeys.keys[Int(slot)] == 0 {
            guard let key = try owners?.key(of: ownerKeys.id(slot)) else { return nil }
            ownerKeys.setKey(UInt32(key), of: slot)
        }
        let key = Int64(ownerKeys.keys[Int(slot)])
        if ownerKeys.byteCount > identifierBytes || ownerKeys.isNearlyFull { ownerKeys = IdentifierCache() }
        return key
    }

    /// Marks the row of a rejected record as seen, so that a replacing import keeps it, and notes its visibility.
    ///
    /// A public row whose new record is private, or cannot be read, is not shown until an import has a good record. A
    /// member whose record is rejected is not listed any more if the file tells who is.
    ///
    /// - Parameter visibility: the visibility of the record, or nil if the file does not tell visibilities.
    func noteRejected(_ id: String, _ reader: borrowing RecordReader, visibility: Visibility?) throws(Failure) {
        if keepsSeen { try noteSeen(id) }
        for (index, column) in columns.enumerated()
        where column.type.isWithdrawnByNull && !reader.isMissing(index) {
            try database.run(
                """
                UPDATE \(table.rawValue) SET \(column.target) = NULL
                WHERE \(table.idColumn) = ? AND \(column.target) = 1
                """, id)
        }
        guard table.hasVisibility, let visibility, visibility != .public else { return }
        let before = database.totalChanges
        try database.run(
            """
            UPDATE \(table.rawValue) SET visibility = ?2
            WHERE \(table.idColumn) = ?1 AND visibility = \(Visibility.public.code)
            """, id, visibility.code)
        if database.totalChanges > before { findings.note(.hiddenByRejects, first: id) }
    }

    /// Returns the visibility of a record that was read but not written, or nil if the record does not tell any.
    func visibility(in reader: borrowing RecordReader) -> Visibility? {
        guard let index = visibilityColumn, reader.isPresent(index) else { return nil }
        if reader.isNull(index), !visibility.isGivenByNull(columns[index]) { return nil }
        return visibility.word(reader.isNull(index) ? "" : reader.text(index)) ?? .unknown
    }

    /// Returns the visibility of a record that could not be read, or nil if the file does not tell visibilities.
    ///
    /// - Parameter isInPlace: whether the record's fields are those of its columns.
    func likelyVisibility(in reader: borrowing RecordReader, isInPlace: Bool) -> Visibility? {
        guard let index = visibilityColumn, !reader.isMissing(index) else { return nil }
        guard isInPlace, let word = reader.likelyText(ofRejected: index) else { return .unknown }
        return visibility.word(word) ?? .unknown
    }

    private var visibilityColumn: Int? {
        columns.firstIndex { if case .visibility = $0.type { true } else { false } }
    }

    private func noteSeen(_ id: String) throws(Failure) {
        selectKey.bind(Optional(id), at: 1)
        guard try selectKey.step() else { return }
        let key = Int(selectKey.integer(0))
        selectKey.reset()
        if !seenKeys.contains(key) { seenCount += 1 }
        seenKeys.insert(key)
    }

    /// Returns the statements for a set of fields.
    ///
    /// Parameters have the numbers of the columns, from 1.
    private func statements(for fields: UInt64) throws(Failure) -> FieldStatements {
        if let latest, latest.fields == fields { return latest }
        let found = if let known = statements[fields] { known } else { try prepared(fields) }
        statements[fields] = found
        latest = found
        return found
    }

    private func prepared(_ fields: UInt64) throws(Failure) -> FieldStatements {
        let given = columns.indices.filter { fields & (1 << UInt64($0)) != 0 }
            .map { index in
                let (target, mark) = (columns[index].target, "?\(index + 1)")
                // No value takes a yes back, but not a no.
                let value = columns[index].type.isWithdrawnByNull ? "coalesce(\(mark), nullif(\(target), 1))" : mark
                return (target: target, mark: mark, value: value)
            }
        var others = given.filter { $0.target != table.idColumn }
        if table.hasVisibility, !given.contains(where: { $0.target == "visibility" }) {
            let described = UndescribedRows.described
            others.append((target: "visibility", mark: described, value: described))
        }
        let targets = given.map(\.target).joined(separator: ", ")
        let insert = try database.prepare(
            """
            INSERT OR IGNORE INTO \(table.rawValue) (\(targets))
            VALUES (\(given.map(\.mark).joined(separator: ", ")))
            """)
        guard !others.isEmpty else { return FieldStatements(fields: fields, insert: insert, update: nil) }
        var changes = others.map { "\($0.target) = \($0.value)" }
        if table == .users, let interests = others.first(where: { $0.target == "interests" }) {
            // Other interests are those of the file, which have no stamp: any statement is newer.
            changes.append("interests_stamp = CASE WHEN interests IS \(interests.mark) THEN interests_stamp END")
        }
        let update = try database.prepare(
            """
            UPDATE \(table.rawValue) SET \(changes.joined(separator: ", "))
            WHERE \(table.idColumn) = ?1
            AND (\(others.map { "\($0.target) IS NOT \($0.value)" }.joined(separator: " OR ")))
            """)
        return FieldStatements(fields: fields, insert: insert, update: update)
    }
}

/// The statements for one set of fields.
///
/// The insert comes first because it costs less than an upsert; an existing row is then updated.
private struct FieldStatements {
    let fields: UInt64
    let insert: Statement
    /// The update, or nil if the set has only the id.
    let update: Statement?
}
