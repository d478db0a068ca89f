import Model
import Synchronization

extension TableSnapshot {
    private static let photosPerRange = 1 << 15

    /// Whether any photo may have tags or a location.
    public func hasPhotoContent() throws(CatalogError) -> Bool {
        folder["photos"].contains { $0.has("tags") || $0.has("latitude") }
    }

    /// Reads what is known of all photos, in one pass over them.
    public func photoContent(minimumPhotos: Int, progress: @escaping @Sendable (_ photos: Int) -> Void)
        throws(CatalogError) -> PhotoContent
    {
        let ranges = folder["photos"].flatMap { part in
            stride(from: 0, to: part.rowCount, by: Self.photosPerRange).map { first in
                (part: part, rows: first..<min(first + Self.photosPerRange, part.rowCount))
            }
        }
        let next = Atomic<Int>(0)
        let photosRead = Atomic<Int>(0)
        let forgotten = numbers.isForgotten
        let readers = try snapshot.readParts(snapshot.connections.count) { _, _ throws(CatalogError) in
            var reader = PhotoReader()
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < ranges.count {
                reader.read(ranges[index].part, ranges[index].rows, index: index, forgotten: forgotten)
                progress(photosRead.add(ranges[index].rows.count, ordering: .relaxed).newValue)
            }
            return reader
        }
        return try snapshot.content(of: readers, minimumPhotos: minimumPhotos)
    }
}
