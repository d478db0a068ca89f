import Basics
import SQLite

/// A column for which `catalog_state` records whether it ever had a value.
///
/// The record saves scanning the table. The record is 1 from the first value on. It stays 1 if all values are removed
/// later, which only costs time. The columns are the times of every relation, and the tags and latitudes of photos.
struct NotedColumn: RawRepresentable, Hashable, Sendable {
    /// The table and the column, separated by a dot.
    let rawValue: String

    static let tags = NotedColumn(rawValue: "photos.tags")
    static let latitude = NotedColumn(rawValue: "photos.latitude")

    init(rawValue: String) { self.rawValue = rawValue }

    /// Creates the column of a table, or returns `nil` if `catalog_state` has no record for it.
    init?(_ table: EntityTable, target: String) {
        self.init(rawValue: "\(table.rawValue).\(target)")
        guard self == .tags || self == .latitude else { return nil }
    }
}

extension NotedColumn {
    func hasValues(in database: ReadingDatabase) throws(Failure) -> Bool {
        try database.integer("SELECT value FROM catalog_state WHERE name = ?", rawValue) ?? 0 != 0
    }

    /// Records that columns have values; call it within the transaction that writes them.
    static func note(_ columns: Set<NotedColumn>, in database: Database) throws(Failure) {
        let statement = try database.prepare("UPDATE catalog_state SET value = 1 WHERE name = ? AND value = 0")
        for column in columns {
            try statement.run(column.rawValue)
        }
    }
}
