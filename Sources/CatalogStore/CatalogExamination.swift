import CivilTime
import Dispatch
import Model
import SQLite
import Synchronization

/// What reading all of a catalog found.
public struct CatalogExamination: Sendable, Equatable {
    /// What SQLite's integrity check says is wrong, at most ten lines; if there is any, the rest was not looked for.
    public var damage: [String] = []
    /// Rows that name a row that does not exist, by table and column, such as `memberships.user_key`.
    public var dangling: [String: Int] = [:]
    /// Tables of relations without their reverse index.
    public var withoutIndex: [String] = []
    /// Changes of daemons that were put aside, as the program that took them could not read them.
    public var unreadableChanges = 0
    /// The latest time of the interactions that came last, in Unix milliseconds; nil if there are none.
    public var latestInteractionMilliseconds: Int64?
}

extension Catalog {
    /// How many of the interactions that came last are looked at for their times.
    private static var latestInteractions: Int { 1000 }

    /// Reads all of the catalog, and changes nothing.
    ///
    /// - Complexity: O(rows · log rows).
    public func examine() throws(CatalogError) -> CatalogExamination {
        try snapshot { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in
                var examination = CatalogExamination()
                examination.damage = try database.integrityFindings()
                guard examination.damage.isEmpty else { return examination }
                examination.dangling = try danglingRows()
                let index = try database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?")
                for facts in relations {
                    index.bind(Optional(facts.source.indexName), at: 1)
                    if try !index.step() { examination.withoutIndex.append(facts.source.table) }
                    index.reset()
                }
                examination.unreadableChanges = Int(
                    try database.integer("SELECT count(*) FROM unreadable_changes") ?? 0)
                examination.latestInteractionMilliseconds = try database.integer(
                    """
                    SELECT max(occurred_at) FROM (
                        SELECT occurred_at FROM interactions ORDER BY interaction_key DESC
                        LIMIT \(Self.latestInteractions))
                    """)
                return examination
            }
        }
    }

    /// Counts the rows that name others that do not exist; those of other tables, by key.
    private func danglingRows() throws(DatabaseError) -> [String: Int] {
        var references: [(table: String, column: String, entity: EntityTable)] = [
            ("photos", "user_key", .users), ("interactions", "user_key", .users),
            ("interactions", "group_key", .groups), ("hidden_groups", "group_key", .groups),
            ("curated_groups", "group_key", .groups),
        ]
        for facts in relations {
            references.append((facts.source.table, "group_key", .groups))
            references.append((facts.source.table, facts.source.entryColumn, facts.source.entityTable))
        }
        var dangling: [String: Int] = [:]
        for (table, column, entity) in references {
            let count = try database.integer(
                """
                SELECT count(*) FROM \(table)
                WHERE \(column) NOT IN (SELECT \(entity.keyColumn) FROM \(entity.rawValue))
                """)
            if let count, count > 0 { dangling["\(table).\(column)"] = Int(count) }
        }
        return dangling
    }
}

extension Database {
    /// What SQLite's integrity check finds wrong, at most ten lines.
    func integrityFindings() throws(DatabaseError) -> [String] {
        do throws(DatabaseError) {
            let lines = try prepare("PRAGMA integrity_check(10)").texts()
            return lines == ["ok"] ? [] : lines
        } catch {
            // Some damage ends the check itself.
            guard error.isDamaged || error.isNotADatabase else { throw error }
            return [error.reason]
        }
    }
}

/// A check of a whole catalog, as SQLite does it, on a thread of its own while others read the catalog.
///
/// It finds pages that nothing leads to or that belong to two tables, and rows that cannot be; it does not find another
/// value in the place of one.
final class CatalogCheck: Sendable {
    private let failure = Mutex<CatalogError?>(nil)
    private let isOver = DispatchGroup()

    /// Begins.
    ///
    /// - Parameter connection: is in a read transaction, and belongs to the check from now on.
    init(_ connection: CatalogSnapshot.Connection) {
        DispatchQueue(label: "catalog-check").async(group: isOver) { [self] in
            do throws(CatalogError) {
                let database = connection.catalog.database
                try wrapping { () throws(DatabaseError) in try database.checkWhole() }
            } catch { failure.withLock { $0 = error } }
        }
    }

