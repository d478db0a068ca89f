import SQLite

/// A column of which `catalog_state` says whether it ever had a value, so that nobody scans its table to find out.
///
/// The number there is 1 from the first value on. It stays 1 if all values are removed later, which only costs time.
/// The columns are the times of every relation, and the tags and latitudes of photos.
struct NotedColumn: RawRepresentable, Hashable, Sendable {
    /// The table and the column, with a dot between them.
    let rawValue: String

    static let tags = NotedColumn(rawValue: "photos.tags")
    static let latitude = NotedColumn(rawValue: "photos.latitude")

    init(rawValue: String) { self.rawValue = rawValue }

    /// The column of a table, if `catalog_state` has a number for it.
    init?(_ table: EntityTable, target: String) {
        self.init(rawValue: "\(table.rawValue).\(target)")
        guard self == .tags || self == .latitude else { return nil }
    }
}

extension Catalog {
    /// Whether a column has ever had a value.
    func mayHaveValues(_ column: NotedColumn) throws(DatabaseError) -> Bool {
        let statement = try database.prepare("SELECT value FROM catalog_state WHERE name = ?")
        statement.bind(Optional(column.rawValue), at: 1)
        return try statement.step() && statement.integer(0) != 0
    }

    /// Notes that columns have values; call it within the transaction that writes them.
    func note(_ columns: Set<NotedColumn>) throws(DatabaseError) {
        let statement = try database.prepare("UPDATE catalog_state SET value = 1 WHERE name = ? AND value = 0")
        for column in columns {
            statement.bind(Optional(column.rawValue), at: 1)
            try statement.run()
        }
    }
}
