import SQLite

/// Finds the keys of external ids, and creates the users, groups and photos that are missing.
final class IdentifierResolver {
    private let table: EntityTable
    private let database: Database
    private let select: Statement
    private let insert: Statement
    private let isStrict: Bool
    // If the table was empty, almost every id is new: inserting first saves a search.
    private let insertsFirst: Bool
    /// How many were created.
    private(set) var createdCount = 0

    /// - Parameter isStrict: an unknown id is not created; its key is nil.
    init(_ table: EntityTable, _ database: Database, isStrict: Bool) throws(DatabaseError) {
        self.table = table
        self.database = database
        self.isStrict = isStrict
        select = try database.prepare("SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = ?")
        insert = try database.prepare(
            "INSERT INTO \(table.rawValue) (\(table.idColumn)) VALUES (?) ON CONFLICT DO NOTHING")
        let first = try database.integer("SELECT 1 FROM \(table.rawValue) LIMIT 1")
        insertsFirst = !isStrict && first == nil
    }

    /// The key of an id.
    func key(of id: String) throws(DatabaseError) -> Int64? {
        if insertsFirst, let key = try inserted(id) { return key }
        select.bind(id, at: 1)
        if try select.step() {
            let key = select.integer(0)
            select.reset()
            return key
        }
        return isStrict ? nil : try inserted(id)
    }

    private func inserted(_ id: String) throws(DatabaseError) -> Int64? {
        insert.bind(id, at: 1)
        let before = database.totalChanges
        try insert.run()
        guard database.totalChanges > before else { return nil }
        createdCount += 1
        return database.lastInsertedRowID
    }
}
