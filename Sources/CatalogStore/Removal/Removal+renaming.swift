import Basics
import Changes
import Model
import SQLite

extension Removal {
    /// Gives a group or a user another external id, within a transaction of the caller.
    ///
    /// Everything that belongs to it is kept: memberships, pools, interactions, interests, hiding and curation. If the
    /// new id is known already, for example after an import, its own facts stand and the rest is added. The group is
    /// private if it was under either id. A join or leave counts by its time, whichever id it was recorded under.
    /// Nothing is done if a user with one of the ids was forgotten.
    ///
    /// - Parameter stamp: the stamp of the renaming, in milliseconds.
    /// - Returns: whether there is such a group or user, who was not forgotten.
    func apply(_ change: RenamingChange, stamp: Int64) throws(Failure) -> Bool {
        let table: EntityTable = change.subject == .group ? .groups : .users
        let (old, new) = (change.oldID, change.newID)
        guard try facts.forgottenUser(table, old, new) == nil else { return false }
        let outcome = try facts.outcome(ofRenaming: old, to: new, in: table)
        if outcome == .renamed || outcome == .merged {
            try move(table, from: old, to: new, stamp)
        }
        return outcome != .unknown
    }

    private func move(_ table: EntityTable, from old: String, to new: String, _ stamp: Int64) throws(Failure) {
        guard let key = try self.facts.key(of: old, in: table) else { return }
        let before = database.totalChanges
        if let target = try self.facts.key(of: new, in: table) {
            for statement in table.mergingStatements(catalog.relations) {
                try database.prepare(statement).run(target, key)
            }
            try settlePairs(table, target)
        } else {
            try database.run(
                "UPDATE \(table.rawValue) SET \(table.idColumn) = ?1 WHERE \(table.keyColumn) = ?2", new, key)
        }
        try catalog.recordChanges(database.totalChanges - before)
        try note(table, old, isNow: new, stamp)
        // A version that has the old id must no longer show it.
        if table == .groups { try noteGroupRemoval() } else { try catalog.recordMemberChange() }
    }

    /// Notes that changes under an old id count for a new one, as long as nothing else has the old id.
    private func note(_ table: EntityTable, _ old: String, isNow new: String, _ stamp: Int64) throws(Failure) {
        func run(_ statement: String) throws(Failure) {
            try database.run(statement, table.rawValue, old, new, stamp)
        }
        // Something else has these ids: the new one from now on, and the old one since nobody knows when.
        let isOpen = "entity = ?1 AND until = \(Int64.max) AND ?2 <> ?3 AND stamp <= ?4"
        try run("UPDATE renamed_ids SET until = stamp WHERE old_id = ?2 AND \(isOpen)")
        let before = database.totalChanges
        try run("UPDATE renamed_ids SET until = ?4 WHERE old_id = ?3 AND \(isOpen)")
        if table == .users, database.totalChanges > before {
            // To forget who had the id before is not to forget who has it now.
            try LedgerWriter(database).note(Ledger.Times(readmitted: stamp), of: new)
        }
        try run("INSERT OR REPLACE INTO renamed_ids VALUES (?1, ?2, ?3, ?4, \(Int64.max))")
    }

    /// Applies the events of a group or a user to memberships, favourites and follows, including those recorded under
    /// another id.
    private func settlePairs(_ table: EntityTable, _ key: Int64) throws(Failure) {
        for source in RelationSource.changed where catalog.relations.sources.contains(source) {
            let columns = source.columns(naming: table)
            guard !columns.isEmpty else { continue }
            let pairs = try database.prepare(
                """
                SELECT DISTINCT \(source.rowColumn), \(source.entryColumn) FROM interactions
                WHERE \(source.isChanged) AND ?1 IN (\(columns.joined(separator: ", ")))
                """, key)
            var found: [(row: Int64, entry: Int64)] = []
            while try pairs.step() { found.append((pairs.integer(0), pairs.integer(1))) }
            let events = try PairEvents(database, source)
            for pair in found { _ = try events.settle(row: pair.row, entry: pair.entry) }
        }
    }
}

