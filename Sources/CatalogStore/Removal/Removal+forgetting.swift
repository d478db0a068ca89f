package import Basics
package import Changes
package import Model
import SQLite

extension Removal {
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
        let ledger = try LedgerTable(facts.database)
        var unknown: [String] = []
        for id in ids where try !facts.has(id, in: .users) {
            if try !ledger.isForgotten(id) { unknown.append(id) }
        }
        return unknown
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

    /// Lets forgotten members come back; forgettings that are still to be applied then have no effect.
    ///
    /// - Parameters:
    ///   - milliseconds: the current time, in Unix milliseconds.
    ///   - waiting: the times of forgettings that are still to be applied, in milliseconds.
    /// - Returns: the number of these members who were forgotten, as removed, and the others, as unknown.
    package func readmit(
        _ ids: [String], atMilliseconds milliseconds: Int64, waiting: [BytewiseString: Int64] = [:],
        isDryRun: Bool = false
    ) throws(Failure) -> RemovalSummary {
        try trying(isDryRun) { () throws(Failure) in
            var summary = RemovalSummary()
            let table = try LedgerWriter(database)
            for id in ids {
                if let time = waiting[BytewiseString(id)] {
                    try table.forget([id], atMilliseconds: time)
                }
                if try table.readmit(id, atMilliseconds: milliseconds) {
                    summary.removed += 1
                } else {
                    summary.note(unknown: [id])
                }
            }
            return summary
        }
    }

    /// Adds another ledger of the site, and forgets the users whom it has forgotten.
    ///
    /// A catalog that has never forgotten anybody takes over the key of the other ledger.
    ///
    /// - Returns: the number of users forgotten; nil if the ledger is of another site, and nothing was changed.
    package func merge(_ other: Ledger) throws(Failure) -> Int? {
        let mine = try facts.ledger()
        guard mine.key == other.key || mine.times.isEmpty else { return nil }
        guard mine.key != other.key || !other.beyond(mine).times.isEmpty else { return 0 }
        let users = try facts.users(forgottenIn: other)
        try database.transaction { () throws(Failure) in
            if mine.key != other.key { try LedgerWriter(database).adopt(other.key) }
            try LedgerWriter(database).add(other)
            for (milliseconds, found) in Dictionary(grouping: users, by: \.atMilliseconds) {
                _ = try removeForGood(found.map(\.id), withPhotos: false, atMilliseconds: milliseconds)
            }
        }
        if !users.isEmpty { _ = try eraseRemoved() }
        return users.count
    }
}
