import SQLite

/// The changes made through one daemon, and those that it read of other daemons, in a SQLite file of the daemon's own.
///
/// A daemon that shares a store acknowledges a change when it is in here, and sends it to the others later. Changes
/// apply in the order of their stamps, and interactions in the order of their times. A connection belongs to one thread
/// at a time.
///
/// The name under which changes are recorded is not the file's but the connection's, made when that is opened. So a
/// file that was copied, or brought back from a backup, repeats what it has under the names that it has, but never
/// gives a number twice.
public final class ChangeJournal {
    /// How a journal is opened.
    public enum Mode: Sendable {
        /// For reading; it must exist.
        case reading
        /// For writing durably: a commit waits for the disk. The journal is made if it does not exist.
        case recording
    }

    /// The numbers that a connection gives to the changes that it records.
    struct Numbering {
        /// The journal's name, unique among all.
        let origin = String(UInt64.random(in: .min ... .max), radix: 36)
        /// The last number that was given.
        var sequence: Int64 = 0
        /// The last stamp that was given.
        var stampMilliseconds: Int64 = 0
    }

    /// "Ctjr": tells a journal from other SQLite files (`PRAGMA application_id`).
    private static let applicationID: Int64 = 0x4374_6A72
    private static let schemaVersion: Int64 = 2
    /// How large the write-ahead log may stay when what it has is in the file; SQLite writes some 4 MB before that.
    static let logByteLimit = 8 << 20

    let database: Database
    var numbering = Numbering()

    /// The name under which this connection records changes.
    public var origin: String { numbering.origin }

    /// Opens a journal.
    ///
    /// - Throws: `CatalogError.Code.notACatalog` if the file is something else, or of another program version.
    public init(path: String, mode: Mode) throws(CatalogError) {
        let problem: String?
        do throws(DatabaseError) {
            database = try Database(path: path, mode: mode == .reading ? .readWrite : .create)
            problem = try Self.problem(of: database)
            if problem == nil, mode == .recording { try Self.prepare(database) }
        } catch {
            guard error.isUnopenable || error.isNotADatabase else { throw CatalogError(error) }
            throw CatalogError(
                .fileFailed,
                """
                \(path) cannot be used as a journal: name another file, in a folder that exists and that this user may \
                write to
                """
            )
        }
        if let problem { throw CatalogError(.notACatalog, "\(path) \(problem)") }
    }

    /// Why a database is no journal of this program; nil if it is one, or still empty.
    private static func problem(of database: Database) throws(DatabaseError) -> String? {
        guard try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0 else { return nil }
        guard try database.integer("PRAGMA application_id") == applicationID else {
            return "is a database, but not a journal of this program"
        }
        switch try database.integer("PRAGMA user_version") ?? 0 {
        case schemaVersion: return nil
        case ..<schemaVersion:
            return """
                is a journal of an earlier program: let that program run until coterie_outbox_changes is 0, recompute \
                with it, and then remove the file
                """
        default: return "is a journal of a newer program: upgrade this one"
        }
    }

    /// Writes, but changes nothing, to find out whether it is possible.
    public func probeWriting() throws(CatalogError) {
        try wrapping { () throws(DatabaseError) in try database.probeWriting() }
    }

    private static func prepare(_ database: Database) throws(DatabaseError) {
        // The log, which grows while somebody reads, gives its place on the disk back.
        try database.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
            PRAGMA journal_size_limit = \(logByteLimit);
            """)
        // A journal on a full disk can still be read, and sent on.
        guard try database.integer("PRAGMA user_version") != schemaVersion else { return }
        try database.transaction(wrap: { $0 }) { () throws(DatabaseError) in
            try database.execute(schema)
            try database.execute(
                "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(schemaVersion)")
        }
    }

    /// The tables.
    ///
    /// The changes of each origin are numbered without a gap. A body is JSON; for interactions it is empty, as they are
    /// kept in their own table alone: an interaction to be forgotten is then gone, and an empty change stays. An id
    /// that comes in two changes, as of a client that tried twice, is in both: each is sent on as it was.
    private static let schema = """
        CREATE TABLE IF NOT EXISTS changes (
            change_key INTEGER PRIMARY KEY,
            origin TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            stamp INTEGER NOT NULL,
            user_id TEXT,
            body BLOB NOT NULL,
            recorded_at INTEGER NOT NULL,
            UNIQUE (origin, sequence)
        );
        CREATE INDEX IF NOT EXISTS changes_by_stamp ON changes (stamp);
        CREATE INDEX IF NOT EXISTS changes_by_user ON changes (user_id);
        CREATE TABLE IF NOT EXISTS interactions (
            user_id TEXT NOT NULL,
            id TEXT NOT NULL,
            change_key INTEGER NOT NULL,
            place INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            group_id TEXT NOT NULL,
            occurred_at INTEGER NOT NULL,
            recommendation_id TEXT,
            list_position INTEGER,
            variant TEXT,
            is_forgotten INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (user_id, id, change_key)
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS interactions_by_change ON interactions (change_key);
        """

    func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(CatalogError) -> Result {
        try wrapping { () throws(DatabaseError) in try database.transaction(wrap: { $0 }, body) }
    }
}
