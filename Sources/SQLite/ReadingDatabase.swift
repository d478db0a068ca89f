package import Basics

/// A connection through which nothing can be written, because it takes only statements that read.
package struct ReadingDatabase {
    private let database: Database

    init(_ database: Database) { self.database = database }

    package var path: String { database.path }

    /// Returns a statement that reads, whose first parameters have values; one that writes is a programmer's mistake.
    package func prepare(_ sql: String, _ values: (any BoundValue)?...) throws(Failure) -> Statement {
        let statement = try database.prepare(sql).binding(values)
        precondition(statement.isReading, "only reading is possible here: \(sql)")
        return statement
    }

    /// Returns the first column of the first row as an integer, or nil if there is no row or the value is NULL.
    package func integer(_ sql: String, _ values: (any BoundValue)?...) throws(Failure) -> Int64? {
        let statement = try prepare(sql).binding(values)
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    /// Runs `body` in one read transaction.
    package func snapshot<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try database.transaction(.deferred, body)
    }

    /// Returns a number that changes when another connection commits a change; see `Database.outsideRevision`.
    package func outsideRevision() throws(Failure) -> Int64 { try database.outsideRevision() }

    /// Returns the findings of SQLite's integrity check, at most ten lines.
    package func integrityFindings() throws(Failure) -> [String] { try database.integrityFindings() }

    /// Writes a copy without deleted data to a new file; see `Database.copy`.
    package func copy(to path: String) throws(Failure) { try database.copy(to: path) }
}

extension Database {
    /// The same connection, for those who only read.
    package var reading: ReadingDatabase { ReadingDatabase(self) }
}
