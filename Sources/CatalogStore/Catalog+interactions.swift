import Model
import SQLite

extension Catalog {
    /// Interactions of a member in the order in which they were recorded.
    ///
    /// - Parameters:
    ///   - id: the member's external id.
    ///   - after: the id of the interaction before the first one wanted; nil: from the beginning.
    ///   - limit: how many at most.
    /// - Returns: nil if the member has no interaction with the id `after`; none for a member who is not known.
    public func interactions(ofUser id: String, after: String? = nil, limit: Int) throws(CatalogError)
        -> [InteractionRecord]?
    {
        try wrapping { () throws(DatabaseError) in
            var begin: Int64 = 0
            if let after {
                let row = try database.prepare(
                    "SELECT interaction_key FROM interactions JOIN users USING (user_key) WHERE user_id = ? AND id = ?")
                row.bind(id, at: 1)
                row.bind(after, at: 2)
                guard try row.step() else { return nil }
                begin = row.integer(0)
            }
            let rows = try database.prepare(
                Self.selectInteractions + "AND interaction_key > ? ORDER BY interaction_key LIMIT ?")
            rows.bind(id, at: 1)
            rows.bind(begin, at: 2)
            rows.bind(Int64(limit), at: 3)
            return try InteractionRecord.all(in: rows)
        }
    }

    /// All interactions of a member that change a list, in the order in which they were recorded.
    ///
    /// - Parameter impressionsSince: impressions before it are left out; in Unix milliseconds.
    public func history(ofUser id: String, impressionsSince: Int64) throws(CatalogError) -> [InteractionRecord] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                Self.selectInteractions + "AND (kind <> ? OR occurred_at >= ?) ORDER BY interaction_key")
            rows.bind(id, at: 1)
            rows.bind(Interaction.Kind.impression.code, at: 2)
            rows.bind(impressionsSince, at: 3)
            return try InteractionRecord.all(in: rows)
        }
    }

    /// The latest time of the interactions that a member recorded last, in Unix milliseconds; nil if there are none.
    ///
    /// A time that is to come was recorded by a clock that was ahead: whatever the member does next comes after it.
    public func latestInteractionTime(ofUser id: String) throws(CatalogError) -> Int64? {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare(
                """
                SELECT max(occurred_at) FROM (SELECT occurred_at FROM interactions
                    WHERE user_key = (SELECT user_key FROM users WHERE user_id = ?)
                    ORDER BY interaction_key DESC LIMIT 64)
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
                database, where: "user_key = (SELECT user_key FROM users WHERE user_id = ?1)", ofUser: id,
                since: recent)
        }
    }

    /// What `InteractionRecord.all` reads, of the user who is the first parameter; conditions may follow.
    static let selectInteractions = """
        SELECT id, kind, group_id, occurred_at, recommendation_id, position, variant
        FROM interactions JOIN users USING (user_key) JOIN groups USING (group_key) WHERE user_id = ?
        """ + " "

    /// Reapplies all joins and leaves to the memberships, after an import has written some.
    ///
    /// Call it within the transaction of the import.
    func reapplyInteractions() throws(DatabaseError) {
        let pairs = try database.prepare("SELECT DISTINCT group_key, user_key FROM interactions WHERE kind < 2")
        let memberships = try MembershipEvents(database)
        while try pairs.step() { try memberships.settle(group: pairs.integer(0), user: pairs.integer(1)) }
    }
}
