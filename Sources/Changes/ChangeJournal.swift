package import Basics
import Model
import SQLite

/// The changes of one daemon, and those that it read from other daemons, in a SQLite file of the daemon's own.
///
/// A daemon that shares a store acknowledges a change when it is in this file, and sends it to the other daemons later.
/// Changes apply in the order of their stamps, and interactions in the order of their times. A connection belongs to
/// one thread at a time.
///
/// The name under which changes are recorded belongs to the connection, not to the file. A copied or restored file
/// therefore repeats its changes under their old names, but never gives a number twice.
package final class ChangeJournal {
    /// The mode in which a journal is opened.
    package enum Mode: Sendable {
        /// Reading: the file must exist, and is not changed.
        case reading
        /// Durable writing: a commit waits for the disk. The journal is created if it is missing.
        case recording
    }

    /// The numbers that a connection gives to the changes that it records.
    struct Numbering {
        /// The journal's name, unique among all.
        let origin = String(UInt64.random(in: .min ... .max), radix: 36)
        /// The last number in use.
        var sequence: Int64 = 0
        /// The last stamp in use, in milliseconds.
        var stampMilliseconds: Int64 = 0
    }

    /// "Ctjr", which tells a journal from other SQLite files (`PRAGMA application_id`).
    private static let applicationID: Int64 = 0x4374_6A72
    /// The number of the format, and the only one that this program reads and writes.
    private static let format: Int64 = 3
    /// The largest write-ahead log that stays after a checkpoint, in bytes; SQLite writes some 4 MB before a
    /// checkpoint.
    static let logByteLimit = 8 << 20

    let database: Database
    var numbering = Numbering()
    /// The changes that were found damaged, by any connection that shares this object.
    package let damaged: DamagedChanges
    /// The folded changes of members, for all connections that share this object.
    let folds: MemberFolds

    /// The name under which this connection records changes.
    package var origin: String { numbering.origin }

    /// Opens a journal.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - mode: the mode.
    ///   - damaged: receives the names of damaged changes.
    ///   - folds: keeps the folded changes of members; all connections of a process to the file must share it.
    /// - Throws: `Failure.Code.otherFormat` if the file is something else, or a journal of another program version.
    package init(
        path: String, mode: Mode, damaged: DamagedChanges = DamagedChanges(), folds: MemberFolds = MemberFolds()
    ) throws(Failure) {
        self.damaged = damaged
        self.folds = folds
        // A link could lead what members did to a file of somebody else.
        if let kind = RegularFile.otherKind(at: path) { throw Self.other(path, kind) }
        let problem: String?
        do throws(Failure) {
            database =
                try mode == .reading
                ? Database.forReading(path, as: .journal) : Database(path: path, mode: .create, as: .journal)
            problem = try Self.problem(of: database)
            if problem == nil {
                switch mode {
                case .recording: try prepare()
                // The file may still be empty, for example because it was made on a full disk.
                case .reading: if try Self.isEmpty(database) { try database.execute(Self.schema(in: .temporary)) }
                }
            }
        } catch {
            if error.isOfNoDatabase { throw Self.other(path, "no database") }
            guard error.isOfUnopenableDatabase else { throw error }
            throw Failure(
                .fileFailed,
                "\(path) cannot be opened as a journal: its folder must exist, and this user must be able to write there"
            )
        }
        if let problem { throw Failure(.otherFormat, problem) }
    }

    private static func other(_ path: String, _ kind: String) -> Failure {
        Failure(.fileFailed, "\(path) is \(kind), and cannot be a journal: move it away, and a new one is made")
    }

    /// Returns the reason why a database is no journal of this program, or nil if it is one or still empty.
    private static func problem(of database: Database) throws(Failure) -> String? {
        guard try !isEmpty(database) else { return nil }
        guard try database.integer("PRAGMA application_id") == applicationID else {
            return "\(database.path) is a database, but not a journal of this program"
        }
        let found = try database.integer("PRAGMA user_version") ?? 0
        return OtherFormat(.journal, at: database.path, found: found, own: format)?.message
    }

    private static func isEmpty(_ database: Database) throws(Failure) -> Bool {
        try database.integer("SELECT count(*) FROM sqlite_schema") == 0
    }

    /// Returns the latest stamp of a change, in milliseconds, or nil if there is none.
    package func latestStampMilliseconds() throws(Failure) -> Int64? {
        try database.integer("SELECT max(stamp) FROM changes")
    }

    /// Returns a number that changes when another connection commits.
    package func outsideRevision() throws(Failure) -> Int64 {
        try database.outsideRevision()
    }

    /// Finds out whether writing is possible, without changing anything.
    package func probeWriting() throws(Failure) {
        try database.probeWriting()
    }

    /// Makes the indexes again if they do not agree with the tables, as after a flipped bit.
    ///
    /// Rows have checksums, but an index that lacks a row would hide it.
    ///
    /// - Returns: the findings of SQLite's check, and the reason if the making failed; none if all was well.
    package func mendIndexes() throws(Failure) -> [String] {
        let findings = try database.integrityFindings()
        guard !findings.isEmpty else { return [] }
        do throws(Failure) { try database.execute("REINDEX") } catch {
            return findings + ["the indexes could not be made again: \(error.message)"]
        }
        folds.removeAll()
        return findings
    }

    private func prepare() throws(Failure) {
        // Returns the disk space that the log took while somebody was reading.
        try database.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
            PRAGMA journal_size_limit = \(Self.logByteLimit);
            """)
        // A journal on a full disk can still be read and sent on, so write only if necessary.
        if try Self.isEmpty(database) {
            try database.transaction { () throws(Failure) in
                // Another process may have created the tables meanwhile.
                guard try Self.isEmpty(database) else { return }
                try database.execute(Self.schema(in: .file))
                try database.execute(
                    "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(Self.format)")
            }
        }
        if try database.integer("SELECT 1 FROM changes WHERE kind IS NULL LIMIT 1") != nil {
            try database.transaction { () throws(Failure) in try readAgain() }
        }
    }

    func transaction<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try database.transaction(.immediate, body)
    }
}

extension ChangeJournal {
    /// The place of the tables.
    private enum Place: String {
        case file = "main"
        /// Tables of the connection alone.
        case temporary = "temp"
    }

    /// Returns the statements that create the tables.
    ///
    /// The changes of each origin are numbered without a gap. `body` is the change as it is sent. The columns beside it
    /// repeat parts of the body for searching; `kind` is null if the change needs a newer program. `seal` is the
    /// checksum of origin, sequence, stamp and body.
    ///
    /// The rows of `interactions` lead to the changes that record them. An id may come in two changes, for example
    /// after a client's retry. Both changes are sent on as they were. The row of a deleted interaction has a digest
    /// of the id, and leads to the change that recorded or deleted it.
    private static func schema(in place: Place) -> String {
        """
        CREATE TABLE \(place.rawValue).changes (
            change_key INTEGER PRIMARY KEY,
            origin TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            stamp INTEGER NOT NULL,
            kind INTEGER,
            user_id TEXT,
            group_id TEXT,
            body BLOB NOT NULL,
            seal INTEGER NOT NULL,
            recorded_at INTEGER NOT NULL,
            UNIQUE (origin, sequence)
        );
        CREATE INDEX \(place.rawValue).changes_by_stamp ON changes (stamp);
        CREATE INDEX \(place.rawValue).changes_by_user ON changes (user_id, kind, stamp) WHERE user_id IS NOT NULL;
        CREATE INDEX \(place.rawValue).changes_of_user ON changes (user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX \(place.rawValue).changes_of_forgotten ON changes (stamp)
            WHERE kind = \(ChangeKind.removeMember.rawValue);
        CREATE INDEX \(place.rawValue).changes_of_site ON changes (stamp) WHERE user_id IS NULL AND kind > 0;
        CREATE INDEX \(place.rawValue).changes_of_newer ON changes (origin, sequence) WHERE kind IS NULL;
        CREATE TABLE \(place.rawValue).interactions (
            user_id TEXT NOT NULL,
            id TEXT NOT NULL,
            change_key INTEGER NOT NULL,
            occurred_at INTEGER NOT NULL,
            byte_count INTEGER NOT NULL,
            is_forgotten INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (user_id, id, change_key)
        ) WITHOUT ROWID;
        CREATE INDEX \(place.rawValue).interactions_by_change ON interactions (change_key);
        CREATE INDEX \(place.rawValue).interactions_not_forgotten ON interactions (user_id, change_key)
            WHERE is_forgotten = 0;
        """
    }

    /// Reads again the changes that needed a newer program, which may be this one.
    private func readAgain() throws(Failure) {
        let rows = try database.prepare(
            "SELECT change_key, \(Self.columns), recorded_at FROM changes WHERE kind IS NULL")
        var readable: [(key: Int64, change: JournaledChange, recordedAt: Int64)] = []
        while try rows.step() {
            guard let change = change(rows, from: 1), !change.isNewer else { continue }
            readable.append((rows.integer(0), change, rows.integer(6)))
        }
        for row in readable {
            try removeRow(row.key)
            try settle(row.change, try insert(row.change, at: row.recordedAt))
        }
    }
}

extension Database.Subject {
    fileprivate static let journal = Database.Subject("the journal")
}
