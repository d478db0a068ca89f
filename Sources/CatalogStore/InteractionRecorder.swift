import Changes
import Model
import SQLite

/// Writes members' changes, within a transaction of the caller.
final class InteractionRecorder {
    private let database: Database
    private let users: IdentifierResolver
    private let knownUsers: IdentifierResolver
    private let memberships: MembershipEvents
    private let exposures: ExposureWriter
    private let group: Statement
    private let forgotten: Statement
    private let insert: Statement
    private let known: Statement
    /// Whether the changes come from journals, which acknowledged them before.
    private let isReplaying: Bool
    private let setInterests: Statement
    /// The number of changed rows in tables that a recompute reads; interactions do not count.
    private(set) var contentChanges: Int64 = 0
    /// Whether a join was recorded; a membership may then have a time.
    private(set) var hasJoins = false

    /// Prepares the statements.
    ///
    /// - Parameter isReplaying: whether the changes come from journals. Interactions with private and hidden groups are
    ///   then kept as well, and the first of two with the same id counts.
    init(_ database: Database, isReplaying: Bool = false) throws(DatabaseError) {
        self.database = database
        self.isReplaying = isReplaying
        users = try IdentifierResolver(.users, database, isStrict: false)
        knownUsers = try IdentifierResolver(.users, database, isStrict: true)
        memberships = try MembershipEvents(database)
        exposures = try ExposureWriter(database)
        group = try database.prepare(
            "SELECT group_key FROM groups WHERE group_id = ? AND \(isReplaying ? "true" : CatalogSchema.isShown)")
        known = try database.prepare(Catalog.selectInteractions + "AND id = ?")
        forgotten = try database.prepare("SELECT 1 FROM forgotten_members WHERE user_id = ?")
        insert = try database.prepare(
            """
            INSERT INTO interactions
            (user_key, id, kind, group_key, occurred_at, recommendation_id, position, variant)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_key, id) DO NOTHING
            """)
        setInterests = try database.prepare(
            "UPDATE users SET interests = ?1 WHERE user_key = ?2 AND interests IS NOT ?1")
    }

    func apply(_ change: MemberChange) throws(DatabaseError) -> MemberChange.Outcome {
        var groups: [Int64] = []
        let refusal = try change.refusal { id throws(DatabaseError) in
            group.bind(id, at: 1)
            defer { group.reset() }
            guard try group.step() else { return false }
            groups.append(group.integer(0))
            return true
        }
        if let refusal { return refusal }
        if try isForgotten(change.userID) { return .unknownMember }
        switch change.action {
        case .record(let interactions): return try record(interactions, with: groups, ofUser: change.userID)
        case .state(let interests):
            let user = try key(ofUser: change.userID)
            setInterests.bind(interests.isEmpty ? nil : interests.joined(separator: ";"), at: 1)
            setInterests.bind(user, at: 2)
            try counting { () throws(DatabaseError) in try setInterests.run() }
            return .stated
        case .forget(let id):
            guard let user = try knownUsers.key(of: change.userID) else { return .unknownMember }
            if id == nil { try exposures.forget(user: user) }
            return .forgotten(try forget(id, ofUser: user))
        case .expose(let records):
            let user = try key(ofUser: change.userID)
            try exposures.write(records, user: user)
            return .exposed
        }
    }

    /// Whether a member was forgotten, and delayed changes must not bring the member back.
    private func isForgotten(_ id: String) throws(DatabaseError) -> Bool {
        forgotten.bind(id, at: 1)
        defer { forgotten.reset() }
        return try forgotten.step()
    }

    /// - Parameter groups: the keys of the interactions' groups, in their order.
    private func record(_ interactions: [InteractionRecord], with groups: [Int64], ofUser id: String)
        throws(DatabaseError) -> MemberChange.Outcome
    {
        if !isReplaying, let index = try InteractionRecord.indexOfOtherContent(in: interactions, ofUser: id, known) {
            return .otherContent(at: index)
        }
        let user = try key(ofUser: id)
        var new = 0
        for (interaction, group) in zip(interactions, groups) {
            guard try write(interaction, user: user, group: group) else { continue }
            new += 1
            guard interaction.kind.changesMembership else { continue }
            if interaction.kind == .join { hasJoins = true }
            try counting { () throws(DatabaseError) in try memberships.settle(group: group, user: user) }
        }
        return .recorded(new: new, repeated: interactions.count - new)
    }

