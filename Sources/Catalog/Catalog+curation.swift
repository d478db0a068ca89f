import SQLite

/// A group that a curator put forward.
public struct Curation: Sendable, Equatable {
    /// The group's outside id.
    public var groupID: String
    /// Who sees the group: one that became private since is put forward to nobody.
    public var visibility: Visibility
    /// Its place among all curated groups, from 1 on, without gaps.
    public var position: Int
    /// From when on it is put forward, in Unix seconds, inclusive; nil: always.
    public var startsAt: Int64?
    /// Until when, in Unix seconds, exclusive; nil: for ever.
    public var expiresAt: Int64?
}

extension Catalog {
    /// Everything that was put forward, whether it is valid now, later or no more; by position.
    public func curations() throws(CatalogError) -> [Curation] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT group_id, visibility, position, starts_at, expires_at
                FROM curated_groups JOIN groups USING (group_key) ORDER BY position, group_id
                """)
            var curations: [Curation] = []
            while try rows.step() {
                curations.append(
                    Curation(
                        groupID: rows.text(0), visibility: Visibility(code: rows.integer(1)),
                        position: Int(rows.integer(2)), startsAt: rows.optionalInteger(3),
                        expiresAt: rows.optionalInteger(4)))
            }
            return curations
        }
    }

    /// The public groups that are put forward at an instant, by position.
    public func curatedGroups(at unixSeconds: Int64) throws(CatalogError) -> [(id: String, position: Int)] {
        try curations().filter { curation in
            curation.visibility == .public && curation.startsAt.map { $0 <= unixSeconds } ?? true
                && curation.expiresAt.map { unixSeconds < $0 } ?? true
        }.map { ($0.groupID, $0.position) }
    }

    /// Puts a group forward, or changes where and when; those behind it move on.
    ///
    /// - Parameters:
    ///   - group: a public group.
    ///   - position: its place from 1 on; nil, or beyond the end: the last.
    ///   - startsAt: from when on, in Unix seconds, inclusive; nil: always.
    ///   - expiresAt: until when, in Unix seconds, exclusive; nil: for ever.
    /// - Throws: `CatalogError.Code.badData` if the group is private, or it would expire before it starts.
    public func curate(
        _ group: GroupRecord, position: Int? = nil, startsAt: Int64? = nil, expiresAt: Int64? = nil
    ) throws(CatalogError) {
        guard group.visibility == .public else {
            throw CatalogError(.badData, "group \"\(group.id)\" is private: it cannot be put forward")
        }
        if let startsAt, let expiresAt, expiresAt <= startsAt {
            throw CatalogError(.badData, "group \"\(group.id)\" would expire before it starts")
        }
        try changeCuration { database throws(DatabaseError) in
            var order = try keysInOrder(database).filter { $0 != group.key }
            order.insert(group.key, at: min(max(1, position ?? .max), order.count + 1) - 1)
            let insert = try database.prepare("INSERT OR REPLACE INTO curated_groups VALUES (?, 0, ?, ?)")
            insert.bind(group.key, at: 1)
            insert.bind(startsAt, at: 2)
            insert.bind(expiresAt, at: 3)
            try insert.run()
            try number(order, database)
        }
    }

    /// Puts a group forward no more; those behind it move up.
    ///
    /// - Returns: whether it had been.
    public func removeCuration(of group: GroupRecord) throws(CatalogError) -> Bool {
        try changeCuration { database throws(DatabaseError) in
            let order = try keysInOrder(database)
            guard order.contains(group.key) else { return false }
            let delete = try database.prepare("DELETE FROM curated_groups WHERE group_key = ?")
            delete.bind(group.key, at: 1)
            try delete.run()
            try number(order.filter { $0 != group.key }, database)
            return true
        }
    }

    private func changeCuration<Result>(_ body: (Database) throws(DatabaseError) -> Result) throws(CatalogError)
        -> Result
    {
        try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in
                let before = database.totalChanges
                let result = try body(database)
                try recordChanges(Int64(database.totalChanges - before))
                return result
            }
        }
    }

    private func keysInOrder(_ database: Database) throws(DatabaseError) -> [Int64] {
        let rows = try database.prepare("SELECT group_key FROM curated_groups ORDER BY position, group_key")
        var keys: [Int64] = []
        while try rows.step() { keys.append(rows.integer(0)) }
        return keys
    }

    private func number(_ keys: [Int64], _ database: Database) throws(DatabaseError) {
        let update = try database.prepare(
            "UPDATE curated_groups SET position = ?1 WHERE group_key = ?2 AND position <> ?1")
        for (place, key) in keys.enumerated() {
            update.bind(Int64(place + 1), at: 1)
            update.bind(key, at: 2)
            try update.run()
        }
    }
}
