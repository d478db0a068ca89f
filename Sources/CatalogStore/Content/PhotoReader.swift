import Model
import SQLite

/// What one thread reads of public photos, range after range of their keys.
struct PhotoReader: Sendable {
    /// The photos of a range of keys, in the order of the keys; one that is private or missing has nothing.
    struct Part: Sendable {
        /// The index of the range.
        let range: Int
        /// The keys of the owners; 0 if the owner is not known.
        var owners: [UInt32] = []
        /// Numbers that the thread gave to cells; `PhotoRecords.none` if the location is not known.
        var cells: [UInt32] = []
        /// Where the tags of each photo end.
        var tagEnds: [UInt32] = []
        /// Numbers that the thread gave to tags, or `TagNumbers.other`.
        var tags: [UInt32] = []

        /// What is known of the photos in indexes of vocabularies.
        ///
        /// - Parameters:
        ///   - indexOfTag: by the number that the thread gave to a tag.
        ///   - indexOfCell: by the number that the thread gave to a cell.
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
    /// How many photos were read.
    private(set) var photoCount = 0
    /// Whether the keys of each range ascend within it.
    private(set) var isInOrder = true
    private(set) var tagNumbers: TagNumbers
    private(set) var cellNumbers = CellNumbers()

    init(_ tagNumbers: TagNumbers) { self.tagNumbers = tagNumbers }

    /// Reads the photos of a range.
    ///
    /// - Parameters:
    ///   - rows: the columns `photo_key`, `user_key`, `tags`, `latitude`, `longitude` of those photos that are public,
    ///     in ascending order of their keys.
    ///   - keys: the keys of the range.
    ///   - index: the index of the range.
    mutating func read(_ rows: Statement, _ keys: Range<Int>, index: Int) throws(DatabaseError) {
        var part = Part(range: index)
        part.owners.reserveCapacity(keys.count)
        part.cells.reserveCapacity(keys.count)
        part.tagEnds.reserveCapacity(keys.count)
        // About as many as in the range before: an array that grows by doubling would keep the room.
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
    ///   - photos: the part of the table.
    ///   - rows: which of its rows.
    ///   - index: the index of this range among all, in the order of the photos.
    ///   - forgotten: users who do not own photos any more.
    mutating func read(_ photos: TablePart, _ rows: Range<Int>, index: Int, forgotten: BitSet) {
        var part = Part(range: index)
        photos.withColumn("owner", of: UInt32.self) { owners in
            for row in rows {
                // 0 is nobody; the others are numbers of users, from 1 on.
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
    /// Adds photos of which nothing is known, up to an index.
    fileprivate mutating func skip(to index: Int) {
        while owners.count < index {
            owners.append(0)
            cells.append(PhotoRecords.none)
            tagEnds.append(UInt32(tags.count))
        }
    }
}

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
