public import Model
import SQLite

extension Catalog {
    /// All curated groups by position, including those that have not started or have expired.
    public func curations() throws(CatalogError) -> [Curation] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT group_id, \(CatalogSchema.isShown), position, starts_at, expires_at
                FROM curated_groups JOIN groups USING (group_key) ORDER BY position, group_id
                """)
            var curations: [Curation] = []
            while try rows.step() {
                curations.append(
                    Curation(
                        groupID: rows.text(0), isShown: rows.integer(1) != 0,
                        position: Int(rows.integer(2)), startsAt: rows.time(3), expiresAt: rows.time(4)))
            }
            return curations
        }
    }

    /// The external ids of all groups that are private or hidden, ascending.
    public func unshownGroupIDs() throws(CatalogError) -> [String] {
        try wrapping { () throws(DatabaseError) in
            try database.prepare(
                """
                SELECT group_id FROM groups WHERE visibility <> 0
                UNION SELECT group_id FROM hidden_groups JOIN groups USING (group_key) ORDER BY group_id
                """
            ).texts()
        }
    }

    /// Hidden groups, in ascending order of the bytes of their external ids.
    ///
    /// - Parameters:
    ///   - after: only ids after this one, which need not be that of a hidden group; nil: from the beginning.
    ///   - limit: how many at most.
    public func hiddenGroups(after: String? = nil, limit: Int) throws(CatalogError) -> [HiddenGroup] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT group_id, hidden_at FROM hidden_groups JOIN groups USING (group_key)
                WHERE ?1 IS NULL OR group_id > ?1 ORDER BY group_id LIMIT ?2
                """)
            rows.bind(after, at: 1)
            rows.bind(Int64(limit), at: 2)
            var groups: [HiddenGroup] = []
            while try rows.step() {
                groups.append(HiddenGroup(id: rows.text(0), hiddenAtMilliseconds: rows.milliseconds(1)))
            }
            return groups
        }
    }
}
