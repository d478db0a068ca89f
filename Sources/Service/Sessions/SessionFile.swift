import Glibc
import ModelStore
import SQLite
import Synchronization

/// The lists of sessions, in a SQLite file of this machine.
///
/// Opening it and keeping a list take the same time however large it is. A file that a loss of power has damaged is put
/// aside when that is found, even if nothing shows any more that it was a database.
final class SessionFile: SessionStore {
    /// A connection that a lock guards.
    private struct Connection: @unchecked Sendable {
        /// Nil if it is still to be opened.
        var database: Database?
        /// How many files had been put aside when it was opened.
        var putAsideCount = 0
        /// The row up to which ended sessions were looked for last.
        var cleanedThrough: Int64 = 0
    }

    /// How many rows are looked at for ended sessions when a list is kept.
    ///
    /// More than one, as one comes, and so few that no request waits for them. An index would be written for each list.
    private static let rowsPerCleaning: Int64 = 16

    /// How many unused pages are given back to the disk at a time.
    private static let pagesPerCleaning = 128

    /// How many pages of the log are written to the file at a time: some request does it.
    private static let pagesPerCheckpoint = 100

    /// How large the log may stay when what it has is in the file; it grows while somebody reads.
    static let logByteLimit = 1 << 20

    private let path: String
    private let writing = Mutex(Connection())
    /// Another one, so that no request that reads waits for one that writes.
    private let reading = Mutex(Connection())
    /// How many damaged files have been put aside.
    private let putAsideCount = Mutex(0)
    private let damaged: DamagedLists

    /// Opens the file, which is made if there is none.
    ///
    /// With a disk that is full or can only be read just now, it is opened later.
    ///
    /// - Parameter damaged: counts the lists that were damaged in the file.
    /// - Throws: `ServiceError.startFailed` if it cannot be opened for another reason.
    init(path: String, damaged: DamagedLists) throws(ServiceError) {
        self.path = path
        self.damaged = damaged
        do {
            try use(writing) { connection throws(DatabaseError) in _ = try opened(&connection) }
        } catch {
            guard !error.isFull, !error.isReadOnly, !isOnReadOnlyDisk else { return }
            throw ServiceError(
                .startFailed, "cannot keep sessions in \(path): \(error.message); name another file with --sessions")
        }
    }

    private var isOnReadOnlyDisk: Bool {
        let folder = path.contains("/") ? path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/" : "."
        return unsafe access(String(folder), W_OK) != 0 && errno == EROFS
    }

    private func opened(_ connection: inout Connection) throws(DatabaseError) -> Database {
        if let database = connection.database { return database }
        let database = try Self.open(path)
        connection.database = database
        return database
    }

    private static func open(_ path: String) throws(DatabaseError) -> Database {
        let database = try Database(path: path, mode: .create)
        // No request waits for the disk: a killed process loses nothing all the same, and a loss of power at worst the
        // sessions.
        try database.execute(
            """
            PRAGMA cell_size_check = ON; PRAGMA auto_vacuum = INCREMENTAL;
            PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
            PRAGMA wal_autocheckpoint = \(pagesPerCheckpoint); PRAGMA journal_size_limit = \(logByteLimit);
            CREATE TABLE IF NOT EXISTS sessions (
                user_id TEXT NOT NULL,
                session_id TEXT NOT NULL,
                used_at INTEGER NOT NULL,
                plan BLOB NOT NULL,
                PRIMARY KEY (user_id, session_id)
            );
            DROP INDEX IF EXISTS sessions_by_use;
            """)
        try makeShrinkable(database)
        return database
    }

    /// Writes a file anew that was made without incremental vacuum, as earlier programs did: it could not shrink.
    private static func makeShrinkable(_ database: Database) throws(DatabaseError) {
        guard try database.integer("PRAGMA auto_vacuum") == 0 else { return }
        do {
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
            // The log holds the whole file by now.
            _ = try database.emptyLog()
        } catch {
            // With too little room for that, it serves as it is, and the next start tries again.
            guard !error.isDamaged, !error.isNotADatabase else { throw error }
        }
    }

    func probeWriting() throws(ServiceError) {
        try using(writing) { connection throws(DatabaseError) in try opened(&connection).probeWriting() }
    }

    func plan(ofUser user: String, session: String?, at now: Int64) throws(ServiceError) -> FrozenPlan? {
        try use(user, session, at: now)?.plan
    }

    /// The list of a session that has not ended, and whether its use was noted, which is not done at every request.
    func use(_ user: String, _ session: String?, at now: Int64) throws(ServiceError) -> (
        plan: FrozenPlan, isNoted: Bool
    )? {
        let found: (bytes: [UInt8], usedAt: Int64)? = try using(reading) { connection throws(DatabaseError) in
            let database = try opened(&connection)
            let row = try database.prepare("SELECT used_at, plan FROM sessions WHERE user_id = ? AND session_id = ?")
            row.bind(user, at: 1)
            row.bind(session ?? "", at: 2)
            return try row.step() ? (row.bytes(1), row.integer(0)) : nil
        }
        guard let found, SessionLife.lastUse(ofSession: session, at: now).contains(found.usedAt),
            let plan = try plan(in: found.bytes, user, session)
        else { return nil }
        let isDue = now - found.usedAt >= SessionLife.touchMilliseconds
        if isDue { try noteUse(ofUser: user, session: session, at: now) }
        return (plan, isDue)
    }

