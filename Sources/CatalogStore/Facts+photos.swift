package import Basics
package import Model
package import Recommendation
import SQLite

/// A photo of the catalog, with the groups of its owner and of similar photos.
package struct PhotoRecord: Sendable, Equatable {
    package var id: String
    package var visibility: Visibility
    /// The owner's external id, if it is known.
    package var ownerID: String?
    /// The external ids of the shown groups whose pools have the photo, ascending.
    package var groups: [String]
    /// The shown groups whose pools have other public photos of the owner.
    package var ownerGroups: [OwnerGroup]
    /// The external ids of the shown groups that the owner is a member of, ascending.
    package var ownerMemberships: [String]
    /// The tags, as imported.
    package var tags: [String]
    /// The place where it was taken, in degrees.
    package var location: Location?
    /// The shown groups with public photos that share a pool with this photo.
    package var companionGroups: [CompanionGroup]

    /// The number of an owner's public photos in a group's pool.
    package struct OwnerGroup: Sendable, Equatable {
        package var groupID: String
        package var photos: Int
    }

    /// A point on the earth, in degrees.
    package struct Location: Sendable, Equatable {
        /// The latitude, −90 to 90.
        package var latitude: Double
        /// The longitude, −180 to 180.
        package var longitude: Double
    }
}

/// A public photo in a group's pool.
package struct PooledPhoto: Sendable, Equatable {
    package var id: String
    /// The owner's external id, if known.
    package var ownerID: String?
    /// The size of the picture in pixels, if known.
    package var width, height: Int64?
}

/// A group that holds companions of a photo: public photos that share a pool with the photo.
package struct CompanionGroup: Sendable, Equatable {
    package var groupID: String
    package var photos: Int
    /// The companions' share of all companions, from 0 to 1.
    ///
    /// Each companion is weighted by the cosine of its pools and the photo's.
    package var share: Double
}

extension Facts {
    package var vectors: CatalogVectors { CatalogVectors(of: self) }

    /// Returns a photo with its groups, and the groups of its owner and of similar photos.
    ///
    /// - Returns: `nil` if there is no such photo.
    package func photo(withID id: String) throws(Failure) -> PhotoRecord? {
        try photo("photo_id = ?") { $0.bind(id, at: 1) }
    }

    /// Returns a public photo as `photo(withID:)` does, or `nil` if there is no such photo.
    ///
    /// Nothing else is read about a photo that is not shown, and for an unknown id the row of the next photo is read.
    /// Otherwise the time would tell the two apart.
    ///
    /// - Parameter isShown: returns whether a public photo of an owner is shown.
    package func publicPhoto(withID id: String, where isShown: (_ ownerID: String?) -> Bool = { _ in true })
        throws(Failure) -> PhotoRecord?
    {
        try photo(
            "photo_id = ?1 AND visibility = 0",
            of: """
                (SELECT photo_key, user_key, visibility, tags, latitude, longitude, photo_id FROM photos
                WHERE photo_id >= ?1 ORDER BY photo_id LIMIT 1) AS photos
                """, where: isShown
        ) { $0.bind(id, at: 1) }
    }

    /// Returns the photo of a column in a matrix of this catalog.
    package func photo(ofColumn column: UInt32) throws(Failure) -> PhotoRecord? {
        try photo("photo_key = ?") { $0.bind(Int64(column), at: 1) }
    }

    /// Returns public photos of a public group that is not hidden, the last added to the catalog first.
    ///
    /// - Parameter limit: the most photos.
    package func publicPhotos(ofGroup id: String, limit: Int) throws(Failure) -> [PooledPhoto] {
        // The order of the table's own keys: a great pool is never sorted.
        let rows = try database.prepare(
            """
            SELECT photo_id, user_id, width, height FROM pools JOIN photos USING (photo_key)
            LEFT JOIN users ON users.user_key = photos.user_key
            WHERE group_key = (SELECT group_key FROM groups WHERE group_id = ?1 AND \(CatalogSchema.isShown))
            AND photos.visibility = 0 ORDER BY photo_key DESC LIMIT ?2
            """, id, limit)
        return try rows.map {
            PooledPhoto(
                id: $0.text(0), ownerID: $0.optionalText(1), width: $0.optionalInteger(2),
                height: $0.optionalInteger(3))
        }
    }

    private func photo(
        _ condition: String, of source: String = "photos", where isShown: (_ ownerID: String?) -> Bool = { _ in true },
        _ bind: (Statement) -> Void
    ) throws(Failure) -> PhotoRecord? {
        let row = try database.prepare(
            """
            SELECT photo_key, photos.user_key, visibility, user_id, tags, latitude, longitude, photo_id
            FROM \(source) LEFT JOIN users USING (user_key) WHERE \(condition)
            """)
        bind(row)
        guard try row.step(), isShown(row.optionalText(3)) else { return nil }
        let (key, owner) = (row.integer(0), row.optionalInteger(1))
        let location = row.optionalNumber(5).flatMap { latitude in
            row.optionalNumber(6).map { PhotoRecord.Location(latitude: latitude, longitude: $0) }
        }
        return PhotoRecord(
            id: row.text(7), visibility: Visibility(code: row.integer(2)), ownerID: row.optionalText(3),
            groups: try groupIDs(in: .pools, of: key), ownerGroups: try poolCounts(ofOwner: owner, except: key),
            ownerMemberships: try owner.map { owner throws(Failure) in
                try groupIDs(in: .memberships, of: owner)
            } ?? [],
            tags: row.text(4).split(separator: ";").map(String.init), location: location,
            companionGroups: try companionGroups(ofPhoto: key))
    }

