public import Model
import SQLite

/// What a journal has, as it is sent on, compared and removed.
extension ChangeJournal {
    /// Which changes are here, by the journal that they were made in.
    ///
    /// - Complexity: O(journals · log changes).
    public func kept() throws(ChangeError) -> [String: KeptNumbers] {
        try wrapping { () throws(DatabaseError) in try keptNumbers() }
    }

    func keptNumbers() throws(DatabaseError) -> [String: KeptNumbers] {
        let rows = try database.prepare(
            """
            WITH RECURSIVE origins (origin) AS (
                SELECT min(origin) FROM changes
                UNION ALL
                SELECT (SELECT min(origin) FROM changes WHERE origin > origins.origin) FROM origins
                WHERE origin IS NOT NULL
            )
            SELECT origin, (SELECT min(sequence) FROM changes WHERE changes.origin = origins.origin),
                (SELECT max(sequence) FROM changes WHERE changes.origin = origins.origin)
            FROM origins WHERE origin IS NOT NULL
            """)
        var kept: [String: KeptNumbers] = [:]
        while try rows.step() { kept[rows.text(0)] = KeptNumbers(after: rows.integer(1) - 1, last: rows.integer(2)) }
        return kept
    }

    /// Changes of a journal as they are sent on, in the order of their numbers, up to the first that is damaged or
    /// missing, which is noted.
    ///
    /// What was forgotten is no longer in them.
    ///
    /// - Parameter sequence: those after this number.
    public func changes(of origin: String, after sequence: Int64, limit: Int) throws(ChangeError) -> [JournaledChange] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT \(Self.columns) FROM changes WHERE origin = ? AND sequence > ? ORDER BY sequence LIMIT ?")
            rows.bind(origin, at: 1)
            rows.bind(sequence, at: 2)
            rows.bind(Int64(limit), at: 3)
            var changes: [JournaledChange] = []
            while try rows.step(), let change = change(rows) {
                if let last = changes.last?.sequence, change.sequence > last + 1 {
                    damaged.note(ChangeName(origin: origin, sequence: last + 1))
                    break
                }
                changes.append(change)
            }
            return changes
        }
    }

    /// When a change was recorded here, in Unix milliseconds; nil if it is not here.
    public func timeRecorded(_ sequence: Int64, of origin: String) throws(ChangeError) -> Int64? {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare("SELECT recorded_at FROM changes WHERE origin = ? AND sequence = ?")
            row.bind(origin, at: 1)
            row.bind(sequence, at: 2)
            return try row.step() ? row.integer(0) : nil
        }
    }

    /// How many changes are not in the streams, and since when the first of them waits, in Unix milliseconds.
    ///
    /// - Parameter exchange: what the streams have, and what nobody needs to be sent.
    public func backlog(in exchange: ChangeExchange) throws(ChangeError) -> (count: Int, since: Int64?) {
        var exchange = exchange
        exchange.here = try kept()
        var (count, since): (Int, Int64?) = (0, nil)
        for (origin, numbers) in exchange.waiting {
            count += Int(numbers.last - numbers.after)
            let time = try timeRecorded(numbers.after + 1, of: origin)
            since = [since, time].compactMap(\.self).min()
        }
        return (count, since)
    }

    /// Removes changes that are in every model version that may serve.
    public func prune(_ taken: TakenChanges) throws(ChangeError) {
        try transaction { () throws(DatabaseError) in
            for (origin, numbers) in try keptNumbers() where numbers.after < taken.last(of: origin) {
                try removeRows(of: origin, through: taken.last(of: origin))
            }
        }
    }

    func removeRows(of origin: String, through sequence: Int64) throws(DatabaseError) {
        for statement in [
            """
            DELETE FROM interactions WHERE change_key IN
            (SELECT change_key FROM changes WHERE origin = ? AND sequence <= ?)
            """, "DELETE FROM changes WHERE origin = ? AND sequence <= ?",
        ] {
            let delete = try database.prepare(statement)
            delete.bind(origin, at: 1)
            delete.bind(sequence, at: 2)
            try delete.run()
        }
    }

    /// Writes a copy of the journal to a new file.
    public func copy(to target: String) throws(ChangeError) {
        try wrapping { () throws(DatabaseError) in try database.copy(to: target) }
    }
}

/// What reading all of a journal found.
public struct JournalExamination: Sendable, Equatable {
    /// What SQLite's integrity check says is wrong, at most ten lines; if there is any, the rest was not looked for.
    public var damage: [String] = []
    /// Which changes are here, by the journal that they were made in.
    public var kept: [String: KeptNumbers] = [:]
    /// Journals of which changes between the first and the last are missing.
    public var withGaps: [String] = []
    /// Changes that differ from their checksums.
    public var damagedChanges: [ChangeName] = []
    /// The first change that needs a newer program, of each journal that has one.
    public var newerChanges: [ChangeName] = []
    /// The time of the change that was recorded here last, in Unix milliseconds; nil if there is none.
    public var latestRecordedMilliseconds: Int64?
}

extension ChangeJournal {
    /// Reads all of the journal, and changes nothing.
    public func examine() throws(ChangeError) -> JournalExamination {
        var examination = JournalExamination()
        try wrapping { () throws(DatabaseError) in
            examination.damage = try database.integrityFindings()
            guard examination.damage.isEmpty, try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0
            else { return }
            examination.kept = try keptNumbers()
            examination.withGaps = try database.prepare(
                """
                SELECT origin FROM changes GROUP BY origin
                HAVING count(*) <> max(sequence) - min(sequence) + 1 ORDER BY origin
                """
            ).texts()
            examination.latestRecordedMilliseconds = try database.integer(
                "SELECT recorded_at FROM changes ORDER BY change_key DESC LIMIT 1")
        }
        guard !examination.kept.isEmpty else { return examination }
        var last: Int64 = 0
        while let next = try verify(after: last, limit: 10_000) { last = next }
        examination.damagedChanges = damaged.names
        examination.newerChanges = try newerChanges()
        return examination
    }
}
