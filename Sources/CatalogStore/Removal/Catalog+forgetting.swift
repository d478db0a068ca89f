package import Basics
import Changes
import Model
import SQLite

extension Catalog {
    /// Forgets members: removes them with their memberships and interactions, and notes that they must not come back.
    ///
    /// Deleted data is overwritten, also in the write-ahead log unless somebody reads at that moment. Unknown members
    /// are noted as well.
    ///
    /// - Parameters:
    ///   - withPhotos: whether their photos are removed too; otherwise the photos stay, without an owner.
    ///   - milliseconds: the current time, in Unix milliseconds.
    /// - Returns: the removed rows, and whether the write-ahead log is free of them.
    package func forget(
        _ ids: [String], withPhotos: Bool, _ options: RemovalOptions = RemovalOptions(),
        atMilliseconds milliseconds: Int64
    ) throws(Failure) -> (summary: RemovalSummary, isErased: Bool) {
        let summary: RemovalSummary = try trying(options.isDryRun) { () throws(Failure) in
            let total = Int(try database.integer("SELECT count(*) FROM users") ?? 0)
            let strangers = try unknownUsers(of: ids)
            var summary = try removeForGood(ids, withPhotos: withPhotos, atMilliseconds: milliseconds)
            for id in strangers { summary.note(unknown: [id]) }
            guard !options.allowsShrinking else { return summary }
            do throws(Failure) {
                try ShrinkingBound.naming.check(summary.removed, of: total, EntityTable.users.rawValue, "this")
            } catch {
                guard options.isDryRun else { throw error }
                summary.failure = error
            }
            return summary
        }
        return (summary, options.isDryRun ? true : try eraseRemoved())
    }

    /// Returns the ids that neither a user has nor a member who was forgotten, in their order.
    private func unknownUsers(of ids: [String]) throws(Failure) -> [String] {
        let (row, ledger) = (
            try database.prepare("SELECT 1 FROM users WHERE user_id = ?1"), try LedgerTable(database.reading)
        )
        var unknown: [String] = []
        for id in ids {
            row.bind(id, at: 1)
            if try !row.step(), try !ledger.isForgotten(id) { unknown.append(id) }
            row.reset()
        }
        return unknown
    }

    /// Erases removed data from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Returns: false if another connection was reading or writing for too long; then call it again.
    package func eraseRemoved() throws(Failure) -> Bool {
        try database.emptyLog(waits: true)
    }

    /// Removes members, and notes that they must not come back; within a transaction of the caller.
    func removeForGood(_ ids: [String], withPhotos: Bool, atMilliseconds milliseconds: Int64) throws(Failure)
        -> RemovalSummary
    {
        var summary = RemovalSummary()
        // Changes under an earlier id must not bring the member back either.
        let ids = ids + (try facts.earlierIDs(ofUsers: ids))
        if withPhotos {
            try collect("SELECT photo_key FROM photos JOIN users USING (user_key) WHERE user_id = ?", ids)
            var photos = RemovalSummary()
            try removeVanished(.photos, into: &photos)
            summary.others = photos.others
            summary.others["photos", default: 0] += photos.removed
        }
        try collect("SELECT user_key FROM users WHERE user_id = ?", ids)
        try removeVanished(.users, into: &summary)
        let isRenaming = "entity = '\(EntityTable.users.rawValue)' AND ?1 IN (old_id, new_id)"
        // What came under an id that somebody else has now still is not about whoever has it: the empty id is
        // nobody's, and forgotten.
        let statements = [
            "UPDATE renamed_ids SET new_id = '' WHERE \(isRenaming) AND old_id IN (SELECT user_id FROM users)",
            "DELETE FROM renamed_ids WHERE \(isRenaming)",
        ]
        var emptied = false
        for id in ids {
            for (index, statement) in statements.enumerated() {
                let before = database.totalChanges
                try database.run(statement, id)
                if index == 0, database.totalChanges > before { emptied = true }
            }
            try database.run("DELETE FROM noted_removals WHERE \(NotedRemovals.isAboutMember)", id)
        }
        try LedgerWriter(database).forget(ids + (emptied ? [""] : []), atMilliseconds: milliseconds)
        return summary
    }

    /// Fills the temporary table `vanished` with the keys that a query returns for ids.
    private func collect(_ query: String, _ ids: [String]) throws(Failure) {
        try database.execute(
            "DROP TABLE IF EXISTS temp.vanished; CREATE TEMP TABLE vanished (key INTEGER PRIMARY KEY)")
        let insert = try database.prepare("INSERT OR IGNORE INTO temp.vanished \(query)")
        for id in ids {
            try insert.run(id)
        }
    }
}
