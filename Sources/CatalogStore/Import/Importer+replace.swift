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
                Int(try catalog.database.integer("SELECT count(*) FROM \(kind.rawValue)") ?? 0)
            )
        }
        guard vanished * 2 <= existing || options.allowsShrinking else {
            throw CatalogError(
                .badData,
                """
                replacing would remove \(vanished) of \(existing) \(kind.rawValue), more than half: nothing was changed. \
                If the files are complete, add --allow-shrinking
                """)
        }
        try wrapping { () throws(DatabaseError) in
            for statement in removals { try catalog.database.execute(statement) }
            try catalog.database.execute("DROP TABLE temp.vanished; DROP TABLE IF EXISTS temp.seen")
        }
        return vanished
    }

    /// Fills the temporary table `vanished` with the keys of rows that the files do not have.
    private func collectVanished() throws(DatabaseError) {
        if let table = kind.relationshipTable {
            try catalog.database.execute(
                """
                CREATE TEMP TABLE vanished (group_key INTEGER, entry_key INTEGER, PRIMARY KEY (group_key, entry_key))
                WITHOUT ROWID;
                INSERT INTO temp.vanished SELECT group_key, \(table.entryColumn) FROM \(table.name)
                EXCEPT SELECT group_key, entry_key FROM temp.seen
                """)
            return
        }
        guard let table = kind.entityTable else { return }
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

    /// The statements that remove the vanished rows, and rows of other tables that name them.
    private var removals: [String] {
        let keys = "(SELECT key FROM temp.vanished)"
        switch kind {
        case .groups:
            return [
                "DELETE FROM memberships WHERE group_key IN \(keys)", "DELETE FROM pools WHERE group_key IN \(keys)",
                "DELETE FROM curated_groups WHERE group_key IN \(keys)",
                "DELETE FROM interactions WHERE group_key IN \(keys)",
                "DELETE FROM groups WHERE group_key IN \(keys)",
            ]
        case .users:
            return [
                "DELETE FROM memberships WHERE user_key IN \(keys)",
                "DELETE FROM interactions WHERE user_key IN \(keys)",
                "UPDATE photos SET user_key = NULL WHERE user_key IN \(keys)",
                "DELETE FROM users WHERE user_key IN \(keys)",
            ]
        case .photos:
            return ["DELETE FROM pools WHERE photo_key IN \(keys)", "DELETE FROM photos WHERE photo_key IN \(keys)"]
        case .memberships:
            return ["DELETE FROM memberships WHERE (group_key, user_key) IN (SELECT * FROM temp.vanished)"]
        case .pools:
            return ["DELETE FROM pools WHERE (group_key, photo_key) IN (SELECT * FROM temp.vanished)"]
        }
    }
}
