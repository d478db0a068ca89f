package import Basics
package import Changes
package import Model
import SQLite

/// A user as stored in the catalog: memberships and stated interests, by external ids.
package struct CatalogMember: Sendable, Equatable {
    /// A membership of the user.
    package struct Membership: Sendable, Equatable {
        package var groupID: String
        /// The time of joining in Unix seconds, if known.
        package var joinedAt: Int64?
    }

    package var id: String
    /// The stated interests, as imported.
    package var interests: [String]
    /// Whether the catalog has the interests, even if there are none.
    package var hasStatedInterests: Bool
    /// The memberships of public and private groups, in ascending order of the groups' ids.
    package var memberships: [Membership]
}

/// The data that a catalog still has about a member.
package struct MemberTraces: Sendable, Equatable {
    /// The number of rows that name the member, by table; tables without such rows are left out.
    package var rows: [String: Int] = [:]
    /// The time at which the member was forgotten, in Unix milliseconds, or nil if that did not happen.
    package var forgottenAt: Int64?
}

extension Facts {
    /// Returns a user with all memberships, of public and private groups.
    ///
    /// - Returns: the user, or `nil` if there is none.
    package func member(withID id: String) throws(Failure) -> CatalogMember? {
        let user = try database.prepare(
            "SELECT user_key, interests, interests_stamp FROM users WHERE user_id = ?", id)
        guard try user.step() else { return nil }
        let rows = try database.prepare(
            """
            SELECT group_id, joined_at FROM memberships JOIN groups USING (group_key)
            WHERE user_key = ? ORDER BY group_id
            """, user.integer(0))
        var memberships: [CatalogMember.Membership] = []
        while try rows.step() {
            memberships.append(.init(groupID: rows.text(0), joinedAt: rows.time(1)))
        }
        return CatalogMember(
            id: id, interests: user.text(1).split(separator: ";").map(String.init),
            hasStatedInterests: !user.isNull(1) || !user.isNull(2), memberships: memberships)
    }

    /// Returns the ids of all users.
    package func userIDs() throws(Failure) -> [String] {
        try database.prepare("SELECT user_id FROM users").texts()
    }

    /// Returns the ids of some members, spread over all of them in the order in which they became known.
    ///
    /// - Complexity: O(`limit` · log(members)).
    package func someMembers(limit: Int) throws(Failure) -> [String] {
        let highest = try database.integer("SELECT max(user_key) FROM users") ?? 0
        let row = try database.prepare(
            "SELECT user_id, user_key FROM users WHERE user_key >= ? ORDER BY user_key LIMIT 1")
        var (ids, last): ([String], Int64) = ([], 0)
        for number in 0..<Int64(limit) {
            row.bind(max(last + 1, number * highest / Int64(limit) + 1), at: 1)
            guard try row.step() else { break }
            ids.append(row.text(0))
            last = row.integer(1)
            row.reset()
        }
        return ids
    }

    /// Returns all interactions of a member with groups or the own list, in the order in which they were recorded.
    ///
    /// - Parameters:
    ///   - impressionsSince: the earliest time of an impression to return, inclusive, in Unix milliseconds.
    ///   - forgotten: the ids of interactions that the member has forgotten; joins and leaves among them stay.
    package func history(ofUser id: String, impressionsSince: Int64, without forgotten: Set<BytewiseString> = [])
        throws(Failure) -> [InteractionRecord]
    {
        let rows = try database.prepare(
            Self.selectGroupInteractions + "AND (kind <> ? OR occurred_at >= ?) ORDER BY interaction_key", id,
            Interaction.Kind.impression.number, impressionsSince)
        let history = try InteractionRecord.all(in: rows)
        guard !forgotten.isEmpty else { return history }
        return history.filter { $0.kind.pairChange != nil || !forgotten.contains(BytewiseString($0.id)) }
    }

    /// The SQL query for `InteractionRecord.all` with groups and pauses; its parameter is the user.
    private static let selectGroupInteractions = """
        SELECT id, kind, coalesce(group_id, ''), occurred_at, recommendation_id, position, variant, seconds
        FROM interactions JOIN users USING (user_key) LEFT JOIN groups USING (group_key)
        WHERE user_id = ? AND (group_id IS NOT NULL OR kind IN (\(Interaction.Kind.pauseNumbers)))
        """ + " "

    /// Returns the approximate size of a member's recorded interactions, in bytes.
    package func keptBytes(ofUser id: String) throws(Failure) -> Int {
        let row = try database.prepare(
            """
            SELECT total(\(RecordedAmount.bytesOfInteraction)
                + length(CAST(id AS BLOB)) + coalesce(length(CAST(recommendation_id AS BLOB)), 0)
                + coalesce(length(CAST(variant AS BLOB)), 0))
            FROM interactions
            WHERE user_key = (SELECT user_key FROM users WHERE user_id = ?1) AND is_forgotten = 0
            """, id)
        return try row.step() ? Int(row.optionalNumber(0) ?? 0) : 0
    }

    /// Returns the number of all members' interactions from a time on, inclusive, in Unix milliseconds.
    package func interactionCount(since instant: Int64) throws(Failure) -> Int {
        Int(
            try database.integer(
                "SELECT count(*) FROM interactions WHERE occurred_at >= ? AND is_forgotten = 0", instant) ?? 0)
    }

