public import Model
import SQLite
import Synchronization

/// What is known of the public photos, by their columns in a matrix.
public struct PhotoContent: Sendable {
    /// Their tags, normalized.
    public let tags: PhotoTerms<String>
    /// The cells of the map in which they were taken.
    public let places: PhotoTerms<PlaceCell>
    /// A number for each owner, in no particular order; 0 if the owner is not known.
    public let owners: [UInt32]
}

extension CatalogSnapshot {
    /// Photos are read in ranges of so many keys, small enough that threads end together.
    private static let photosPerRange = 1 << 15

    /// Whether any photo ever had tags or a location.
    public func hasPhotoContent() throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in
            if try catalog.mayHaveValues(.tags) { return true }
            return try catalog.mayHaveValues(.latitude)
        }
    }

    /// Reads what is known of all public photos, in one pass over them.
    ///
    /// - Parameters:
    ///   - minimumPhotos: tags and cells of fewer photos are not in the vocabularies (inclusive).
    ///   - progress: told of the keys passed so far, from any thread.
    public func photoContent(minimumPhotos: Int, progress: @escaping @Sendable (_ photos: Int) -> Void)
        throws(CatalogError) -> PhotoContent
    {
        let (highest, columns) = try wrapping { () throws(DatabaseError) in
            let tags = try catalog.mayHaveValues(.tags) ? "tags" : "NULL"
            let place = try catalog.mayHaveValues(.latitude) ? "latitude, longitude" : "NULL, NULL"
            let highest = Int(try database.integer("SELECT max(photo_key) FROM photos") ?? -1)
            return (highest, "photo_key, user_key, \(tags), \(place)")
        }
        let width = Self.photosPerRange
        let ranges = stride(from: 0, to: highest + 1, by: width).map { $0..<min($0 + width, highest + 1) }
        let next = Atomic<Int>(0)
        let photosRead = Atomic<Int>(0)
        let readers = try readParts(connections.count) { catalog, _ throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in
                let rows = try catalog.database.prepare(
                    """
                    SELECT \(columns) FROM photos WHERE photo_key BETWEEN ? AND ? AND visibility = 0
                    ORDER BY photo_key
                    """)
                var reader = PhotoReader()
                while case let index = next.add(1, ordering: .relaxed).oldValue, index < ranges.count {
                    let keys = ranges[index]
                    rows.bind(Int64(keys.lowerBound), at: 1)
                    rows.bind(Int64(keys.upperBound - 1), at: 2)
                    try reader.read(rows, keys, index: index)
                    progress(photosRead.add(keys.count, ordering: .relaxed).newValue)
                }
                return reader
            }
        }
        return PhotoContent(readers, columnCount: highest + 1, minimumPhotos: minimumPhotos)
    }
}

extension PhotoContent {
    /// Puts together what the threads read, in the order of the photos.
    fileprivate init(_ readers: [PhotoReader], columnCount: Int, minimumPhotos: Int) {
        let tagVocabulary = TagVocabulary(readers.map(\.tagNumbers), minimumPhotos: minimumPhotos)
        let cellVocabulary = CellVocabulary(readers.map(\.cellNumbers), minimumPhotos: minimumPhotos)
        var tags = PhotoTermIndexes(vocabularyCount: tagVocabulary.texts.count, columnCount: columnCount)
        var places = PhotoTermIndexes(vocabularyCount: cellVocabulary.cells.count, columnCount: columnCount)
        var owners: [UInt32] = []
        owners.reserveCapacity(columnCount)
        let parts = readers.enumerated().flatMap { reader, read in read.parts.map { (reader: reader, part: $0) } }
        for (reader, part) in parts.sorted(by: { $0.part.range < $1.part.range }) {
            let (indexOfTag, indexOfCell) = (tagVocabulary.indexes[reader], cellVocabulary.indexes[reader])
            for photo in part.owners.indices {
                tags.append(part.tags(photo).lazy.map { indexOfTag[Int($0)] })
                let cell = part.cells[photo]
                places.append(CollectionOfOne(cell == PhotoTermIndexes.none ? cell : indexOfCell[Int(cell)]))
            }
            owners += part.owners
        }
        self.init(
            tags: PhotoTerms(vocabulary: tagVocabulary.texts, indexes: tags),
            places: PhotoTerms(vocabulary: cellVocabulary.cells, indexes: places), owners: owners)
    }
}
