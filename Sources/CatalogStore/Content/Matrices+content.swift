package import Basics
package import Model
import SQLite
import Synchronization

/// The tags, locations and owners of the public photos, by their columns in a matrix.
package struct PhotoContent: Sendable {
    /// The normalized tags.
    package let tags: PhotoVocabulary<String>
    /// The map cells in which the photos were taken.
    package let places: PhotoVocabulary<PlaceCell>
    /// The tags and the cell of each photo.
    package let records: PhotoRecords
    /// A number for each owner, as in `EntrySource.ownerOffset`; 0 for an unknown owner.
    package let owners: [UInt32]
}

/// The tags, or the locations, of enough photos.
package struct PhotoVocabulary<Term: Sendable>: Sendable {
    /// The terms, the most frequent first; ties in ascending order.
    package let terms: [Term]
    /// The number of photos with each term.
    package let totals: [UInt32]
    /// The number of photos with any term, in the vocabulary or not.
    package let photoCount: Int
}

extension Matrices {
    /// The number of keys in a range of photos, small enough that all threads end at about the same time.
    private static let photosPerRange = 1 << 15

    package func hasPhotoContent() throws(Failure) -> Bool {
        if try NotedColumn.tags.hasValues(in: database) { return true }
        return try NotedColumn.latitude.hasValues(in: database)
    }

    package func photoContent(
        minimumPhotos: Int, mostTags: Int, progress: @escaping @Sendable (_ photos: Int) -> Void
    ) throws(Failure) -> PhotoContent {
        let hidden = try database.integer("SELECT count(*) FROM photos WHERE visibility <> 0") ?? 0
        return try content(minimumPhotos: minimumPhotos) { choice throws(Failure) in
            let readers = try readPhotos(TagNumbers(choice, mostTags: mostTags), progress)
            guard readers.allSatisfy(\.isInOrder) else { throw .damaged("the photos are out of order") }
            try database.checkCount(
                readers.reduce(Int(hidden)) { $0 + $1.photoCount }, of: EntityTable.photos.rawValue, isOfTable: true)
            return readers
        }
    }

    private func readPhotos(_ tagNumbers: TagNumbers, _ progress: @escaping @Sendable (_ photos: Int) -> Void)
        throws(Failure) -> [PhotoReader]
    {
        let highest = try database.highestKey(of: .photos)
        let tags = try NotedColumn.tags.hasValues(in: database) ? "tags" : "NULL"
        let place = try NotedColumn.latitude.hasValues(in: database) ? "latitude, longitude" : "NULL, NULL"
        let columns = "photo_key, user_key, \(tags), \(place)"
        let width = Self.photosPerRange
        let ranges = stride(from: 0, to: highest + 1, by: width).map { $0..<min($0 + width, highest + 1) }
        let next = Atomic<Int>(0)
        let photosRead = Atomic<Int>(0)
        return try readParts(connections.count) { catalog, _ throws(Failure) in
            let rows = try catalog.database.prepare(
                """
                SELECT \(columns) FROM photos WHERE photo_key BETWEEN ? AND ? AND visibility = 0
                ORDER BY photo_key
                """)
            var reader = PhotoReader(tagNumbers)
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < ranges.count {
                let keys = ranges[index]
                rows.bind(keys.lowerBound, Int64(keys.upperBound - 1))
                try reader.read(rows, keys, index: index)
                progress(photosRead.add(keys.count, ordering: .relaxed).newValue)
            }
            return reader
        }
    }

    /// Merges the photos that threads have read, in the order of the photos.
    ///
    /// - Parameters:
    ///   - readers: the photos of each thread. They are taken from the array, so that their memory is freed step by
    ///     step.
    ///   - minimumPhotos: the least number of photos of a term in a vocabulary, inclusive.
    func content(of readers: inout [PhotoReader], minimumPhotos: Int) throws(Failure) -> PhotoContent {
        let tags = TagVocabulary(readers.map(\.tagNumbers), minimumPhotos: minimumPhotos)
        let cells = CellVocabulary(readers.map(\.cellNumbers), minimumPhotos: minimumPhotos)
        let (indexesOfTags, indexesOfCells) = (tags.indexes, cells.indexes)
        let partCount = readers.reduce(0) { $0 + $1.parts.count }
        let parts = Mutex<[(reader: Int, part: PhotoReader.Part)?]>(
            readers.enumerated().flatMap { reader, read in read.parts.map { (reader: reader, part: $0) } }
                .sorted { $0.part.range < $1.part.range })
        readers = []
        let converted = try readParts(partCount) { _, number throws(Failure) in
            let taken = parts.withLock { parts in
                defer { parts[number] = nil }
                return parts[number]
            }
            guard let (reader, part) = taken else { preconditionFailure("each part is taken once") }
            let records = part.records(indexesOfTags[reader], indexesOfCells[reader])
            return (number: number, owners: part.owners, records: records)
        }.sorted { $0.number < $1.number }
        let all = PhotoRecords(converted.map(\.records))
        return PhotoContent(
            tags: PhotoVocabulary(terms: tags.texts, totals: tags.totals, photoCount: all.photosWithTags),
            places: PhotoVocabulary(terms: cells.cells, totals: cells.totals, photoCount: all.photosWithPlaces),
            records: all, owners: converted.flatMap(\.owners))
    }

    /// Reads photos in one pass if their tags fit into memory.
    ///
    /// Otherwise the tags are counted first, one share in each pass. The last pass numbers only the most frequent ones.
    /// The result is the same.
    ///
    /// - Parameters:
    ///   - minimumPhotos: the least number of photos of a term in a vocabulary, inclusive.
    ///   - read: reads all photos on several threads, and numbers the chosen tags.
    func content(
        minimumPhotos: Int, read: (TagNumbers.Choice) throws(Failure) -> [PhotoReader]
    ) throws(Failure) -> PhotoContent {
        var readers = try read(.all)
        if readers.contains(where: \.tagNumbers.isFull) {
            readers = []
            readers = try read(.known(frequentTags(minimumPhotos: minimumPhotos, read: read)))
        }
        return try content(of: &readers, minimumPhotos: minimumPhotos)
    }

    private func frequentTags(
        minimumPhotos: Int, read: (TagNumbers.Choice) throws(Failure) -> [PhotoReader]
    ) throws(Failure) -> Set<String> {
        var found: [(text: String, photos: Int)] = []
        // The shares to count; a share that does not fit into memory is halved.
        var shares = [TagShare(index: 0, count: 2), TagShare(index: 1, count: 2)]
        while let share = shares.popLast() {
            let threads = try read(.share(share)).map(\.tagNumbers)
            if threads.contains(where: \.isFull) {
                shares += share.halves
                continue
            }
            let vocabulary = TagVocabulary(threads, minimumPhotos: minimumPhotos)
            found += zip(vocabulary.texts, vocabulary.totals).map { ($0, Int($1)) }
        }
        found.sort(by: TagVocabulary.isMoreFrequent)
        return Set(found.prefix(PhotoRecords.maximumTerms).lazy.map(\.text))
    }
}
