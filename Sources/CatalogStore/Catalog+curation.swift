import SQLite

/// A group that a curator put forward.
public struct Curation: Sendable, Equatable, Codable {
    /// The group's external id.
    public var groupID: String
    /// Whether the group is public, and not hidden: another is put forward to nobody.
    public var isShown: Bool
    /// Its place among all curated groups, from 1 on, without gaps.
    public var position: Int
    /// From when on it is put forward, in Unix seconds, inclusive; nil: always.
    public var startsAt: Int64?
    /// Until when, in Unix seconds, exclusive; nil: for ever.
    public var expiresAt: Int64?

    /// A curation.
    public init(groupID: String, isShown: Bool, position: Int, startsAt: Int64? = nil, expiresAt: Int64? = nil) {
        self.groupID = groupID
        self.isShown = isShown
        self.position = position
        self.startsAt = startsAt
        self.expiresAt = expiresAt
    }

    /// Whether it is put forward at an instant, in Unix seconds.
    public func isValid(at unixSeconds: Int64) -> Bool {
        isShown && startsAt.map { $0 <= unixSeconds } ?? true && expiresAt.map { unixSeconds < $0 } ?? true
    }
}

extension Catalog {
    /// Everything that was put forward, whether it is valid now, later or no more; by position.
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
                        position: Int(rows.integer(2)), startsAt: rows.optionalInteger(3),
                        expiresAt: rows.optionalInteger(4)))
            }
            return curations
        }
    }
}
