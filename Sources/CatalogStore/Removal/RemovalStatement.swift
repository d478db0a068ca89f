import Model

/// A statement that removes rows with the keys in the temporary table `vanished`, or rows that name them.
struct RemovalStatement {
    let table: String
    let sql: String
}

extension ImportKind {
    /// Returns the statements that remove the rows of this kind with the keys in `vanished`; its own rows go last.
    ///
    /// Rows of other tables that name them go first. The table `vanished` has a column `key`, or for pairs `row_key`
    /// and `entry_key`, with the time of pairs that repeat if no user named them.
    ///
    /// - Parameter isNamed: whether a user named the rows. Recorded events of these pairs, such as joins, are then
    ///   removed as well; the lack of a row in a file says nothing about them.
    func removals(in relations: RelationTable, isNamed: Bool) -> [RemovalStatement] {
        switch self {
        case .relation(let source):
            // A user names pairs, which may have several rows.
            let pair = "(\((isNamed ? Array(source.keyColumns.prefix(2)) : source.keyColumns).joined(separator: ", ")))"
            let removal = RemovalStatement(
                table: source.table,
                sql: "DELETE FROM \(source.table) WHERE \(pair) IN (SELECT * FROM temp.vanished)")
            guard isNamed, RelationSource.changed.contains(source) else { return [removal] }
            // A recorded event, such as a join, would create the pair again.
            let events = """
                DELETE FROM interactions WHERE \(source.isChanged) AND \(pair) IN (SELECT * FROM temp.vanished)
                """
            return [RemovalStatement(table: "interactions", sql: events), removal]
        case .entities(let table):
            let naming = relations.sources.flatMap { source in
                source.columns(naming: table).flatMap { column in source.tables.map { (table: $0, column: column) } }
            }
            let others = (table.tablesOfTheirs + [table.rawValue]).map { (table: $0, column: table.keyColumn) }
            let followed = table == .users ? [(table: "interactions", column: "followed_key")] : []
            let removals = (naming + followed + others).map {
                RemovalStatement(
                    table: $0.table,
                    sql: "DELETE FROM \($0.table) WHERE \($0.column) IN (SELECT key FROM temp.vanished)")
            }
            guard table == .users else { return removals }
            let disowning = "UPDATE photos SET user_key = NULL WHERE user_key IN (SELECT key FROM temp.vanished)"
            return [RemovalStatement(table: "photos", sql: disowning)] + removals
        }
    }

    /// The number of ids that name a row: 1, or 2 for a pair.
    package var idCount: Int { tablesOfIDs.count }

    /// The tables of the ids that name a row, in their order.
    var tablesOfIDs: [EntityTable] {
        switch self {
        case .entities(let table): [table]
        case .relation(let source): [source.rowTable, source.entityTable]
        }
    }
}

extension EntityTable {
    /// The tables, except relations, whose rows mean nothing without the group, user or photo that they name.
    fileprivate var tablesOfTheirs: [String] {
        switch self {
        case .groups: ["curated_groups", "interactions", "hidden_groups"]
        case .users: ["interactions", "exposures"]
        case .photos: ["photo_vectors", "interactions"]
        }
    }
}