    /// Returns the external ids of a member's photos, in ascending order of their bytes.
    package func photoIDs(ofOwner id: String) throws(Failure) -> [String] {
        let rows = try database.prepare(
            "SELECT photo_id FROM photos JOIN users USING (user_key) WHERE user_id = ? ORDER BY photo_id", id)
        return try rows.texts()
    }

    /// Returns the given external ids of photos that the catalog does not have.
    package func missingPhotos(of ids: [String]) throws(Failure) -> [String] {
        var missing: [String] = []
        for id in ids where try !has(id, in: .photos) { missing.append(id) }
        return missing
    }

    /// Returns the data that is left about a member.
    package func traces(ofMember id: String) throws(Failure) -> MemberTraces {
        var traces = MemberTraces()
        for rows in MemberRows.naming(relations) {
            let count = try database.integer("SELECT count(*) FROM \(rows.table) WHERE \(rows.condition)", id) ?? 0
            if count > 0 { traces.rows[rows.table] = Int(count) }
        }
        if let times = try LedgerTable(database).times(of: id), times.isForgotten {
            traces.forgottenAt = times.forgotten
        }
        return traces
    }

    /// Returns all rows about a member and the member's photos as JSON objects, with external ids in place of keys.
    package func rows(ofMember id: String) throws(Failure) -> [(table: String, json: String)] {
        let entities = relations.sources.reduce(into: ["followed_key": EntityTable.users]) { entities, source in
            (entities[source.rowColumn], entities[source.entryColumn]) = (source.rowTable, source.entityTable)
        }.merging(EntityTable.allCases.map { ($0.keyColumn, $0) }) { $1 }
        var found: [(table: String, json: String)] = []
        for rows in MemberRows.naming(relations) + MemberRows.ofPhotos(relations) {
            let names = try database.prepare("SELECT name FROM pragma_table_info('\(rows.table)')").texts()
            let values = names.compactMap { name -> String? in
                guard name.hasSuffix("_key") else { return "'\(name)', \(name)" }
                // Other keys are numbers of rows, and never leave the catalog.
                guard let entity = entities[name], entity.rawValue != rows.table else { return nil }
                let (table, key, id) = (entity.rawValue, entity.keyColumn, entity.idColumn)
                return "'\(name.dropLast(4))_id', (SELECT \(id) FROM \(table) WHERE \(table).\(key) = found.\(name))"
            }
            let select = try database.prepare(
                """
                SELECT json_object(\(values.joined(separator: ", "))) FROM \(rows.table) AS found
                WHERE \(rows.condition)
                """, id)
            found += try select.texts().map { (rows.table, $0) }
        }
        if let times = try LedgerTable(database).times(of: id) {
            let row = #"{"forgotten_at":\#(times.forgotten),"readmitted_at":\#(times.readmitted)}"#
            found.append(("ledger", row))
        }
        return found
    }

    /// Returns the earlier ids of users, from which they were renamed, without those that somebody else has now.
    package func earlierIDs(ofUsers ids: [String]) throws(Failure) -> [String] {
        // An id leads back to those from which it was given since something else had it.
        let rows = try database.prepare(
            """
            WITH RECURSIVE named (id, before) AS (
                SELECT ?1, \(Int64.max)
                UNION
                SELECT old_id, stamp FROM named JOIN renamed_ids AS given
                    ON entity = '\(EntityTable.users.rawValue)' AND new_id = id AND stamp < before
                WHERE NOT EXISTS (
                    SELECT 1 FROM renamed_ids WHERE entity = given.entity AND old_id = id
                    AND stamp > given.stamp AND stamp < before))
            SELECT DISTINCT id FROM named
            WHERE id <> ?1 AND NOT EXISTS (SELECT 1 FROM users WHERE user_id = id)
            """)
        var found: [String] = []
        for id in ids {
            rows.bind(id, at: 1)
            found += try rows.texts()
            rows.reset()
        }
        return found
    }

    /// Returns the arm of each experiment that a user was shown first; nothing unless the user was renamed.
    ///
    /// The id of any other user decides about the arm.
    package func shownArms(ofUser id: String) throws(Failure) -> [String: String] {
        let rows = try database.prepare(ExposureRecord.selectShownArms + "AND user_id = ? ORDER BY first_at DESC", id)
        var arms: [String: String] = [:]
        while try rows.step() { arms[rows.text(1)] = rows.text(2) }
        return arms
    }

    /// Returns the outcome that a renaming has, and changes nothing.
    ///
    /// - Throws: `Failure.Code.badData` if a user with one of the ids was forgotten.
    package func outcome(ofRenaming old: String, to new: String, in table: EntityTable) throws(Failure)
        -> RenamingChange.Outcome
    {
        if let id = try forgottenUser(table, old, new) {
            throw Failure(
                .badData, "user \(id) was forgotten, and must not come back under another id (coterie forget)")
        }
        return switch (try key(of: old, in: table), try key(of: new, in: table)) {
        case (nil, nil): .unknown
        case (nil, _): .unchanged
        case (_?, nil): .renamed
        case (let key?, let target?): key == target ? .unchanged : .merged
        }
    }

    /// Returns the id of a user who was forgotten, or nil if neither was.
    func forgottenUser(_ table: EntityTable, _ old: String, _ new: String) throws(Failure) -> String? {
        guard table == .users else { return nil }
        for id in [old, new] where try isForgotten(user: id) { return id }
        return nil
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
}
