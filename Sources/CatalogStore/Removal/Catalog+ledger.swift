package import Basics
package import Changes
package import Model
import SQLite

extension Catalog {
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
