package import Basics
import Looks
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
    /// - Throws: `Failure.Code.badData` if the index is damaged, or does not fit the photos.
    package init?(_ looks: IndexedPhotos?, _ report: Manifest.LooksReport?) throws(Failure) {
        guard let looks, let report else { return nil }
        photos = looks
        modelName = report.model
        index = try LookIndex(looks.region, range: looks.index, vectors: looks.count)
    }

    package var dimension: Int { index.dimension }

    /// The greatest part of the searched photos that may be copies, as a multiple of the looks that are wanted.
    private static let deepestSearch = 64

    /// Returns the photos that look most like a vector, best first, each with its look.
    ///
    /// Photos with equal vectors have one look, and so have all near-duplicates of the vector. Copies are counted
    /// before the list is cut, so that other photos fill the places.
    ///
    /// - Parameters:
    ///   - vector: a vector of length 1 and of the index's dimension.
    ///   - limit: the greatest number of looks.
    ///   - copies: the most photos of a look.
    ///   - ids: photos to leave out, such as those that the vector is made of.
    package func lookalikes(of vector: [Float], limit: Int, copies: Int, without ids: [String] = []) -> [Lookalike] {
        let rows = Set(ids.compactMap { photos.row(ofID: $0) })
        var wanted = limit
        while true {
            let found = index.nearest(to: vector, limit: wanted + rows.count)
            let (looks, kept) = looks(found.filter { !rows.contains($0.row) }, limit: limit, copies: copies)
            let isAll = found.count < wanted + rows.count || wanted >= Self.deepestSearch * limit
            if looks == limit || isAll { return kept }
            wanted *= 4
        }
    }

    /// Returns the number of looks among neighbours, at most `limit`, and their photos.
    private func looks(_ found: [LookNeighbour], limit: Int, copies: Int) -> (count: Int, photos: [Lookalike]) {
        var kept: [Lookalike] = []
        var last: LookNeighbour?
        var (looks, count) = (0, 0)
        for neighbour in found {
            var photo = Lookalike(id: "", similarity: min(1, Double(neighbour.similarity)), groups: [])
            let isCopy =
                kept.last.map { last in last.isDuplicate && photo.isDuplicate } ?? false
                || last.map { $0.similarity == neighbour.similarity && index.areEqual($0.row, neighbour.row) } ?? false
            if !isCopy {
                guard looks < limit else { break }
                (looks, count) = (looks + 1, 0)
            }
            last = neighbour
            count += 1
            guard count <= copies else { continue }
            photo = Lookalike(
                id: photos.id(of: neighbour.row), similarity: photo.similarity, groups: photos.groups(of: neighbour.row)
            )
            photo.look = looks
            kept.append(photo)
        }
        return (looks, kept)
    }
}
