import SQLite

/// A column that may be empty in all rows, which would take a pass over its table to find out.
///
/// `catalog_state` has a number for each: 1 since the first value was imported. It stays 1 if all values are removed
/// later, which only costs time.
enum NotedColumn: String, CaseIterable, Sendable {
    case joinedAt = "memberships.joined_at"
    case addedAt = "pools.added_at"
    case tags = "photos.tags"
    case latitude = "photos.latitude"

    /// The column of a table, if it is one of these.
    init?(_ kind: ImportKind, target: String) { self.init(rawValue: "\(kind.rawValue).\(target)") }
}

extension Catalog {
    /// Whether a column has ever had a value.
    func mayHaveValues(_ column: NotedColumn) throws(DatabaseError) -> Bool {
        let statement = try database.prepare("SELECT value FROM catalog_state WHERE name = ?")
        statement.bind(Optional(column.rawValue), at: 1)
        return try statement.step() && statement.integer(0) != 0
    }

    /// Notes that columns have values; called within the transaction that writes them.
    func note(_ columns: Set<NotedColumn>) throws(DatabaseError) {
        let statement = try database.prepare("UPDATE catalog_state SET value = 1 WHERE name = ? AND value = 0")
        for column in columns {
            statement.bind(Optional(column.rawValue), at: 1)
            try statement.run()
        }
    }
}
