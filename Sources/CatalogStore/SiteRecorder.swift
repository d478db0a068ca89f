import Basics
import Model
import SQLite

/// Writes decisions of the site from journals into the catalog's tables, within a transaction of the caller's.
final class SiteRecorder {
    private let catalog: Catalog
    private var database: Database { catalog.database }
    /// The number of rows changed so far.
    private(set) var contentChanges: Int64 = 0

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// - Returns: whether there is such a group; a group that is not public is not curated.
    func apply(_ change: SiteChange) throws(Failure) -> Bool {
        guard let group = try catalog.facts.group(withID: change.groupID) else { return false }
        if case .curate = change.action, group.visibility != .public { return true }
        let curations = try catalog.facts.curations()
        var state = SiteState(hidden: try catalog.facts.hiddenGroups(), curations: curations)
        guard state.apply(change) == .changed else { return true }
        let before = database.totalChanges
        switch change.action {
        case .hide:
            try database.run(
                "INSERT INTO hidden_groups (group_key, hidden_at) VALUES (?, ?)", group.key, change.atMilliseconds)
        case .unhide:
            // A catalog that a restore replaced may have hidden the group later.
            try database.run(
                "DELETE FROM hidden_groups WHERE group_key = ?1 AND coalesce(decided_at, ?2) <= ?2", group.key,
                change.atMilliseconds)
        case .curate, .uncurate: try write(state.curations, over: curations)
        }
        contentChanges += database.totalChanges - before
        return true
    }

    /// Writes the curations that differ from the rows of the table, and deletes the rows without a curation.
    private func write(_ curations: [Curation], over rows: [Curation]) throws(Failure) {
        let kept = Set(curations.map { BytewiseString($0.groupID) })
        let ofGroup = "(SELECT group_key FROM groups WHERE group_id = ?1)"
        let delete = try database.prepare("DELETE FROM curated_groups WHERE group_key = \(ofGroup)")
        for row in rows where !kept.contains(BytewiseString(row.groupID)) {
            try delete.run(row.groupID)
        }
        let write = try database.prepare(
            """
            INSERT INTO curated_groups VALUES (\(ofGroup), ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET position = ?2, starts_at = ?3, expires_at = ?4
            WHERE position <> ?2 OR starts_at IS NOT ?3 OR expires_at IS NOT ?4
            """)
        for curation in curations {
            try write.run(curation.groupID, curation.position, curation.startsAt, curation.expiresAt)
        }
    }
}
