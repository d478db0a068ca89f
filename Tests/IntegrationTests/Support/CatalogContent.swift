import SQLite

/// Compares the content of catalogs by external ids; keys and the order of rows may differ.
enum CatalogContent {
    /// How many rows only one of two catalogs has; an index counts as a row.
    static func differences(_ path: String, _ otherPath: String) throws -> Int64 {
        let database = try Database(path: path, mode: .readOnly)
        try database.execute("ATTACH '\(otherPath)' AS other")
        var count: Int64 = 0
        for (mine, theirs) in zip(tables(in: "main"), tables(in: "other")) {
            for (left, right) in [(mine, theirs), (theirs, mine)] {
                count += try database.integer("SELECT count(*) FROM (\(left) EXCEPT \(right))") ?? 0
            }
        }
        return count
    }

    /// The first column of all rows.
    static func texts(_ sql: String, _ path: String) throws -> [String] {
        let rows = try Database(path: path, mode: .readOnly).prepare(sql)
        var texts: [String] = []
        while try rows.step() { texts.append(rows.text(0)) }
        return texts
    }

    /// The content of a catalog, without keys.
    private static func tables(in schema: String) -> [String] {
        [
            """
            SELECT group_id, title, description, visibility, topics, join_policy, created_at, last_active_at
            FROM \(schema).groups
            """,
            "SELECT user_id, name, interests FROM \(schema).users",
            """
            SELECT photo_id, user_id, visibility, taken_at, uploaded_at, tags, latitude, longitude
            FROM \(schema).photos LEFT JOIN \(schema).users USING (user_key)
            """,
            """
            SELECT group_id, user_id, joined_at FROM \(schema).memberships
            LEFT JOIN \(schema).groups USING (group_key) LEFT JOIN \(schema).users USING (user_key)
            """,
            """
            SELECT group_id, photo_id, added_at FROM \(schema).pools
            LEFT JOIN \(schema).groups USING (group_key) LEFT JOIN \(schema).photos USING (photo_key)
            """,
            "SELECT type, name FROM \(schema).sqlite_schema",
        ]
    }
}
