package import Changes
import Model
import SQLite

extension Catalog {
    /// Gives a group or a user another external id, in one transaction.
    ///
    /// Everything that belongs to it is kept: memberships, pools, interactions, interests, hiding and curation. If the
    /// new id is known already, for example after an import, its own facts stand and the rest is added. The group is
    /// private if it was under either id. A join or leave counts by its time, whichever id it was recorded under.
    ///
    /// - Parameters:
    ///   - table: groups or users.
    ///   - isDryRun: whether to find out the outcome, and to change nothing.
    ///   - stream: the stream that tells daemons of the renaming, and its last number.
    /// - Throws: `CatalogError.Code.badData` if a user with one of the ids was forgotten; then nothing was changed.
    package func rename(
        _ table: EntityTable, from old: String, to new: String, isDryRun: Bool = false,
        stream: (origin: String, last: Int64)? = nil
    ) throws(CatalogError) -> RenamingChange.Outcome {
        if let id = try forgottenUser(table, old, new) {
            throw CatalogError(
                .badData, "user \(id) was forgotten, and must not come back under another id (coterie forget)")
        }
        return try trying(isDryRun) { () throws(CatalogError) in
            let outcome = try wrapping { () throws(DatabaseError) in try move(table, from: old, to: new) }
            if let stream, outcome != .unknown { try noteTaken([stream.origin: stream.last]) }
            return outcome
        }
    }

    /// Applies a renaming of a journal, within a transaction of the caller.
    ///
    /// - Returns: whether there is such a group or user, who was not forgotten.
    func apply(_ change: RenamingChange) throws(CatalogError) -> Bool {
        let table: EntityTable = change.subject == .group ? .groups : .users
        guard try forgottenUser(table, change.oldID, change.newID) == nil else { return false }
        return try wrapping { () throws(DatabaseError) in
            try move(table, from: change.oldID, to: change.newID) != .unknown
        }
    }

    /// Returns the id of a user who was forgotten, or nil if neither was.
    private func forgottenUser(_ table: EntityTable, _ old: String, _ new: String) throws(CatalogError) -> String? {
        guard table == .users else { return nil }
        for id in [old, new] where try isForgotten(user: id) { return id }
        return nil
    }

    private func move(_ table: EntityTable, from old: String, to new: String) throws(DatabaseError)
        -> RenamingChange.Outcome
    {
        let before = database.totalChanges
        let outcome: RenamingChange.Outcome
        switch (try key(of: old, in: table), try key(of: new, in: table)) {
        case (nil, nil): return .unknown
        case (nil, _): return .unchanged
        case (let key?, nil):
            let update = try database.prepare(
                "UPDATE \(table.rawValue) SET \(table.idColumn) = ?1 WHERE \(table.keyColumn) = ?2")
            update.bind(new, at: 1)
            update.bind(key, at: 2)
            try update.run()
            outcome = .renamed
        case (let key?, let target?):
            guard key != target else { return .unchanged }
            for statement in table.mergingStatements(relations) {
                try database.prepare(statement).run(target, key)
            }
            try settlePairs(table, target)
            outcome = .merged
        }
        try recordChanges(database.totalChanges - before)
        try note(table, old, isNow: new)
        // A version that has the old id must no longer show it.
        if table == .groups { try noteGroupRemoval() }
        return outcome
    }

    /// Notes that changes under an old id count for a new one, as long as nothing else has the old id.
    private func note(_ table: EntityTable, _ old: String, isNow new: String) throws(DatabaseError) {
        guard !old.hasSameBytes(as: new) else { return }
        for statement in [
            // Renamings in a row lead to the last id, and an id that comes back is not renamed any more.
            "UPDATE renamed_ids SET new_id = ?3 WHERE entity = ?1 AND new_id = ?2",
            "INSERT INTO renamed_ids VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET new_id = ?3",
            "DELETE FROM renamed_ids WHERE entity = ?1 AND (old_id = new_id OR (?2 <> ?3 AND old_id = ?3))",
        ] {
            let row = try database.prepare(statement)
            row.bind(table.rawValue, at: 1)
            row.bind(old, at: 2)
            row.bind(new, at: 3)
            try row.run()
        }
    }

    /// Applies the events of a group or a user to memberships, favourites and follows, including those recorded under
    /// another id.
    private func settlePairs(_ table: EntityTable, _ key: Int64) throws(DatabaseError) {
        for source in RelationSource.changed where relations.sources.contains(source) {
            let columns = source.columns(naming: table)
            guard !columns.isEmpty else { continue }
            let pairs = try database.prepare(
                """
                SELECT DISTINCT \(source.rowColumn), \(source.entryColumn) FROM interactions
                WHERE \(source.isChanged) AND ?1 IN (\(columns.joined(separator: ", ")))
                """)
            pairs.bind(key, at: 1)
            var found: [(row: Int64, entry: Int64)] = []
            while try pairs.step() { found.append((pairs.integer(0), pairs.integer(1))) }
            let events = try PairEvents(database, source)
            for pair in found { try events.settle(row: pair.row, entry: pair.entry) }
        }
    }
}

