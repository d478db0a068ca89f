import Model
import SQLite

extension Importer {
    /// Removes the rows that a replacing import did not see, within its transaction.
    ///
    /// - Returns: how many rows of the kind were removed.
    /// - Throws: `CatalogError.Code.badData` if that is more than half of what there was, unless that is allowed.
    func removeOthers() throws(CatalogError) -> Int {
        let changes = catalog.database.totalChanges
        try wrapping { () throws(DatabaseError) in try collectVanished() }
        temporaryChanges += catalog.database.totalChanges - changes
        let (vanished, existing) = try wrapping { () throws(DatabaseError) in
            (
                Int(try catalog.database.integer("SELECT count(*) FROM temp.vanished") ?? 0),
                Int(try catalog.database.integer("SELECT count(*) FROM \(kind.name)") ?? 0)
            )
        }
        guard vanished * 2 <= existing || options.allowsShrinking else {
            throw CatalogError(
                .badData,
                """
                replacing would remove \(vanished) of \(existing) \(kind.name), more than half: nothing was changed. \
                If the files are complete, add --allow-shrinking
                """)
        }
        try wrapping { () throws(DatabaseError) in
            for removal in kind.removals(in: catalog.relations, isNamed: false) {
                try catalog.database.execute(removal.statement)
            }
            if kind == .groups, vanished > 0 { try catalog.noteGroupRemoval() }
            try catalog.database.execute("DROP TABLE temp.vanished; DROP TABLE IF EXISTS temp.seen")
        }
        return vanished
    }

    /// Whether a replacing import saw the group, user or photo with a key.
    private func wasSeen(_ key: Int64) -> Bool {
        guard case .entities(let writer, _) = writer else { return true }
        return writer.wasSeen(key)
    }

    /// Fills the temporary table `vanished` with the keys of rows that the files do not have.
    private func collectVanished() throws(DatabaseError) {
        guard case .entities(let table) = kind else {
            guard case .relation(let source) = kind else { return }
            try catalog.database.execute(
                """
                CREATE TEMP TABLE vanished (group_key INTEGER, entry_key INTEGER, PRIMARY KEY (group_key, entry_key))
                WITHOUT ROWID;
                INSERT INTO temp.vanished SELECT group_key, \(source.entryColumn) FROM \(source.table)
                EXCEPT SELECT group_key, entry_key FROM temp.seen
                """)
            return
        }
        try catalog.database.execute("CREATE TEMP TABLE vanished (key INTEGER PRIMARY KEY)")
        // A hidden group stays, so that it is still hidden if a later import has it again.
        let condition = table == .groups ? "WHERE group_key NOT IN (SELECT group_key FROM hidden_groups)" : ""
        let keys = try catalog.database.prepare("SELECT \(table.keyColumn) FROM \(table.rawValue) \(condition)")
        let insert = try catalog.database.prepare("INSERT INTO temp.vanished VALUES (?)")
        while try keys.step() {
            let key = keys.integer(0)
            guard !wasSeen(key) else { continue }
            insert.bind(key, at: 1)
            try insert.run()
        }
    }
}
