import Model

/// A statement that removes rows of which the temporary table `vanished` has the keys, or rows that name them.
struct Removal {
    /// Whose rows.
    let table: String
    let statement: String
}

extension ImportKind {
    /// What removes the rows of this kind with the keys in `vanished`, and rows of other tables that name them; its own
    /// rows last.
    ///
    /// That table has a column `key`; for entries of a relation, `group_key` and `entry_key`.
    ///
    /// - Parameter isNamed: whether somebody names the rows: then the recorded joins and leaves of memberships go
    ///   along, which a file that lacks the rows says nothing of.
    func removals(in relations: RelationTable, isNamed: Bool) -> [Removal] {
        switch self {
        case .relation(let source):
            let pair = "(group_key, \(source.entryColumn))"
            let removal = Removal(
                table: source.table,
                statement: "DELETE FROM \(source.table) WHERE \(pair) IN (SELECT * FROM temp.vanished)")
            guard isNamed, relations[.membership]?.source == source else { return [removal] }
            // A recorded join would make the membership again.
            let joins = """
                DELETE FROM interactions
                WHERE \(Catalog.changesMembership) AND \(pair) IN (SELECT * FROM temp.vanished)
                """
            return [Removal(table: "interactions", statement: joins), removal]
        case .entities(let table):
            let tables =
                relations.map(\.source).filter { table == .groups || $0.entityTable == table }.map(\.table)
                + table.tablesOfTheirs + [table.rawValue]
            let removals = tables.map {
                Removal(
                    table: $0,
                    statement: "DELETE FROM \($0) WHERE \(table.keyColumn) IN (SELECT key FROM temp.vanished)")
            }
            guard table == .users else { return removals }
            let disowning = "UPDATE photos SET user_key = NULL WHERE user_key IN (SELECT key FROM temp.vanished)"
            return [Removal(table: "photos", statement: disowning)] + removals
        }
    }
}

extension EntityTable {
    /// Tables whose rows mean nothing without the group, user or photo that they name, but for relations.
    fileprivate var tablesOfTheirs: [String] {
        switch self {
        case .groups: ["curated_groups", "interactions", "hidden_groups"]
        case .users: ["interactions", "exposures"]
        case .photos: []
        }
    }
}
