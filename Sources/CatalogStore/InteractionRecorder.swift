import Basics
import Changes
package import Model
import SQLite

/// Writes members' changes from journals, within a transaction of the caller.
final class InteractionRecorder {
    private let catalog: Catalog
    private var database: Database { catalog.database }
    private let users: IdentifierResolver
    /// The appliers of events, by the table of pairs that they change.
    private var pairs: [RelationSource: PairEvents] = [:]
    private let exposures: ExposureWriter
    private let ledger: LedgerTable
    /// The number of changed rows in tables that a recompute reads; interactions do not count.
    private(set) var contentChanges: Int64 = 0
    /// The tables of pairs that got a pair, which may have a time.
    private(set) var timed: Set<RelationSource> = []

    init(_ catalog: Catalog) throws(Failure) {
        self.catalog = catalog
        users = try IdentifierResolver(.users, catalog.database, isStrict: false)
        exposures = ExposureWriter(catalog.database)
        ledger = try LedgerTable(catalog.facts.database)
    }

    /// Applies a change, without its interactions with groups, photos and members that do not exist.
    ///
    /// - Parameter stamp: the stamp of the change, in milliseconds.
    /// - Returns: the number of interactions that were left out.
    func apply(_ change: MemberChange, stamp: Int64) throws(Failure) -> Int {
        // A delayed change brings no forgotten member back.
        let isForgotten = try ledger.isForgotten(change.userID)
        switch change.action {
        case .record(let interactions):
            var known: [(record: InteractionRecord, subject: Int64)] = []
            for record in interactions {
                if let subject = try key(ofSubject: record) { known.append((record, subject)) }
            }
            // A change without interactions makes no member.
            if !known.isEmpty, !isForgotten { try record(known, ofUser: change.userID) }
            return interactions.count - known.count
        case _ where isForgotten: break
        case .state(let interests):
            let user = try key(ofUser: change.userID)
            try counting { () throws(Failure) in
                try database.run(
                    """
                    UPDATE users SET interests = ?1, interests_stamp = ?3
                    WHERE user_key = ?2 AND (interests_stamp IS NULL OR interests_stamp <= ?3)
                        AND (interests IS NOT ?1 OR interests_stamp IS NOT ?3)
                    """, interests.isEmpty ? nil : interests.joined(separator: ";"), user, stamp)
            }
        case .forget(let id):
            guard let user = try catalog.facts.key(of: change.userID, in: .users) else { break }
            if id == nil { try exposures.forget(user: user) }
            try forget(id, ofUser: user)
        case .expose(let records): try exposures.write(records, user: try key(ofUser: change.userID))
        }
        return 0
    }

    /// Returns the key of the group, photo or member that an interaction is about, or nil if there is none.
    ///
    /// It is 0 for an interaction that is about the member's own list.
    private func key(ofSubject record: InteractionRecord) throws(Failure) -> Int64? {
        guard let table = record.kind.subject?.table else { return 0 }
        if table == .users, try ledger.isForgotten(record.subjectID) { return nil }
        return try catalog.facts.key(of: record.subjectID, in: table)
    }

    /// Records interactions with the keys of their subjects; the first with an id counts.
    private func record(_ interactions: [(record: InteractionRecord, subject: Int64)], ofUser id: String)
        throws(Failure)
    {
        let user = try key(ofUser: id)
        for (interaction, subject) in interactions {
            guard try write(interaction, user: user, subject: subject), let change = interaction.kind.pairChange
            else { continue }
            if change.adds { timed.insert(change.source) }
            let events =
                if let known = pairs[change.source] { known } else { try PairEvents(database, change.source) }
            pairs[change.source] = events
            try counting { () throws(Failure) in
                if change.source.rows == .users {
                    _ = try events.settle(row: user, entry: subject)
                } else {
                    _ = try events.settle(row: subject, entry: user)
                }
            }
        }
    }

    /// - Returns: whether the interaction was new.
    private func write(_ interaction: InteractionRecord, user: Int64, subject: Int64) throws(Failure) -> Bool {
        let kind = interaction.kind.subject
        let before = database.totalChanges
        try database.run(
            """
            INSERT INTO interactions
            (user_key, id, kind, group_key, photo_key, followed_key, occurred_at, recommendation_id, position, variant,
                seconds)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_key, id) DO NOTHING
            """, user, interaction.id, interaction.kind.number, kind == .group ? subject : 0,
            kind == .photo ? subject : nil, kind == .user ? subject : nil, interaction.atMilliseconds,
            interaction.recommendationID, interaction.position, interaction.variant, interaction.seconds)
        return database.totalChanges > before
    }

    /// Forgets one or all interactions of a member.
    ///
    /// The time at which a pair began or ended stays. Without it, an older file or a late report would undo it.
    private func forget(_ id: String?, ofUser user: Int64) throws(Failure) {
        let isMeant = "user_key = ?1 AND is_forgotten = 0 AND (?2 IS NULL OR id = ?2)"
        let pairs = Interaction.Kind.pairNumbers
        for statement in [
            "DELETE FROM interactions WHERE \(isMeant) AND kind NOT IN (\(pairs))",
            """
            UPDATE interactions SET is_forgotten = 1, recommendation_id = NULL, position = NULL, variant = NULL
            WHERE \(isMeant) AND kind IN (\(pairs))
            """,
        ] {
            try database.run(statement, user, id)
        }
    }

    private func key(ofUser id: String) throws(Failure) -> Int64 {
        try counting { () throws(Failure) in
            guard let key = try users.key(of: id) else { preconditionFailure("users that are missing are made") }
            return key
        }
    }

