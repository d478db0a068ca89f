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
        let (interactions, changes) = try wrapping { () throws(DatabaseError) in
            (
                try InteractionRecord.all(
                    in:
                        bound(
                            """
                            \(Self.selectInteractions) WHERE interactions.user_id = ?1 AND \(Self.isBeyond)
                            ORDER BY occurred_at, origin, sequence, place
                            """, id, taken)),
                try bodies(
                    bound(
                        """
                        SELECT body FROM changes WHERE user_id = ?1 AND body <> '' AND \(Self.isBeyond)
                        ORDER BY \(Self.streamOrder)
                        """, id, taken))
            )
        }
        member.interactions = interactions
        for change in try changes.map({ body throws(CatalogError) in try CatalogChange(encoded: Array(body.utf8)) }) {
            guard case .member(let change) = change else { continue }
            switch change.action {
            case .forget(id: nil): member.forgetsEarlier = true
            case .state(let interests): member.interests = interests
            // A single interaction that is forgotten is no longer in the journal.
            case .record, .forget: continue
            }
        }
        return member == RecentMemberChanges() ? nil : member
    }

    /// Interactions of a member that the journal has, in the order in which they were added to it.
    ///
    /// - Returns: nil if there is none with the id `after`.
    public func interactions(ofUser id: String, after: String?, limit: Int) throws(CatalogError) -> [InteractionRecord]?
    {
        try wrapping { () throws(DatabaseError) in
            var begin: (key: Int64, place: Int64) = (0, 0)
            if let after {
                let row = try database.prepare(
                    "SELECT change_key, place FROM interactions WHERE user_id = ? AND id = ? AND NOT is_forgotten")
                row.bind(id, at: 1)
                row.bind(after, at: 2)
                guard try row.step() else { return nil }
                begin = (row.integer(0), row.integer(1))
            }
            let rows = try database.prepare(
                """
                \(Self.selectInteractions) WHERE interactions.user_id = ? AND NOT is_forgotten AND (change_key, place) > (?, ?)
                ORDER BY change_key, place LIMIT ?
                """)
            rows.bind(id, at: 1)
            rows.bind(begin.key, at: 2)
            rows.bind(after == nil ? -1 : begin.place, at: 3)
            rows.bind(Int64(limit), at: 4)
            return try InteractionRecord.all(in: rows)
        }
    }

    /// Decisions of the site, in the order in which they apply.
    public func siteChanges() throws(CatalogError) -> [JournaledChange] {
        let rows: [(String, Int64, String)] = try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT origin, sequence, body FROM changes WHERE user_id IS NULL ORDER BY \(Self.streamOrder)")
            var found: [(String, Int64, String)] = []
            while try rows.step() { found.append((rows.text(0), rows.integer(1), rows.text(2))) }
            return found
        }
        var changes: [JournaledChange] = []
        for (origin, sequence, body) in rows {
            changes.append(
                try JournaledChange(origin: origin, sequence: sequence, encoded: Array(body.utf8)))
        }
        return changes
    }

    /// The order in which changes apply: that of the stream; what is not in the stream yet comes last.
    private static let streamOrder = "position IS NULL, position, change_key"
    /// Whether a change is beyond the numbers that are bound as ?2, a JSON object.
    static let isBeyond = "sequence > coalesce(json_extract(?2, '$.' || origin), 0)"
    static let selectInteractions = """
        SELECT id, kind, group_id, occurred_at, recommendation_id, list_position, variant
        FROM interactions JOIN changes USING (change_key)
        """

    private func bound(_ sql: String, _ user: String, _ taken: TakenChanges) throws(DatabaseError) -> Statement {
        let statement = try database.prepare(sql)
        statement.bind(user, at: 1)
        statement.bind(taken.json, at: 2)
        return statement
    }

    private func bodies(_ rows: Statement) throws(DatabaseError) -> [String] {
        var bodies: [String] = []
        while try rows.step() { bodies.append(rows.text(0)) }
        return bodies
    }
}
