package import Basics
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

/// The part of a catalog that removes: named rows, members for good, and what another catalog has withdrawn.
///
/// Renaming is here as well, because it may merge two groups or members into one.
package struct Removal {
    let catalog: Catalog
    var database: Database { catalog.database }
    var facts: Facts { catalog.facts }

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// Removes groups, users, photos or pairs that are named by ids.
    ///
    /// - Parameters:
    ///   - rows: the ids of each row.
    ///   - stamp: the stamp, in milliseconds, before which changes of daemons do not bring back the rows, known or
    ///     not; nil if daemons have no changes.
    /// - Throws: `Failure`; then nothing was removed.
    package func remove(
        _ kind: ImportKind, _ rows: [[String]], _ options: RemovalOptions = RemovalOptions(), stamp: Int64? = nil
    ) throws(Failure) -> RemovalSummary {
        try trying(options.isDryRun) { () throws(Failure) in
            try removeWithinTransaction(kind, rows, options, stamp: stamp)
        }
    }

    /// Removes rows in the same way, within a transaction of the caller.
    func removeWithinTransaction(
        _ kind: ImportKind, _ rows: [[String]], _ options: RemovalOptions = RemovalOptions(), stamp: Int64?
    ) throws(Failure) -> RemovalSummary {
        var summary = RemovalSummary()
        let keys = try KeyLookup(kind, database)
        // A note of the removal would bring the id of a forgotten member back.
        let kept = try named(kind, rows)
        for ids in rows where try namesForgotten(kind, ids) { summary.note(unknown: ids) }
        for ids in kept {
            switch try keys.note(ids) {
            case .unknown: summary.note(unknown: ids)
            case .repeated: summary.repeatedCount += 1
            case .noted: break
            }
        }
        if !options.allowsShrinking {
            let (vanished, total) = (
                Int(try database.integer("SELECT count(*) FROM temp.vanished") ?? 0),
                Int(try database.integer("SELECT count(*) FROM \(kind.name)") ?? 0)
            )
            do throws(Failure) {
                try ShrinkingBound.naming.check(vanished, of: total, kind.name, "this")
            } catch {
                guard options.isDryRun else { throw error }
                summary.failure = error
            }
        }
        if let stamp {
            let removals = NotedRemovals(database)
            for ids in kept { try removals.note(kind, ids, stamp: stamp) }
        }
        try removeVanished(kind, into: &summary)
        return summary
    }

    /// Returns the rows that name no member who was forgotten; of the others, nothing is left to remove.
    package func named(_ kind: ImportKind, _ rows: [[String]]) throws(Failure) -> [[String]] {
        var kept: [[String]] = []
        for ids in rows where try !namesForgotten(kind, ids) { kept.append(ids) }
        return kept
    }

    private func namesForgotten(_ kind: ImportKind, _ ids: [String]) throws(Failure) -> Bool {
        for (id, table) in zip(ids, kind.tablesOfIDs) where table == .users {
            if try facts.isForgotten(user: id) { return true }
        }
        return false
    }

    /// Removes the rows with the keys in the temporary table `vanished` and the rows that name them; drops that table.
    func removeVanished(_ kind: ImportKind, into summary: inout RemovalSummary) throws(Failure) {
        let before = database.totalChanges
        for removal in kind.removals(in: catalog.relations, isNamed: true) {
            let changes = database.totalChanges
            try database.execute(removal.sql)
            let count = Int(database.totalChanges - changes)
            if removal.table == kind.name {
                summary.removed += count
            } else if count > 0 {
                summary.others[removal.table, default: 0] += count
            }
        }
        try catalog.recordChanges(database.totalChanges - before)
        if kind == .groups, summary.removed > 0 { try noteGroupRemoval() }
        try database.execute("DROP TABLE temp.vanished")
    }

    /// Runs the work of a command in a transaction, which a dry run takes back.
    func trying<Result>(_ isDryRun: Bool, _ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard isDryRun else { return try database.transaction(.immediate, body) }
        try database.execute("BEGIN IMMEDIATE")
        defer { try? database.rollBack() }
        return try body()
    }

    /// Notes that the groups, users or photos with the keys in the temporary table `vanished` are removed now.
    func noteRemoval(ofVanished table: EntityTable) throws(Failure) {
        try database.execute(
            """
            INSERT INTO noted_removals
            SELECT '\(table.rawValue)', \(table.idColumn), '',
                \(CatalogSchema.nowMilliseconds)
            FROM \(table.rawValue) WHERE \(table.keyColumn) IN (SELECT key FROM temp.vanished)
            ON CONFLICT DO UPDATE SET stamp = max(stamp, excluded.stamp)
            """)
    }

    /// Counts a removal of groups, within its transaction.
    func noteGroupRemoval() throws(Failure) {
        try database.execute(
            """
            INSERT INTO catalog_state VALUES ('groupRemovals', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
            """)
    }

    /// Erases removed data from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Returns: false if another connection was reading or writing for too long; then call it again.
    package func eraseRemoved() throws(Failure) -> Bool {
        try database.emptyLog(waits: true)
    }

    /// Writes the file of vectors anew if some of its slots belong to no photo: removed vectors are then gone.
    ///
    /// - Parameter most: the largest share of such slots that may stay.
    /// - Returns: the number of vectors that were erased.
    package func eraseVectors(leaving most: Double = 0) throws(Failure) -> Int {
        let vectors = facts.vectors
        guard let space = try vectors.space() else { return 0 }
        let count = try vectors.count()
        guard Double(space.slots - count) > most * Double(space.slots) else { return 0 }
        let erased: Int = try database.transaction { () throws(Failure) in
            guard let space = try vectors.space() else { return 0 }
            let old = try VectorFile(CatalogVectors.path(ofCatalog: catalog.path, space.generation), space)
            let next = space.generation + 1
            let new = try VectorAppender(
                CatalogVectors.path(ofCatalog: catalog.path, next), dimension: space.dimension, slots: 0)
            var numbers = [Float](repeating: 0, count: space.dimension)
            var moved: [(key: Int64, slot: Int64)] = []
            let rows = try database.prepare("SELECT photo_key, slot FROM photo_vectors ORDER BY slot")
            while try rows.step() {
                guard old.read(rows.integer(1), into: &numbers, at: 0) else {
                    throw VectorFile.damaged(old.path, "a vector is not what was written")
                }
                moved.append((rows.integer(0), try new.append(numbers)))
            }
            try new.finish()
            let update = try database.prepare("UPDATE photo_vectors SET slot = ?1 WHERE photo_key = ?2")
            for (key, slot) in moved {
                try update.run(slot, key)
            }
            try database.execute("UPDATE vector_file SET generation = \(next), slots = \(new.slots)")
            return space.slots - new.slots
        }
        vectors.removeOtherFiles()
        return erased
    }
}

/// Finds the keys of rows by their ids, and adds them to the temporary table `vanished`.
private final class KeyLookup {
    private let keyCount: Int
    private let database: Database
    private let select: Statement
    private let insert: Statement

    init(_ kind: ImportKind, _ database: Database) throws(Failure) {
        keyCount = kind.idCount
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
