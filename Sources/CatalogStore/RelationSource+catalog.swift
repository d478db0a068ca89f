public import Model

/// How a relation's table is called and made in SQL: group × user or group × photo.
extension RelationSource {
    /// The table of what its entries are.
    var entityTable: EntityTable {
        switch entries {
        case .users: .users
        case .photos: .photos
        }
    }

    /// The column that is not the group.
    public var entryColumn: String { entityTable.keyColumn }
    /// By which one can tell that no row has a time.
    var notedTime: NotedColumn { NotedColumn(rawValue: "\(table).\(timeColumn)") }

    private var indexName: String { "\(table)_by_\(entityTable.singular)" }
    private var indexColumns: String { "\(entryColumn), group_key" + (indexesTime ? ", \(timeColumn)" : "") }
    var createIndex: String { "CREATE INDEX IF NOT EXISTS \(indexName) ON \(table) (\(indexColumns))" }
    var dropIndex: String { "DROP INDEX IF EXISTS \(indexName)" }

    /// Makes the table of a relation that no migration makes.
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