    private func counting<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let before = database.totalChanges
        let result = try body()
        contentChanges += database.totalChanges - before
        return result
    }
}

/// Applies recorded events to a table of pairs: joins and leaves to the memberships, favourites, follows.
///
/// The rule is that of `PairState`; the interactions' keys are the order in which they arrived.
/// A pair whose time is still to come is older than any event, like one without a time. Otherwise a mistake in a file
/// would win for years over what the member does.
struct PairEvents {
    /// The SQL of the latest time that is not still to come, in Unix seconds: the clock of a file's writer may be
    /// ahead.
    static let latestTime = "unixepoch() + \(RelationSource.clockLeadSeconds)"

    private let database: Database
    private let latest: Statement
    private let add: Statement
    private let remove: Statement

    init(_ database: Database, _ source: RelationSource) throws(Failure) {
        self.database = database
        let (table, row, entry, time) = (source.table, source.rowColumn, source.entryColumn, source.timeColumn)
        let isUnknown = "(\(time) IS NULL OR \(time) > \(Self.latestTime))"
        latest = try database.prepare(
            """
            SELECT kind, occurred_at FROM interactions WHERE \(row) = ? AND \(entry) = ? AND \(source.isChanged)
            ORDER BY occurred_at / 1000 DESC, interaction_key DESC LIMIT 1
            """)
        add = try database.prepare(
            """
            INSERT INTO \(table) (\(row), \(entry), \(time)) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET \(time) = excluded.\(time)
            WHERE \(time) IS NOT excluded.\(time) AND (\(isUnknown) OR \(time) < excluded.\(time))
            """)
        remove = try database.prepare(
            "DELETE FROM \(table) WHERE \(row) = ? AND \(entry) = ? AND (\(isUnknown) OR \(time) <= ?)")
    }

    /// Returns whether nothing that the catalog knows of a pair is later than what a member told, by the same rule.
    static func isLatest(
        _ change: ToldChange, of pair: (row: Int64, entry: Int64), _ source: RelationSource, _ database: ReadingDatabase
    ) throws(Failure) -> Bool {
        let (row, entry, time) = (source.rowColumn, source.entryColumn, source.timeColumn)
        let known = try database.prepare(
            """
            SELECT max(\(time)) FROM \(source.table) WHERE \(row) = ?1 AND \(entry) = ?2 AND \(time) <= \(latestTime)
            UNION ALL SELECT max(occurred_at / 1000) FROM interactions
            WHERE \(row) = ?1 AND \(entry) = ?2 AND \(source.isChanged)
            """, pair.row, pair.entry)
        defer { known.reset() }
        while try known.step() { if known.optionalInteger(0) ?? .min > change.seconds { return false } }
        return true
    }

    /// Applies all recorded events to a table of pairs again, after an import has written some pairs.
    ///
    /// Call it within the transaction of the import.
    ///
    /// - Returns: the number of pairs that the import has written and that a later event removed.
    static func reapply(to source: RelationSource, _ database: Database) throws(Failure) -> Int {
        guard RelationSource.changed.contains(source) else { return 0 }
        let pairs = try database.prepare(
            """
            SELECT DISTINCT \(source.rowColumn), \(source.entryColumn) FROM interactions WHERE \(source.isChanged)
            """)
        let events = try PairEvents(database, source)
        var removed = 0
        while try pairs.step() {
            if try events.settle(row: pairs.integer(0), entry: pairs.integer(1)) { removed += 1 }
        }
        return removed
    }

    /// Adds or removes a pair as the latest event says; a pair that began later stays.
    ///
    /// - Returns: whether a pair was removed.
    func settle(row: Int64, entry: Int64) throws(Failure) -> Bool {
        latest.bind(row, entry)
        guard try latest.step() else { return false }
        let adds = Interaction.Kind(number: latest.integer(0))?.pairChange?.adds == true
        let seconds = latest.integer(1) / 1000
        latest.reset()
        let before = database.totalChanges
        try (adds ? add : remove).run(row, entry, seconds)
        return !adds && database.totalChanges > before
    }
}

extension RelationSource {
    /// The seconds that a file's clock may be ahead, inclusive.
    ///
    /// A later time counts as unknown, in an import and in a catalog.
    package static let clockLeadSeconds: Int64 = 300

    /// The SQL condition for an interaction to change the table; that of its partial index.
    var isChanged: String { "kind IN (\(Interaction.Kind.numbers(changing: self)))" }

    /// The tables that interactions change.
    static let changed = Interaction.Kind.changedSources
}

extension InteractionRecord {
    /// Returns the interactions of a query's rows.
    ///
    /// - Parameters:
    ///   - rows: rows of an id, the number of a kind, the subject's external id and a time. The last columns are the id
    ///     of the list, the position in the list, the variant and the seconds of a view.
    ///   - isWanted: whether a row is returned.
    static func all(in rows: Statement, where isWanted: (Statement) -> Bool = { _ in true }) throws(Failure)
        -> [InteractionRecord]
    {
        var interactions: [InteractionRecord] = []
        while try rows.step() {
            guard isWanted(rows), let kind = Interaction.Kind(number: rows.integer(1)) else { continue }
            interactions.append(
                InteractionRecord(
                    id: rows.text(0), kind, subjectID: rows.text(2), atMilliseconds: rows.milliseconds(3),
                    recommendationID: rows.optionalText(4), position: rows.optionalInteger(5).map { Int($0) },
                    variant: rows.optionalText(6), seconds: rows.optionalInteger(7).map { Int($0) }))
        }
        return interactions
    }
}
