import SQLite

/// Writes what the site decides about groups, within a transaction that somebody else began.
final class SiteRecorder {
    private let database: Database
    /// Whether decisions come from journals, so that later ones may have been made here meanwhile.
    private let isTakeover: Bool
    /// Rows changed so far.
    private(set) var contentChanges: Int64 = 0

    init(_ database: Database, isTakeover: Bool = false) {
        self.database = database
        self.isTakeover = isTakeover
    }

    func apply(_ change: SiteChange) throws(DatabaseError) -> SiteChange.Outcome {
        let row = try database.prepare("SELECT group_key, visibility FROM groups WHERE group_id = ?")
        row.bind(change.groupID, at: 1)
        guard try row.step() else { return .unknownGroup }
        let (group, visibility) = (row.integer(0), Visibility(code: row.integer(1)))
        row.reset()
        let before = database.totalChanges
        switch change.action {
        case .hide: try hide(group, at: change.atMilliseconds)
        case .unhide: try unhide(group, at: change.atMilliseconds)
        case .curate(let position, let startsAt, let expiresAt):
            guard visibility == .public else { return .privateGroup }
            if let startsAt, let expiresAt, expiresAt <= startsAt { return .expiresBeforeStart }
            try curate(group, position: position, startsAt: startsAt, expiresAt: expiresAt)
        case .uncurate: try uncurate(group)
        }
        let changes = database.totalChanges - before
        contentChanges += changes
        if change.action == .hide, !isTakeover { try noteDecision(to: group, at: change.atMilliseconds) }
        return changes > 0 ? .changed : .unchanged
    }

    private func hide(_ group: Int64, at milliseconds: Int64) throws(DatabaseError) {
        try database.prepare("INSERT INTO hidden_groups (group_key, hidden_at) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .run(group, milliseconds)
    }

    /// That a hidden group is to be hidden is a decision as well: nothing earlier may undo it.
    private func noteDecision(to group: Int64, at milliseconds: Int64) throws(DatabaseError) {
        try database.prepare("UPDATE hidden_groups SET decided_at = ?1 WHERE group_key = ?2").run(milliseconds, group)
    }

    private func unhide(_ group: Int64, at milliseconds: Int64) throws(DatabaseError) {
        guard isTakeover else {
            return try database.prepare("DELETE FROM hidden_groups WHERE group_key = ?").run(group)
        }
        try database.prepare("DELETE FROM hidden_groups WHERE group_key = ? AND coalesce(decided_at, ?2) <= ?2")
            .run(group, milliseconds)
    }

    private func curate(_ group: Int64, position: Int?, startsAt: Int64?, expiresAt: Int64?) throws(DatabaseError) {
        let upsert = try database.prepare(
            """
            INSERT INTO curated_groups VALUES (?, 0, ?, ?)
            ON CONFLICT DO UPDATE SET starts_at = excluded.starts_at, expires_at = excluded.expires_at
            WHERE starts_at IS NOT excluded.starts_at OR expires_at IS NOT excluded.expires_at
            """)
        try upsert.run(Optional(group), startsAt, expiresAt)
        var order = try curatedInOrder().filter { $0 != group }
        order.insert(group, at: SiteChange.place(ofPosition: position, among: order.count))
        try number(order)
    }

    private func uncurate(_ group: Int64) throws(DatabaseError) {
        try database.prepare("DELETE FROM curated_groups WHERE group_key = ?").run(group)
        try number(curatedInOrder())
    }

    private func curatedInOrder() throws(DatabaseError) -> [Int64] {
        let rows = try database.prepare("SELECT group_key FROM curated_groups ORDER BY position, group_key")
        var keys: [Int64] = []
        while try rows.step() { keys.append(rows.integer(0)) }
        return keys
    }

    /// Gives groups the positions from 1 on.
    private func number(_ groups: [Int64]) throws(DatabaseError) {
        let update = try database.prepare(
            "UPDATE curated_groups SET position = ?1 WHERE group_key = ?2 AND position <> ?1")
        for (place, group) in groups.enumerated() { try update.run(Int64(place + 1), group) }
    }
}
