import Basics
import CatalogStore
import Looks
import Model
import Recommendation
import Similarity

/// The photos with vectors of a version, and the index of their vectors.
struct BuiltLooks {
    let sections: LookSections
    let report: Manifest.LooksReport
    /// The place of each indexed photo among those with vectors.
    let places: [Int]
    /// The cells of similar vectors that are typical of groups.
    let typical: TypicalLooks

    /// Returns the photos with vectors that are in pools of public groups, and the index of their vectors.
    ///
    /// - Parameter matrix: public groups × photos, whose columns are the photos' keys.
    static func made(_ vectors: PhotoVectors, _ matrix: BinaryMatrix, _ run: JobRun)
        throws(Failure) -> (BuiltLooks?, outcome: String)
    {
        var groups = [[UInt32]](repeating: [], count: vectors.photos.count)
        for row in 0..<matrix.rowCount {
            for column in matrix.row(row) {
                if let photo = vectors.place(ofColumn: column) { groups[photo].append(UInt32(row)) }
            }
        }
        let pooled = groups.indices.filter { !groups[$0].isEmpty }
        guard !pooled.isEmpty else { return (nil, "no photo with a vector is in a public pool") }
        let (rows, clock) = (try vectors.rows(pooled), run.clock)
        let builder = LookIndexBuilder(rows, run.parameters.looks, threads: run.parameters.threads) { done in
            clock.advance(done: done, total: pooled.count)
        }
        let groupsOfPhotos = pooled.map { groups[$0] }
        let index = try builder.build()
        let method = try LookIndex(index).method
        let sections = try LookSections(
            ids: pooled.map { vectors.photos[$0].id }, groups: groupsOfPhotos, index: index)
        let report = Manifest.LooksReport(
            model: vectors.model, dimension: rows.dimension, photos: pooled.count, method: method)
        let looks = BuiltLooks(
            sections: sections, report: report, places: pooled,
            typical: TypicalLooks(try builder.cells(), groupsOfPhotos: groupsOfPhotos))
        return (looks, "\(pooled.count) photos of \(vectors.model): \(method)")
    }

    /// Returns the weights for lists of photos, with those of looks.
    ///
    /// - Parameters:
    ///   - chosen: the weights of other evidence, or `nil` if there was nothing to learn from.
    ///   - catalog: the catalog, in the transaction in which it was read.
    func weights(
        beside chosen: Manifest.PhotoWeights?, _ vectors: PhotoVectors, _ model: ModelVersion, _ catalog: Facts,
        _ run: JobRun
    ) throws(Failure) -> (Manifest.PhotoWeights?, outcome: String) {
        guard let search = try LookSearch(model.looks, report) else { return (chosen, "nothing to choose") }
        let evidence = LookEvidence(
            model: model, search: search, relations: run.parameters.relations, weights: PhotoWeights(chosen),
            instant: run.instant)
        let found = try evidence.weights(of: places.count) { row throws(Failure) in
            let place = places[row]
            return try catalog.photo(withID: vectors.photos[place].id).map { ($0, vectors.vector(at: place)) }
        } progress: { done, total in
            run.clock.advance(done: done, total: total)
        }
        guard found.inPools != nil || found.inNoPool != nil else { return (chosen, "too few photos to choose") }
        let usual = PhotoWeights()
        var weights =
            chosen
            ?? Manifest.PhotoWeights(otherRelations: usual.otherRelations, popularity: usual.popularity)
        (weights.lookInPools, weights.lookInNoPool) = (found.inPools, found.inNoPool)
        func text(_ weight: Double?) -> String { weight.map { "\($0)" } ?? "as usual" }
        return (weights, "in pools \(text(found.inPools)), in no pool \(text(found.inNoPool))")
    }
}