    /// Waits for its end.
    ///
    /// - Throws: `CatalogError.Code.badData` if the catalog is damaged.
    func finish() throws(CatalogError) {
        isOver.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// What is checked of a catalog while it is read, because it costs next to nothing: damage must not become part of a
/// version, and must crash nothing.
///
/// SQLite finds pages that are none of the tree they are in. What it does not find is a page that looks like one of the
/// tree, with other rows: then rows are out of order, out of bounds, or fewer than their tree has. `CatalogCheck` finds
/// more, and reads everything for that.
extension Catalog {
    /// The highest key that is read: matrices have 32-bit columns, and there is memory for every key up to the highest.
    static let keyLimit = Int64(UInt32.max) - 1

    /// Keys up to this one need not be explained by rows.
    private static let freeKeys: Int64 = 1 << 20
    /// How many keys a table may have given out for each row that it has: those of removed rows do not come again.
    private static let keysPerRow: Int64 = 100

    /// The highest key of a table; 0 if it has no rows.
    ///
    /// - Throws: `CatalogError.Code.badData` if no row can have that key, or so few rows make it incredible: there must
    ///   be memory for every key.
    func highestKey(of table: EntityTable) throws(CatalogError) -> Int {
        let (name, column) = (table.rawValue, table.keyColumn)
        let (key, rows) = try wrapping { () throws(DatabaseError) in
            let key = try database.integer("SELECT max(\(column)) FROM \(name)") ?? 0
            guard key > Self.freeKeys else { return (key, Int64.max) }
            // Counts no further than it must.
            let enough = key / Self.keysPerRow
            return (key, try database.integer("SELECT count(*) FROM (SELECT 1 FROM \(name) LIMIT ?)", enough) ?? 0)
        }
        guard (0...Self.keyLimit).contains(key), rows >= key / Self.keysPerRow else {
            throw .damaged("the table \(name) has the key \(key)" + (rows < .max ? " and only \(rows) rows" : ""))
        }
        return Int(key)
    }

    /// Checks that as many rows were read as the tree of their table has, or that of its smallest index; in the same
    /// transaction.
    ///
    /// SQLite counts the cells of the pages without looking into them: a twentieth of the time of reading the rows.
    func checkCount(_ read: Int, of table: String, isOfTable: Bool = false) throws(CatalogError) {
        let count = try wrapping { () throws(DatabaseError) in
            try database.integer("SELECT count(*) FROM \(table)\(isOfTable ? " NOT INDEXED" : "")") ?? 0
        }
        guard count == read else { throw .damaged("the table \(table) has \(count) rows, of which \(read) are found") }
    }

    /// Checks groups that were read in the order of their ids, in the same transaction.
    func check(_ groups: [GroupRecord]) throws(CatalogError) {
        // Throws if it is incredible: there must be memory for every key.
        _ = try highestKey(of: .groups)
        for group in groups where !(1...Self.keyLimit).contains(group.key) {
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
    /// A time in Unix seconds, moved into the bounds of `UnixTime`: whoever reads it may calculate with it; nil for
    /// NULL.
    func time(_ column: Int32) -> Int64? {
        optionalInteger(column).map { min(max($0, UnixTime.bounds.lowerBound), UnixTime.bounds.upperBound) }
    }

    /// The same in Unix milliseconds.
    func milliseconds(_ column: Int32) -> Int64 {
        min(max(integer(column), Self.millisecondsBounds.lowerBound), Self.millisecondsBounds.upperBound)
    }

    /// The bounds of `UnixTime` in milliseconds.
    static let millisecondsBounds = UnixTime.bounds.lowerBound * 1000...UnixTime.bounds.upperBound * 1000
}

extension CatalogError {
    /// What was read cannot have been written.
    static func damaged(_ finding: String) -> CatalogError {
        CatalogError(.badData, "the catalog is damaged, and must be brought back from a backup: \(finding)")
    }
}
