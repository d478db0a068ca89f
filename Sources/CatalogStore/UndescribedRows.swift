import Basics
import SQLite

/// The groups or photos that appear only in relations, while no file of their own kind has described them.
///
/// In a catalog with relations alone, they are public. From the first file of their kind on, their visibility is
/// unknown, and they are not shown. Such a row may be a private one whose line was bad. The column `visibility` of each
/// row has the result, so readers need nothing else. The stage is in `catalog_state`.
struct UndescribedRows {
    /// The progress of importing files of a kind.
    enum Stage: Int64 {
        /// No import has begun.
        case none
        /// An import has begun, but none is complete.
        case begun
        /// At least one import is complete.
        case imported
    }

    /// The SQL value of `visibility` after a file had the row, but without a visibility.
    static let described = """
        CASE visibility WHEN \(Visibility.unknown.code) THEN \(Visibility.public.code) ELSE visibility END
        """

    private let database: ReadingDatabase
    let table: EntityTable
    fileprivate var name: String { "\(table.rawValue).described" }

    /// Creates the rows of a table, or returns `nil` for users, who have no visibility.
    init?(of table: EntityTable, _ database: ReadingDatabase) {
        guard table.hasVisibility else { return nil }
        self.table = table
        self.database = database
    }

    func stage() throws(Failure) -> Stage {
        let value = try database.integer("SELECT value FROM catalog_state WHERE name = ?", name)
        // Any other number may mean that a file was imported.
        return value.map { Stage(rawValue: $0) ?? .imported } ?? .none
    }

    /// Returns the visibility of a row that a relation creates.
    func visibilityOfNewRow() throws(Failure) -> Visibility { try stage() == .none ? .public : .unknown }

    /// Returns the SQL condition for a row to be undescribed.
    func condition() throws(Failure) -> String {
        try stage() == .imported ? "visibility = \(Visibility.unknown.code)" : "true"
    }

    /// Returns the number of undescribed rows.
    func count() throws(Failure) -> Int {
        Int(try database.integer("SELECT count(*) FROM \(table.rawValue) WHERE \(condition())") ?? 0)
    }
}

/// Writes the stage of importing files of a kind.
struct UndescribedRowsWriter {
    private let database: Database
    let rows: UndescribedRows

    /// Creates the writer for a table, or returns `nil` for users, who have no visibility.
    init?(of table: EntityTable, _ database: Database) {
        guard let rows = UndescribedRows(of: table, database.reading) else { return nil }
        (self.rows, self.database) = (rows, database)
    }

    /// Records that the import of a file begins, in its own transaction.
    ///
    /// If the import fails, rows created later may be rows that it could not describe.
    ///
    /// - Returns: whether no import began before.
    func noteBeginning() throws(Failure) -> Bool {
        guard try rows.stage() == .none else { return false }
        try note(.begun)
        return true
    }

    /// Records that the import that began was of a file of another kind, which describes no rows.
    func forgetBeginning() throws(Failure) {
        if try rows.stage() == .begun { try note(.none) }
    }

    /// Records that a file is imported, within the import's transaction and before its first row is written.
    ///
    /// - Returns: whether it is the first file.
    func noteImport() throws(Failure) -> Bool {
        guard try rows.stage() != .imported else { return false }
        try note(.imported)
        return true
    }

    /// Makes the visibility of all rows unknown, before the first file writes any.
    func forgetVisibility() throws(Failure) {
        try database.execute("UPDATE \(rows.table.rawValue) SET visibility = \(Visibility.unknown.code)")
    }

    private func note(_ stage: UndescribedRows.Stage) throws(Failure) {
        try database.run(
            "INSERT INTO catalog_state VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2", rows.name,
            stage.rawValue)
    }
}
