package import Basics
package import Changes
package import Model
import SQLite

/// A member of an experiment, with the member's exposures and interactions.
package struct ExposedMember: Sendable, Equatable {
    package var id: String
    /// The exposures, in the order of their first times.
    package var exposures: [ExposureRecord]
    /// The interactions, in the order of their times.
    package var interactions: [InteractionRecord]
    /// The number of groups that the member had joined before the first exposure and is still in.
    ///
    /// Memberships of unknown time count.
    package var groupCount: Int
}

/// The rows that a catalog had at some time: they are numbered in the order in which they arrive.
package struct CatalogArrival: Sendable, Codable, Equatable {
    /// The numbers of the last interaction and of the last exposure.
    package var interaction, exposure: Int64

    /// All rows.
    package static let all = CatalogArrival(interaction: .max, exposure: .max)
}

/// The lists that experiments showed, and the actions of members on them.
package struct Exposures {
    private let database: ReadingDatabase

    package init(of catalog: Facts) { database = catalog.database }

    /// Calls `body` with each member of an experiment.
    ///
    /// - Parameters:
    ///   - earliest: the earliest time of an interaction, inclusive, in Unix milliseconds.
    ///   - latest: the end of exposures, exclusive, in Unix milliseconds.
    ///   - end: the end of interactions, exclusive, in Unix milliseconds.
    ///   - arrival: the rows that had arrived; others are left out.
    ///   - body: called with the members, one after another.
    /// - Complexity: O(exposures + interactions of these members).
    package func forEachMember(
        exposedIn experiment: String, before latest: Int64, interactionsFrom earliest: Int64, until end: Int64,
        arrival: CatalogArrival = .all, _ body: (ExposedMember) throws(Failure) -> Void
    ) throws(Failure) {
        let reader = try ExposedMemberReader(
            database, experiment, before: latest, earliest..<max(earliest, end), arrival)
        while let member = try reader.next() { try body(member) }
    }

    /// Returns the times at which the members of an experiment were first shown a list, ascending.
    package func firstExposures(in experiment: String, arrival: CatalogArrival = .all) throws(Failure) -> [Int64] {
        let rows = try database.prepare(
            """
            SELECT min(first_at) AS first FROM exposures WHERE experiment = ? AND exposure_key <= ?
            GROUP BY user_key ORDER BY first
            """, experiment, arrival.exposure)
        return try rows.map { $0.integer(0) }
    }

    /// The rows that have arrived.
    package var arrival: CatalogArrival {
        get throws(Failure) {
            CatalogArrival(
                interaction: try database.integer("SELECT max(interaction_key) FROM interactions") ?? 0,
                exposure: try database.integer("SELECT max(exposure_key) FROM exposures") ?? 0)
        }
    }

    /// Returns the numbers of late rows of an experiment, which arrived after others although they are earlier.
    ///
    /// - Parameters:
    ///   - arrival: the rows that had arrived before.
    ///   - instant: the end of the rows that are late, exclusive, in Unix milliseconds.
    /// - Returns: the interactions of its members from its start on, the pages, and the earlier pages to which later
    ///   showings of the same day were added.
    package func lateCounts(
        in experiment: String, since start: Int64, after arrival: CatalogArrival, before instant: Int64
    ) throws(Failure) -> (actions: Int, pages: Int, repeatedPages: Int) {
        let pages = try database.prepare(
            """
            SELECT count(*) FILTER (WHERE exposure_key > ?2),
                count(*) FILTER (WHERE exposure_key <= ?2 AND last_at >= ?3)
            FROM exposures WHERE experiment = ?1 AND first_at < ?3
            """, experiment, arrival.exposure, instant)
        let actions = try database.integer(
            """
            SELECT count(*) FROM interactions WHERE interaction_key > ?2 AND occurred_at >= ?4 AND occurred_at < ?3
            AND is_forgotten = 0 AND user_key IN (SELECT user_key FROM exposures WHERE experiment = ?1)
            """, experiment, arrival.interaction, instant, start)
        _ = try pages.step()
        return (Int(actions ?? 0), Int(pages.integer(0)), Int(pages.integer(1)))
    }

    /// Returns the number of groups of lists with an interaction of a kind, for each member with any interaction.
    ///
    /// A member's group counts once.
    ///
    /// - Parameters:
    ///   - kind: the kind to count; a member without it counts 0.
    ///   - start: the first time, inclusive, in Unix milliseconds.
    ///   - end: the last time, exclusive, in Unix milliseconds.
    package func countsOfListInteractions(_ kind: Interaction.Kind, since start: Int64, before end: Int64)
        throws(Failure) -> [Int]
    {
        let rows = try database.prepare(
            """
            SELECT count(DISTINCT group_key) FILTER (WHERE kind = ?) FROM interactions
            WHERE recommendation_id IS NOT NULL AND occurred_at >= ? AND occurred_at < ? GROUP BY user_key
            """, kind.number, start, end)
        return try rows.map { Int($0.integer(0)) }
    }
}

