import SQLite

extension Catalog {
    private static let groupColumns = """
        group_key, group_id, title, visibility, topics, join_policy, created_at, last_active_at,
        EXISTS (SELECT 1 FROM hidden_groups WHERE hidden_groups.group_key = groups.group_key)
        """

    private func group(from row: Statement) -> GroupRecord {
        GroupRecord(
            id: row.text(1), title: row.text(2), visibility: Visibility(code: row.integer(3)),
            isHidden: row.integer(8) != 0,
            topics: row.text(4).split(separator: ";").map(String.init),
            joinPolicy: GroupJoinPolicy(code: row.integer(5)),
            createdAt: row.time(6), lastActiveAt: row.time(7), key: row.integer(0))
    }

    /// All groups, public and private, in ascending order of the bytes of their external ids.
    public func groups() throws(CatalogError) -> [GroupRecord] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT \(Self.groupColumns) FROM groups ORDER BY group_id")
            var groups: [GroupRecord] = []
            while try rows.step() { groups.append(group(from: rows)) }
            return groups
        }
    }

    /// The group with an external id, public or private; nil if there is none.
    public func group(withID id: String) throws(CatalogError) -> GroupRecord? {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT \(Self.groupColumns) FROM groups WHERE group_id = ?")
            rows.bind(id, at: 1)
            return try rows.step() ? group(from: rows) : nil
        }
    }
}
