import Model
import Synchronization

extension TableSnapshot {
    private static let photosPerRange = 1 << 15

    /// Whether any photo may have tags or a location.
    public func hasPhotoContent() throws(CatalogError) -> Bool {
        folder["photos"].contains { $0.has("tags") || $0.has("latitude") }
    }

    /// Reads what is known of all photos, in one pass over them if their tags fit into memory.
    public func photoContent(minimumPhotos: Int, progress: @escaping @Sendable (_ photos: Int) -> Void)
        throws(CatalogError) -> PhotoContent
    {
        try photoContent(minimumPhotos: minimumPhotos, mostTags: TagNumbers.mostTags, progress: progress)
    }

    /// The same, with so many different tags in memory at once for each thread.
    func photoContent(
        minimumPhotos: Int, mostTags: Int, progress: @escaping @Sendable (_ photos: Int) -> Void
    ) throws(CatalogError) -> PhotoContent {
        try snapshot.content(minimumPhotos: minimumPhotos) { choice throws(CatalogError) in
            try readPhotos(TagNumbers(choice, mostTags: mostTags), progress)
        }
    }

    private func readPhotos(_ tagNumbers: TagNumbers, _ progress: @escaping @Sendable (_ photos: Int) -> Void)
        throws(CatalogError) -> [PhotoReader]
    {
        let ranges = folder["photos"].flatMap { part in
            stride(from: 0, to: part.rowCount, by: Self.photosPerRange).map { first in
                (part: part, rows: first..<min(first + Self.photosPerRange, part.rowCount))
            }
        }
        let next = Atomic<Int>(0)
        let photosRead = Atomic<Int>(0)
        let forgotten = numbers.isForgotten
        return try snapshot.readParts(snapshot.connections.count) { _, _ throws(CatalogError) in
            var reader = PhotoReader(tagNumbers)
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < ranges.count {
                reader.read(ranges[index].part, ranges[index].rows, index: index, forgotten: forgotten)
                progress(photosRead.add(ranges[index].rows.count, ordering: .relaxed).newValue)
            }
            return reader
        }
    }
}
