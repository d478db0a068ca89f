public import Model
import SQLite

extension ChangeJournal {
    /// Records changes of this daemon's in one transaction; they are durable when this returns.
    ///
    /// An interaction whose id the member has already is left as it is. Whether groups exist is not checked here.
    ///
    /// - Parameter now: Unix milliseconds.
    /// - Returns: what came of each change, in their order.
    /// - Throws: `CatalogError`; then nothing of them all was recorded.
    public func record(_ changes: [CatalogChange], at now: Int64) throws(CatalogError) -> [CatalogChange.Outcome] {
        try transaction { () throws(DatabaseError) in
            var sequence = try lastSequence(of: origin)
            var outcomes: [CatalogChange.Outcome] = []
            for change in changes {
                let (outcome, isNew) = try record(change, sequence: sequence + 1, at: now)
                if isNew { sequence += 1 }
                outcomes.append(outcome)
            }
            try note(sequence, of: origin)
            return outcomes
        }
    }

    /// Adds what was read from the stream, in one transaction that is durable when this returns.
    ///
    /// Changes of this journal's own that are among it are noted as sent.
    ///
    /// - Parameters:
    ///   - entries: in the order of the stream.
    ///   - position: how far the stream was read, at or after the last of them.
    ///   - now: Unix milliseconds.
    /// - Returns: the changes that were not known before.
    public func follow(
        _ entries: [(position: StreamPosition, change: JournaledChange)], through position: StreamPosition,
        at now: Int64
    ) throws(CatalogError) -> [CatalogChange] {
        try transaction { () throws(DatabaseError) in
            let move = try database.prepare("UPDATE changes SET position = ? WHERE origin = ? AND sequence = ?")
            var new: [CatalogChange] = []
            for (position, change) in entries {
                if change.sequence > (try lastSequence(of: change.origin)) {
                    try insert(change, position: position, at: now)
                    try note(change.sequence, of: change.origin)
                    new.append(change.change)
                } else {
                    // It may have had another position before, if the stream was lost and made anew.
                    move.bind(position.sortable, at: 1)
                    move.bind(change.origin, at: 2)
                    move.bind(change.sequence, at: 3)
                    try move.run()
                }
                if case .member(let change) = change.change, case .forget(let id) = change.action {
                    try forget(id, ofUser: change.userID, before: position)
                }
            }
            try setCursor(position)
            return new
        }
    }

    private func record(_ change: CatalogChange, sequence: Int64, at now: Int64) throws(DatabaseError)
        -> (CatalogChange.Outcome, isNew: Bool)
    {
        var own = JournaledChange(origin: origin, sequence: sequence, change: change)
        switch change {
        case .site:
            try insert(own, position: nil, at: now)
            return (.site(.changed), true)
        case .member(var member):
            switch member.action {
            case .record(let interactions):
                // The same id may come twice in one batch as well.
                var ids: Set<BytewiseString> = []
                var kept: [InteractionRecord] = []
                for interaction in interactions where ids.insert(BytewiseString(interaction.id)).inserted {
                    if try !isKnown(interaction.id, ofUser: member.userID) { kept.append(interaction) }
                }
                guard !kept.isEmpty else { return (.member(.recorded(new: 0, repeated: interactions.count)), false) }
                member.action = .record(kept)
                own.change = .member(member)
                try insert(own, position: nil, at: now)
                return (.member(.recorded(new: kept.count, repeated: interactions.count - kept.count)), true)
            case .forget(let id):
                let count = try forget(id, ofUser: member.userID, before: nil)
                try insert(own, position: nil, at: now)
                return (.member(.forgotten(count)), true)
            case .state:
                try insert(own, position: nil, at: now)
                return (.member(.stated), true)
            }
        }
    }

    private func insert(_ change: JournaledChange, position: StreamPosition?, at now: Int64) throws(DatabaseError) {
        let row = try database.prepare(
            """
            INSERT INTO changes (origin, sequence, position, user_id, body, recorded_at) VALUES (?, ?, ?, ?, ?, ?)
            """)
        row.bind(change.origin, at: 1)
        row.bind(change.sequence, at: 2)
        row.bind(position?.sortable, at: 3)
        row.bind(change.change.userID, at: 4)
        row.bind(now, at: 6)
        guard case .member(let member) = change.change, case .record(let interactions) = member.action else {
            row.bind(String(decoding: change.change.encoded, as: UTF8.self), at: 5)
            return try row.run()
        }
        row.bind("", at: 5)
        try row.run()
        let key = database.lastInsertedRowID
        let insert = try database.prepare(
            "INSERT INTO interactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING")
        for (place, interaction) in interactions.enumerated() {
            insert.bind(member.userID, at: 1)
            insert.bind(interaction.id, at: 2)
            insert.bind(key, at: 3)
            insert.bind(Int64(place), at: 4)
            insert.bind(interaction.kind.code, at: 5)
            insert.bind(interaction.groupID, at: 6)
            insert.bind(interaction.atMilliseconds, at: 7)
            insert.bind(interaction.recommendationID, at: 8)
            insert.bind(interaction.position.map { Int64($0) }, at: 9)
            insert.bind(interaction.variant, at: 10)
            try insert.run()
        }
    }

    /// Forgets interactions of a user, one or all; memberships that joins and leaves led to stay.
    ///
    /// - Parameter position: only those that are in the stream before it; nil: all.
    /// - Returns: how many there were.
    @discardableResult
    private func forget(_ id: String?, ofUser user: String, before position: StreamPosition?) throws(DatabaseError)
        -> Int
    {
        let condition = """
            user_id = ?1 AND (?2 IS NULL OR id = ?2) AND NOT is_forgotten AND (?3 IS NULL OR change_key IN
            (SELECT change_key FROM changes WHERE user_id = ?1 AND position < ?3))
            """
        let before = database.totalChanges
        for statement in [
            "DELETE FROM interactions WHERE kind > \(Interaction.Kind.leave.code) AND \(condition)",
            """
            UPDATE interactions SET is_forgotten = 1, recommendation_id = NULL, list_position = NULL, variant = NULL
            WHERE \(condition)
            """,
        ] {
            let forget = try database.prepare(statement)
            forget.bind(user, at: 1)
            forget.bind(id, at: 2)
            forget.bind(position?.sortable, at: 3)
            try forget.run()
        }
        let count = Int(database.totalChanges - before)
        // Changes of which nothing is left need not be sent.
        let clear = try database.prepare(
            """
            DELETE FROM changes WHERE user_id = ? AND body = '' AND NOT EXISTS
            (SELECT 1 FROM interactions WHERE interactions.change_key = changes.change_key)
            """)
        clear.bind(user, at: 1)
        try clear.run()
        return count
    }

    private func isKnown(_ id: String, ofUser user: String) throws(DatabaseError) -> Bool {
        let row = try database.prepare("SELECT 1 FROM interactions WHERE user_id = ? AND id = ?")
        row.bind(user, at: 1)
        row.bind(id, at: 2)
        return try row.step()
    }
}

extension CatalogChange {
    /// The member whose change it is; nil for a decision of the site.
    fileprivate var userID: String? {
        guard case .member(let change) = self else { return nil }
        return change.userID
    }
}
