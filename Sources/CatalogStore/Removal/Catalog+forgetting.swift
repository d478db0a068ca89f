import Model
import RecordReading
import SQLite

/// A member whom the catalog must keep forgotten.
package struct ForgottenMember: Sendable, Equatable {
    /// The external id.
    package var id: String
    /// The time of the forgetting, in Unix milliseconds.
    package var atMilliseconds: Int64
}

/// The data that a catalog still has about a member.
package struct MemberTraces: Sendable, Equatable {
    /// The number of rows that name the member, by table; tables without such rows are left out.
    package var rows: [String: Int] = [:]
    /// The time at which the member was forgotten, in Unix milliseconds, or nil if that did not happen.
    package var forgottenAt: Int64?
}

extension Catalog {
    /// Forgets members: removes them with their memberships and interactions, and notes that they must not come back.
    ///
    /// Deleted data is overwritten, also in the write-ahead log unless somebody reads at that moment. Unknown members
    /// are noted as well.
    ///
    /// - Parameters:
    ///   - ids: the members' external ids.
    ///   - withPhotos: whether their photos are removed too; otherwise the photos stay, without an owner.
    ///   - options: the way to forget them.
    ///   - milliseconds: the current time, in Unix milliseconds.
    ///   - stream: the name and the last number of changes that tell daemons the same, or nil if there are none. A
    ///     recompute need not apply these changes.
    /// - Returns: the removed rows, and whether the write-ahead log is free of them.
    package func forget(
        _ ids: [String], withPhotos: Bool, _ options: RemovalOptions = RemovalOptions(),
        atMilliseconds milliseconds: Int64, stream: (origin: String, last: Int64)? = nil
    ) throws(CatalogError) -> (summary: RemovalSummary, isErased: Bool) {
        let summary: RemovalSummary = try trying(options.isDryRun) { () throws(CatalogError) in
            if let stream { try noteTaken([stream.origin: stream.last]) }
            let total = try wrapping { () throws(DatabaseError) in
                Int(try database.integer("SELECT count(*) FROM users") ?? 0)
            }
            let strangers = try unknownUsers(of: ids)
            var summary = try removeForGood(ids, withPhotos: withPhotos, atMilliseconds: milliseconds)
            for id in strangers { summary.note(unknown: [id]) }
            guard !options.allowsShrinking else { return summary }
            do throws(CatalogError) {
                try ShrinkingBound.naming.check(summary.removed, of: total, EntityTable.users.rawValue, "this")
            } catch {
                guard options.isDryRun else { throw error }
                summary.failure = error
            }
            return summary
        }
        return (summary, options.isDryRun ? true : try eraseRemoved(waits: true))
    }

