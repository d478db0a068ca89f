import Model
import SQLite

/// A photo as the catalog has it, with the groups of its owner and of similar photos.
public struct PhotoRecord: Sendable, Equatable {
    /// The external id.
    public var id: String
    /// Who sees it.
    public var visibility: Visibility
    /// The owner's external id, if known.
    public var ownerID: String?
    /// The external ids of the shown groups whose pools it is in; ascending.
    public var groups: [String]
    /// The shown groups whose pools hold other public photos of its owner.
    public var ownerGroups: [OwnerGroup]
    /// The external ids of the shown groups that its owner is a member of; ascending.
    public var ownerMemberships: [String]
    /// Its tags, as imported.
    public var tags: [String]
    /// Where it was taken, in degrees.
    public var location: Location?
    /// The shown groups that hold public photos which share a pool with it.
    public var companionGroups: [CompanionGroup]

    /// How many public photos of an owner a group's pool holds.
    public struct OwnerGroup: Sendable, Equatable {
        /// The group's external id.
        public var groupID: String
        /// How many photos.
        public var photos: Int
    }

    /// A point on the earth, in degrees.
    public struct Location: Sendable, Equatable {
        /// −90 to 90.
        public var latitude: Double
        /// −180 to 180.
        public var longitude: Double
    }
}

extension Catalog {
    /// A photo with its groups, and those of its owner and of similar photos.
    ///
    /// - Returns: nil if there is no such photo.
    public func photo(withID id: String) throws(CatalogError) -> PhotoRecord? {
        try wrapping { () throws(DatabaseError) in
            try photo("photo_id = ?") { $0.bind(id, at: 1) }
        }
    }

    /// The photo of a column of a matrix of this catalog.
    public func photo(ofColumn column: UInt32) throws(CatalogError) -> PhotoRecord? {
        try wrapping { () throws(DatabaseError) in
            try photo("photo_key = ?") { $0.bind(Int64(column), at: 1) }
        }
    }

    private func photo(_ condition: String, _ bind: (Statement) -> Void) throws(DatabaseError) -> PhotoRecord? {
        let row = try database.prepare(
            """
            SELECT photo_key, photos.user_key, visibility, user_id, tags, latitude, longitude, photo_id
            FROM photos LEFT JOIN users USING (user_key) WHERE \(condition)
            """)
        bind(row)
        guard try row.step() else { return nil }
        let (key, owner) = (row.integer(0), row.optionalInteger(1))
        let location = row.optionalNumber(5).flatMap { latitude in
            row.optionalNumber(6).map { PhotoRecord.Location(latitude: latitude, longitude: $0) }
        }
        return PhotoRecord(
            id: row.text(7), visibility: Visibility(code: row.integer(2)), ownerID: row.optionalText(3),
            groups: try groupIDs(in: .pools, of: key), ownerGroups: try poolCounts(ofOwner: owner, except: key),
            ownerMemberships: try owner.map { owner throws(DatabaseError) in
                try groupIDs(in: .memberships, of: owner)
            } ?? [],
            tags: row.text(4).split(separator: ";").map(String.init), location: location,
            companionGroups: try companionGroups(ofPhoto: key))
    }

    /// The external ids of the shown groups that a user or a photo is in, ascending.
    private func groupIDs(in source: RelationSource, of key: Int64) throws(DatabaseError) -> [String] {
        let rows = try database.prepare(
            """
            SELECT group_id FROM \(source.table) JOIN groups USING (group_key)
            WHERE \(source.entryColumn) = ? AND \(CatalogSchema.isShown) ORDER BY group_id
            """)
        rows.bind(key, at: 1)
        return try rows.texts()
    }

    private func poolCounts(ofOwner owner: Int64?, except photo: Int64) throws(DatabaseError)
        -> [PhotoRecord.OwnerGroup]
    {
        guard let owner else { return [] }
        let rows = try database.prepare(
            """
            SELECT group_id, count(*) FROM photos JOIN pools USING (photo_key) JOIN groups USING (group_key)
            WHERE photos.user_key = ? AND photo_key <> ? AND photos.visibility = 0 AND \(CatalogSchema.isShown)
            GROUP BY group_key ORDER BY group_id
            """)
        rows.bind(owner, at: 1)
        rows.bind(photo, at: 2)
        var counts: [PhotoRecord.OwnerGroup] = []
        while try rows.step() { counts.append(.init(groupID: rows.text(0), photos: Int(rows.integer(1)))) }
        return counts
    }
}
