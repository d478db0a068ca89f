package import Basics
import CSQLite
import Glibc

/// A connection to a SQLite database, for one thread at a time.
@safe
package final class Database {
    /// The access with which a database is opened.
    package enum Mode: Sendable {
        /// The file must exist and is only read.
        case readOnly
        /// The file must exist, is only read, and does not change meanwhile.
        ///
        /// Nothing is locked, and no files are created beside it.
        case immutable
        /// The file must exist.
        case readWrite
        /// The file is created if it does not exist, with permissions for its owner only.
        case create
    }

    private let handle: OpaquePointer
    /// The compiled statements that are not in use; compiling one usually takes longer than running it.
    private var compiled: [String: OpaquePointer] = unsafe [:]
    /// The most unused statements that are kept.
    private static let compiledLimit = 64
    /// The path of the database file.
    package let path: String
    /// The access with which the file was opened.
    package let mode: Mode
    private let subject: Subject
    private let busyTimeoutMilliseconds: Int32

    /// Opens a database file.
    ///
    /// - Parameters:
    ///   - mode: the access; `create` also creates the file.
    ///   - busyTimeoutSeconds: the time that a statement waits for another connection's lock.
    ///   - subject: what the database is, for messages.
    package init(
        path: String, mode: Mode, busyTimeoutSeconds: Double = 10, as subject: Subject = .database
    ) throws(Failure) {
        let flags =
            switch mode {
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        // An existing file is not opened here: closing it would release all locks of this process's connections on it.
        if mode == .create, unsafe access(path, F_OK) != 0, !PrivateFile.createEmpty(path) {
            // The files that SQLite creates beside it get the same owner and permissions. If this fails, opening reports
            // the reason; the path may be a link to a file that does not exist yet.
            close(unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        }
        var opened: OpaquePointer?
        let name = mode == .immutable ? Self.immutableURI(path) : path
        let code = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let message = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            let systemError = unsafe opened.map { unsafe sqlite3_system_errno($0) } ?? 0
            unsafe sqlite3_close_v2(opened)
            throw subject.failure(DatabaseError(code, "\(path): \(message)", systemError: systemError), path)
        }
        unsafe handle = opened
        self.path = path
        self.mode = mode
        self.subject = subject
        busyTimeoutMilliseconds = Int32(busyTimeoutSeconds * 1000)
        unsafe sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
    }

    /// Opens a database in which others may write, for reading.
    ///
    /// On a full disk, SQLite cannot make the index of a write-ahead log. If there is no log either, nobody writes, and
    /// the file is opened as one that does not change.
    package static func forReading(_ path: String, as subject: Subject = .database) throws(Failure) -> Database {
        let database = try Database(path: path, mode: .readWrite, as: subject)
        do {
            _ = try database.integer("SELECT count(*) FROM sqlite_schema")
        } catch  where error.code == .diskFull && !hasLog(path) {
            return try Database(path: path, mode: .immutable, as: subject)
        } catch {
            // The first use of the database says what is wrong.
        }
        return database
    }

    /// Whether a database has a write-ahead log that is not empty.
    private static func hasLog(_ path: String) -> Bool {
        // A log is beside the file itself, and not beside a link to it.
        let real = unsafe realpath(path, nil)
        defer { unsafe free(real) }
        let file = unsafe real.map { unsafe String(cString: $0) } ?? path
        return FileTree.byteCount(of: file + "-wal") ?? 0 > 0
    }

    /// Returns the URI with which SQLite opens a file as one that does not change.
    private static func immutableURI(_ path: String) -> String {
        let escapes: [Unicode.Scalar: String] = ["%": "%25", "?": "%3f", "#": "%23"]
        return "file:" + path.unicodeScalars.map { escapes[$0] ?? String($0) }.joined() + "?immutable=1"
    }

    deinit {
        unsafe compiled.values.forEach { unsafe sqlite3_finalize($0) }
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing, separated by semicolons.
    package func execute(_ sql: String) throws(Failure) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, sql) }
    }

    /// Returns a statement, compiled unless an unused one with the same text is kept.
    package func prepare(_ sql: String) throws(Failure) -> Statement {
        if let statement = unsafe compiled.removeValue(forKey: sql) {
            return unsafe Statement(statement, database: self, sql: sql)
        }
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else { throw error(code, sql) }
        return unsafe Statement(statement, database: self, sql: sql)
    }

    /// Returns a statement whose first parameters have values; nil is NULL.
    package func prepare(_ sql: String, _ values: (any BoundValue)?...) throws(Failure) -> Statement {
        try prepare(sql).binding(values)
    }

    /// Runs a statement once, with values for its parameters; nil is NULL.
    package func run(_ sql: String, _ values: (any BoundValue)?...) throws(Failure) {
        try prepare(sql).binding(values).run()
    }

    /// Takes back an unused statement, for the next `prepare` of the same text.
    func takeBack(_ statement: OpaquePointer, _ sql: String) {
        guard unsafe compiled.count < Self.compiledLimit, unsafe compiled[sql] == nil else {
            unsafe sqlite3_finalize(statement)
            return
        }
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
        unsafe compiled[sql] = unsafe statement
    }

    /// Returns the first column of the first row as an integer, or nil if there is no row or the value is NULL.
    package func integer(_ sql: String, _ values: (any BoundValue)?...) throws(Failure) -> Int64? {
        let statement = try prepare(sql).binding(values)
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    /// Returns the first column of the first row as text, or nil if there is no row or the value is NULL.
    package func text(_ sql: String) throws(Failure) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.optionalText(0) : nil
    }

    /// Runs `body` in a transaction that is committed if it returns and rolled back if it throws.
    ///
    /// - Parameter kind: `immediate` takes the write lock at once; `deferred` suits reading one snapshot.
    package func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try run(kind.rawValue)
        do throws(Failure) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // This error matters more than one of the rollback.
            try? rollBack()
            throw error
        }
    }

    /// Ends the transaction without its changes, if there is one; after some errors, SQLite has done it already.
    package func rollBack() throws(Failure) {
        if unsafe sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
    }

    /// The time at which a transaction takes its locks.
    package enum TransactionKind: String, Sendable {
        /// A lock is taken at the first statement that needs it.
        case deferred = "BEGIN DEFERRED"
        /// The write lock is taken at once.
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Returns a number that changes when another connection, of this process or another, commits a change.
    ///
    /// This connection's own commits do not change it.
    package func outsideRevision() throws(Failure) -> Int64 { try integer("PRAGMA data_version") ?? 0 }

    /// Writes the whole write-ahead log to the file and empties the log, which then no longer holds deleted rows.
    ///
    /// - Parameter waits: whether it waits, as a statement does, for other connections that read or write.
    /// - Returns: false if another connection read or wrote for too long; the caller may retry later.
    package func emptyLog(waits: Bool = true) throws(Failure) -> Bool {
        if !waits { unsafe sqlite3_busy_timeout(handle, 0) }
        defer { if !waits { unsafe sqlite3_busy_timeout(handle, busyTimeoutMilliseconds) } }
        return try integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }

    /// Performs a write that changes nothing, to find out whether writing is possible.
    package func probeWriting() throws(Failure) {
        let version = try integer("PRAGMA user_version") ?? 0
        try execute("PRAGMA user_version = \(version)")
    }

    /// Checks the whole database.
    ///
    /// - Throws: an error with `isDamaged` if the database is inconsistent.
    package func checkWhole() throws(Failure) {
        let finding = try text("PRAGMA quick_check(1)") ?? "no answer"
        guard finding == "ok" else { throw damaged("\(path): \(finding)") }
    }

    /// The number of rows inserted, updated or deleted since the connection was opened.
    package var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// The rowid of the last row inserted.
    package var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Returns the failure for rows that nothing writes.
    package func damaged(_ finding: String) -> Failure {
        subject.failure(DatabaseError(DatabaseError.damaged, finding), path)
    }

    /// Returns the failure for a result of this connection.
    func error(_ code: Int32, _ sql: String?) -> Failure {
        let isOfSystem = [10, 14].contains(code & 0xFF)
        var error = DatabaseError(
            code, unsafe String(cString: sqlite3_errmsg(handle)), sql: sql,
            systemError: isOfSystem ? unsafe sqlite3_system_errno(handle) : 0)
        if error.isFull { error.fullTemporaryFolder = TemporaryFolder.full(besides: path) }
        return subject.failure(error, path)
    }
}