    /// Returns the ids that neither a user has nor a member who was forgotten, in their order.
    private func unknownUsers(of ids: [String]) throws(CatalogError) -> [String] {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare(
                "SELECT 1 FROM users WHERE user_id = ?1 UNION SELECT 1 FROM forgotten_members WHERE user_id = ?1")
            var unknown: [String] = []
            for id in ids {
                row.bind(id, at: 1)
                if try !row.step() { unknown.append(id) }
                row.reset()
            }
            return unknown
        }
    }

    /// Erases removed data from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Parameter waits: whether to wait for other readers and writers.
    /// - Returns: false if another connection was reading or writing for too long; then call it again.
    package func eraseRemoved(waits: Bool) throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in try database.emptyLog(waits: waits) }
    }

    /// Removes members, and notes that they must not come back; within a transaction of the caller.
    func removeForGood(_ ids: [String], withPhotos: Bool, atMilliseconds milliseconds: Int64) throws(CatalogError)
        -> RemovalSummary
    {
        var summary = RemovalSummary()
        // Changes under an earlier id must not bring the member back either.
        let ids = ids + (try earlierIDs(ofUsers: ids))
        if withPhotos {
            try collect("SELECT photo_key FROM photos JOIN users USING (user_key) WHERE user_id = ?", ids)
            var photos = RemovalSummary()
            try removeVanished(.photos, into: &photos)
            summary.others = photos.others
            summary.others["photos", default: 0] += photos.removed
        }
        try collect("SELECT user_key FROM users WHERE user_id = ?", ids)
        try removeVanished(.users, into: &summary)
        try wrapping { () throws(DatabaseError) in
            let note = try database.prepare(
                "INSERT INTO forgotten_members VALUES (?1, ?2) ON CONFLICT DO UPDATE SET forgotten_at = ?2")
            let renamed = try database.prepare(
                """
                DELETE FROM renamed_ids
                WHERE entity = '\(EntityTable.users.rawValue)' AND ?1 IN (old_id, new_id)
                """)
            for id in ids {
                note.bind(id, at: 1)
                note.bind(milliseconds, at: 2)
                try note.run()
                renamed.bind(id, at: 1)
                try renamed.run()
                try removalNotes(ofMember: id, "DELETE").run()
            }
        }
        return summary
    }

    /// Fills the temporary table `vanished` with the keys that a query returns for ids.
    private func collect(_ query: String, _ ids: [String]) throws(CatalogError) {
        try wrapping { () throws(DatabaseError) in
            try database.execute(
                "DROP TABLE IF EXISTS temp.vanished; CREATE TEMP TABLE vanished (key INTEGER PRIMARY KEY)")
            let insert = try database.prepare("INSERT OR IGNORE INTO temp.vanished \(query)")
            for id in ids {
                insert.bind(id, at: 1)
                try insert.run()
            }
        }
    }

    /// Lets forgotten members come back.
    ///
    /// - Returns: the number of these members who were forgotten, as removed, and the others, as unknown.
    package func readmit(_ ids: [String], isDryRun: Bool = false) throws(CatalogError) -> RemovalSummary {
        try trying(isDryRun) { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in
                var summary = RemovalSummary()
                let delete = try database.prepare("DELETE FROM forgotten_members WHERE user_id = ?")
                for id in ids {
                    let before = database.totalChanges
                    delete.bind(id, at: 1)
                    try delete.run()
                    if database.totalChanges > before { summary.removed += 1 } else { summary.note(unknown: [id]) }
                }
                return summary
            }
        }
    }

    /// Whether a user was forgotten, and has not been readmitted.
    package func isForgotten(user id: String) throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in
            let note = try database.prepare("SELECT 1 FROM forgotten_members WHERE user_id = ?")
            note.bind(id, at: 1)
            return try note.step()
        }
    }

    /// Returns all forgotten members, in ascending order of the bytes of their ids.
    package func forgottenMembers() throws(CatalogError) -> [ForgottenMember] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT user_id, forgotten_at FROM forgotten_members ORDER BY user_id")
            var members: [ForgottenMember] = []
            while try rows.step() { members.append(ForgottenMember(id: rows.text(0), atMilliseconds: rows.integer(1))) }
            return members
        }
    }

    /// Returns the data that is left about a member.
    package func traces(ofMember id: String) throws(CatalogError) -> MemberTraces {
        try wrapping { () throws(DatabaseError) in
            var traces = MemberTraces()
            let tables =
                ["users", "exposures", "photos"].map { (table: $0, columns: ["user_key"]) }
                + [(table: "interactions", columns: ["user_key", "followed_key"])]
                + relations.sources.map { (table: $0.table, columns: $0.columns(naming: .users)) }
            for (table, columns) in tables where !columns.isEmpty {
                let conditions = columns.map { "\($0) IN (SELECT user_key FROM users WHERE user_id = ?1)" }
                let count = try database.prepare(
                    "SELECT count(*) FROM \(table) WHERE \(conditions.joined(separator: " OR "))")
                count.bind(id, at: 1)
                if try count.step(), count.integer(0) > 0 { traces.rows[table] = Int(count.integer(0)) }
                count.reset()
            }
            let renamed = try database.prepare(
                """
                SELECT count(*) FROM renamed_ids
                WHERE entity = '\(EntityTable.users.rawValue)' AND ?1 IN (old_id, new_id)
                """)
            renamed.bind(id, at: 1)
            if try renamed.step(), renamed.integer(0) > 0 { traces.rows["renamed_ids"] = Int(renamed.integer(0)) }
            renamed.reset()
            let removals = try removalNotes(ofMember: id, "SELECT count(*)")
            if try removals.step(), removals.integer(0) > 0 { traces.rows["noted_removals"] = Int(removals.integer(0)) }
            removals.reset()
            let note = try database.prepare("SELECT forgotten_at FROM forgotten_members WHERE user_id = ?")
            note.bind(id, at: 1)
            if try note.step() { traces.forgottenAt = note.integer(0) }
            note.reset()
            return traces
        }
    }
}

/// The ids of forgotten members, whom an import leaves out unless it readmits them.
final class ForgottenIDs {
    private var ids: Set<BytewiseString> = []
    private let readmits: Bool
    private let delete: Statement

    init(_ database: Database, readmits: Bool) throws(DatabaseError) {
        self.readmits = readmits
        delete = try database.prepare("DELETE FROM forgotten_members WHERE user_id = ?")
        let rows = try database.prepare("SELECT user_id FROM forgotten_members")
        while try rows.step() { ids.insert(BytewiseString(rows.text(0))) }
    }

    /// Whether a member is left out; a readmitted member is no longer forgotten.
    func contains(_ id: String) throws(DatabaseError) -> Bool {
        guard !ids.isEmpty, ids.contains(BytewiseString(id)) else { return false }
        guard readmits else { return true }
        ids.remove(BytewiseString(id))
        delete.bind(id, at: 1)
        try delete.run()
        return false
    }

    /// Whether a member is left out whose id is in a column of the current record.
    func contains(_ reader: borrowing RecordReader, _ column: Int) throws(DatabaseError) -> Bool {
        ids.isEmpty ? false : try contains(reader.text(column))
    }
}

extension Catalog {
    /// Returns the external ids of a member's photos, in ascending order of their bytes.
    package func photoIDs(ofOwner id: String) throws(CatalogError) -> [String] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT photo_id FROM photos JOIN users USING (user_key) WHERE user_id = ? ORDER BY photo_id")
            rows.bind(id, at: 1)
            return try rows.texts()
        }
    }

    /// Returns the given external ids of photos that the catalog does not have.
    package func missingPhotos(of ids: [String]) throws(CatalogError) -> [String] {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare("SELECT 1 FROM photos WHERE photo_id = ?")
            var missing: [String] = []
            for id in ids {
                row.bind(id, at: 1)
                if try !row.step() { missing.append(id) }
                row.reset()
            }
            return missing
        }
    }
}
