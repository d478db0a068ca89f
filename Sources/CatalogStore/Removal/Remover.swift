package import Basics
import Changes
import Model
import SQLite

/// The result of a removal.
package struct RemovalSummary: Sendable, Equatable {
    /// The number of removed rows of the kind itself.
    package var removed = 0
    /// The number of rows that named them, by table; for photos of removed users, those that lost their owner.
    package var others: [String: Int] = [:]
    /// Unknown ids, or pairs of ids, in the order given; the first 1000.
    package var unknown: [String] = []
    /// The number of unknown ids or pairs.
    package var unknownCount = 0
    /// The number of rows that were named before; each counts once.
    package var repeatedCount = 0

    /// The reason why the removal would be refused, noted by a dry run; nil if it would not.
    package var failure: Failure?

    /// Counts an id or a pair that the catalog does not have.
    package mutating func note(unknown ids: [String]) {
        unknownCount += 1
        if unknown.count < 1000 { unknown.append(ids.joined(separator: " ")) }
    }

    package init() {}
}

/// The way in which named rows are removed, or members forgotten.
package struct RemovalOptions: Sendable {
    /// Whether to find out what would go, and to change nothing.
    package var isDryRun = false
    /// Whether more than a tenth of a kind may go.
    package var allowsShrinking = true

    package init() {}

    package init(isDryRun: Bool, allowsShrinking: Bool) {
        (self.isDryRun, self.allowsShrinking) = (isDryRun, allowsShrinking)
    }
}

/// Removes named groups, users, photos or pairs, in one transaction.
package final class Remover {
    let catalog: Catalog
    let kind: ImportKind
    private var summary = RemovalSummary()

    /// - Parameter catalog: a catalog that is open for recording or writing.
    package init(from catalog: Catalog, kind: ImportKind) {
        self.catalog = catalog
        self.kind = kind
    }

    /// Returns the number of ids that name a row of the kind: 1, or 2 for a pair.
    package static func idCount(of kind: ImportKind) -> Int {
        guard case .relation = kind else { return 1 }
        return 2
    }

    /// Removes rows that are named by ids.
    ///
    /// - Parameters:
    ///   - rows: the ids of each row.
    ///   - stamp: the stamp, in milliseconds, before which changes of daemons do not bring back the rows, known or
    ///     not; nil if daemons have no changes.
    /// - Throws: `Failure`; then nothing was removed.
    package func remove(
        _ rows: [[String]], _ options: RemovalOptions = RemovalOptions(), stamp: Int64? = nil
    ) throws(Failure) -> RemovalSummary {
        try catalog.trying(options.isDryRun) { () throws(Failure) in
            try removeWithinTransaction(rows, options, stamp: stamp)
        }
    }

    /// Removes rows in the same way, within a transaction of the caller.
    func removeWithinTransaction(
        _ rows: [[String]], _ options: RemovalOptions = RemovalOptions(), stamp: Int64?
    ) throws(Failure) -> RemovalSummary {
        let keys = try KeyLookup(kind, catalog.database)
        // A note of the removal would bring the id of a forgotten member back.
        let kept = try named(rows)
        for ids in rows where try namesForgotten(ids) { summary.note(unknown: ids) }
        for ids in kept { try note(ids, keys) }
        if !options.allowsShrinking {
            let (vanished, total) = (
                Int(try catalog.database.integer("SELECT count(*) FROM temp.vanished") ?? 0),
                Int(try catalog.database.integer("SELECT count(*) FROM \(kind.name)") ?? 0)
            )
            do throws(Failure) {
                try ShrinkingBound.naming.check(vanished, of: total, kind.name, "this")
            } catch {
                guard options.isDryRun else { throw error }
                summary.failure = error
            }
        }
        if let stamp {
            let removals = try NotedRemovals(catalog.database)
            for ids in kept { try removals.note(kind, ids, stamp: stamp) }
        }
        try catalog.removeVanished(kind, into: &summary)
        return summary
    }

    /// Returns the rows that name no member who was forgotten; of the others, nothing is left to remove.
    package func named(_ rows: [[String]]) throws(Failure) -> [[String]] {
        var kept: [[String]] = []
        for ids in rows where try !namesForgotten(ids) { kept.append(ids) }
        return kept
    }

    private func namesForgotten(_ ids: [String]) throws(Failure) -> Bool {
        for (id, table) in zip(ids, kind.tablesOfIDs) where table == .users {
            if try catalog.facts.isForgotten(user: id) { return true }
        }
        return false
    }

    /// Adds a row to the rows to remove.
    private func note(_ ids: [String], _ keys: KeyLookup) throws(Failure) {
        switch try keys.note(ids) {
        case .unknown: summary.note(unknown: ids)
        case .repeated: summary.repeatedCount += 1
        case .noted: break
        }
    }
}

extension ImportKind {
    /// The tables of the ids that name a row, in their order.
    fileprivate var tablesOfIDs: [EntityTable] {
        switch self {
        case .entities(let table): [table]
        case .relation(let source): [source.rowTable, source.entityTable]
        }
    }
}

extension Catalog {
    /// Runs the work of a command in a transaction, which a dry run takes back.
    func trying<Result>(_ isDryRun: Bool, _ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard isDryRun else { return try database.transaction(.immediate, body) }
        try database.execute("BEGIN IMMEDIATE")
        defer { try? database.execute("ROLLBACK") }
        return try body()
    }

