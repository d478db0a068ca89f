import CivilTime
import Model
import SQLite

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
