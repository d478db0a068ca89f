import Basics
import Glibc
import ModelStore
import SQLite
import Synchronization

/// The lists of sessions, in a SQLite file on this machine.
///
/// The time to open the file or to store a list does not depend on its size. A file that a loss of power has damaged is
/// renamed as soon as the damage is found. It need not look like a database any more.
final class SessionFile: SessionStore {
    private struct Connection {
        /// The open database, or `nil` if it is still to be opened.
        var database: Database?
        /// The number of files that had been put aside when the connection was opened.
        var putAsideCount = 0
        /// The last row that was checked for an ended session.
        var cleanedThrough: Int64 = 0
    }

    /// The number of rows that are checked for ended sessions when a list is stored.
    ///
    /// It is more than one, because each list adds one row, and small enough that no request waits. An index would have
    /// to be written for each list.
    private static let rowsPerCleaning: Int64 = 16

    /// The number of unused pages that are returned to the disk at a time.
    private static let pagesPerCleaning = 128

    /// The number of pages in the log at which a request writes them to the file.
    private static let pagesPerCheckpoint = 100

    /// The size of the log after its content is in the file; it may grow while a reader is active.
    static let logByteLimit = 1 << 20

    private let path: String
    private let writing = Locked(Connection())
    /// A second connection, so that no reading request waits for a writing one.
    private let reading = Locked(Connection())
    /// The number of damaged files that were put aside.
    private let putAsideCount = Mutex(0)
    private let damaged: DamagedLists

    /// Opens the file, and creates it if there is none.
    ///
    /// If the disk is full or read-only, or another user owns the file, it is opened later.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - damaged: counts the damaged lists in the file.
    /// - Throws: `Failure.general` if the file cannot be opened for another reason.
    init(path: String, damaged: DamagedLists) throws(Failure) {
        self.path = path
        self.damaged = damaged
        do {
            try use(writing) { connection throws(Failure) in _ = try opened(&connection) }
        } catch {
            guard error.code != .diskFull, !error.isOfReadOnlyDatabase, !isOnReadOnlyDisk, refusal == nil else {
                return
            }
            throw Failure(
                .general, "cannot keep sessions in \(path): \(error.message); name another file with --sessions")
        }
    }

    /// The reason why this user may not write to the file, and what mends it; `nil` if this user may.
    private var refusal: String? { FileAccess.refusal(toWrite: FileAccess.database(path)) }

    private var isOnReadOnlyDisk: Bool {
        let folder = path.contains("/") ? path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/" : "."
        return unsafe access(String(folder), W_OK) != 0 && errno == EROFS
    }

    private func opened(_ connection: inout Connection) throws(Failure) -> Database {
        if let database = connection.database { return database }
        let database = try open()
        connection.database = database
        return database
    }

