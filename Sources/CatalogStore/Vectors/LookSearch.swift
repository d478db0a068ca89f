package import Basics
package import Looks
package import Model
package import Recommendation
import SQLite

/// A search for the photos of a version that look like a vector.
package struct LookSearch: Sendable {
    private let photos: IndexedPhotos
    private let index: LookIndex
    /// The name of the model that made the vectors.
    package let modelName: String

    /// Opens the index of a version, or returns nil if the version has none.
    ///
    /// - Parameter report: the facts about their index.
    /// - Throws: `LookError` if the index is damaged, or does not fit the photos.
    package init?(_ looks: IndexedPhotos?, _ report: Manifest.LooksReport?) throws(LookError) {
        guard let looks, let report else { return nil }
        photos = looks
        modelName = report.model
        index = try LookIndex(looks.region, range: looks.index, vectors: looks.count)
    }

    /// The dimension of the vectors.
    package var dimension: Int { index.dimension }

    /// Returns the photos that look most like a vector, best first.
    ///
    /// - Parameters:
    ///   - vector: a vector of length 1 and of the index's dimension.
    ///   - limit: the greatest number of photos.
    ///   - ids: photos to leave out, such as those that the vector is made of.
    package func lookalikes(of vector: [Float], limit: Int, without ids: [String] = []) -> [Lookalike] {
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
    /// Returns what the catalog still shows of some photos: the public ones, in the groups that have them.
    ///
    /// A version may be older than the decision to make a photo private, or to take it out of a pool. A photo that was
    /// removed and imported again has no vector, and is left out, as long as the catalog's vectors are of the model.
    ///
    /// - Parameters:
    ///   - photos: photos as a version has them; their order stays.
    ///   - looks: the name of the model that made the version's vectors.
    package func current(_ photos: [Lookalike], looks: String, in model: VisibleModel) throws(Failure)
        -> [Lookalike]
    {
        let needsVector = try vectorSpace()?.model == looks
        let row = try database.prepare(
            """
            SELECT photo_key, user_id FROM photos LEFT JOIN users ON users.user_key = photos.user_key
            WHERE photo_id = ? AND visibility = 0
            \(needsVector ? "AND EXISTS (SELECT 1 FROM photo_vectors WHERE photo_key = photos.photo_key)" : "")
            """)
        var shown: [Lookalike] = []
        for var photo in photos {
            row.bind(photo.id, at: 1)
            if try row.step() {
                photo.ownerID = row.optionalText(1)
                let pools = try groupIDs(in: .pools, of: row.integer(0)).compactMap { model.index(ofID: $0) }
                photo.groups = photo.groups.filter { pools.contains(Int($0)) }
                shown.append(photo)
            }
            row.reset()
        }
        return shown
    }
}
