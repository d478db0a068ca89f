public import Changes
public import Model
import SQLite

/// A member of an experiment, with the member's exposures and interactions.
public struct ExposedMember: Sendable, Equatable {
    /// The exposures, in the order of their first times.
    public var exposures: [ExposureRecord]
    /// The interactions, in the order of their times.
    public var interactions: [InteractionRecord]
    /// The number of groups that the member had joined before the first exposure and is still in.
    ///
    /// Memberships of unknown time count.
    public var groupCount: Int
}

extension Catalog {
    /// Calls `body` with each member of an experiment.
    ///
    /// - Parameters:
    ///   - experiment: the name of the experiment.
    ///   - earliest: the earliest time of an interaction, inclusive, in Unix milliseconds.
    ///   - latest: the end of exposures and interactions, exclusive, in Unix milliseconds.
    ///   - body: called with the members, one after another.
    /// - Complexity: O(exposures + interactions of these members).
    public func forEachMember(
        exposedIn experiment: String, interactionsFrom earliest: Int64, before latest: Int64,
        _ body: (ExposedMember) throws(CatalogError) -> Void
    ) throws(CatalogError) {
        let reader = try wrapping { () throws(DatabaseError) in
            try ExposedMemberReader(database, experiment, earliest, latest)
        }
        while let member = try wrapping({ () throws(DatabaseError) in try reader.next() }) { try body(member) }
    }

    /// Returns the number of interactions of a kind with groups of lists, for each member with any such interaction.
    ///
    /// - Parameters:
    ///   - kind: the kind to count; a member without it counts 0.
    ///   - start: the first time, inclusive, in Unix milliseconds.
    ///   - end: the last time, exclusive, in Unix milliseconds.
    public func countsOfListInteractions(_ kind: Interaction.Kind, since start: Int64, before end: Int64)
        throws(CatalogError) -> [Int]
    {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT count(*) FILTER (WHERE kind = ?) FROM interactions
                WHERE recommendation_id IS NOT NULL AND occurred_at >= ? AND occurred_at < ? GROUP BY user_key
                """)
            rows.bind(kind.number, at: 1)
            rows.bind(start, at: 2)
            rows.bind(end, at: 3)
            var counts: [Int] = []
            while try rows.step() { counts.append(Int(rows.integer(0))) }
            return counts
        }
    }
}

/// Reads the members of an experiment, in the order of their keys.
private final class ExposedMemberReader {
    private let exposures: Statement
    private let interactions: Statement
    private let groupCount: Statement
    private let experiment: String
    private let earliest, latest: Int64
    /// The first row of the next member, or `nil` at the end.
    private var following: (user: Int64, record: ExposureRecord)?

    init(_ database: Database, _ experiment: String, _ earliest: Int64, _ latest: Int64) throws(DatabaseError) {
        (self.earliest, self.latest) = (earliest, latest)
        exposures = try database.prepare(
            """
            SELECT user_key, arm, recommendation_id, first_position, shown_count, filters, first_at, last_at, times,
                teams, microseconds
            FROM exposures WHERE experiment = ? AND first_at < ? ORDER BY user_key, first_at
            """)
        interactions = try database.prepare(
            """
            SELECT id, kind, group_id, occurred_at, recommendation_id, position, variant
            FROM interactions JOIN groups USING (group_key)
            WHERE user_key = ? AND occurred_at >= ? AND occurred_at < ? ORDER BY occurred_at, interaction_key
            """)
        groupCount = try database.prepare(
            "SELECT count(*) FROM memberships WHERE user_key = ? AND (joined_at IS NULL OR joined_at < ?)")
        exposures.bind(experiment, at: 1)
        exposures.bind(latest, at: 2)
        self.experiment = experiment
        following = try nextRow()
    }

    private func nextRow() throws(DatabaseError) -> (user: Int64, record: ExposureRecord)? {
        guard try exposures.step() else { return nil }
        var record = ExposureRecord(
            experiment: experiment, arm: exposures.text(1), recommendationID: exposures.text(2),
            firstPosition: Int(exposures.integer(3)), shownCount: Int(exposures.integer(4)),
            filters: exposures.text(5), atMilliseconds: exposures.integer(6))
        record.lastAtMilliseconds = exposures.integer(7)
        record.times = Int(exposures.integer(8))
        record.teams = exposures.optionalText(9)
        record.microseconds = exposures.optionalInteger(10)
        return (exposures.integer(0), record)
    }

    func next() throws(DatabaseError) -> ExposedMember? {
        guard let first = following else { return nil }
        var records: [ExposureRecord] = []
        while let row = following, row.user == first.user {
            records.append(row.record)
            following = try nextRow()
        }
        interactions.bind(first.user, at: 1)
        interactions.bind(earliest, at: 2)
        interactions.bind(latest, at: 3)
        defer { interactions.reset() }
        groupCount.bind(first.user, at: 1)
        groupCount.bind(first.record.firstAtMilliseconds / 1000, at: 2)
        defer { groupCount.reset() }
        return ExposedMember(
            exposures: records, interactions: try InteractionRecord.all(in: interactions),
            groupCount: try groupCount.step() ? Int(groupCount.integer(0)) : 0)
    }
}

/// Writes exposures, within a transaction of the caller.
struct ExposureWriter {
    /// The number of days, back from the latest one, for which exposures are kept.
    static let daysKept: Int64 = 400

    private let insert: Statement
    private let expire: Statement
    private let delete: Statement

    init(_ database: Database) throws(DatabaseError) {
        insert = try database.prepare(
            """
            INSERT INTO exposures (experiment, user_key, day, recommendation_id, first_position, shown_count, filters,
                arm, times, first_at, last_at, teams, microseconds)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET times = times + excluded.times,
                first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at),
                microseconds = microseconds + excluded.microseconds
            """)
        expire = try database.prepare("DELETE FROM exposures WHERE day < ?")
        delete = try database.prepare("DELETE FROM exposures WHERE user_key = ?")
    }

    /// Adds exposures of a member, and removes exposures of all members that are older than `daysKept`.
    func write(_ records: [ExposureRecord], user: Int64) throws(DatabaseError) {
        for record in records { try write(record, user: user) }
        guard let day = records.map(\.day).max() else { return }
        expire.bind(day - Self.daysKept, at: 1)
        try expire.run()
    }

    private func write(_ record: ExposureRecord, user: Int64) throws(DatabaseError) {
        insert.bind(record.experiment, at: 1)
        insert.bind(user, at: 2)
        insert.bind(record.day, at: 3)
        insert.bind(record.recommendationID, at: 4)
        insert.bind(Int64(record.firstPosition), at: 5)
        insert.bind(Int64(record.shownCount), at: 6)
        insert.bind(record.filters, at: 7)
        insert.bind(record.arm, at: 8)
        insert.bind(Int64(record.times), at: 9)
        insert.bind(record.firstAtMilliseconds, at: 10)
        insert.bind(record.lastAtMilliseconds, at: 11)
        insert.bind(record.teams, at: 12)
        insert.bind(record.microseconds, at: 13)
        try insert.run()
    }

    /// Removes all exposures of a member.
    func forget(user: Int64) throws(DatabaseError) {
        delete.bind(user, at: 1)
        try delete.run()
    }
}
