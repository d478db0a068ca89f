package import Basics
import Model
import SQLite

/// The numbers of things that a restored catalog does not show, because the catalog that it replaces did not.
package struct WithdrawnAgain: Sendable, Equatable {
    /// The number of groups that are hidden again.
    package var hiddenGroups = 0
    /// The numbers of groups and of photos that are private or undescribed again.
    package var groups = 0, photos = 0
    /// The number of members who are not listed again.
    package var members = 0
    /// The numbers of groups and of photos that the replaced catalog no longer had; a file has to describe them again.
    package var missingGroups = 0, missingPhotos = 0
    /// The numbers of members, and of memberships, favourites and follows, that are deleted again.
    package var deletedMembers = 0, deletedPairs = 0

    package init() {}
}

extension Removal {
    /// Withdraws from this catalog, which comes from a backup, what another catalog has withdrawn since.
    ///
    /// Groups that the other one hides are hidden. What is private there becomes private here, and members are not
    /// listed who are not listed there. Groups and photos that the other one lacks are not shown until a file describes
    /// them. Members and pairs that were deleted there since are deleted here.
    ///
    /// - Parameters:
    ///   - path: the file of the other catalog, which must have this schema version. It is closed with this catalog.
    ///   - keepsRemoved: whether what the other catalog lacks stays, and is shown.
    /// - Throws: `Failure`; then nothing was changed.
    package func withdraw(asIn path: String, keepsRemoved: Bool) throws(Failure) -> WithdrawnAgain {
        try database.run("ATTACH ?1 AS replaced", path)
        return try database.transaction { () throws(Failure) in
            var counts = WithdrawnAgain()
            let changes = database.totalChanges
            counts.hiddenGroups = try hideAgain()
            let isUnlisted = "other.listed = 0 AND users.listed IS NOT 0"
            counts.members = try update(.users, set: "listed = 0", where: isUnlisted)
            for table in [EntityTable.groups, .photos] {
                let found = try withdraw(table, keepsRemoved: keepsRemoved)
                if table == .groups {
                    (counts.groups, counts.missingGroups) = found
                } else {
                    (counts.photos, counts.missingPhotos) = found
                }
            }
            if !keepsRemoved { (counts.deletedMembers, counts.deletedPairs) = try deleteAgain() }
            try catalog.recordChanges(database.totalChanges - changes)
            return counts
        }
    }

    /// Hides the groups that the replaced catalog hides, also those that this one lacks: an import may bring them.
    private func hideAgain() throws(Failure) -> Int {
        try database.execute(
            """
            INSERT INTO main.groups (group_id, visibility)
            SELECT group_id, \(Visibility.unknown.code)
            FROM replaced.groups WHERE group_key IN (SELECT group_key FROM replaced.hidden_groups)
            ON CONFLICT DO NOTHING
            """)
        return try count(
            """
            INSERT INTO main.hidden_groups (group_key, hidden_at, decided_at)
            SELECT mine.group_key, hidden.hidden_at, coalesce(hidden.decided_at, hidden.hidden_at)
            FROM replaced.hidden_groups AS hidden JOIN replaced.groups AS other USING (group_key)
            JOIN main.groups AS mine ON mine.group_id = other.group_id
            WHERE true ON CONFLICT DO NOTHING
            """)
    }

    /// Makes groups or photos private or undescribed as in the replaced catalog, and those that it lacks undescribed.
    ///
    /// A replaced catalog without any groups, or any photos, says nothing about them.
    private func withdraw(_ table: EntityTable, keepsRemoved: Bool) throws(Failure)
        -> (others: Int, missing: Int)
    {
        let (name, id) = (table.rawValue, table.idColumn)
        let (shown, unknown) = (Visibility.public.code, Visibility.unknown.code)
        let isPrivate = "other.visibility = \(Visibility.private.code) AND \(name).visibility <> other.visibility"
        // A group that was removed is undescribed if a membership has named it since.
        let isUndescribed = "other.visibility = \(unknown) AND \(name).visibility = \(shown)"
        let others = try update(
            table, set: "visibility = other.visibility",
            where: keepsRemoved ? isPrivate : "(\(isPrivate) OR \(isUndescribed))")
        guard !keepsRemoved else { return (others, 0) }
        let missing = try count(
            """
            UPDATE main.\(name) SET visibility = \(unknown)
            WHERE visibility = \(shown) AND \(id) NOT IN (SELECT \(id) FROM replaced.\(name))
            AND EXISTS (SELECT 1 FROM replaced.\(name))
            """)
        return (others, missing)
    }

    /// Deletes the members and pairs that the replaced catalog has deleted since, and takes over its notes of removals.
    private func deleteAgain() throws(Failure) -> (members: Int, pairs: Int) {
        var (members, pairs) = (0, 0)
        let kinds = [ImportKind.users] + RelationSource.changed.map { ImportKind.relation($0) }
        for kind in kinds {
            let rows = try removed(kind)
            let summary = try removeWithinTransaction(kind, rows, stamp: nil)
            if kind == .users { members = summary.removed } else { pairs += summary.removed }
        }
        try database.execute(
            """
            INSERT INTO main.noted_removals SELECT * FROM replaced.noted_removals WHERE true
            ON CONFLICT DO UPDATE SET stamp = max(stamp, excluded.stamp)
            """)
        return (members, pairs)
    }

    /// Returns the ids of what the replaced catalog has removed after this one did, if this one did at all.
    private func removed(_ kind: ImportKind) throws(Failure) -> [[String]] {
        let rows = try database.prepare(
            """
            SELECT id, entry_id FROM replaced.noted_removals AS other WHERE kind = ?1 AND NOT EXISTS (
                SELECT 1 FROM main.noted_removals AS mine
                WHERE (mine.kind, mine.id, mine.entry_id) = (other.kind, other.id, other.entry_id)
                AND mine.stamp >= other.stamp)
            """, kind.name)
        return try rows.map { [$0.text(0), $0.text(1)].dropLast(2 - kind.idCount) }
    }

    /// Updates rows of this catalog that have a row `other` of the replaced catalog, and returns their number.
    private func update(_ table: EntityTable, set assignment: String, where condition: String) throws(Failure)
        -> Int
    {
        let (name, id) = (table.rawValue, table.idColumn)
        return try count(
            """
            UPDATE main.\(name) SET \(assignment) FROM replaced.\(name) AS other
            WHERE other.\(id) = \(name).\(id) AND \(condition)
            """)
    }

    private func count(_ statement: String) throws(Failure) -> Int {
        let before = database.totalChanges
        try database.execute(statement)
        return Int(database.totalChanges - before)
    }
}
