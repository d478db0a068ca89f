public import Model
import SQLite

extension ChangeJournal {
    /// Which changes are here, by the journal that they were made in.
    ///
    /// - Complexity: O(journals · log changes).
    public func kept() throws(CatalogError) -> [String: KeptNumbers] {
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

    /// Changes of a journal as they are sent on, in the order of their numbers.
    ///
    /// What was forgotten is no longer in them; a change of which nothing is left is an empty one.
    ///
    /// - Parameter sequence: those after this number.
    public func changes(of origin: String, after sequence: Int64, limit: Int) throws(CatalogError) -> [JournaledChange]
    {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT origin, sequence, stamp, body, user_id, change_key FROM changes
                WHERE origin = ? AND sequence > ? ORDER BY sequence LIMIT ?
                """)
            rows.bind(origin, at: 1)
            rows.bind(sequence, at: 2)
            rows.bind(Int64(limit), at: 3)
            var changes: [JournaledChange] = []
            while try rows.step() {
                var change = Self.change(rows)
                if rows.bytes(3).isEmpty, let user = rows.optionalText(4) {
                    let interactions = try interactions(ofChange: rows.integer(5))
                    change.content = .change(.member(MemberChange(ofUser: user, .record(interactions))))
                }
                changes.append(change)
            }
            return changes
        }
    }

    private func interactions(ofChange key: Int64) throws(DatabaseError) -> [InteractionRecord] {
        let rows = try database.prepare(Self.selectInteractions + " WHERE change_key = ? ORDER BY place")
        rows.bind(key, at: 1)
        return try InteractionRecord.all(in: rows)
    }

    /// When a change was recorded here, in Unix milliseconds; nil if it is not here.
    public func timeRecorded(_ sequence: Int64, of origin: String) throws(CatalogError) -> Int64? {
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
    public func backlog(in exchange: ChangeExchange) throws(CatalogError) -> (count: Int, since: Int64?) {
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
    public func prune(_ taken: TakenChanges) throws(CatalogError) {
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
}