extension EntityTable {
    /// Returns statements that move all rows of the key `?2` to the key `?1`, and at last remove the row of `?2`.
    fileprivate func mergingStatements(_ relations: RelationTable) -> [String] {
        let entries = relations.sources.flatMap { source in
            source.columns(naming: self).flatMap { column in
                let (table, time) = (source.table, source.timeColumn)
                let other = column == source.rowColumn ? source.entryColumn : source.rowColumn
                let rest = ([other] + source.valueColumns).joined(separator: ", ")
                return [
                    """
                    INSERT INTO \(table) (\(column), \(rest))
                    SELECT ?1, \(rest) FROM \(table) WHERE \(column) = ?2
                    ON CONFLICT DO UPDATE SET \(time) = excluded.\(time) WHERE \(table).\(time) IS NULL
                    """,
                    "DELETE FROM \(table) WHERE \(column) = ?2",
                ]
            }
        }
        // A member whose two ids followed each other does not follow themselves.
        let selves = relations.sources.filter { $0.columns(naming: self).count == 2 }.map {
            """
            DELETE FROM \($0.table) WHERE \($0.rowColumn) = \($0.entryColumn) AND \($0.rowColumn) IN (?1, ?2)
            """
        }
        let others =
            (self == .groups ? ["interactions", "hidden_groups", "curated_groups"] : ["interactions", "exposures"])
            .flatMap { table in
                [
                    "UPDATE OR IGNORE \(table) SET \(keyColumn) = ?1 WHERE \(keyColumn) = ?2",
                    "DELETE FROM \(table) WHERE \(keyColumn) = ?2",
                ]
            }
        let photos =
            self == .users
            ? [
                "UPDATE photos SET user_key = ?1 WHERE user_key = ?2",
                "UPDATE interactions SET followed_key = ?1 WHERE followed_key = ?2",
                "DELETE FROM interactions WHERE user_key = followed_key AND user_key IN (?1, ?2)",
            ] : []
        let columns =
            self == .groups
            ? ["title", "description", "topics", "created_at", "last_active_at"] : ["name", "interests"]
        var values = columns.map { "\($0) = coalesce(\($0), (SELECT \($0) FROM \(rawValue) WHERE \(keyColumn) = ?2))" }
        if self == .users {
            // Interests keep their stamp.
            values.append(
                """
                interests_stamp = CASE WHEN interests IS NOT NULL THEN interests_stamp ELSE
                    coalesce((SELECT interests_stamp FROM users WHERE user_key = ?2), interests_stamp) END
                """)
            // A member who is not listed under one id is not listed under the other.
            let old = "(SELECT listed FROM users WHERE user_key = ?2)"
            values.append("listed = min(coalesce(listed, \(old)), coalesce(\(old), listed))")
        }
        if hasVisibility {
            // What was private under one id stays private under the other.
            let old = "(SELECT visibility FROM \(rawValue) WHERE \(keyColumn) = ?2)"
            values.append(
                """
                visibility = CASE WHEN \(Visibility.private.code) IN (visibility, \(old)) THEN \(Visibility.private.code)
                    WHEN visibility = \(Visibility.unknown.code) THEN \(old) ELSE visibility END
                """)
        }
        return entries + selves + others + photos + [
            "UPDATE \(rawValue) SET \(values.joined(separator: ", ")) WHERE \(keyColumn) = ?1",
            "DELETE FROM \(rawValue) WHERE \(keyColumn) = ?2",
        ]
    }
}

/// The new ids of groups and users that were renamed, for changes under their old ids.
struct RenamedIDs {
    private let catalog: Catalog

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// Returns a change under the new ids of its groups and its user.
    func applied(to change: Change) throws(DatabaseError) -> Change {
        guard try catalog.database.integer("SELECT EXISTS (SELECT 1 FROM renamed_ids)") == 1 else { return change }
        return try change.renamed { id throws(DatabaseError) in
            try newest(.groups, id)
        } user: { id throws(DatabaseError) in
            try newest(.users, id)
        }
    }

    /// Returns the new id, or the same one if nothing was renamed from it, or if something else has it now.
    private func newest(_ table: EntityTable, _ id: String) throws(DatabaseError) -> String {
        let row = try catalog.database.prepare(
            """
            SELECT new_id FROM renamed_ids WHERE entity = ?1 AND old_id = ?2
            AND NOT EXISTS (SELECT 1 FROM \(table.rawValue) WHERE \(table.idColumn) = ?2)
            """)
        row.bind(table.rawValue, at: 1)
        row.bind(id, at: 2)
        return try row.step() ? row.text(0) : id
    }
}

extension Catalog {
    /// Returns the earlier ids of users, from which they were renamed.
    package func earlierIDs(ofUsers ids: [String]) throws(CatalogError) -> [String] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT old_id FROM renamed_ids WHERE entity = '\(EntityTable.users.rawValue)' AND new_id = ?")
            var found: [String] = []
            for id in ids {
                rows.bind(id, at: 1)
                while try rows.step() { found.append(rows.text(0)) }
                rows.reset()
            }
            return found
        }
    }
}
