import Model
import RecordReading
import SQLite

/// What was removed from a catalog.
public struct RemovalSummary: Sendable, Equatable {
    /// Rows of the kind.
    public var removed = 0
    /// Rows that named them, by table; for photos of removed users, those that lost their owner.
    public var others: [String: Int] = [:]
    /// Ids, or pairs of them, that the catalog does not have, in the order in which they were given; the first 1000.
    public var unknown: [String] = []
    /// How many of these there are.
    public var unknownCount = 0

    /// Nothing yet.
    public init() {}
}

/// Removes groups, users, photos or entries of a relation that are named one by one, in one transaction.
public final class Remover {
    private let catalog: Catalog
    private let kind: ImportKind
    private var summary = RemovalSummary()

    /// - Parameter catalog: opened for recording or writing.
    public init(from catalog: Catalog, kind: ImportKind) {
        self.catalog = catalog
        self.kind = kind
    }

    /// How many ids name a row of the kind: one, or a group and an entry.
    public static func idCount(of kind: ImportKind) -> Int {
        guard case .relation = kind else { return 1 }
        return 2
    }

    /// Removes the rows that ids name, and those that files name in the kind's columns.
    ///
    /// - Parameters:
    ///   - rows: the ids of each row.
    ///   - files: as for an import; other columns are passed over.
    /// - Throws: `CatalogError`; then nothing was removed.
    public func remove(_ rows: [[String]], files: [String]) throws(CatalogError) -> RemovalSummary {
        try catalog.database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            try removeWithinTransaction(rows, files: files)
        }
    }

    /// The same, within a transaction of the caller's.
    func removeWithinTransaction(_ rows: [[String]], files: [String]) throws(CatalogError) -> RemovalSummary {
        let keys = try wrapping { () throws(DatabaseError) in try KeyLookup(kind, catalog.database) }
        for ids in rows { try note(ids, keys) }
        for path in files { try note(recordsOf: path, keys) }
        try catalog.removeVanished(kind, into: &summary)
        return summary
    }

    private func note(recordsOf path: String, _ keys: KeyLookup) throws(CatalogError) {
        let input = try InputFile(path: path)
        let columns = kind.columns.prefix(Self.idCount(of: kind)).map { RecordColumn($0.name) }
        var reader = try input.records(columns)
        var event = try reader.nextEvent()
        while event != .end {
            if case .rejected(let record) = event {
                throw CatalogError(
                    .badData, "\(input.name), line \(record.line): \(record.reason); nothing was removed")
            }
            try note(columns.indices.map { reader.text($0) }, keys)
            event = try reader.nextEvent()
        }
    }

    /// Notes that a row is to be removed.
    private func note(_ ids: [String], _ keys: KeyLookup) throws(CatalogError) {
        let isKnown = try wrapping { () throws(DatabaseError) in try keys.note(ids) }
        guard !isKnown else { return }
        summary.unknownCount += 1
        if summary.unknown.count < 1000 { summary.unknown.append(ids.joined(separator: " ")) }
    }
}

extension Catalog {
    /// Removes the rows whose keys the temporary table `vanished` has, and rows that name them; drops that table.
    func removeVanished(_ kind: ImportKind, into summary: inout RemovalSummary) throws(CatalogError) {
        try wrapping { () throws(DatabaseError) in
            let before = database.totalChanges
            for removal in kind.removals(in: relations, isNamed: true) {
                let changes = database.totalChanges
                try database.execute(removal.statement)
                let count = Int(database.totalChanges - changes)
                if removal.table == kind.name {
                    summary.removed += count
                } else if count > 0 {
                    summary.others[removal.table, default: 0] += count
                }
            }
            try recordChanges(database.totalChanges - before)
            if kind == .groups, summary.removed > 0 { try noteGroupRemoval() }
            try database.execute("DROP TABLE temp.vanished")
        }
    }
}

/// Finds the keys of rows by their ids, and notes them in the temporary table `vanished`.
private final class KeyLookup {
    private let keyCount: Int
    private let select: Statement
    private let insert: Statement

    init(_ kind: ImportKind, _ database: Database) throws(DatabaseError) {
        keyCount = Remover.idCount(of: kind)
        try database.execute("DROP TABLE IF EXISTS temp.vanished")
        switch kind {
        case .entities(let table):
            try database.execute("CREATE TEMP TABLE vanished (key INTEGER PRIMARY KEY)")
            select = try database.prepare(
                "SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = ?1")
            insert = try database.prepare("INSERT OR IGNORE INTO temp.vanished VALUES (?1)")
        case .relation(let source):
            let (entry, entity) = (source.entryColumn, source.entityTable)
            try database.execute(
                """
                CREATE TEMP TABLE vanished (group_key INTEGER, entry_key INTEGER, PRIMARY KEY (group_key, entry_key))
                WITHOUT ROWID
                """)
            select = try database.prepare(
                """
                SELECT group_key, \(entry) FROM \(source.table)
                WHERE group_key = (SELECT group_key FROM groups WHERE group_id = ?1)
                AND \(entry) = (SELECT \(entry) FROM \(entity.rawValue) WHERE \(entity.idColumn) = ?2)
                """)
            insert = try database.prepare("INSERT OR IGNORE INTO temp.vanished VALUES (?1, ?2)")
        }
    }

    /// Notes the row that ids name.
    ///
    /// - Returns: false if there is none.
    func note(_ ids: [String]) throws(DatabaseError) -> Bool {
        for (place, id) in ids.enumerated() { select.bind(id, at: Int32(place + 1)) }
        guard try select.step() else { return false }
        for place in 0..<keyCount { insert.bind(select.integer(Int32(place)), at: Int32(place + 1)) }
        select.reset()
        try insert.run()
        return true
    }
}
