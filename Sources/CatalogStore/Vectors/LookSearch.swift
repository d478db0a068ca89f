public import Looks
public import Model
public import Recommendation
import SQLite

/// A search for the photos of a version that look like a vector.
public struct LookSearch: Sendable {
    private let photos: IndexedPhotos
    private let index: LookIndex

    /// Opens the index of a version, or returns nil if the version has none.
    ///
    /// - Throws: `LookError` if the index is damaged, or does not fit the photos.
    public init?(_ looks: IndexedPhotos?) throws(LookError) {
        guard let looks else { return nil }
        photos = looks
        index = try LookIndex(looks.region, range: looks.index, vectors: looks.count)
    }

    /// The dimension of the vectors.
    public var dimension: Int { index.dimension }

    /// Returns the vector of a photo of the index, or nil if the index lacks the photo, or has codes alone.
    public func vector(ofPhoto id: String) -> [Float]? { photos.row(ofID: id).flatMap { index.vector(of: $0) } }

    /// Returns the photos that look most like a vector, best first.
    ///
    /// - Parameters:
    ///   - vector: a vector of length 1 and of the index's dimension.
    ///   - limit: the greatest number of photos.
    ///   - id: the photo to leave out, which the vector belongs to.
    public func lookalikes(of vector: [Float], limit: Int, without id: String? = nil) -> [Lookalike] {
        let row = id.flatMap { photos.row(ofID: $0) }
        return index.nearest(to: vector, limit: limit + (row == nil ? 0 : 1)).filter { $0.row != row }.prefix(limit)
            .map { neighbour in
                Lookalike(
                    id: photos.id(of: neighbour.row), similarity: Double(neighbour.similarity),
                    groups: photos.groups(of: neighbour.row))
            }
    }
}

extension Catalog {
    /// Returns the photos that the catalog still has, and that are public.
    ///
    /// A version may be older than the decision to make a photo private, or to remove it.
    public func stillPublic(_ photos: [Lookalike]) throws(CatalogError) -> [Lookalike] {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare("SELECT 1 FROM photos WHERE photo_id = ? AND visibility = 0")
            var shown: [Lookalike] = []
            for photo in photos {
                row.bind(photo.id, at: 1)
                if try row.step() { shown.append(photo) }
                row.reset()
            }
            return shown
        }
    }
}