    /// Removes the rows with the keys in the temporary table `vanished` and the rows that name them; drops that table.
    func removeVanished(_ kind: ImportKind, into summary: inout RemovalSummary) throws(Failure) {
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

/// Finds the keys of rows by their ids, and adds them to the temporary table `vanished`.
private final class KeyLookup {
    private let keyCount: Int
    private let database: Database
    private let select: Statement
    private let insert: Statement

    init(_ kind: ImportKind, _ database: Database) throws(Failure) {
        keyCount = Remover.idCount(of: kind)
        self.database = database
        try database.execute("DROP TABLE IF EXISTS temp.vanished")
        switch kind {
        case .entities(let table):
            try database.execute("CREATE TEMP TABLE vanished (key INTEGER PRIMARY KEY)")
            select = try database.prepare(
                "SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = ?1")
            insert = try database.prepare("INSERT OR IGNORE INTO temp.vanished VALUES (?1)")
        case .relation(let source):
            func key(_ table: EntityTable, _ parameter: String) -> String {
                "(SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = \(parameter))"
            }
            try database.execute(
                """
                CREATE TEMP TABLE vanished (row_key INTEGER, entry_key INTEGER, PRIMARY KEY (row_key, entry_key))
                WITHOUT ROWID
                """)
            select = try database.prepare(
                """
                SELECT \(source.rowColumn), \(source.entryColumn) FROM \(source.table)
                WHERE \(source.rowColumn) = \(key(source.rowTable, "?1"))
                AND \(source.entryColumn) = \(key(source.entityTable, "?2"))
                """)
            insert = try database.prepare("INSERT OR IGNORE INTO temp.vanished VALUES (?1, ?2)")
        }
    }

    /// The outcomes of looking for a row.
    enum Outcome {
        case noted, repeated, unknown
    }

    /// Adds the row that ids name.
    func note(_ ids: [String]) throws(Failure) -> Outcome {
        for (place, id) in ids.enumerated() { select.bind(id, at: Int32(place + 1)) }
        guard try select.step() else { return .unknown }
        for place in 0..<keyCount { insert.bind(select.integer(Int32(place)), at: Int32(place + 1)) }
        select.reset()
        let before = database.totalChanges
        try insert.run()
        return database.totalChanges > before ? .noted : .repeated
    }
}

/// A statement that removes rows with the keys in the temporary table `vanished`, or rows that name them.
struct Removal {
    /// The table of the rows.
    let table: String
    let statement: String
}

extension ImportKind {
    /// Returns the statements that remove the rows of this kind with the keys in `vanished`; its own rows go last.
    ///
    /// Rows of other tables that name them go first. The table `vanished` has a column `key`, or for pairs `row_key`
    /// and `entry_key`, with the time of pairs that repeat if no user named them.
    ///
    /// - Parameter isNamed: whether a user named the rows. Recorded events of these pairs, such as joins, are then
    ///   removed as well; the lack of a row in a file says nothing about them.
    func removals(in relations: RelationTable, isNamed: Bool) -> [Removal] {
        switch self {
        case .relation(let source):
            // A user names pairs, which may have several rows.
            let pair = "(\((isNamed ? Array(source.keyColumns.prefix(2)) : source.keyColumns).joined(separator: ", ")))"
            let removal = Removal(
                table: source.table,
                statement: "DELETE FROM \(source.table) WHERE \(pair) IN (SELECT * FROM temp.vanished)")
            guard isNamed, RelationSource.changed.contains(source) else { return [removal] }
            // A recorded event, such as a join, would create the pair again.
            let events = """
                DELETE FROM interactions WHERE \(source.isChanged) AND \(pair) IN (SELECT * FROM temp.vanished)
                """
            return [Removal(table: "interactions", statement: events), removal]
        case .entities(let table):
            let naming = relations.sources.flatMap { source in
                source.columns(naming: table).flatMap { column in source.tables.map { (table: $0, column: column) } }
            }
            let others = (table.tablesOfTheirs + [table.rawValue]).map { (table: $0, column: table.keyColumn) }
            let followed = table == .users ? [(table: "interactions", column: "followed_key")] : []
            let removals = (naming + followed + others).map {
                Removal(
                    table: $0.table,
                    statement: "DELETE FROM \($0.table) WHERE \($0.column) IN (SELECT key FROM temp.vanished)")
            }
            guard table == .users else { return removals }
            let disowning = "UPDATE photos SET user_key = NULL WHERE user_key IN (SELECT key FROM temp.vanished)"
            return [Removal(table: "photos", statement: disowning)] + removals
        }
    }
}

extension EntityTable {
    /// The tables, except relations, whose rows mean nothing without the group, user or photo that they name.
    fileprivate var tablesOfTheirs: [String] {
        switch self {
        case .groups: ["curated_groups", "interactions", "hidden_groups"]
        case .users: ["interactions", "exposures"]
        case .photos: ["photo_vectors", "interactions"]
        }
    }
}

extension Catalog {
    /// Counts a removal of groups, within its transaction.
    func noteGroupRemoval() throws(Failure) {
        try database.execute(
            """
            INSERT INTO catalog_state VALUES ('groupRemovals', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
            """)
    }
}
