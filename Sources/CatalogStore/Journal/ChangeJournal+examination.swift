public import Model
import SQLite

/// What reading all of a journal found.
public struct JournalExamination: Sendable, Equatable {
    /// What SQLite's integrity check says is wrong, at most ten lines; if there is any, the rest was not looked for.
    public var damage: [String] = []
    /// Which changes are here, by the journal that they were made in.
    public var kept: [String: KeptNumbers] = [:]
    /// Journals of which changes between the first and the last are missing.
    public var withGaps: [String] = []
    /// The time of the change that was recorded here last, in Unix milliseconds; nil if there is none.
    public var latestRecordedMilliseconds: Int64?
}

extension ChangeJournal {
    /// Reads all of the journal, and changes nothing.
    public func examine() throws(CatalogError) -> JournalExamination {
        try wrapping { () throws(DatabaseError) in
            var examination = JournalExamination()
            examination.damage = try database.integrityFindings()
            guard examination.damage.isEmpty, try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0
            else { return examination }
            examination.kept = try keptNumbers()
            examination.withGaps = try database.prepare(
                """
                SELECT origin FROM changes GROUP BY origin
                HAVING count(*) <> max(sequence) - min(sequence) + 1 ORDER BY origin
                """
            ).texts()
            examination.latestRecordedMilliseconds = try database.integer(
                "SELECT recorded_at FROM changes ORDER BY change_key DESC LIMIT 1")
            return examination
        }
    }
}