    private func open() throws(Failure) -> Database {
        let database = try Database(path: path, mode: .create)
        // No request waits for the disk. A killed process loses nothing that is written, and a loss of power at worst
        // the sessions.
        try database.execute(
            """
            PRAGMA cell_size_check = ON; PRAGMA auto_vacuum = INCREMENTAL;
            PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
            PRAGMA wal_autocheckpoint = \(Self.pagesPerCheckpoint); PRAGMA journal_size_limit = \(Self.logByteLimit);
            """)
        try removeOtherFormat(database)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS sessions (
                user_id TEXT NOT NULL,
                session_id TEXT NOT NULL,
                used_at INTEGER NOT NULL,
                plan BLOB NOT NULL,
                PRIMARY KEY (user_id, session_id)
            );
            """)
        return database
    }

    /// Empties a file of another program, whose lists this one may not be able to read.
    private func removeOtherFormat(_ database: Database) throws(Failure) {
        let format = Int64(FrozenPlan.format)
        guard try database.integer("PRAGMA user_version") != format else { return }
        if try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0 { damaged.foundOtherFormat(in: path) }
        // The file is cut off, so nothing in it need be overwritten before.
        try database.execute(
            """
            PRAGMA secure_delete = OFF; DROP TABLE IF EXISTS sessions; DROP TABLE IF EXISTS answered_hours; VACUUM;
            PRAGMA secure_delete = ON; PRAGMA user_version = \(format)
            """)
    }

    /// Closes the connections; a later use opens others.
    func close() { for connection in [writing, reading] { connection.withLock { $0.database = nil } } }

    func probeWriting() throws(Failure) {
        try using(writing) { connection throws(Failure) in try opened(&connection).probeWriting() }
    }

    func plan(ofUser user: String, session: String?, at now: Int64) throws(Failure) -> FrozenPlan? {
        try use(user, session, at: now)?.plan
    }

    /// Returns the list of a session that has not ended, and whether the use was recorded, as it is at intervals.
    func use(_ user: String, _ session: String?, at now: Int64) throws(Failure) -> (
        plan: FrozenPlan, isNoted: Bool
    )? {
        let found: (bytes: [UInt8], usedAt: Int64)? = try using(reading) { connection throws(Failure) in
            let database = try opened(&connection)
            let row = try database.prepare(
                "SELECT used_at, plan FROM sessions WHERE user_id = ? AND session_id = ?", user, session ?? "")
            return try row.step() ? (row.bytes(1), row.integer(0)) : nil
        }
        guard let found, SessionLife.lastUse(ofSession: session, at: now).contains(found.usedAt),
            let plan = try plan(in: found.bytes, user, session)
        else { return nil }
        let isDue = now - found.usedAt >= SessionLife.touchMilliseconds
        if isDue { try noteUse(ofUser: user, session: session, at: now) }
        return (plan, isDue)
    }

    /// Decodes the list in a row, or returns `nil` if it cannot be read and a new one must be made.
    private func plan(in bytes: [UInt8], _ user: String, _ session: String?) throws(Failure) -> FrozenPlan? {
        do {
            return try FrozenPlan(sealed: bytes, ofUser: user, session: session)
        } catch {
            guard case .damaged = error else { return nil }
            damaged.found(in: path)
        }
        // A counted list is removed; a list that another request has stored since then stays.
        try using(writing) { connection throws(Failure) in
            try opened(&connection).run(
                "DELETE FROM sessions WHERE user_id = ? AND session_id = ? AND plan = ?", user, session ?? "", bytes)
        }
        return nil
    }

    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(Failure)
        -> FrozenPlan
    {
        let bytes = plan.sealed(ofUser: user, session: session)
        try keep([SealedList(user: user, session: session, usedAt: now, bytes: bytes)])
        return plan
    }

    /// Stores lists, and removes a few ended ones.
    ///
    /// Beyond the limit of a member's sessions, the lists used longest ago are removed.
    func keep(_ lists: [SealedList]) throws(Failure) {
        try using(writing) { connection throws(Failure) in
            let database = try opened(&connection)
            // A single transaction, because all lists change some of the same pages.
            try database.transaction { () throws(Failure) in
                for list in lists {
                    try Self.forgetEnded(database, &connection.cleanedThrough, at: list.usedAt)
                    try Self.insert(list, into: database)
                }
            }
        }
    }

    private static func insert(_ list: SealedList, into database: Database) throws(Failure) {
        let insert = try database.prepare("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)")
        try insert.run(list.user, list.session ?? "", list.usedAt, list.bytes)
        try database.run(
            """
            DELETE FROM sessions WHERE user_id = ?1 AND session_id IN (SELECT session_id FROM sessions
            WHERE user_id = ?1 ORDER BY used_at DESC LIMIT -1 OFFSET \(SharedChannel.sessionsOfUser))
            """, list.user)
    }

    /// Checks some rows, removes ended sessions, and returns a little space to the disk.
    private static func forgetEnded(_ database: Database, _ cleanedThrough: inout Int64, at now: Int64)
        throws(Failure)
    {
        let rows = try database.prepare(
            "SELECT rowid, used_at FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ?")
        rows.bind(cleanedThrough, rowsPerCleaning)
        // Generous limits: a clock that goes back for a while ends no sessions.
        let alive = now - SessionLife.ownMilliseconds...now + SessionLife.ownMilliseconds
        var ended: [Int64] = []
        cleanedThrough = 0
        while try rows.step() {
            cleanedThrough = rows.integer(0)
            if !alive.contains(rows.integer(1)) { ended.append(rows.integer(0)) }
        }
        guard !ended.isEmpty else { return }
        let forget = try database.prepare("DELETE FROM sessions WHERE rowid = ?")
        for row in ended { try forget.run(row) }
        try database.execute("PRAGMA incremental_vacuum(\(pagesPerCleaning))")
    }

    func forgetAll(ofUser user: String) throws(Failure) {
        try using(writing) { connection throws(Failure) in
            let database = try opened(&connection)
            try database.run("DELETE FROM sessions WHERE user_id = ?", user)
            // The log holds deleted content until it is overwritten; emptying it waits for no disk either.
            _ = try database.emptyLog()
        }
    }

    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(Failure) {
        try using(writing) { connection throws(Failure) in
            let database = try opened(&connection)
            try database.run(
                "UPDATE sessions SET used_at = ? WHERE user_id = ? AND session_id = ?", instant, user, session ?? "")
        }
    }

    private func using<Result>(
        _ connection: Locked<Connection>, _ body: (inout Connection) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do {
            return try use(connection, body)
        } catch { throw Failure(.databaseFailed, "sessions cannot be kept: \(refusal ?? error.message)") }
    }

    /// Runs `body`, and runs it again with a new file if the file is damaged.
    private func use<Result>(
        _ connection: Locked<Connection>, _ body: (inout Connection) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try connection.withLock { connection throws(Failure) in
            // The other connection may have put the file aside.
            let count = putAsideCount.withLock { $0 }
            if connection.putAsideCount != count { connection = Connection(putAsideCount: count) }
            do throws(Failure) { return try body(&connection) } catch {
                // A connection that was opened read-only stays so.
                if error.isOfReadOnlyDatabase { connection = Connection(putAsideCount: count) }
                guard error.isOfDamagedDatabase else { throw error }
            }
            connection = Connection(putAsideCount: putAside(after: count))
            return try body(&connection)
        }
    }

    /// Puts the damaged file aside, unless the other connection has done so.
    ///
    /// - Parameter count: the number of files put aside when the connection was opened.
    /// - Returns: the number of files put aside now.
    private func putAside(after count: Int) -> Int {
        putAsideCount.withLock { current in
            guard current == count else { return current }
            for suffix in ["", "-wal", "-shm"] { _ = unsafe rename(path + suffix, path + ".damaged" + suffix) }
            current += 1
            return current
        }
    }
}

/// The list of a session as stored bytes.
struct SealedList: Sendable {
    let user: String
    let session: String?
    /// The last use, in Unix milliseconds.
    let usedAt: Int64
    let bytes: [UInt8]

    /// Whether the list is of a member; compared by bytes, as Swift's texts are equal if they look the same.
    func isOf(_ user: String) -> Bool { self.user.utf8.elementsEqual(user.utf8) }
}
