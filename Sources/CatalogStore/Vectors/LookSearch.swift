public import Looks
public import Model
public import Recommendation
import SQLite

/// A search for the photos of a version that look like a vector.
public struct LookSearch: Sendable {
    private let photos: IndexedPhotos
    private let index: LookIndex
    /// The name of the model that made the vectors.
    public let modelName: String

    /// Opens the index of a version, or returns nil if the version has none.
    ///
    /// - Parameters:
    ///   - looks: the photos with vectors of the version.
    ///   - report: the facts about their index.
    /// - Throws: `LookError` if the index is damaged, or does not fit the photos.
    public init?(_ looks: IndexedPhotos?, _ report: Manifest.LooksReport?) throws(LookError) {
        guard let looks, let report else { return nil }
        photos = looks
        modelName = report.model
        index = try LookIndex(looks.region, range: looks.index, vectors: looks.count)
    }

    /// The dimension of the vectors.
    public var dimension: Int { index.dimension }

    /// Returns the photos that look most like a vector, best first.
    ///
    /// - Parameters:
    ///   - vector: a vector of length 1 and of the index's dimension.
    ///   - limit: the greatest number of photos.
    ///   - ids: photos to leave out, such as those that the vector is made of.
    public func lookalikes(of vector: [Float], limit: Int, without ids: [String] = []) -> [Lookalike] {
        let rows = Set(ids.compactMap { photos.row(ofID: $0) })
        return index.nearest(to: vector, limit: limit + rows.count).lazy.filter { !rows.contains($0.row) }
            .prefix(limit).map { neighbour in
                Lookalike(
                    id: photos.id(of: neighbour.row), similarity: min(1, Double(neighbour.similarity)),
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
