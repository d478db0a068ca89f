package import Basics
import Glibc
import Model
import SQLite
import Synchronization

/// The result of examining all of a catalog.
package struct CatalogExamination: Sendable, Equatable {
    /// The findings of SQLite's integrity check, at most ten lines; if there are any, the rest is not examined.
    package var damage: [String] = []
    /// The number of rows that refer to a missing row, by table and column, such as `memberships.user_key`.
    package var dangling: [String: Int] = [:]
    /// The tables of relations without a reverse index.
    package var withoutIndex: [String] = []
    /// The latest of the interactions recorded last, or `nil` if there are none.
    package var latestInteraction: LatestInteraction?
    package var futureTimes: [FutureTimes] = []

    /// An interaction of a member.
    package struct LatestInteraction: Sendable, Equatable {
        /// The external id of the member, and the id of the interaction.
        package var userID, id: String
        /// The time of the interaction, in Unix milliseconds.
        package var milliseconds: Int64
    }

    /// Times of one column that are in the future.
    package struct FutureTimes: Sendable, Equatable {
        package var table, column: String
        /// The number of rows.
        package var count: Int
        /// The external ids of the row with the latest time: one for a group, user or photo, two for a pair.
        package var ids: [String]
        /// The latest time, in Unix seconds.
        package var latest: Int64
    }
}

extension CatalogExamination {
    /// Examines all of a catalog, and changes nothing.
    ///
    /// - Parameter now: the present, in Unix seconds, or `nil` for that of the clock.
    /// - Complexity: O(rows · log rows).
    package init(of catalog: Facts, now: Int64? = nil) throws(Failure) {
        self = try Examiner(database: catalog.database, relations: catalog.relations).examine(
            now: now ?? Int64(time(nil)))
    }
}

/// The examination of a catalog.
private struct Examiner {
    let database: ReadingDatabase
    let relations: RelationTable

    /// The number of interactions, those recorded last, whose times are compared.
    private static var latestInteractions: Int { 1000 }
    /// The seconds that a time may be ahead of this machine's clock, which may itself be wrong.
    private static var clockTolerance: Int64 { 86_400 }

    func examine(now: Int64) throws(Failure) -> CatalogExamination {
        try database.snapshot { () throws(Failure) in
            var examination = CatalogExamination()
            examination.damage = try database.integrityFindings()
            guard examination.damage.isEmpty else { return examination }
            examination.dangling = try danglingRows()
            let indexes = Set(try database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").texts())
            examination.withoutIndex = relations.sources.filter { !indexes.contains($0.indexName) }.map(\.table)
            examination.latestInteraction = try latestInteraction()
            examination.futureTimes = try futureTimes(after: now + Self.clockTolerance)
            return examination
        }
    }

    /// Returns the latest of the interactions recorded last.
    ///
    /// The time of a forgotten interaction cannot be mended any more, and is not among them.
    private func latestInteraction() throws(Failure) -> CatalogExamination.LatestInteraction? {
        let row = try database.prepare(
            """
            SELECT user_id, id, occurred_at FROM (
                SELECT user_key, id, occurred_at FROM interactions WHERE is_forgotten = 0
                ORDER BY interaction_key DESC LIMIT \(Self.latestInteractions))
            JOIN users USING (user_key) ORDER BY occurred_at DESC LIMIT 1
            """)
        guard try row.step() else { return nil }
        return .init(userID: row.text(0), id: row.text(1), milliseconds: row.integer(2))
    }

    /// Returns the columns of files that have later times than one in Unix seconds, in the order of the kinds.
    private func futureTimes(after seconds: Int64) throws(Failure) -> [CatalogExamination.FutureTimes] {
        var found: [CatalogExamination.FutureTimes] = []
        for kind in ImportKind.all(of: relations) {
            for column in kind.columns.filter(\.type.isTime) {
                let time = column.target
                // Of a bare column beside max(), SQLite takes the value in the row with the maximum.
                let row = try database.prepare(
                    """
                    SELECT count(*), max(\(time)), \(kind.idExpressions.joined(separator: ", ")) FROM \(kind.name)
                    WHERE \(time) > ?
                    """, seconds)
                guard try row.step(), row.integer(0) > 0 else { continue }
                let ids = kind.idExpressions.indices.map { row.text(Int32($0 + 2)) }
                found.append(
                    .init(
                        table: kind.name, column: time, count: Int(row.integer(0)), ids: ids, latest: row.integer(1)))
            }
        }
        return found
    }

    /// Returns the number of rows that refer to a missing row, by table and column.
    private func danglingRows() throws(Failure) -> [String: Int] {
        var references: [(table: String, column: String, entity: EntityTable)] = [
            ("photos", "user_key", .users), ("interactions", "user_key", .users),
            ("interactions", "group_key", .groups), ("interactions", "photo_key", .photos),
            ("interactions", "followed_key", .users), ("hidden_groups", "group_key", .groups),
            ("curated_groups", "group_key", .groups),
        ]
        for source in relations.sources {
            for table in source.tables {
                references.append((table, source.rowColumn, source.rowTable))
                references.append((table, source.entryColumn, source.entityTable))
            }
        }
        var dangling: [String: Int] = [:]
        for (table, column, entity) in references {
            // Without any user, even the missing owner of a photo would not be in the list.
            let count = try database.integer(
                """
                SELECT count(*) FROM \(table)
                WHERE \(column) <> 0 AND \(column) NOT IN (SELECT \(entity.keyColumn) FROM \(entity.rawValue))
                """)
            if let count, count > 0 { dangling["\(table).\(column)"] = Int(count) }
        }
        return dangling
    }
}

extension ImportKind {
    /// The SQL expressions for the external ids of a row of the kind's table.
    fileprivate var idExpressions: [String] {
        switch self {
        case .entities(let table): [table.idColumn]
        case .relation(let source):
            [(source.rowTable, source.rowColumn), (source.entityTable, source.entryColumn)].map { table, key in
                "(SELECT \(table.idColumn) FROM \(table.rawValue) AS named "
                    + "WHERE named.\(table.keyColumn) = \(source.table).\(key))"
            }
        }
    }
}

/// SQLite's check of a whole catalog, on a separate thread while others read the catalog.
///
/// The check finds unreachable pages, pages that belong to two tables, and impossible rows. It does not find a value
/// that was replaced by another one.
final class CatalogCheck: Sendable {
    private let failure = Mutex<Failure?>(nil)
    private let thread = Mutex<WorkThread?>(nil)

