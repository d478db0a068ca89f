package import Basics
import Model
import SQLite

/// The public photos that one thread reads, in ranges of keys.
struct PhotoReader: Sendable {
    /// The photos of a range of keys, in the order of the keys; a private or missing photo has no values.
    struct Part: Sendable {
        /// The index of the range.
        let range: Int
        /// The keys of the owners; 0 for an unknown owner.
        var owners: [UInt32] = []
        /// The thread's numbers of the cells; `PhotoRecords.none` for an unknown location.
        var cells: [UInt32] = []
        /// The end of each photo's tags in `tags`.
        var tagEnds: [UInt32] = []
        /// The thread's numbers of the tags, or `TagNumbers.other`.
        var tags: [UInt32] = []

        /// Returns the photos' records, with indexes of the vocabularies.
        ///
        /// - Parameters:
        ///   - indexOfTag: the indexes by the thread's number of a tag.
        ///   - indexOfCell: the indexes by the thread's number of a cell.
        func records(_ indexOfTag: [UInt32], _ indexOfCell: [UInt32]) -> PhotoRecords {
            var records = PhotoRecords(count: owners.count)
            var start = 0
            for (cell, end) in zip(cells, tagEnds) {
                records.append(
                    place: cell == PhotoRecords.none ? cell : indexOfCell[Int(cell)],
                    tags: tags[start..<Int(end)].lazy.map { $0 == TagNumbers.other ? $0 : indexOfTag[Int($0)] })
                start = Int(end)
            }
            return records
        }
    }

    private(set) var parts: [Part] = []
    /// The number of photos read.
    private(set) var photoCount = 0
    /// Whether the keys in each range were ascending.
    private(set) var isInOrder = true
    private(set) var tagNumbers: TagNumbers
    private(set) var cellNumbers = CellNumbers()

    init(_ tagNumbers: TagNumbers) { self.tagNumbers = tagNumbers }

    /// Reads the photos of a range.
    ///
    /// - Parameters:
    ///   - rows: the columns `photo_key`, `user_key`, `tags`, `latitude`, `longitude` of the public photos in the
    ///     range, in ascending order of their keys.
    ///   - index: the index of the range.
    mutating func read(_ rows: Statement, _ keys: Range<Int>, index: Int) throws(Failure) {
        var part = Part(range: index)
        part.owners.reserveCapacity(keys.count)
        part.cells.reserveCapacity(keys.count)
        part.tagEnds.reserveCapacity(keys.count)
        // Reserved for as many tags as in the previous range: an array that grows by doubling would keep unused memory.
        let usual = parts.last?.tags.count ?? 0
        part.tags.reserveCapacity(usual + usual / 16)
        while try rows.step() {
            let key = Int(rows.integer(0))
            guard keys.contains(key), key - keys.lowerBound >= part.owners.count else {
                isInOrder = false
                continue
            }
            photoCount += 1
            part.skip(to: key - keys.lowerBound)
            part.owners.append(UInt32(clamping: rows.integer(1)))
            unsafe rows.withText(2) { unsafe tagNumbers.append($0.span, ofPhoto: UInt32(key), to: &part.tags) }
            part.tagEnds.append(UInt32(part.tags.count))
            part.cells.append(cell(rows.optionalNumber(3), rows.optionalNumber(4)))
        }
        part.skip(to: keys.count)
        parts.append(part)
    }

    /// Reads photos of a table, all of which are public.
    ///
    /// - Parameters:
    ///   - index: the index of this range among all ranges, in the order of the photos.
    ///   - forgotten: the users who have been forgotten; their photos have no known owner.
    mutating func read(_ photos: TablePart, _ rows: Range<Int>, index: Int, forgotten: BitSet) {
        var part = Part(range: index)
        photos.withColumn("owner", of: UInt32.self) { owners in
            for row in rows {
                // 0 is no user; other numbers are those of users, from 1.
                let owner = owners.isEmpty ? 0 : owners[row]
                part.owners.append(owner > 0 && forgotten.contains(Int(owner) - 1) ? 0 : owner)
            }
        }
        for row in rows {
            photos.withText("tags", row: row) {
                tagNumbers.append($0, ofPhoto: UInt32(photos.firstRow + row), to: &part.tags)
            }
            part.tagEnds.append(UInt32(part.tags.count))
        }
        photos.withColumn("latitude", of: Double.self) { latitudes in
            photos.withColumn("longitude", of: Double.self) { longitudes in
                for row in rows {
                    let hasPlace = !latitudes.isEmpty && !longitudes.isEmpty
                    part.cells.append(hasPlace ? cell(latitudes[row], longitudes[row]) : PhotoRecords.none)
                }
            }
        }
        parts.append(part)
    }

    private mutating func cell(_ latitude: Double?, _ longitude: Double?) -> UInt32 {
        guard let latitude, let longitude, let cell = PlaceCell(latitude: latitude, longitude: longitude)
        else { return PhotoRecords.none }
        return cellNumbers.count(cell)
    }
}

extension PhotoReader.Part {
    /// Adds photos without values up to an index.
    fileprivate mutating func skip(to index: Int) {
        while owners.count < index {
            owners.append(0)
            cells.append(PhotoRecords.none)
            tagEnds.append(UInt32(tags.count))
        }
    }
}

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

    package init(id: String, ownerID: String? = nil, width: Int64? = nil, height: Int64? = nil) {
        self.id = id
        self.ownerID = ownerID
        self.width = width
        self.height = height
    }
}

extension Catalog {
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
            """)
        rows.bind(id, at: 1)
        rows.bind(Int64(limit), at: 2)
        var photos: [PooledPhoto] = []
        while try rows.step() {
            photos.append(
                PooledPhoto(
                    id: rows.text(0), ownerID: rows.optionalText(1), width: rows.optionalInteger(2),
                    height: rows.optionalInteger(3)))
        }
        return photos
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
            """)
        rows.bind(key, at: 1)
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
            """)
        rows.bind(owner, at: 1)
        rows.bind(photo, at: 2)
        var counts: [PhotoRecord.OwnerGroup] = []
        while try rows.step() { counts.append(.init(groupID: rows.text(0), photos: Int(rows.integer(1)))) }
        return counts
    }
}
