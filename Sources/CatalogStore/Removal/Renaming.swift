import Model
import SQLite

/// The result of giving a group or a user a new external id.
public enum RenamingOutcome: Sendable, Equatable {
    /// Only the old id was known; its group or user has the new id now.
    case renamed
    /// Both ids were known; everything of the old one belongs to the new one now, and the old one is gone.
    case merged
    /// Only the new id is known, for example after an earlier renaming.
    case unchanged
    /// Neither id is known.
    case unknown
}

extension Catalog {
    /// Gives a group or a user another external id, in one transaction.
    ///
    /// Everything that belongs to it is kept: memberships, pools, interactions, interests, hiding and curation. If the
    /// new id is known already, for example after an import, its own facts stand and the rest is added. The group is
    /// private if it was under either id. A join or leave counts by its time, whichever id it was recorded under.
    ///
    /// - Parameter table: groups or users.
    /// - Throws: `CatalogError.Code.badData` if a user with one of the ids was forgotten; then nothing was changed.
    public func rename(_ table: EntityTable, from old: String, to new: String) throws(CatalogError) -> RenamingOutcome {
        if table == .users {
            for id in [old, new] where try isForgotten(user: id) {
                throw CatalogError(
                    .badData, "user \(id) was forgotten, and must not come back under another id (coterie forget)")
            }
        }
        return try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in
                let before = database.totalChanges
                let outcome: RenamingOutcome
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
                    try settleMemberships(table, target)
                    outcome = .merged
                }
                try recordChanges(database.totalChanges - before)
                // A version that has the old id must no longer show it.
                if table == .groups { try noteGroupRemoval() }
                return outcome
            }
        }
    }

    /// Applies the joins and leaves of a group or a user to the memberships, including those recorded under another id.
    private func settleMemberships(_ table: EntityTable, _ key: Int64) throws(DatabaseError) {
        let pairs = try database.prepare(
            """
            SELECT DISTINCT group_key, user_key FROM interactions
            WHERE \(Catalog.changesMembership) AND \(table.keyColumn) = ?
            """)
        pairs.bind(key, at: 1)
        var found: [(group: Int64, user: Int64)] = []
        while try pairs.step() { found.append((pairs.integer(0), pairs.integer(1))) }
        let memberships = try MembershipEvents(database)
        for pair in found { try memberships.settle(group: pair.group, user: pair.user) }
    }
}

extension EntityTable {
    /// Returns statements that move all rows of the key `?2` to the key `?1`, and at last remove the row of `?2`.
    fileprivate func mergingStatements(_ relations: RelationTable) -> [String] {
        let entries = relations.sources.flatMap { source in
            source.columns(naming: self).flatMap { column in
                let (table, time) = (source.table, source.timeColumn)
                let other = column == source.rowColumn ? source.entryColumn : source.rowColumn
                return [
                    """
                    INSERT INTO \(table) (\(column), \(other), \(time))
                    SELECT ?1, \(other), \(time) FROM \(table) WHERE \(column) = ?2
                    ON CONFLICT DO UPDATE SET \(time) = excluded.\(time) WHERE \(table).\(time) IS NULL
                    """,
                    "DELETE FROM \(table) WHERE \(column) = ?2",
                ]
            }
        }
        // A member whose two ids followed each other does not follow themselves.
        let selves = relations.sources.filter { $0.columns(naming: self).count == 2 }.map {
            "DELETE FROM \($0.table) WHERE \($0.rowColumn) = \($0.entryColumn)"
        }
        let others =
            (self == .groups ? ["interactions", "hidden_groups", "curated_groups"] : ["interactions", "exposures"])
            .flatMap { table in
                [
                    "UPDATE OR IGNORE \(table) SET \(keyColumn) = ?1 WHERE \(keyColumn) = ?2",
                    "DELETE FROM \(table) WHERE \(keyColumn) = ?2",
                ]
            }
        let photos = self == .users ? ["UPDATE photos SET user_key = ?1 WHERE user_key = ?2"] : []
        let columns =
            self == .groups
            ? ["title", "description", "topics", "created_at", "last_active_at"] : ["name", "interests"]
        var values = columns.map { "\($0) = coalesce(\($0), (SELECT \($0) FROM \(rawValue) WHERE \(keyColumn) = ?2))" }
        if self == .users {
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
