import Basics
import CatalogStore
import Changes
import SQLite

/// All that is left of earlier formats: it brings the files of a backup of one earlier program to those of today.
///
/// The program is `OtherFormat.restoredProgram`. Its journals, vectors and experiments are as they are today. Model
/// versions are not in backups: a recompute makes them.
enum EarlierBackup {
    /// The numbers of that program's backups, without and with vectors.
    private static let formats = 2...3
    /// The number of its catalogs.
    private static let schemaVersion = 24
    /// The SQL that turns its catalogs into those of schema 27, but for the entries of the ledger.
    private static let steps = """
        ALTER TABLE users ADD COLUMN interests_stamp INTEGER;
        DROP TABLE unreadable_changes;
        \(LedgerTable.schema)
        ALTER TABLE renamed_ids RENAME TO known_ids;
        DROP INDEX renamed_ids_by_new;
        \(RenamedIDs.schema)
        INSERT INTO renamed_ids SELECT entity, old_id, new_id, 0, 0x7fffffffffffffff FROM known_ids;
        DROP TABLE known_ids;
        PRAGMA user_version = 27;
        """

    /// Whether a backup is of that program.
    static func isOne(format: Int, schemaVersion: Int) -> Bool {
        formats.contains(format) && schemaVersion == Self.schemaVersion
    }

    /// Brings a file from such a backup to the format of today.
    ///
    /// - Parameters:
    ///   - name: the name in the backup.
    ///   - path: the path of the file, which is replaced.
    static func bringOver(_ name: String, at path: String) throws(Failure) {
        switch name {
        case BackupManifest.catalogName:
            let database = try Database(path: path, mode: .readWrite)
            try database.execute("BEGIN; \(steps)")
            try writeLedger(database)
            try database.execute("DROP TABLE forgotten_members; COMMIT")
        case BackupManifest.streamsName:
            try bringOverStreams(at: path)
        default: break
        }
    }

    /// Writes the digests of the members whom a catalog names as forgotten.
    private static func writeLedger(_ database: Database) throws(Failure) {
        let ledger = try LedgerWriter(database)
        let members = try database.prepare("SELECT user_id, forgotten_at FROM forgotten_members")
        while try members.step() { try ledger.forget([members.text(0)], atMilliseconds: members.integer(1)) }
    }

    /// Replaces a table of changes by a journal that has them.
    private static func bringOverStreams(at path: String) throws(Failure) {
        // SQLite would read the log of a new file under the same name.
        let earlier = path + ".earlier"
        try FileTree.move(path, to: earlier, .powerLoss)
        defer { try? FileTree.remove(earlier) }
        let rows = try Database(path: earlier, mode: .readWrite).prepare(
            "SELECT origin, sequence, stamp, body FROM changes ORDER BY origin, sequence")
        let journal = try ChangeJournal(path: path, mode: .recording)
        var isMore = true
        while isMore {
            var changes: [JournaledChange] = []
            while isMore, changes.count < 1000 {
                isMore = try rows.step()
                guard isMore else { break }
                changes.append(
                    JournaledChange(
                        origin: rows.text(0), sequence: rows.integer(1), stampMilliseconds: rows.integer(2),
                        encoded: rows.bytes(3)))
            }
            try journal.keep(changes, at: 0)
        }
    }
}
