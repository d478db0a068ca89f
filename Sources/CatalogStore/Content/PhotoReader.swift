import Basics
import Model
import SQLite

/// The public photos that one thread reads, in ranges of keys.
struct PhotoReader: Sendable {
    /// The photos of a range of keys, in the order of the keys; a private or missing photo has no values.
    struct Part: Sendable {
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