extension EntityTable {
    /// Returns statements that move all rows of the key `?2` to the key `?1`, and at last remove the row of `?2`.
    fileprivate func mergingStatements(_ relations: RelationTable) -> [String] {
        let entries = relations.sources.flatMap { source in
            source.columns(naming: self).flatMap { column in
                let time = source.timeColumn
                let other = column == source.rowColumn ? source.entryColumn : source.rowColumn
                let rest = ([other] + source.valueColumns).joined(separator: ", ")
                return source.tables.flatMap { table in
                    [
                        """
                        INSERT INTO \(table) (\(column), \(rest))
                        SELECT ?1, \(rest) FROM \(table) WHERE \(column) = ?2
                        ON CONFLICT DO UPDATE SET \(time) = excluded.\(time) WHERE \(table).\(time) IS NULL
                        """,
                        "DELETE FROM \(table) WHERE \(column) = ?2",
                    ]
                }
            }
        }
        // A member whose two ids followed each other does not follow themselves.
        let selves = relations.sources.filter { $0.columns(naming: self).count == 2 }.map {
            """
            DELETE FROM \($0.table) WHERE \($0.rowColumn) = \($0.entryColumn) AND \($0.rowColumn) IN (?1, ?2)
            """
        }
        let own =
            self == .groups
            ? ["hidden_groups", "curated_groups"].flatMap { table in
                [
                    "UPDATE OR IGNORE \(table) SET \(keyColumn) = ?1 WHERE \(keyColumn) = ?2",
                    "DELETE FROM \(table) WHERE \(keyColumn) = ?2",
                ]
            }
            : [
                // Both clients may have begun to count at 1.
                """
                UPDATE interactions SET id = substr(id, 1, 90) || '~' || interaction_key
                WHERE user_key = ?2 AND id IN (SELECT id FROM interactions WHERE user_key = ?1)
                """,
                ExposureWriter.marking,
            ] + ExposureWriter.merging + ["DELETE FROM exposures WHERE user_key = ?2"]
        let others = own + ["UPDATE interactions SET \(keyColumn) = ?1 WHERE \(keyColumn) = ?2"]
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

/// The present ids of groups and users that were renamed, for changes under their old ids.
package struct RenamedIDs {
    /// The SQL that makes the table of `KnownRenaming`s.
    package static let schema = """
        CREATE TABLE renamed_ids (
            entity TEXT NOT NULL,
            old_id TEXT NOT NULL,
            new_id TEXT NOT NULL,
            stamp INTEGER NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (entity, old_id, stamp)
        ) WITHOUT ROWID;
        CREATE INDEX renamed_ids_by_new ON renamed_ids (entity, new_id);
        """

    private let catalog: Catalog

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// Returns a change under the present ids of the groups and users that had its ids at its stamp.
    ///
    /// An interaction whose id the member under the present id has already gets another one.
    func applied(to change: Change, stamp: Int64) throws(Failure) -> Change {
        guard try catalog.database.integer("SELECT EXISTS (SELECT 1 FROM renamed_ids)") == 1 else { return change }
        let renamed = try change.renamed { id throws(Failure) in
            try newest(.groups, id, stamp)
        } user: { id throws(Failure) in
            try newest(.users, id, stamp)
        }
        guard case .member(var member) = renamed, case .record(var records) = member.action,
            change.userID?.hasSameBytes(as: member.userID) == false
        else { return renamed }
        let known = try catalog.database.prepare(
            "SELECT 1 FROM interactions JOIN users USING (user_key) WHERE user_id = ?1 AND id = ?2")
        for index in records.indices {
            known.bind(member.userID, records[index].id)
            if try known.step() { records[index].id = "\(records[index].id.prefix(90))~\(stamp)" }
            known.reset()
        }
        member.action = .record(records)
        return .member(member)
    }

    private func newest(_ table: EntityTable, _ id: String, _ stamp: Int64) throws(Failure) -> String {
        try KnownRenaming.newest(of: id, at: stamp) { id throws(Failure) in
            try catalog.facts.key(of: id, in: table) != nil
        } _: { id throws(Failure) in
            let rows = try catalog.database.prepare(
                "SELECT new_id, stamp, until FROM renamed_ids WHERE entity = ?1 AND old_id = ?2 ORDER BY stamp",
                table.rawValue, id)
            return try rows.map { KnownRenaming(newID: $0.text(0), stamp: $0.integer(1), until: $0.integer(2)) }
        }
    }
}
