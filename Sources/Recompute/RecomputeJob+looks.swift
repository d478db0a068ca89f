import CatalogStore
import Looks
import Model
import Similarity

extension RecomputeJob {
    /// Returns the vectors of public photos, or `nil` if the catalog has none, or if the entries are from tables.
    ///
    /// The file is opened at once, because it disappears when another program writes it anew.
    func vectorFile(_ entries: any EntrySource, _ catalog: Catalog) throws(RecomputeError) -> PhotoVectors? {
        // Tables number the photos in their own way.
        guard tablesPath == nil else { return nil }
        do throws(CatalogError) { return try PhotoVectors(of: catalog) } catch { throw .catalog(error) }
    }

    /// Returns the photos with vectors that are in pools of public groups, and the index of their vectors.
    ///
    /// - Parameters:
    ///   - vectors: the vectors of public photos.
    ///   - matrix: public groups × photos, whose columns are the photos' keys.
    ///   - clock: told of the progress.
    func lookSections(_ vectors: PhotoVectors, _ matrix: BinaryMatrix, _ clock: StepClock)
        throws(RecomputeError) -> (LookSections?, outcome: String)
    {
        var groups = [[UInt32]](repeating: [], count: vectors.photos.count)
        for row in 0..<matrix.rowCount {
            for column in matrix.row(row) {
                if let photo = vectors.place(ofColumn: column) { groups[photo].append(UInt32(row)) }
            }
        }
        let pooled = groups.indices.filter { !groups[$0].isEmpty }
        guard !pooled.isEmpty else { return (nil, "no photo with a vector is in a public pool") }
        do {
            let rows = try vectors.rows(pooled)
            let builder = LookIndexBuilder(rows, parameters.looks, threads: parameters.threads) { done in
                clock.advance(done: done, total: pooled.count, unit: "vectors")
            }
            let index = try builder.build()
            let method = try LookIndex(index).method
            let sections = try LookSections(
                ids: pooled.map { vectors.photos[$0].id }, groups: pooled.map { groups[$0] }, index: index)
            return (sections, "\(pooled.count) photos of \(vectors.model): \(method)")
        } catch let error as CatalogError { throw .catalog(error) } catch { throw .model("\(error)") }
    }
}
