public import Model

/// The names and the definition of a relation's table in SQL: group × user or group × photo.
extension RelationSource {
    /// The table of its entries, users or photos.
    var entityTable: EntityTable {
        switch entries {
        case .users: .users
        case .photos: .photos
        }
    }

    /// The column that is not the group.
    public var entryColumn: String { entityTable.keyColumn }
    /// Says whether any row ever had a time.
    var notedTime: NotedColumn { NotedColumn(rawValue: "\(table).\(timeColumn)") }

    var indexName: String { "\(table)_by_\(entityTable.singular)" }
    private var indexColumns: String { "\(entryColumn), group_key" + (indexesTime ? ", \(timeColumn)" : "") }
    var createIndex: String { "CREATE INDEX IF NOT EXISTS \(indexName) ON \(table) (\(indexColumns))" }
    var dropIndex: String { "DROP INDEX IF EXISTS \(indexName)" }

    /// Creates the table of a relation that no migration creates.
    var createTable: String {
        """
        CREATE TABLE IF NOT EXISTS \(table) (
            group_key INTEGER NOT NULL,
            \(entryColumn) INTEGER NOT NULL,
            \(timeColumn) INTEGER,
            PRIMARY KEY (group_key, \(entryColumn))
        ) WITHOUT ROWID;
        \(createIndex);
        INSERT OR IGNORE INTO catalog_state VALUES ('\(notedTime.rawValue)', 0);
        """
    }
}
