package import Basics
package import CatalogStore
package import Model
import Recommendation
import Similarity

/// A measurement of lists for photos, against three plain lists.
///
/// The measurement counts the groups that were left out of photos' pools and are found again.
package struct PhotoEvaluation {
    /// The lists that are compared.
    package enum List: String, CaseIterable, Sendable {
        /// The groups with the most photos.
        case popular
        /// The sums of common photos with the photo's groups.
        case counts
        /// The sums of plain cosines with the photo's groups.
        case cosine
        case served
    }

    /// A photo in terms of rows of the matrix, which are the model's groups.
    struct Photo {
        var column: UInt32
        var groups: [UInt32]
        var heldOut: [UInt32]
    }

    private let training: Facts
    private let recommender: PhotoRecommender
    private let model: VisibleModel
    private let pools: NeighbourTable
    private let ranked: [UInt32]
    private let photos: [Photo]

    package var photoCount: Int { photos.count }

    /// Reads photos and the entries that were left out of their pools.
    ///
    /// - Parameters:
    ///   - version: a model version computed from the training set.
    ///   - training: the catalog that was learned from, a copy of `whole` without some entries.
    package init(
        _ version: ModelVersion, _ manifest: Manifest, training: Facts, whole: Facts, relations: RelationTable,
        share: Double, threads: Int
    ) throws(Failure) {
        guard let source = relations[.pool]?.source else { throw Failure(.badData, "there are no pools") }
        let known = try Matrices(of: training, threads: threads).matrix(source) { _ in }.matrix
        let all = try Matrices(of: whole, threads: threads).matrix(source) { _ in }.matrix
        guard known.rowCount == version.groupCount, known.columnCount == all.columnCount else {
            throw Failure(.badData, "\(training.path) is not a copy of \(whole.path)")
        }
        photos = Self.photos(try known.transposed(), try all.transposed(), share: share)
        pools = NeighbourSearch(
            parameters: SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: known.rowCount),
            threads: threads
        ).run(on: known)
        ranked = [UInt32](below: known.rowCount) { known.size(ofRow: $0) }
        self.training = training
        model = VisibleModel(version)
        recommender = PhotoRecommender(
            model: model, popular: PopularPools(model, relations), relations: relations,
            weights: PhotoWeights(manifest),
            SimilarityCeiling(of: PlanConfiguration().filters, in: model, relations),
            at: manifest.createdAtMilliseconds / 1000)
    }

    /// Returns photos that are still in a pool and were in more, spread over all.
    private static func photos(_ known: BinaryMatrix, _ all: BinaryMatrix, share: Double) -> [Photo] {
        var chosen = EvenShare(share)
        var photos: [Photo] = []
        for column in 0..<known.rowCount where known.size(ofRow: column) > 0 {
            let groups = Array(known.row(column))
            let heldOut = Set(all.row(column)).subtracting(groups)
            guard !heldOut.isEmpty, chosen.next() else { continue }
            photos.append(Photo(column: UInt32(column), groups: groups, heldOut: heldOut.sorted()))
        }
        return photos
    }

    /// Measures all lists.
    ///
    /// - Parameters:
    ///   - lengths: the numbers of groups that count, each 1 or more.
    ///   - progress: receives the number of photos done, from time to time.
    package func measures(lengths: [Int], samples: Int, progress: (_ done: Int) -> Void) throws(Failure)
        -> [ComparedList]
    {
        try ComparedList.compared(
            List.allCases.map(\.rawValue), of: photos, lengths: lengths, samples: samples, progress: progress
        ) { photo, length throws(Failure) in
            (try List.allCases.map { list throws(Failure) in try groups(list, photo, length) }, photo.heldOut)
        }
    }

    private func groups(_ list: List, _ photo: Photo, _ length: Int) throws(Failure) -> [UInt32] {
        switch list {
        case .popular: return ranked.first(length, without: photo.groups)
        case .counts: return sums(photo, length) { Double($0.common) }
        case .cosine: return sums(photo, length) { Double($0.score) }
        case .served:
            guard let record = try training.photo(ofColumn: photo.column) else { return [] }
            return recommender.suggestions(for: PhotoContext(record, in: model), limit: length).map(\.group)
        }
    }

    private func sums(_ photo: Photo, _ length: Int, _ value: (Neighbour) -> Double) -> [UInt32] {
        var sums: [UInt32: Double] = [:]
        for group in photo.groups {
            for neighbour in pools.list(of: Int(group)) { sums[neighbour.index, default: 0] += value(neighbour) }
        }
        return sums.best(length, without: photo.groups)
    }
}
