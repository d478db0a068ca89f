package import Basics
import Glibc
package import Model
import SQLite

/// The community's groups, users and photos, and relations such as memberships and pools, in a SQLite file.
///
/// A connection for writing, which belongs to one thread at a time. Its parts say what may be touched: `facts` reads.
/// Readers are given `Facts`. Integer keys never leave this module.
package final class Catalog {
    let database: Database
    /// The part that reads.
    package let facts: Facts
    var relations: RelationTable { facts.relations }

    /// The part that applies changes.
    package var ingest: Ingest { Ingest(self) }
    /// The part that removes.
    package var removal: Removal { Removal(self) }

    package var path: String { database.path }

    /// The ways to open a catalog.
    package enum Mode: Sendable {
        /// For changes that are taken back, as those of a dry run are, and for `Facts`.
        ///
        /// The catalog must have this program's schema version and the tables of the relations.
        case trying
        /// For durable writing. The catalog is created if it is missing.
        case writing
        /// For durable writing, with deleted data overwritten. The catalog must exist.
        ///
        /// A commit waits for the disk.
        case recording
    }

    /// Opens a catalog; without a path, it is an empty one that disappears when it is closed.
    ///
    /// - Parameter relations: the relations that are read or written; writing creates missing tables.
    /// - Throws: `Failure.Code.missing` if there is no catalog and the mode does not create one, `.otherFormat` if
    ///   the file is something else, or of another program.
    package init(path: String, mode: Mode, relations: RelationTable = .standard) throws(Failure) {
        guard mode == .writing || Self.allows(path, F_OK) else {
            if let refusal = FileAccess.refusal(toRead: path) { throw Failure(.fileFailed, refusal) }
            throw Failure(
                .missing,
                "there is no catalog at \(path): create it with \"coterie import\", or name another with --catalog")
        }
        if mode != .trying, case .mountedFile? = CatalogPlace(of: path) {
            let place = CatalogPlace.mountedFile
            throw Failure(.fileFailed, "\(place.problem(ofCatalog: path)); \(place.advice)")
        }
        let canWrite = mode == .writing || Self.isWritable(path)
        // The state comes first: a change while the file is opened is then noticed later.
        let state = FileStamp.ofCatalog(Self.file(of: path))
        do {
            switch mode {
            case .writing: database = try Database(path: path, mode: .create, as: .catalog)
            case .recording: database = try Database(path: path, mode: .readWrite, as: .catalog)
            case .trying: database = try Self.openedForReading(path, canWrite: canWrite)
            }
            try database.execute("PRAGMA foreign_keys = OFF; PRAGMA temp_store = FILE")
        } catch {
            guard error.isOfUnopenableDatabase else { throw error }
            if let refusal = FileAccess.refusal(toRead: path) { throw Failure(.fileFailed, refusal) }
            if mode == .trying, Self.logBytes(path).map({ $0 > 0 }) == true { throw Self.unreadableLog(path) }
            throw Failure(
                .fileFailed,
                """
                cannot open the catalog \(path): it must be a file, in a folder that exists and that this user may \
                write to
                """
            )
        }
        facts = Facts(database, relations, stateBefore: state)
        // The version is checked before anything is written, because a foreign database must stay as it is.
        let isEmpty = try CatalogSchema.checkedVersion(database) == nil
        if mode == .writing {
            try database.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF")
            try Self.beginLog(database)
            try CatalogSchema.complete(database, relations)
        } else if isEmpty {
            throw Failure(.otherFormat, "\(path) is empty: fill it with \"coterie import\"")
        } else if let table = try CatalogSchema.missingTable(of: relations.sources, database) {
            guard mode == .recording, canWrite else {
                throw Failure(
                    .otherFormat,
                    """
                    \(path) has no table \(table) yet: "coterie recompute", "coterie serve" and "coterie \
                    import" make it, if they may write to it
                    """)
            }
            try CatalogSchema.complete(database, relations)
        }
        if mode == .recording {
            try database.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        }
    }

    /// Makes changes go to a write-ahead log, which readers and a writer at a time need.
    private static func beginLog(_ database: Database) throws(Failure) {
        let mode = try database.text("PRAGMA journal_mode = WAL")
        // A database of its own has none, and no readers.
        guard mode == "wal" || database.path.isEmpty else {
            throw Failure(
                .fileFailed,
                """
                the catalog \(database.path) cannot have a write-ahead log (its journal mode is \(mode ?? "unknown")): \
                its file system has no memory that programs share; move it to a disk of this machine
                """)
        }
    }

    /// Whether this user may write to a catalog: to its file, and to its folder, where SQLite keeps the log.
    package static func isWritable(_ path: String) -> Bool {
        let file = file(of: path)
        return allows(file, W_OK) && allows(FileTree.folder(of: file), W_OK | X_OK)
    }

    /// Returns the file behind a path that may be a link; SQLite keeps the log beside that file.
    static func file(of path: String) -> String { resolved(path) ?? path }

    /// Whether the file of a catalog forbids this user to write to it, for good: that is its owner's wish.
    package static func isForbidden(_ path: String) -> Bool {
        unsafe Glibc.access(path, W_OK) != 0 && (errno == EACCES || errno == EPERM)
    }

    /// Returns the reason why a catalog cannot be written to just now though its file allows it, or nil if it can.
    package static func obstacle(toWriting path: String) -> String? {
        guard !isWritable(path), !isForbidden(path) else { return nil }
        guard allows(path, F_OK) else { return "there is no catalog at \(path) any more" }
        let folder = FileTree.folder(of: file(of: path))
        if unsafe Glibc.access(path, W_OK) != 0 && errno == EROFS {
            return "the catalog \(path) is on a disk that can only be read"
        }
        return """
            the folder \(folder) of the catalog cannot be written to, and SQLite keeps its log there: let this user write \
            to it; in a systemd unit, ReadWritePaths= must name the folder, and not only the file
            """
    }

    /// Returns the reason why this user cannot create a file in a folder, or nil if that is possible.
    package static func obstacle(toCreatingIn folder: String) -> String? {
        guard unsafe Glibc.access(folder, W_OK | X_OK) != 0 else { return nil }
        return "\(folder): \(SystemWords.lastError)"
    }

    /// The word that stands for no catalog in the place of a path.
    package static let noneWord = "none"

    /// Returns the path of a file or folder with all links resolved, or `nil` if it does not exist.
    package static func resolved(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// Returns the path of the journal beside a catalog, into which all processes of its machine write.
    package static func journalPath(beside path: String) -> String { file(of: path) + journalSuffix }

    /// Returns the path of the journal beside a catalog, or nil if nothing stands there, not even a link.
    package static func existingJournal(beside path: String) -> String? {
        var status = stat()
        let journal = journalPath(beside: path)
        return unsafe lstat(journal, &status) == 0 ? journal : nil
    }

    /// The end of the name of the journal beside a catalog.
    package static let journalSuffix = "-log"

    /// Opens a connection for reading.
    ///
    /// The file is opened for writing, too, if this user may write: only then can SQLite recover the log of a killed
    /// writer. Otherwise, SQLite could not create the files that locks need. Without a log, nobody is writing, and no
    /// locks are needed.
    static func openedForReading(_ path: String, canWrite: Bool) throws(Failure) -> Database {
        if canWrite { return try Database.forReading(path, as: .catalog) }
        guard let logBytes = logBytes(path) else { return try Database(path: path, mode: .immutable, as: .catalog) }
        do throws(Failure) {
            let database = try Database(path: path, mode: .readOnly, as: .catalog)
            _ = try database.integer("SELECT count(*) FROM sqlite_schema")
            return database
        } catch {
            // The log is empty if a writer has just emptied it, or if a killed writer left it like that.
            guard logBytes == 0 else { throw error }
            return try Database(path: path, mode: .immutable, as: .catalog)
        }
    }

    /// Returns the size of the write-ahead log, or `nil` if there is none.
    private static func logBytes(_ path: String) -> Int? {
        FileTree.byteCount(of: file(of: path) + "-wal")
    }

    private static func unreadableLog(_ path: String) -> Failure {
        let path = file(of: path)
        return Failure(
            .fileFailed,
            """
            \(path) has a write-ahead log, \(path)-wal, that must be recovered first, and this user may not write to \
            the folder: run any command, such as "coterie hide --list", as a user who may, or copy both files elsewhere
            """)
    }

    private static func allows(_ path: String, _ access: Int32) -> Bool { unsafe Glibc.access(path, access) == 0 }

    /// Checks that what is written is not lost with a file that was removed.
    func checkPlace() throws(Failure) {
        if let replacement = facts.replacement { throw Failure(.databaseFailed, replacement) }
    }

    /// Whether another program writes to a catalog at this moment.
    package static func isBusy(_ path: String) -> Bool {
        do throws(Failure) {
            try Database(path: path, mode: .readWrite, busyTimeoutSeconds: 0).execute("BEGIN IMMEDIATE; ROLLBACK")
            return false
        } catch { return error.code == .busy }
    }

    /// Adds to the number of changed rows; call it within the transaction that changes them.
    func recordChanges(_ count: Int64) throws(Failure) {
        guard count > 0 else { return }
        try database.run("UPDATE catalog_state SET value = value + ? WHERE name = 'changes'", count)
    }

    /// Counts an import or a renaming that changes members; call it within its transaction.
    func recordMemberChange() throws(Failure) {
        try database.execute(
            """
            INSERT INTO catalog_state VALUES ('member_changes', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
            """)
    }

    /// Stores a text of a tuning, or removes it if `content` is `nil`.
    ///
    /// Everything else in the catalog stays as it is, including its change count.
    package func keepTuningNote(_ note: TuningNote, _ content: String?) throws(Failure) {
        let statement = try database.prepare(
            content == nil
                ? "DELETE FROM tuning_notes WHERE name = ?1"
                : "INSERT INTO tuning_notes VALUES (?1, ?2) ON CONFLICT DO UPDATE SET content = ?2", note.rawValue)
        if let content { statement.bind(content, at: 2) }
        try statement.run()
    }

    /// Replaces a text of a tuning by one that is made from it; nobody else writes meanwhile.
    package func changeTuningNote(_ note: TuningNote, _ change: (String?) -> String?) throws(Failure) {
        try database.transaction { () throws(Failure) in try keepTuningNote(note, change(facts.tuningNote(note))) }
    }

    /// Writes a copy of a catalog to a new file.
    ///
    /// - Returns: the schema version of the catalog.
    /// - Throws: `Failure`; `.badData` if the catalog is damaged. Then part of a copy may exist.
    package static func copy(_ path: String, to target: String) throws(Failure) -> Int {
        guard FileTree.exists(path) else {
            throw Failure(.missing, "there is no catalog at \(path): name another with --catalog")
        }
        let database = try openedForReading(path, canWrite: isWritable(path))
        guard let version = try CatalogSchema.checkedVersion(database) else {
            throw Failure(.otherFormat, "\(path) is empty")
        }
        try database.copy(to: target)
        return version
    }
}