    /// Starts the check.
    ///
    /// - Parameter connection: a connection in a read transaction, which belongs to the check from now on.
    /// - Throws: `Failure.Code.tryLater` if there can be no thread.
    init(_ connection: Locked<Catalog>) throws(Failure) {
        let thread = try WorkThread { [self] in
            do throws(Failure) {
                try connection.withLock { catalog throws(Failure) in try catalog.database.checkWhole() }
            } catch { failure.withLock { $0 = error } }
        }
        self.thread.withLock { $0 = thread }
    }

    /// Waits for the end of the check.
    ///
    /// - Throws: `Failure.Code.badData` if the catalog is damaged.
    func finish() throws(Failure) {
        thread.withLock { $0 }?.join()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// The cheap checks of a catalog while it is read.
///
/// Damage must neither become part of a version nor crash the program. SQLite finds a page that
/// does not belong to its tree. SQLite misses a page of the right form with other rows. Then rows are out of order or
/// out of bounds, or some are missing. `CatalogCheck` finds more, but reads everything.
extension ReadingDatabase {
    /// The highest key that is plausible for any number of rows.
    private static var freeKeys: Int64 { 1 << 20 }
    /// The greatest plausible ratio of keys to rows, because keys of removed rows are not reused.
    private static var keysPerRow: Int64 { 100 }

    /// Returns the highest key of a table, or 0 if the table has no rows.
    ///
    /// - Throws: `Failure.Code.badData` if the key is out of bounds, or implausible for so few rows. Memory is
    ///   needed for every key.
    func highestKey(of table: EntityTable) throws(Failure) -> Int {
        let (name, column) = (table.rawValue, table.keyColumn)
        let key = try integer("SELECT max(\(column)) FROM \(name)") ?? 0
        // Counting stops at the number of rows that is enough.
        let rows =
            key > Self.freeKeys
            ? try integer("SELECT count(*) FROM (SELECT 1 FROM \(name) LIMIT ?)", key / Self.keysPerRow) ?? 0
            : Int64.max
        guard (0...EntityTable.keyLimit).contains(key), rows >= key / Self.keysPerRow else {
            throw .damaged("the table \(name) has the key \(key)" + (rows < .max ? " and only \(rows) rows" : ""))
        }
        return Int(key)
    }

    /// Checks the number of rows read against the tree of the table, or of its smallest index, in the same transaction.
    ///
    /// SQLite counts the cells of the pages without reading them. That takes a twentieth of the time of reading the
    /// rows.
    func checkCount(_ read: Int, of table: String, isOfTable: Bool = false) throws(Failure) {
        let count = try integer("SELECT count(*) FROM \(table)\(isOfTable ? " NOT INDEXED" : "")") ?? 0
        guard count == read else { throw .damaged("the table \(table) has \(count) rows, of which \(read) are found") }
    }

    /// Checks groups that were read in the order of their ids, in the same transaction.
    func check(_ groups: [GroupRecord]) throws(Failure) {
        // An implausible highest key throws an error, because every key takes memory.
        _ = try highestKey(of: .groups)
        for group in groups where !(1...EntityTable.keyLimit).contains(group.key) {
            throw .damaged("a group has the key \(group.key)")
        }
        for (group, next) in zip(groups, groups.dropFirst())
        where !group.id.utf8.lexicographicallyPrecedes(next.id.utf8) {
            throw .damaged("the groups are out of order at \(next.id)")
        }
        try checkCount(groups.count, of: EntityTable.groups.rawValue, isOfTable: true)
    }
}

extension Statement {
    /// Returns a time in Unix seconds, clamped to the bounds of `UnixTime`, or `nil` for NULL.
    ///
    /// Without bounds, calculations with the time could overflow.
    func time(_ column: Int32) -> Int64? {
        optionalInteger(column).map { min(max($0, UnixTime.bounds.lowerBound), UnixTime.bounds.upperBound) }
    }

    /// Returns a time in Unix milliseconds, clamped to the bounds of `UnixTime`.
    func milliseconds(_ column: Int32) -> Int64 {
        min(max(integer(column), Self.millisecondsBounds.lowerBound), Self.millisecondsBounds.upperBound)
    }

    /// The bounds of `UnixTime`, in milliseconds.
    static let millisecondsBounds = UnixTime.bounds.lowerBound * 1000...UnixTime.bounds.upperBound * 1000
}

extension Database.Subject {
    static let catalog = Database.Subject("the catalog", remedy: ", and must be brought back from a backup")
}

extension Failure {
    /// Returns the failure for data of a catalog that cannot have been written.
    static func damaged(_ finding: String) -> Failure { Database.Subject.catalog.damaged(finding) }
}
