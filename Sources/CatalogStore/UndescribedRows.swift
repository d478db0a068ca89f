import SQLite

/// The groups or photos that only a relation names: no file of their own kind has said who may see them.
///
/// They are public in a catalog that has relations alone. From the first file of their kind on they are unknown, and not
/// shown: they may be private ones whose line was bad. The column `visibility` of each row says which, so that readers
/// ask it and nothing else; `catalog_state` has the stage.
struct UndescribedRows {
    /// The files of a kind that a catalog has met.
    enum Stage: Int64 {
        /// None.
        case none
        /// One that was not imported, or not to its end.
        case begun
        /// One at least.
        case imported
    }

    /// The value of `visibility` after a file had a row, but no visibility for it.
    static let described = """
        CASE visibility WHEN \(Visibility.unknown.code) THEN \(Visibility.public.code) ELSE visibility END
        """

    let database: Database
    let table: EntityTable
    private var name: String { "\(table.rawValue).described" }

    /// - Returns: nil for users, all of whom are visible to themselves alone.
    init?(of table: EntityTable, _ database: Database) {
        guard table.hasVisibility else { return nil }
        self.table = table
        self.database = database
    }

    /// The stage of the catalog.
    func stage() throws(DatabaseError) -> Stage {
        let row = try database.prepare("SELECT value FROM catalog_state WHERE name = ?")
        row.bind(Optional(name), at: 1)
        // Whatever else stands there, a file may have been read.
        return try row.step() ? Stage(rawValue: row.integer(0)) ?? .imported : .none
    }

    /// The visibility of a row that a relation makes.
    func visibilityOfNewRow() throws(DatabaseError) -> Visibility { try stage() == .none ? .public : .unknown }

    /// The condition for a row to be undescribed.
    func condition() throws(DatabaseError) -> String {
        try stage() == .imported ? "visibility = \(Visibility.unknown.code)" : "true"
    }

    /// Notes that a file begins, in a transaction of its own: rows that are made after its import has failed may be
    /// those that it could not describe.
    func noteBeginning() throws(DatabaseError) {
        if try stage() == .none { try note(.begun) }
    }

    /// Notes that a file is imported, within the transaction that does so, before its first row is written.
    ///
    /// - Returns: whether it is the first.
    func noteImport() throws(DatabaseError) -> Bool {
        guard try stage() != .imported else { return false }
        try database.execute("UPDATE \(table.rawValue) SET visibility = \(Visibility.unknown.code)")
        try note(.imported)
        return true
    }

    /// How many there are.
    func count() throws(DatabaseError) -> Int {
        Int(try database.integer("SELECT count(*) FROM \(table.rawValue) WHERE \(condition())") ?? 0)
    }

    private func note(_ stage: Stage) throws(DatabaseError) {
        let statement = try database.prepare(
            "INSERT INTO catalog_state VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2")
        statement.bind(Optional(name), at: 1)
        statement.bind(stage.rawValue, at: 2)
        try statement.run()
    }
}