    /// - Returns: whether the interaction was new.
    private func write(_ interaction: InteractionRecord, user: Int64, group: Int64) throws(DatabaseError) -> Bool {
        insert.bind(user, at: 1)
        insert.bind(interaction.id, at: 2)
        insert.bind(interaction.kind.number, at: 3)
        insert.bind(group, at: 4)
        insert.bind(interaction.atMilliseconds, at: 5)
        insert.bind(interaction.recommendationID, at: 6)
        insert.bind(interaction.position.map { Int64($0) }, at: 7)
        insert.bind(interaction.variant, at: 8)
        let before = database.totalChanges
        try insert.run()
        return database.totalChanges > before
    }

    private func forget(_ id: String?, ofUser user: Int64) throws(DatabaseError) -> Int {
        let delete = try database.prepare(
            "DELETE FROM interactions WHERE user_key = ?1 AND (?2 IS NULL OR id = ?2)")
        delete.bind(user, at: 1)
        delete.bind(id, at: 2)
        let before = database.totalChanges
        try delete.run()
        return Int(database.totalChanges - before)
    }

    private func key(ofUser id: String) throws(DatabaseError) -> Int64 {
        try counting { () throws(DatabaseError) in
            guard let key = try users.key(of: id) else { preconditionFailure("users that are missing are made") }
            return key
        }
    }

    private func counting<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
        let before = database.totalChanges
        let result = try body()
        contentChanges += database.totalChanges - before
        return result
    }
}

/// Applies joins and leaves to the memberships.
struct MembershipEvents {
    private let latest: Statement
    private let join: Statement
    private let leave: Statement

    init(_ database: Database) throws(DatabaseError) {
        latest = try database.prepare(
            """
            SELECT kind, occurred_at FROM interactions WHERE group_key = ? AND user_key = ? AND \(Catalog.changesMembership)
            ORDER BY occurred_at DESC, interaction_key DESC LIMIT 1
            """)
        join = try database.prepare(
            """
            INSERT INTO memberships (group_key, user_key, joined_at) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET joined_at = excluded.joined_at
            WHERE joined_at IS NULL OR joined_at < excluded.joined_at
            """)
        leave = try database.prepare(
            "DELETE FROM memberships WHERE group_key = ? AND user_key = ? AND (joined_at IS NULL OR joined_at <= ?)")
    }

    /// Adds or removes a membership as the latest join or leave says; a membership that began later stays.
    func settle(group: Int64, user: Int64) throws(DatabaseError) {
        latest.bind(group, at: 1)
        latest.bind(user, at: 2)
        guard try latest.step() else { return }
        let hasJoined = latest.integer(0) == Interaction.Kind.join.number
        let seconds = latest.integer(1) / 1000
        latest.reset()
        try (hasJoined ? join : leave).run(group, user, seconds)
    }
}

extension InteractionRecord {
    /// Returns the index of the first interaction with the id of a known or an earlier one that says something else.
    ///
    /// - Parameter known: a query for the columns that `all` reads; its parameters are the ids of the user and an
    ///   interaction.
    static func indexOfOtherContent(in interactions: [InteractionRecord], ofUser user: String, _ known: Statement)
        throws(DatabaseError) -> Int?
    {
        var first: [BytewiseString: InteractionRecord] = [:]
        for (index, interaction) in interactions.enumerated() {
            let id = BytewiseString(interaction.id)
            if first[id] == nil {
                known.bind(user, at: 1)
                known.bind(interaction.id, at: 2)
                defer { known.reset() }
                first[id] = try all(in: known).first ?? interaction
            }
            if let first = first[id], !interaction.says(theSameAs: first) { return index }
        }
        return nil
    }

    /// Returns the interactions of a query's rows.
    ///
    /// - Parameters:
    ///   - rows: rows of an id, the number of a kind, a group's external id and a time. The last columns are the id of
    ///     the list, the position in the list and the variant.
    ///   - isWanted: whether a row is returned.
    static func all(in rows: Statement, where isWanted: (Statement) -> Bool = { _ in true }) throws(DatabaseError)
        -> [InteractionRecord]
    {
        var interactions: [InteractionRecord] = []
        while try rows.step() {
            guard isWanted(rows), let kind = Interaction.Kind(number: rows.integer(1)) else { continue }
            interactions.append(
                InteractionRecord(
                    id: rows.text(0), kind, groupID: rows.text(2), atMilliseconds: rows.milliseconds(3),
                    recommendationID: rows.optionalText(4), position: rows.optionalInteger(5).map { Int($0) },
                    variant: rows.optionalText(6)))
        }
        return interactions
    }
}