    /// Returns the external ids of the shown groups that a user or a photo is in, ascending.
    func groupIDs(in source: RelationSource, of key: Int64) throws(Failure) -> [String] {
        let rows = try database.prepare(
            """
            SELECT group_id FROM \(source.table) JOIN groups USING (group_key)
            WHERE \(source.entryColumn) = ? AND \(CatalogSchema.isShown) ORDER BY group_id
            """, key)
        return try rows.texts()
    }

    private func poolCounts(ofOwner owner: Int64?, except photo: Int64) throws(Failure)
        -> [PhotoRecord.OwnerGroup]
    {
        guard let owner else { return [] }
        let rows = try database.prepare(
            """
            SELECT group_id, count(*) FROM photos JOIN pools USING (photo_key) JOIN groups USING (group_key)
            WHERE photos.user_key = ? AND photo_key <> ? AND photos.visibility = 0 AND \(CatalogSchema.isShown)
            GROUP BY group_key ORDER BY group_id
            """, owner, photo)
        return try rows.map { .init(groupID: $0.text(0), photos: Int($0.integer(1))) }
    }

    /// Returns what the catalog still shows of some photos: the public ones, in the groups that have them.
    ///
    /// A version may be older than the decision to make a photo private, or to take it out of a pool. A photo that was
    /// removed and imported again has no vector, and is left out, as long as the catalog's vectors are of the model.
    ///
    /// - Parameters:
    ///   - photos: photos as a version has them; their order stays.
    ///   - looks: the name of the model that made the version's vectors.
    package func current(_ photos: [Lookalike], looks: String, in model: VisibleModel) throws(Failure)
        -> [Lookalike]
    {
        let needsVector = try vectors.space()?.model == looks
        let row = try database.prepare(
            """
            SELECT photo_key, user_id FROM photos LEFT JOIN users ON users.user_key = photos.user_key
            WHERE photo_id = ? AND visibility = 0
            \(needsVector ? "AND EXISTS (SELECT 1 FROM photo_vectors WHERE photo_key = photos.photo_key)" : "")
            """)
        var shown: [Lookalike] = []
        for var photo in photos {
            row.bind(photo.id, at: 1)
            if try row.step() {
                photo.ownerID = row.optionalText(1)
                let pools = try groupIDs(in: .pools, of: row.integer(0)).compactMap { model.index(ofID: $0) }
                photo.groups = photo.groups.filter { pools.contains(Int($0)) }
                shown.append(photo)
            }
            row.reset()
        }
        return shown
    }
}

// MARK: - Companions

extension Facts {
    /// The greatest number of the photo's pools that are read, the lowest keys first.
    private static var poolsPerPhoto: Int { 20 }

    /// The greatest number of photos read from a pool on either side of the photo.
    ///
    /// Keys ascend with time, so these photos are about as old as the photo.
    private static var photosPerSide: Int { 100 }

    /// The greatest number of companions, those that share the most pools first.
    private static var companionsPerPhoto: Int { 200 }

    /// Returns the shown groups that hold companions of a photo, in no particular order.
    ///
    /// A companion weighs *c / √(n m)*, the cosine of its *n* groups and the photo's *m*; *c* of these groups are
    /// common. The work is bounded: some thousand rows, for pools of any size.
    func companionGroups(ofPhoto key: Int64) throws(Failure) -> [CompanionGroup] {
        let pools = try shownGroups(ofPhoto: key)
        let companions = try companions(ofPhoto: key, in: pools.map(\.key))
        let own = Set(pools.map(\.key))
        var total = 0.0
        var found: [Int64: (id: String, photos: Int, weight: Double)] = [:]
        for companion in companions {
            let groups = try shownGroups(ofPhoto: companion)
            let common = groups.count { own.contains($0.key) }
            let weight = Double(common) / Double(groups.count * pools.count).squareRoot()
            total += weight
            for group in groups {
                found[group.key, default: (group.id, 0, 0)].photos += 1
                found[group.key, default: (group.id, 0, 0)].weight += weight
            }
        }
        return found.values.map { CompanionGroup(groupID: $0.id, photos: $0.photos, share: $0.weight / total) }
    }

    /// Returns the public photos that share the most pools with a photo, most first; ties in ascending order of keys.
    private func companions(ofPhoto key: Int64, in pools: [Int64]) throws(Failure) -> [Int64] {
        var shared: [Int64: Int] = [:]
        for (comparison, direction) in [("<", "DESC"), (">", "ASC")] {
            let rows = try database.prepare(
                """
                SELECT photo_key FROM pools WHERE group_key = ? AND photo_key \(comparison) ?
                ORDER BY photo_key \(direction) LIMIT \(Self.photosPerSide)
                """)
            for pool in pools.prefix(Self.poolsPerPhoto) {
                rows.bind(pool, key)
                while try rows.step() { shared[rows.integer(0), default: 0] += 1 }
            }
        }
        let visible = try database.prepare("SELECT 1 FROM photos WHERE photo_key = ? AND visibility = 0")
        var companions: [Int64] = []
        for (photo, _) in shared.sorted(by: { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }) {
            guard companions.count < Self.companionsPerPhoto else { break }
            visible.bind(photo, at: 1)
            if try visible.step() { companions.append(photo) }
            visible.reset()
        }
        return companions
    }

    private func shownGroups(ofPhoto key: Int64) throws(Failure) -> [(key: Int64, id: String)] {
        let rows = try database.prepare(
            """
            SELECT group_key, group_id FROM pools JOIN groups USING (group_key)
            WHERE photo_key = ? AND \(CatalogSchema.isShown) ORDER BY group_key
            """, key)
        return try rows.map { ($0.integer(0), $0.text(1)) }
    }
}
