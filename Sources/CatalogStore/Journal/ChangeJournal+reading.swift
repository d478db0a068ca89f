public import Model
import SQLite

/// What a member changed since a model version was made, according to a journal.
public struct RecentMemberChanges: Sendable, Equatable {
    /// What the member did, in an order that is the same in all journals that have the same changes.
    public var interactions: [InteractionRecord] = []
    /// Whether the member had everything forgotten that came before.
    public var forgetsEarlier = false
    /// The stated interests, if they were stated since.
    public var interests: [String]?
    /// Entries of relations that the site removed.
    public var removals: [RemovedEntry] = []
    /// Whether the site removed the member; then nothing else is known of them.
    public var isForgotten = false

    /// An entry of a relation between groups and users that the site removed.
    public struct RemovedEntry: Sendable, Equatable {
        /// The group's external id.
        public var groupID: String
        /// The relation's table.
        public var table: String
        /// When, in Unix milliseconds.
        public var atMilliseconds: Int64
    }

    /// Nothing.
    public init() {}
}

extension ChangeJournal {
    /// The changes of a member; nil if there are none.
    ///
    /// - Parameter taken: changes that are in a model version, and left out.
    public func recentChanges(ofUser id: String, beyond taken: TakenChanges = .none) throws(CatalogError)
        -> RecentMemberChanges?
    {
        var member = RecentMemberChanges()
        let changes: [JournaledChange]
        (member.interactions, changes) = try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                \(Self.selectInteractions) WHERE interactions.user_id = ?1 AND \(Self.isFirstOfItsID)
                ORDER BY occurred_at, \(Self.order), place
                """)
            rows.bind(id, at: 1)
            let interactions = try InteractionRecord.all(in: rows) { row in
                !taken.contains(row.integer(8), of: row.text(7))
            }
            let bodies = try database.prepare(
                """
                SELECT origin, sequence, stamp, body FROM changes
                WHERE user_id = ? AND length(body) > 0 AND NOT \(Self.isExposure)
                ORDER BY \(Self.order)
                """)
            bodies.bind(id, at: 1)
            var changes: [JournaledChange] = []
            while try bodies.step() { changes.append(Self.change(bodies)) }
            return (interactions, changes)
        }
        for change in changes where !taken.contains(change.sequence, of: change.origin) {
            switch change.change {
            case .member(let change):
                switch change.action {
                case .forget(id: nil): member.forgetsEarlier = true
                case .state(let interests): member.interests = interests
                // A single interaction that is forgotten is no longer in the journal.
                case .record, .forget, .expose: continue
                }
            case .removal(let change):
                if change.forgottenUserID != nil {
                    member = RecentMemberChanges()
                    member.isForgotten = true
                    return member
                }
                guard case .user(_, let group, let table) = change.subject else { continue }
                member.removals.append(.init(groupID: group, table: table, atMilliseconds: change.atMilliseconds))
            case .site, nil: continue
            }
        }
        return member == RecentMemberChanges() ? nil : member
    }

    /// Interactions of a member that the journal has, in the order in which their changes apply.
    ///
    /// - Returns: nil if there is none with the id `after`.
    public func interactions(ofUser id: String, after: String?, limit: Int) throws(CatalogError) -> [InteractionRecord]?
    {
        try wrapping { () throws(DatabaseError) in
            var begin = (stamp: ChangeStamp(milliseconds: -1, origin: "", sequence: 0), place: Int64(-1))
            if let after {
                let row = try database.prepare(
                    """
                    SELECT stamp, origin, sequence, place FROM interactions JOIN changes USING (change_key)
                    WHERE interactions.user_id = ? AND id = ? AND NOT is_forgotten ORDER BY \(Self.order)
                    """)
                row.bind(id, at: 1)
                row.bind(after, at: 2)
                guard try row.step() else { return nil }
                begin.stamp = ChangeStamp(
                    milliseconds: row.integer(0), origin: row.text(1), sequence: row.integer(2))
                begin.place = row.integer(3)
            }
            let rows = try database.prepare(
                """
                \(Self.selectInteractions) WHERE interactions.user_id = ?1 AND NOT is_forgotten
                AND (stamp, origin, sequence, place) > (?2, ?3, ?4, ?5) AND \(Self.isFirstOfItsID)
                ORDER BY \(Self.order), place LIMIT ?6
                """)
            rows.bind(id, at: 1)
            rows.bind(begin.stamp.milliseconds, at: 2)
            rows.bind(begin.stamp.origin, at: 3)
            rows.bind(begin.stamp.sequence, at: 4)
            rows.bind(begin.place, at: 5)
            rows.bind(Int64(limit), at: 6)
            return try InteractionRecord.all(in: rows)
        }
    }

    /// The latest time of the interactions that came last of a member, in Unix milliseconds; nil if there are none.
    ///
    /// A time that is to come was recorded by a clock that was ahead: whatever the member does next comes after it.
    public func latestInteractionTime(ofUser id: String) throws(CatalogError) -> Int64? {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare(
                """
                SELECT max(occurred_at) FROM (SELECT change_key FROM changes
                    WHERE user_id = ? AND NOT \(Self.isExposure) ORDER BY change_key DESC LIMIT 16)
                    JOIN interactions USING (change_key)
                """)
            row.bind(id, at: 1)
            return try row.step() ? row.optionalInteger(0) : nil
        }
    }

    /// How much is recorded of what a member did.
    ///
    /// - Parameter recent: the moment since which interactions are recent, in Unix milliseconds.
    public func recordedAmount(ofUser id: String, recent: Int64) throws(CatalogError) -> RecordedAmount {
        try wrapping { () throws(DatabaseError) in
            try RecordedAmount.sum(
                database, where: "user_id = ?1 AND NOT is_forgotten", ofUser: id, since: recent)
        }
    }

    /// Changes that concern everybody, in the order in which they apply; those that this program cannot read are left
    /// out.
    public func siteChanges() throws(CatalogError) -> [JournaledChange] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT origin, sequence, stamp, body FROM changes WHERE user_id IS NULL ORDER BY \(Self.order)")
            var changes: [JournaledChange] = []
            while try rows.step() { changes.append(Self.change(rows)) }
            return changes.filter { $0.change != nil }
        }
    }

    /// A change that is not of interactions, from a row of an origin, a number, a stamp and a body.
    static func change(_ row: Statement) -> JournaledChange {
        JournaledChange(
            origin: row.text(0), sequence: row.integer(1), stampMilliseconds: row.integer(2), encoded: row.bytes(3))
    }

    /// Whether a change is of exposures: lists depend on none of them, and a member may have many.
    ///
    /// Told by how the body begins, as `CatalogChange.encoded` writes it.
    static let isExposure = "substr(body, 1, \(exposureBeginning.utf8.count)) IS CAST('\(exposureBeginning)' AS BLOB)"
    static let exposureBeginning = #"{"member":{"_0":{"action":{"expose":"#
    /// The order in which changes apply, that of `ChangeStamp`.
    static let order = "stamp, origin, sequence"
    /// Rows of `InteractionRecord.all`, and of which change they are.
    static let selectInteractions = """
        SELECT id, kind, group_id, occurred_at, recommendation_id, list_position, variant, origin, sequence
        FROM interactions JOIN changes USING (change_key)
        """
    /// Whether no earlier change of the user, who is bound as ?1, has an interaction of the same id.
    private static let isFirstOfItsID = """
        NOT EXISTS (SELECT 1 FROM interactions AS other JOIN changes AS its ON its.change_key = other.change_key
            WHERE other.user_id = ?1 AND other.id = interactions.id
            AND (its.stamp, its.origin, its.sequence) < (changes.stamp, changes.origin, changes.sequence))
        """
}
