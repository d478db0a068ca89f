import Glibc
import SQLite

/// Lists of sessions that a daemon keeps in a file, as another program sees them.
public struct KeptSessions {
    let database: Database
    private let path: String

    /// Opens the file of a daemon; nil if there is none.
    ///
    /// - Throws: `ServiceError.sessionsFailed` if it cannot be opened.
    public init?(path: String) throws(ServiceError) {
        guard unsafe access(path, F_OK) == 0 else { return nil }
        self.path = path
        do throws(DatabaseError) {
            database = try Database(path: path, mode: .readWrite)
            try database.execute("PRAGMA secure_delete = ON")
        } catch { throw Self.failure(path, error) }
    }

    /// How many lists of a member there are.
    public func count(ofUser user: String) throws(ServiceError) -> Int {
        try run("SELECT count(*) FROM sessions WHERE user_id = ?", user) { statement throws(DatabaseError) in
            try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    /// Removes all lists of a member, also from the write-ahead log if nobody reads just now.
    ///
    /// - Returns: how many there were.
    public func forget(ofUser user: String) throws(ServiceError) -> Int {
        let before = database.totalChanges
        return try run("DELETE FROM sessions WHERE user_id = ?", user) { statement throws(DatabaseError) in
            try statement.run()
            _ = try database.emptyLog()
            return Int(database.totalChanges - before)
        }
    }

    private func run(_ sql: String, _ user: String, _ body: (Statement) throws(DatabaseError) -> Int)
        throws(ServiceError) -> Int
    {
        do throws(DatabaseError) {
            let statement = try database.prepare(sql)
            statement.bind(user, at: 1)
            defer { statement.reset() }
            return try body(statement)
        } catch { throw failure(error) }
    }

    func failure(_ error: DatabaseError) -> ServiceError { Self.failure(path, error) }

    private static func failure(_ path: String, _ error: DatabaseError) -> ServiceError {
        ServiceError(.sessionsFailed, "the sessions in \(path) cannot be read or written: \(error.message)")
    }
}
