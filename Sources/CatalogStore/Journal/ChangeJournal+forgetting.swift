public import Model
import SQLite

extension ChangeJournal {
    /// Erases what was forgotten from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Returns: false if another connection was reading or writing for too long; then call it again.
    public func eraseForgotten() throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in try database.emptyLog() }
    }

    /// Forgets interactions of a user, one or all; memberships that joins and leaves led to stay.
    ///
    /// - Parameter stamp: only those of changes before it; nil: all.
    /// - Returns: how many there were.
    @discardableResult
    func forget(_ id: String?, ofUser user: String, before stamp: ChangeStamp?) throws(DatabaseError) -> Int {
        let condition = """
            user_id = ?1 AND (?2 IS NULL OR id = ?2) AND NOT is_forgotten AND (?3 IS NULL OR change_key IN
            (SELECT change_key FROM changes WHERE user_id = ?1 AND (stamp, origin, sequence) < (?3, ?4, ?5)))
            """
        if id == nil { try forgetExposures(ofUser: user, before: stamp) }
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
            forget.bind(stamp?.milliseconds, at: 3)
            forget.bind(stamp?.origin, at: 4)
            forget.bind(stamp?.sequence, at: 5)
            try forget.run()
        }
        return Int(database.totalChanges - before)
    }

    /// Forgets what a user was shown in experiments; of the changes, only their numbers stay.
    private func forgetExposures(ofUser user: String, before stamp: ChangeStamp?) throws(DatabaseError) {
        let forget = try database.prepare(
            """
            UPDATE changes SET body = x'' WHERE user_id = ?1 AND \(Self.isExposure)
            AND (?2 IS NULL OR (stamp, origin, sequence) < (?2, ?3, ?4))
            """)
        forget.bind(user, at: 1)
        forget.bind(stamp?.milliseconds, at: 2)
        forget.bind(stamp?.origin, at: 3)
        forget.bind(stamp?.sequence, at: 4)
        try forget.run()
    }

    /// Erases what is here of a user; of the changes, only their numbers stay.
    ///
    /// - Parameter stamp: only changes before it; nil: all.
    func erase(user: String, before stamp: ChangeStamp?) throws(DatabaseError) {
        let condition = "user_id = ?1 AND (?2 IS NULL OR (stamp, origin, sequence) < (?2, ?3, ?4))"
        for statement in [
            "DELETE FROM interactions WHERE change_key IN (SELECT change_key FROM changes WHERE \(condition))",
            "UPDATE changes SET body = x'' WHERE \(condition)",
        ] {
            let erase = try database.prepare(statement)
            erase.bind(user, at: 1)
            erase.bind(stamp?.milliseconds, at: 2)
            erase.bind(stamp?.origin, at: 3)
            erase.bind(stamp?.sequence, at: 4)
            try erase.run()
        }
    }

    /// Forgets what a user has had forgotten once more: changes from before that may have come since.
    func forgetAgain(ofUser user: String) throws(DatabaseError) {
        let rows = try database.prepare(
            """
            SELECT origin, sequence, stamp, body FROM changes
            WHERE user_id = ? AND length(body) > 0 AND NOT \(Self.isExposure)
            ORDER BY \(Self.order)
            """)
        rows.bind(user, at: 1)
        var changes: [JournaledChange] = []
        while try rows.step() { changes.append(Self.change(rows)) }
        for change in changes {
            if change.forgottenUserID != nil { try erase(user: user, before: change.stamp) }
            guard case .member(let member) = change.change, case .forget(let id) = member.action else { continue }
            try forget(id, ofUser: user, before: change.stamp)
        }
    }

    /// Whether a user is forgotten by a change that is not in a version.
    public func isForgotten(user: String, beyond taken: TakenChanges) throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT origin, sequence, stamp, body FROM changes
                WHERE user_id = ? AND length(body) > 0 AND NOT \(Self.isExposure)
                """)
            rows.bind(user, at: 1)
            while try rows.step() {
                let change = Self.change(rows)
                if change.forgottenUserID != nil, !taken.contains(change.sequence, of: change.origin) { return true }
            }
            return false
        }
    }
}

extension JournaledChange {
    /// The member whom it removes for good; nil if it is something else.
    var forgottenUserID: String? {
        guard case .removal(let removal) = change else { return nil }
        return removal.forgottenUserID
    }
}
