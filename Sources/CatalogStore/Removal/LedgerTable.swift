package import Basics
import Changes
import RecordReading
package import SQLite

/// The ledger in a catalog.
package struct LedgerTable {
    /// The SQL that makes the tables, and a key.
    package static let schema = """
        CREATE TABLE ledger (
            digest BLOB PRIMARY KEY,
            forgotten_at INTEGER NOT NULL,
            readmitted_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE ledger_key (
            key BLOB NOT NULL
        );
        INSERT INTO ledger_key VALUES (randomblob(32));
        """

    private let database: ReadingDatabase
    /// The key of the digests, which was made with the catalog.
    let key: [UInt8]

    init(_ database: ReadingDatabase) throws(Failure) {
        self.database = database
        let row = try database.prepare("SELECT key FROM ledger_key")
        key = try row.step() ? row.bytes(0) : []
    }

    func content() throws(Failure) -> Ledger {
        var ledger = Ledger(key: key)
        let rows = try database.prepare("SELECT digest, forgotten_at, readmitted_at FROM ledger")
        while try rows.step() {
            guard let digest = Ledger.Digest(rows.bytes(0)) else { continue }
            ledger.note(Ledger.Times(forgotten: rows.integer(1), readmitted: rows.integer(2)), of: digest)
        }
        return ledger
    }

    /// Returns the times of a member, or nil if the member was never forgotten.
    func times(of id: String) throws(Failure) -> Ledger.Times? {
        let row = try database.prepare(
            "SELECT forgotten_at, readmitted_at FROM ledger WHERE digest = ?", Ledger(key: key).digest(of: id).bytes)
        return try row.step() ? Ledger.Times(forgotten: row.integer(0), readmitted: row.integer(1)) : nil
    }

    func isForgotten(_ id: String) throws(Failure) -> Bool { try times(of: id)?.isForgotten == true }
}

/// Writes the ledger; every call is within a transaction of the caller.
package struct LedgerWriter {
    /// The ledger as it is read.
    let table: LedgerTable
    private let database: Database

    package init(_ database: Database) throws(Failure) {
        self.database = database
        table = try LedgerTable(database.reading)
    }

    /// Notes that members are forgotten.
    package func forget(_ ids: [String], atMilliseconds milliseconds: Int64) throws(Failure) {
        for id in ids { try note(Ledger.Times(forgotten: milliseconds), of: id) }
    }

    /// Notes times of a member; earlier times change nothing.
    func note(_ times: Ledger.Times, of id: String) throws(Failure) {
        var ledger = Ledger(key: table.key)
        ledger.note(times, of: ledger.digest(of: id))
        try add(ledger)
    }

    /// Notes that a member may come back.
    ///
    /// - Returns: false if the member is not forgotten.
    func readmit(_ id: String, atMilliseconds now: Int64) throws(Failure) -> Bool {
        guard let times = try table.times(of: id), times.isForgotten else { return false }
        try note(Ledger.Times(readmitted: max(now, times.forgotten + 1)), of: id)
        return true
    }

    /// Adds the entries of another ledger with this key.
    func add(_ ledger: Ledger) throws(Failure) {
        let note = try database.prepare(
            """
            INSERT INTO ledger VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE
            SET forgotten_at = max(forgotten_at, ?2), readmitted_at = max(readmitted_at, ?3)
            """)
        for (digest, times) in ledger.times {
            try note.run(digest.bytes, times.forgotten, times.readmitted)
        }
    }

    /// Replaces the key of an empty ledger.
    func adopt(_ key: [UInt8]) throws(Failure) {
        try database.run("UPDATE ledger_key SET key = ?", key)
    }
}

/// The forgotten members, whom an import leaves out unless it readmits them.
final class ForgottenIDs {
    private var ledger: Ledger
    private let writer: LedgerWriter
    private let readmits: Bool
    private let now: Int64

    /// - Parameter readmits: whether forgotten members come back.
    init(_ database: Database, readmits: Bool) throws(Failure) {
        writer = try LedgerWriter(database)
        ledger = try writer.table.content()
        self.readmits = readmits
        now = try database.integer("SELECT \(CatalogSchema.nowMilliseconds)") ?? 0
    }

    /// Whether a member is left out; a readmitted member is no longer forgotten.
    func contains(_ id: String) throws(Failure) -> Bool {
        guard ledger.isForgotten(id) else { return false }
        guard readmits else { return true }
        _ = try writer.readmit(id, atMilliseconds: now)
        if let times = try writer.table.times(of: id) { ledger.note(times, of: ledger.digest(of: id)) }
        return false
    }

    /// Whether a member is left out whose id is in a column of the current record.
    func contains(_ reader: borrowing RecordReader, _ column: Int) throws(Failure) -> Bool {
        ledger.times.isEmpty ? false : try contains(reader.text(column))
    }
}
