import FoundationEssentials
import SQLite
import Synchronization

/// The lists of sessions, in a SQLite file: they stay the same through restarts, new versions, and the edges of buckets.
public final class SessionFile: Sendable {
    /// A session without an id of the client's ends when nothing was asked for so long, in milliseconds.
    static let inactivityMilliseconds: Int64 = 30 * 60_000
    /// A session with one ends when nothing was asked for so long, in milliseconds.
    static let lifetimeMilliseconds: Int64 = 24 * 3_600_000
    /// How exactly it is known when a session was used last: writing at every request would be dear.
    private static let touchMilliseconds: Int64 = 60_000

    /// A connection that the lock guards.
    private struct Connection: @unchecked Sendable {
        let database: Database
    }

    private let connection: Mutex<Connection>

    /// Opens the file, which is made if there is none.
    ///
    /// - Throws: `ServiceError.startFailed` if it cannot be opened for writing.
    public init(path: String) throws(ServiceError) {
        do {
            let database = try Database(path: path, mode: .create)
            try database.execute(
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
                CREATE TABLE IF NOT EXISTS sessions (
                    user_id TEXT NOT NULL,
                    session_id TEXT NOT NULL,
                    used_at INTEGER NOT NULL,
                    plan TEXT NOT NULL,
                    PRIMARY KEY (user_id, session_id)
                );
                CREATE INDEX IF NOT EXISTS sessions_by_use ON sessions (used_at);
                """)
            connection = Mutex(Connection(database: database))
        } catch {
            throw ServiceError(
                .startFailed, "cannot keep sessions in \(path): \(error.message); name another file with --sessions")
        }
    }

    /// The list of a session that has not ended, which thereby goes on.
    ///
    /// - Parameter session: the client's own id; nil for none.
    func plan(ofUser user: String, session: String?, at now: Int64) throws(ServiceError) -> FrozenPlan? {
        try using { database throws(DatabaseError) in
            let row = try database.prepare("SELECT used_at, plan FROM sessions WHERE user_id = ? AND session_id = ?")
            row.bind(user, at: 1)
            row.bind(session ?? "", at: 2)
            guard try row.step() else { return nil }
            let age = now - row.integer(0)
            let limit = session == nil ? Self.inactivityMilliseconds : Self.lifetimeMilliseconds
            // What cannot be read is of another version of this program: a new list is made.
            guard age < limit, let plan = try? JSONDecoder().decode(FrozenPlan.self, from: Data(row.text(1).utf8))
            else { return nil }
            row.reset()
            if age >= Self.touchMilliseconds {
                let touch = try database.prepare("UPDATE sessions SET used_at = ? WHERE user_id = ? AND session_id = ?")
                touch.bind(now, at: 1)
                touch.bind(user, at: 2)
                touch.bind(session ?? "", at: 3)
                try touch.run()
            }
            return plan
        }
    }

    /// Keeps the list of a session, and forgets those of sessions that have ended.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError) {
        guard let text = try? JSONEncoder().encode(plan) else { preconditionFailure("a list has finite scores") }
        try using { database throws(DatabaseError) in
            let forget = try database.prepare("DELETE FROM sessions WHERE used_at < ?")
            forget.bind(now - Self.lifetimeMilliseconds, at: 1)
            try forget.run()
            let insert = try database.prepare("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)")
            insert.bind(user, at: 1)
            insert.bind(session ?? "", at: 2)
            insert.bind(now, at: 3)
            insert.bind(String(decoding: text, as: UTF8.self), at: 4)
            try insert.run()
        }
    }

    /// Forgets the lists of all sessions of a member, which tell what the member was in.
    func forgetAll(ofUser user: String) throws(ServiceError) {
        try using { database throws(DatabaseError) in
            let forget = try database.prepare("DELETE FROM sessions WHERE user_id = ?")
            forget.bind(user, at: 1)
            try forget.run()
        }
    }

    private func using<Result>(_ body: (Database) throws(DatabaseError) -> Result) throws(ServiceError) -> Result {
        let result: Swift.Result<Result, DatabaseError> = connection.withLock { connection in
            do throws(DatabaseError) { return .success(try body(connection.database)) } catch { return .failure(error) }
        }
        do {
            return try result.get()
        } catch { throw ServiceError(.directoryFailed, "sessions cannot be kept: \(error.message)") }
    }
}