    /// The list in a row; nil if it cannot be read, and a new one must be made.
    private func plan(in bytes: [UInt8], _ user: String, _ session: String?) throws(ServiceError) -> FrozenPlan? {
        do {
            return try FrozenPlan(sealed: bytes, ofUser: user, session: session)
        } catch {
            guard case .damaged = error else { return nil }
            damaged.found(in: path)
        }
        // Once counted, it goes; what another request has kept since stays.
        try using(writing) { connection throws(DatabaseError) in
            let forget = try opened(&connection).prepare(
                "DELETE FROM sessions WHERE user_id = ? AND session_id = ? AND plan = ?")
            forget.bind(user, at: 1)
            forget.bind(session ?? "", at: 2)
            forget.bind(bytes: bytes, at: 3)
            try forget.run()
        }
        return nil
    }

    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError)
        -> FrozenPlan
    {
        let bytes = plan.sealed(ofUser: user, session: session)
        try keep([SealedList(user: user, session: session, usedAt: now, bytes: bytes)])
        return plan
    }

    /// Keeps lists, each in place of the one that its member used longest ago if there are many, and forgets a few that
    /// have ended.
    func keep(_ lists: [SealedList]) throws(ServiceError) {
        try using(writing) { connection throws(DatabaseError) in
            let database = try opened(&connection)
            // One transaction: each would write pages that all of them change.
            try database.transaction(wrap: { $0 }) { () throws(DatabaseError) in
                for list in lists {
                    try Self.forgetEnded(database, &connection.cleanedThrough, at: list.usedAt)
                    try Self.insert(list, into: database)
                }
            }
        }
    }

    private static func insert(_ list: SealedList, into database: Database) throws(DatabaseError) {
        let insert = try database.prepare("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)")
        insert.bind(list.user, at: 1)
        insert.bind(list.session ?? "", at: 2)
        insert.bind(list.usedAt, at: 3)
        insert.bind(bytes: list.bytes, at: 4)
        try insert.run()
        let forget = try database.prepare(
            """
            DELETE FROM sessions WHERE user_id = ?1 AND session_id IN (SELECT session_id FROM sessions
            WHERE user_id = ?1 ORDER BY used_at DESC LIMIT -1 OFFSET \(SharedChannel.sessionsOfUser))
            """)
        forget.bind(list.user, at: 1)
        try forget.run()
    }

    /// Goes through some rows, forgets those of sessions that have ended, and gives a little room back to the disk.
    private static func forgetEnded(_ database: Database, _ cleanedThrough: inout Int64, at now: Int64)
        throws(DatabaseError)
    {
        let rows = try database.prepare(
            "SELECT rowid, used_at FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ?")
        rows.bind(cleanedThrough, at: 1)
        rows.bind(rowsPerCleaning, at: 2)
        // A clock that goes back for a while ends no sessions for good.
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

    func forgetAll(ofUser user: String) throws(ServiceError) {
        try using(writing) { connection throws(DatabaseError) in
            let database = try opened(&connection)
            let forget = try database.prepare("DELETE FROM sessions WHERE user_id = ?")
            forget.bind(user, at: 1)
            try forget.run()
            // The log holds what was deleted until it is written over; this too waits for no disk.
            _ = try database.emptyLog()
        }
    }

    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(ServiceError) {
        try using(writing) { connection throws(DatabaseError) in
            let database = try opened(&connection)
            let note = try database.prepare("UPDATE sessions SET used_at = ? WHERE user_id = ? AND session_id = ?")
            note.bind(instant, at: 1)
            note.bind(user, at: 2)
            note.bind(session ?? "", at: 3)
            try note.run()
        }
    }

    private func using<Result>(
        _ connection: borrowing Mutex<Connection>, _ body: (inout Connection) throws(DatabaseError) -> Result
    ) throws(ServiceError) -> Result {
        do {
            return try use(connection, body)
        } catch { throw ServiceError(.sessionsFailed, "sessions cannot be kept: \(error.reason)") }
    }

    /// Runs `body`; if it finds that the file is damaged, again with a new file.
    private func use<Result>(
        _ connection: borrowing Mutex<Connection>, _ body: (inout Connection) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        let result: Swift.Result<Result, DatabaseError> = connection.withLock { connection in
            // The other connection may have put the file aside.
            let count = putAsideCount.withLock { $0 }
            if connection.putAsideCount != count { connection = Connection(putAsideCount: count) }
            do throws(DatabaseError) { return .success(try body(&connection)) } catch {
                // A connection that could only read when it was opened can only read for ever.
                if error.isReadOnly { connection = Connection(putAsideCount: count) }
                guard error.isDamaged || error.isNotADatabase else { return .failure(error) }
            }
            connection = Connection(putAsideCount: putAside(after: count))
            do throws(DatabaseError) { return .success(try body(&connection)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Puts the damaged file aside, unless the other connection has done so.
    ///
    /// - Parameter count: how many had been put aside when it was opened.
    /// - Returns: how many have been by now.
    private func putAside(after count: Int) -> Int {
        putAsideCount.withLock { current in
            guard current == count else { return current }
            for suffix in ["", "-wal", "-shm"] { _ = unsafe rename(path + suffix, path + ".damaged" + suffix) }
            current += 1
            return current
        }
    }
}

/// The list of a session, as the bytes that are kept.
struct SealedList: Sendable {
    let user: String
    let session: String?
    /// Unix milliseconds.
    let usedAt: Int64
    let bytes: [UInt8]

    /// By their bytes: to Swift, texts are equal already if they look the same.
    func isOf(_ user: String) -> Bool { self.user.utf8.elementsEqual(user.utf8) }
}