extension ExposureRecord {
    /// The SQL query for the arms of renamed users, without those of another id of the same user.
    static let selectShownArms = """
        SELECT user_key, experiment, arm FROM renamed_ids
        JOIN users ON user_id = new_id JOIN exposures USING (user_key)
        WHERE entity = '\(EntityTable.users.rawValue)' AND arm <> '\(ExposureRecord.armOfOtherID)'
        """ + " "
}

/// Reads the members of an experiment, in the order of their keys.
private final class ExposedMemberReader {
    private let exposures: Statement
    private let interactions: Statement
    private let person: Statement
    private let experiment: String
    private let span: Range<Int64>
    private let arrival: CatalogArrival
    /// The first row of the next member, or `nil` at the end.
    private var following: (user: Int64, record: ExposureRecord)?

    init(
        _ database: ReadingDatabase, _ experiment: String, before latest: Int64, _ span: Range<Int64>,
        _ arrival: CatalogArrival
    ) throws(Failure) {
        (self.span, self.arrival) = (span, arrival)
        exposures = try database.prepare(
            """
            SELECT user_key, arm, recommendation_id, first_position, shown_count, filters, first_at, last_at, times,
                teams, microseconds, shown, settings
            FROM exposures WHERE experiment = ? AND first_at < ? AND exposure_key <= ? ORDER BY user_key, first_at
            """)
        interactions = try database.prepare(
            """
            SELECT id, kind, group_id, occurred_at, recommendation_id, position, variant, seconds
            FROM interactions JOIN groups USING (group_key)
            WHERE user_key = ?1 AND is_forgotten = 0 AND occurred_at < ?3 AND interaction_key <= ?5
                AND (occurred_at >= ?2 OR recommendation_id IN (SELECT recommendation_id FROM exposures
                    WHERE user_key = ?1 AND experiment = ?4 AND exposure_key <= ?6))
            ORDER BY occurred_at, interaction_key
            """)
        person = try database.prepare(
            """
            SELECT user_id, (SELECT count(*) FROM memberships
                WHERE memberships.user_key = users.user_key AND (joined_at IS NULL OR joined_at < ?2))
            FROM users WHERE user_key = ?1
            """)
        exposures.bind(experiment, latest, arrival.exposure)
        self.experiment = experiment
        following = try nextRow()
    }

    private func nextRow() throws(Failure) -> (user: Int64, record: ExposureRecord)? {
        guard try exposures.step() else { return nil }
        var record = ExposureRecord(
            experiment: experiment, arm: exposures.text(1), recommendationID: exposures.text(2),
            firstPosition: Int(exposures.integer(3)), shownCount: Int(exposures.integer(4)),
            filters: exposures.text(5), atMilliseconds: exposures.integer(6))
        record.lastAtMilliseconds = exposures.integer(7)
        record.times = Int(exposures.integer(8))
        record.teams = exposures.optionalText(9)
        record.microseconds = exposures.optionalInteger(10)
        (record.shown, record.settings) = (exposures.optionalText(11), exposures.optionalText(12))
        return (exposures.integer(0), record)
    }

