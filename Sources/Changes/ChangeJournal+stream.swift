package import Basics
package import Model
import SQLite

/// The contents of a journal, for sending, comparing and pruning.
extension ChangeJournal: ChangeSource {
    /// Returns the ranges of changes that are here, by the journal that recorded them first.
    ///
    /// - Complexity: O(journals · log changes).
    package func kept() throws(Failure) -> [String: SequenceRange] {
        try sequenceRanges()
    }

    func sequenceRanges() throws(Failure) -> [String: SequenceRange] {
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
        var kept: [String: SequenceRange] = [:]
        while try rows.step() { kept[rows.text(0)] = SequenceRange(after: rows.integer(1) - 1, last: rows.integer(2)) }
        return kept
    }

    /// Returns changes of a journal as they are sent on, in the order of their numbers, without forgotten data.
    ///
    /// The list begins with the first whole change, and ends before the next one that is damaged or missing. Damaged
    /// and missing changes are noted.
    ///
    /// - Parameters:
    ///   - sequence: the number before the first change to return.
    ///   - limit: the largest number of changes.
    package func changes(of origin: String, after sequence: Int64, limit: Int) throws(Failure) -> [JournaledChange] {
        let rows = try database.prepare(
            "SELECT \(Self.columns) FROM changes WHERE origin = ? AND sequence > ? ORDER BY sequence", origin, sequence)
        var changes: [JournaledChange] = []
        while changes.count < limit, try rows.step() {
            guard let change = change(rows) else {
                if changes.isEmpty { continue }
                break
            }
            if let last = changes.last?.sequence, change.sequence > last + 1 {
                damaged.note(ChangeName(origin: origin, sequence: last + 1))
                break
            }
            changes.append(change)
        }
        return changes
    }

    /// Returns the time at which a change was recorded here, in Unix milliseconds, or nil if it is not here.
    package func timeRecorded(_ sequence: Int64, of origin: String) throws(Failure) -> Int64? {
        try database.integer("SELECT recorded_at FROM changes WHERE origin = ? AND sequence = ?", origin, sequence)
    }

    /// Returns the number of changes that are not in the streams, and the time since which the first waits.
    ///
    /// The time is in Unix milliseconds.
    ///
    /// - Parameter exchange: the contents of the streams, and the changes that nobody needs.
    package func backlog(in exchange: ChangeExchange) throws(Failure) -> (count: Int, since: Int64?) {
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

    /// The time for which a change that everybody has stays, in milliseconds: members may ask for their history, and
    /// quotas count a day.
    package static let keptMilliseconds: Int64 = 86_400_000

    /// Removes changes that nobody needs any more.
    ///
    /// - Parameters:
    ///   - taken: the changes that all have from whom lists are made.
    ///   - instant: the time before which a change was recorded here, in Unix milliseconds.
    package func prune(_ taken: AppliedChanges, recordedBefore instant: Int64 = .max) throws(Failure) {
        try transaction { () throws(Failure) in
            for (origin, numbers) in try sequenceRanges() where numbers.after < taken.last(of: origin) {
                var last = taken.last(of: origin)
                let youngest = try database.integer(
                    "SELECT min(sequence) FROM changes WHERE origin = ? AND sequence <= ? AND recorded_at >= ?",
                    origin, last, instant)
                if let youngest { last = youngest - 1 }
                if numbers.after < last { try removeRows(of: origin, through: last) }
            }
        }
    }

    func removeRows(of origin: String, through sequence: Int64) throws(Failure) {
        for statement in [
            """
            DELETE FROM interactions WHERE change_key IN
            (SELECT change_key FROM changes WHERE origin = ? AND sequence <= ?)
            """, "DELETE FROM changes WHERE origin = ? AND sequence <= ?",
        ] {
            try database.run(statement, origin, sequence)
        }
    }

    /// Adds changes as another place has them: with their gaps, and in the order of their numbers.
    ///
    /// - Parameter now: the time of the recording here, in Unix milliseconds.
    package func keep(_ changes: [JournaledChange], at now: Int64) throws(Failure) {
        try transaction { () throws(Failure) in
            for change in changes { _ = try insert(change, at: now) }
        }
    }

    /// Writes a copy of the journal to a new file.
    package func copy(to target: String) throws(Failure) {
        try database.copy(to: target)
    }
}

/// The result of reading all of a journal.
package struct JournalExamination: Sendable, Equatable {
    /// The findings of SQLite's integrity check, at most ten lines; if there are any, nothing else was examined.
    package var damage: [String] = []
    /// The ranges of changes that are here, by the journal that recorded them first.
    package var kept: [String: SequenceRange] = [:]
    /// Journals that lack changes between their first and their last.
    package var withGaps: [String] = []
    /// Changes that differ from their checksums.
    package var damagedChanges: [ChangeName] = []
    /// The first change of each journal that needs a newer program.
    package var newerChanges: [ChangeName] = []
    /// The time of the change that was recorded here last, in Unix milliseconds, or nil if there is none.
    package var latestRecordedMilliseconds: Int64?
}

extension ChangeJournal {
    /// Reads all of the journal without changing it.
    package func examine() throws(Failure) -> JournalExamination {
        var examination = JournalExamination()
        examination.damage = try database.integrityFindings()
        guard examination.damage.isEmpty, try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0
        else { return examination }
        examination.kept = try sequenceRanges()
        examination.withGaps = try database.prepare(
            """
            SELECT origin FROM changes GROUP BY origin
            HAVING count(*) <> max(sequence) - min(sequence) + 1 ORDER BY origin
            """
        ).texts()
        examination.latestRecordedMilliseconds = try database.integer(
            "SELECT recorded_at FROM changes ORDER BY change_key DESC LIMIT 1")
        guard !examination.kept.isEmpty else { return examination }
        try verify()
        examination.damagedChanges = damaged.names
        examination.newerChanges = try newerChanges()
        return examination
    }
}
