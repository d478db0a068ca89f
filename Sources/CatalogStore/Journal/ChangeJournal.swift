import SQLite

/// The changes made through one daemon, and those that it read of other daemons, in a SQLite file of the daemon's own.
///
/// A daemon that shares a store acknowledges a change when it is in here, and sends it to the others later. Changes
/// apply in the order of the stream that all daemons share, those that are not in the stream yet last, and interactions
/// in the order of their times. A connection belongs to one thread at a time.
public final class ChangeJournal {
    /// How a journal is opened.
    public enum Mode: Sendable {
        /// For reading; it must exist.
        case reading
        /// For writing durably: a commit waits for the disk. The journal is made if it does not exist.
        case recording
    }

    /// "Ctjr": tells a journal from other SQLite files (`PRAGMA application_id`).
    private static let applicationID: Int64 = 0x4374_6A72
    private static let schemaVersion: Int64 = 1

    let database: Database
    /// The journal's name, unique among all: random, made with the file.
    public let origin: String

    /// Opens a journal.
    ///
    /// - Throws: `CatalogError.Code.notACatalog` if the file is something else, or of a newer program.
    public init(path: String, mode: Mode) throws(CatalogError) {
        let isJournal: Bool
        do throws(DatabaseError) {
            database = try Database(path: path, mode: mode == .reading ? .readWrite : .create)
            isJournal = try Self.isJournal(database)
            if isJournal, mode == .recording { try Self.prepare(database) }
            origin = isJournal ? try database.text("SELECT value FROM state WHERE name = 'origin'") ?? "" : ""
        } catch {
            guard error.isUnopenable || error.isNotADatabase else { throw CatalogError(error) }
            throw CatalogError(
                .fileFailed,
                "\(path) cannot be used as a journal: name another file, in a folder that exists and that this user may write to"
            )
        }
        guard isJournal else {
            throw CatalogError(.notACatalog, "\(path) is a database, but not a journal of this program")
        }
    }

    /// Whether the database is a journal, or still empty.
    private static func isJournal(_ database: Database) throws(DatabaseError) -> Bool {
        guard try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0 else { return true }
        let (application, version) = (
            try database.integer("PRAGMA application_id"), try database.integer("PRAGMA user_version")
        )
        return application == applicationID && version == schemaVersion
    }

    private static func prepare(_ database: Database) throws(DatabaseError) {
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        let origin = String(UInt64.random(in: .min ... .max), radix: 36)
        try database.transaction(wrap: { $0 }) { () throws(DatabaseError) in
            try database.execute(schema)
            try database.execute(
                """
                INSERT INTO state VALUES ('origin', '\(origin)') ON CONFLICT DO NOTHING;
                PRAGMA application_id = \(applicationID); PRAGMA user_version = \(schemaVersion);
                """)
        }
    }

    /// The tables.
    ///
    /// Positions are `StreamPosition.sortable`; a change without one is not known to be in the stream. A body is JSON;
    /// for interactions it is empty, as they are kept in their own table alone: an interaction to be forgotten is then
    /// gone.
    private static let schema = """
        CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS journals (origin TEXT PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS changes (
            change_key INTEGER PRIMARY KEY,
            origin TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            position TEXT,
            user_id TEXT,
            body TEXT NOT NULL,
            recorded_at INTEGER NOT NULL,
            UNIQUE (origin, sequence)
        );
        CREATE INDEX IF NOT EXISTS changes_by_position ON changes (position);
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
            PRIMARY KEY (user_id, id)
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS interactions_by_change ON interactions (change_key);
        """
}
