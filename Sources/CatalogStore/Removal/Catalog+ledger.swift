package import Basics
package import Changes
package import Model
import SQLite

extension Catalog {
    /// Returns the ledger of forgotten members.
    package func ledger() throws(Failure) -> Ledger {
        try LedgerTable(database).content()
    }

    /// Returns the key of the ledger's digests.
    package func ledgerKey() throws(Failure) -> [UInt8] {
        try LedgerTable(database).key
    }

    /// Whether a user was forgotten, and has not been readmitted.
    package func isForgotten(user id: String) throws(Failure) -> Bool {
        try LedgerTable(database).isForgotten(id)
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
            let table = try LedgerTable(database)
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

    /// Returns the users whom another ledger of the site has forgotten, with the times in milliseconds.
    ///
    /// - Complexity: O(users) if the ledger has forgotten somebody whom this one has not, otherwise O(its entries).
    package func users(forgottenIn other: Ledger) throws(Failure) -> [(id: String, atMilliseconds: Int64)] {
        let mine = try LedgerTable(database).content()
        var all = Ledger(key: other.key)
        if mine.key == other.key { all.merge(mine) }
        all.merge(other)
        guard other.beyond(mine).times.values.contains(where: \.isForgotten) else { return [] }
        var found: [(id: String, atMilliseconds: Int64)] = []
        let ids = try database.prepare("SELECT user_id FROM users ORDER BY user_id")
        while try ids.step() {
            let id = ids.text(0)
            if let times = all.times(of: id), times.isForgotten { found.append((id, times.forgotten)) }
        }
        return found
    }

    /// Adds another ledger of the site, and forgets the users whom it has forgotten.
    ///
    /// A catalog that has never forgotten anybody takes over the key of the other ledger.
    ///
    /// - Returns: the number of users forgotten; nil if the ledger is of another site, and nothing was changed.
    package func merge(_ other: Ledger) throws(Failure) -> Int? {
        let mine = try ledger()
        guard mine.key == other.key || mine.times.isEmpty else { return nil }
        guard mine.key != other.key || !other.beyond(mine).times.isEmpty else { return 0 }
        let users = try users(forgottenIn: other)
        try database.transaction { () throws(Failure) in
            if mine.key != other.key { try LedgerTable(database).adopt(other.key) }
            try LedgerTable(database).add(other)
            for (milliseconds, found) in Dictionary(grouping: users, by: \.atMilliseconds) {
                _ = try removeForGood(found.map(\.id), withPhotos: false, atMilliseconds: milliseconds)
            }
        }
        if !users.isEmpty { _ = try eraseRemoved() }
        return users.count
    }
}