    func next() throws(Failure) -> ExposedMember? {
        guard let first = following else { return nil }
        var records: [ExposureRecord] = []
        while let row = following, row.user == first.user {
            records.append(row.record)
            following = try nextRow()
        }
        interactions.bind(
            first.user, span.lowerBound, span.upperBound, experiment, arrival.interaction, arrival.exposure)
        defer { interactions.reset() }
        person.bind(first.user, first.record.firstAtMilliseconds / 1000)
        defer { person.reset() }
        let isKnown = try person.step()
        return ExposedMember(
            id: isKnown ? person.text(0) : "", exposures: records,
            interactions: try InteractionRecord.all(in: interactions), groupCount: isKnown ? Int(person.integer(1)) : 0)
    }
}

/// Writes exposures, within a transaction of the caller.
struct ExposureWriter {
    /// The number of days, back from the latest one, for which exposures are kept.
    static let daysKept: Int64 = 400

    private static let rest = """
        experiment, day, recommendation_id, first_position, shown_count, filters, arm, times, first_at, last_at, teams,
        microseconds, shown, settings
        """
    private static let columns = "user_key, \(rest)"

    /// The end of a statement that adds rows: another showing of the same page on the same day adds to the row.
    private static let adding = {
        // Whether the page is known to have had these groups, or the groups of either are not known.
        let isKnown = """
            shown IS NULL OR excluded.shown IS NULL OR instr(' ' || shown || ' ', ' ' || excluded.shown || ' ') > 0
            """
        return """
            ON CONFLICT DO UPDATE SET times = times + excluded.times,
                first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at),
                microseconds = microseconds + excluded.microseconds,
                shown = CASE WHEN \(isKnown) THEN shown ELSE shown || ' ' || excluded.shown END,
                teams = CASE WHEN \(isKnown) THEN teams ELSE teams || ' ' || excluded.teams END
            """
    }()

    /// A statement that marks the exposures of the user with the key `?2` in experiments of the user with the key `?1`.
    static let marking = """
        UPDATE OR IGNORE exposures SET arm = '\(ExposureRecord.armOfOtherID)' WHERE user_key = ?2
        AND experiment IN (SELECT experiment FROM exposures WHERE user_key = ?1)
        """

    /// Statements that add the exposures of the user with the key `?2` to those of the user with the key `?1`.
    ///
    /// Rows keep their numbers, which say when they arrived.
    static let merging = [
        "UPDATE OR IGNORE exposures SET user_key = ?1 WHERE user_key = ?2",
        "INSERT INTO exposures (\(columns)) SELECT ?1, \(rest) FROM exposures WHERE user_key = ?2 \(adding)",
    ]

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Adds exposures of a member, and removes exposures of all members that are older than `daysKept`.
    func write(_ records: [ExposureRecord], user: Int64) throws(Failure) {
        for record in records { try write(record, user: user) }
        guard let day = records.map(\.day).max() else { return }
        // A daemon whose clock is far ahead must not remove what is young.
        try database.run(
            """
            DELETE FROM exposures WHERE day < min(?, CAST(strftime('%s', 'now') AS INTEGER) / 86400 - \(Self.daysKept))
            """, day - Self.daysKept)
    }

    private func write(_ record: ExposureRecord, user: Int64) throws(Failure) {
        try database.run(
            "INSERT INTO exposures (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \(Self.adding)",
            user, record.experiment, record.day, record.recommendationID, record.firstPosition, record.shownCount,
            record.filters, record.arm, record.times, record.firstAtMilliseconds, record.lastAtMilliseconds,
            record.teams, record.microseconds, record.shown, record.settings)
    }

    /// Removes all exposures of a member.
    func forget(user: Int64) throws(Failure) {
        try database.run("DELETE FROM exposures WHERE user_key = ?", user)
    }
}
