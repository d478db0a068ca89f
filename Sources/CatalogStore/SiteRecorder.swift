import Model
import SQLite

/// Writes decisions of the site into the catalog's tables, within a transaction of the caller's.
final class SiteRecorder {
    private let catalog: Catalog
    private var database: Database { catalog.database }
    /// Whether decisions come from journals; the catalog itself may then have later ones.
    private let isFromJournals: Bool
    /// The number of rows changed so far.
    private(set) var contentChanges: Int64 = 0

    init(_ catalog: Catalog, isFromJournals: Bool = false) {
        self.catalog = catalog
        self.isFromJournals = isFromJournals
    }

    func apply(_ change: SiteChange) throws(CatalogError) -> SiteChange.Outcome {
        let row: (key: Int64, visibility: Visibility)? = try wrapping { () throws(DatabaseError) in
            let row = try database.prepare("SELECT group_key, visibility FROM groups WHERE group_id = ?")
            row.bind(change.groupID, at: 1)
            return try row.step() ? (row.integer(0), Visibility(code: row.integer(1))) : nil
        }
        guard let (group, visibility) = row else { return .unknownGroup }
        if case .curate = change.action, visibility != .public { return .privateGroup }
        let curations = try catalog.curations()
        var state = SiteState(hidden: try catalog.hiddenGroups(limit: .max), curations: curations)
        let outcome = state.apply(change)
        try wrapping { () throws(DatabaseError) in
            if outcome == .changed {
                let before = database.totalChanges
                switch change.action {
                case .hide: try hide(group, at: change.atMilliseconds)
                case .unhide: try unhide(group, at: change.atMilliseconds)
                case .curate, .uncurate: try write(state.curations, over: curations)
                }
                contentChanges += database.totalChanges - before
            }
            // Hiding a hidden group again is a decision too: no earlier unhide may undo it.
            if change.action == .hide, !isFromJournals { try noteDecision(about: group, at: change.atMilliseconds) }
        }
        return outcome
    }

    private func hide(_ group: Int64, at milliseconds: Int64) throws(DatabaseError) {
        try database.prepare("INSERT INTO hidden_groups (group_key, hidden_at) VALUES (?, ?)").run(group, milliseconds)
    }

    private func noteDecision(about group: Int64, at milliseconds: Int64) throws(DatabaseError) {
        try database.prepare("UPDATE hidden_groups SET decided_at = ?1 WHERE group_key = ?2").run(milliseconds, group)
    }

    /// Unhides a group, unless the change comes from a journal and the group was hidden later in the catalog itself.
    private func unhide(_ group: Int64, at milliseconds: Int64) throws(DatabaseError) {
        guard isFromJournals else {
            return try database.prepare("DELETE FROM hidden_groups WHERE group_key = ?").run(group)
        }
        try database.prepare("DELETE FROM hidden_groups WHERE group_key = ? AND coalesce(decided_at, ?2) <= ?2")
            .run(group, milliseconds)
    }

    /// Writes the curations that differ from the rows of the table, and deletes the rows without a curation.
    private func write(_ curations: [Curation], over rows: [Curation]) throws(DatabaseError) {
        let kept = Set(curations.map { BytewiseString($0.groupID) })
        let ofGroup = "(SELECT group_key FROM groups WHERE group_id = ?1)"
        let delete = try database.prepare("DELETE FROM curated_groups WHERE group_key = \(ofGroup)")
        for row in rows where !kept.contains(BytewiseString(row.groupID)) {
            delete.bind(row.groupID, at: 1)
            try delete.run()
        }
        let write = try database.prepare(
            """
            INSERT INTO curated_groups VALUES (\(ofGroup), ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET position = ?2, starts_at = ?3, expires_at = ?4
            WHERE position <> ?2 OR starts_at IS NOT ?3 OR expires_at IS NOT ?4
            """)
        for curation in curations {
            write.bind(curation.groupID, at: 1)
            write.bind(Int64(curation.position), at: 2)
            write.bind(curation.startsAt, at: 3)
            write.bind(curation.expiresAt, at: 4)
            try write.run()
        }
    }
}
