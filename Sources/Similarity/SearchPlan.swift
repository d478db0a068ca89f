import SparseMatrix

/// All that the worker threads read: rows, blocks and the formula in the form that the kernels want.
struct SearchPlan: Sendable {
    let parameters: SimilarityParameters
    let path: ProcessorPath
    let prepared: PreparedMatrix
    let limit: Int
    let formula: Formula
    let order: CandidateOrder
    let tiles: [Range<Int>]
    let cost: SearchCost

    init(_ matrix: BinaryMatrix, _ parameters: SimilarityParameters, _ path: ProcessorPath, threads: Int) {
        let prepared = PreparedMatrix(
            matrix, minimumEntries: parameters.minimumEntries,
            bitmaps: parameters.measure == .cosine ? .counting : .weighing(path), threads: threads)
        self.parameters = parameters
        self.path = path
        self.prepared = prepared
        let ranks = prepared.rankCount
        limit = min(parameters.limit, max(0, ranks - 1))
        tiles = stride(from: 0, to: ranks, by: 256).map { $0..<min($0 + 256, ranks) }
        cost = SearchCost(prepared, parameters.measure, entryCount: matrix.entryCount)
        formula = Formula(prepared, parameters.measure)
        order = CandidateOrder(
            tolerance: parameters.measure == .cosine ? 0x1p-50 : 0, rows: prepared.ranked.rows,
            sizes: prepared.ranked.sizes)
    }
}
