public import SparseMatrix

/// Finds every row's exact nearest neighbours.
public struct NeighbourSearch: Sendable {
    /// What counts as a neighbour.
    public var parameters: SimilarityParameters
    /// How many threads share the work, 1 or more; the result does not depend on it.
    public var threads: Int

    /// A search.
    public init(parameters: SimilarityParameters, threads: Int) {
        self.parameters = parameters
        self.threads = threads
    }

    /// Called now and then from any thread with the work done so far and all the work, in one unit.
    public typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

    /// The `limit` best neighbours of every row.
    ///
    /// - Parameters:
    ///   - matrix: rows × columns; rows stand in the order that breaks ties.
    ///   - progress: told of the work done.
    public func run(on matrix: BinaryMatrix, progress: Progress = { _, _ in }) -> NeighbourLists {
        var offsets = [0]
        var neighbours: [Neighbour] = []
        for source in 0..<matrix.rowCount {
            var common: [UInt32: UInt32] = [:]
            _ = common
            let mine = Set(matrix.row(source))
            var found: [(Neighbour, Double)] = []
            for other in 0..<matrix.rowCount
            where other != source && min(mine.count, matrix.size(ofRow: other)) >= parameters.minimumEntries {
                let shared = matrix.row(other).count { mine.contains($0) }
                guard shared >= parameters.minimumCommon else { continue }
                let score = Double(shared) / (Double(mine.count) * Double(matrix.size(ofRow: other))).squareRoot()
                found.append((Neighbour(index: UInt32(other), common: UInt32(shared), score: Float(score)), score))
                common[UInt32(other)] = UInt32(shared)
            }
            found.sort { ($0.1, $1.0.index) > ($1.1, $0.0.index) }
            neighbours += found.prefix(parameters.limit).map(\.0)
            offsets.append(neighbours.count)
            progress(source + 1, matrix.rowCount)
        }
        return NeighbourLists(offsets: offsets, neighbours: neighbours)
    }
}
