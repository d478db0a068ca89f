import Model
import RecordReading
import SQLite

/// The ids of members who were forgotten, whom an import leaves out unless it readmits them.
final class ForgottenIDs {
    private var ids: Set<BytewiseString> = []
    private let readmits: Bool
    private let delete: Statement

    init(_ database: Database, readmits: Bool) throws(DatabaseError) {
        self.readmits = readmits
        delete = try database.prepare("DELETE FROM forgotten_members WHERE user_id = ?")
        let rows = try database.prepare("SELECT user_id FROM forgotten_members")
        while try rows.step() { ids.insert(BytewiseString(rows.text(0))) }
    }

    /// Whether a member is to be left out; one who is readmitted is no longer forgotten.
    func contains(_ id: String) throws(DatabaseError) -> Bool {
        guard !ids.isEmpty, ids.contains(BytewiseString(id)) else { return false }
        guard readmits else { return true }
        ids.remove(BytewiseString(id))
        delete.bind(id, at: 1)
        try delete.run()
        return false
    }

    /// The same of an id in a column of the current record.
    func contains(_ reader: borrowing RecordReader, _ column: Int) throws(DatabaseError) -> Bool {
        ids.isEmpty ? false : try contains(reader.text(column))
    }
}
