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
