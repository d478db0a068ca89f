public import Model
import SQLite

extension ChangeJournal {
    /// How far the stream was read.
    public func cursor() throws(CatalogError) -> StreamPosition {
        try wrapping { () throws(DatabaseError) in
            try database.text("SELECT value FROM state WHERE name = 'cursor'").flatMap { StreamPosition($0) } ?? .start
        }
    }

    /// Changes of this journal that are not known to be in the stream, in their order.
    ///
    /// - Parameter sequence: those after this number.
    public func waiting(after sequence: Int64, limit: Int) throws(CatalogError) -> [JournaledChange] {
        var changes: [JournaledChange] = []
        for row in try waitingRows(after: sequence, limit: limit) {
            let change =
                row.body.isEmpty
                ? CatalogChange.member(MemberChange(ofUser: row.userID, .record(row.interactions)))
                : try CatalogChange(encoded: Array(row.body.utf8))
            changes.append(JournaledChange(origin: origin, sequence: row.sequence, change: change))
        }
        return changes
    }

    private func waitingRows(after sequence: Int64, limit: Int) throws(CatalogError)
        -> [(sequence: Int64, body: String, userID: String, interactions: [InteractionRecord])]
    {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT sequence, body, user_id, change_key FROM changes
                WHERE position IS NULL AND origin = ? AND sequence > ? ORDER BY sequence LIMIT ?
                """)
            rows.bind(origin, at: 1)
            rows.bind(sequence, at: 2)
            rows.bind(Int64(limit), at: 3)
            var found: [(sequence: Int64, body: String, userID: String, interactions: [InteractionRecord])] = []
            while try rows.step() {
                let isRecord = rows.text(1).isEmpty
                found.append(
                    (
                        rows.integer(0), rows.text(1), rows.text(2),
                        isRecord ? try interactions(ofChange: rows.integer(3)) : []
                    ))
            }
            return found
        }
    }

    private func interactions(ofChange key: Int64) throws(DatabaseError) -> [InteractionRecord] {
        let rows = try database.prepare(Self.selectInteractions + " WHERE change_key = ? ORDER BY place")
        rows.bind(key, at: 1)
        return try InteractionRecord.all(in: rows)
    }

    /// How many changes are not known to be in the stream, and since when the first of them waits, in Unix
    /// milliseconds.
    public func backlog() throws(CatalogError) -> (count: Int, since: Int64?) {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare("SELECT count(*), min(recorded_at) FROM changes WHERE position IS NULL")
            guard try row.step() else { return (0, nil) }
            return (Int(row.integer(0)), row.optionalInteger(1))
        }
    }

    /// The last change of this journal that is known to be in the stream, and where; nil if none is.
    public func lastSent() throws(CatalogError) -> (position: StreamPosition, sequence: Int64)? {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare(
                """
                SELECT position, sequence FROM changes WHERE origin = ? AND position IS NOT NULL
                ORDER BY sequence DESC LIMIT 1
                """)
            row.bind(origin, at: 1)
            guard try row.step(), let position = StreamPosition(row.text(0)) else { return nil }
            return (position, row.integer(1))
        }
    }

    /// Marks changes of this journal, which the stream has lost, as not sent, and has the stream read from its start.
    ///
    /// - Parameter taken: changes that need not be sent, as they are in a model version.
    public func sendAgain(beyond taken: TakenChanges) throws(CatalogError) {
        try transaction { () throws(DatabaseError) in
            let own = try database.prepare(
                "UPDATE changes SET position = NULL WHERE origin = ?1 AND \(Self.isBeyond)")
            own.bind(origin, at: 1)
            own.bind(taken.json, at: 2)
            try own.run()
            try setCursor(.start)
        }
    }

    /// Erases what was forgotten from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Returns: false if another connection was reading or writing for too long; then call it again.
    public func eraseForgotten() throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in try database.emptyLog() }
    }

    /// Makes the next change of this journal have a number above those that a model version has of it: a journal that
    /// was restored from an older copy would otherwise use numbers twice, and the new changes would be taken for known
    /// ones.
    public func number(beyond taken: TakenChanges) throws(CatalogError) {
        try transaction { () throws(DatabaseError) in
            guard let last = taken.sequences[origin], last > (try lastSequence(of: origin)) else { return }
            try note(last, of: origin)
        }
    }

    /// Removes changes that are in every model version that may serve.
    public func prune(_ taken: TakenChanges) throws(CatalogError) {
        try transaction { () throws(DatabaseError) in
            for statement in [
                """
                DELETE FROM interactions WHERE ?1 IS NULL AND change_key IN
                (SELECT change_key FROM changes WHERE NOT \(Self.isBeyond))
                """, "DELETE FROM changes WHERE ?1 IS NULL AND NOT \(Self.isBeyond)",
            ] {
                let delete = try database.prepare(statement)
                delete.bind(taken.json, at: 2)
                try delete.run()
            }
        }
    }

    func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(CatalogError) -> Result {
        try wrapping { () throws(DatabaseError) in try database.transaction(wrap: { $0 }, body) }
    }

    func setCursor(_ position: StreamPosition) throws(DatabaseError) {
        let set = try database.prepare(
            "INSERT INTO state VALUES ('cursor', ?) ON CONFLICT DO UPDATE SET value = excluded.value")
        set.bind(position.description, at: 1)
        try set.run()
    }

    /// The number of the last change of a journal that is known here; 0 for none.
    func lastSequence(of origin: String) throws(DatabaseError) -> Int64 {
        let row = try database.prepare("SELECT sequence FROM journals WHERE origin = ?")
        row.bind(origin, at: 1)
        return try row.step() ? row.integer(0) : 0
    }

    func note(_ sequence: Int64, of origin: String) throws(DatabaseError) {
        let note = try database.prepare(
            "INSERT INTO journals VALUES (?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence")
        note.bind(origin, at: 1)
        note.bind(sequence, at: 2)
        try note.run()
    }
}
