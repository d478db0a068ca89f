import SparseMatrix

/// All that the worker threads read: rows, blocks and the formula in the form that the kernels want.
struct SearchPlan: Sendable {
    let parameters: SimilarityParameters
    let prepared: PreparedRows
    let blocks: [Block]
    let blockSize: Int
    let limit: Int
    let formula: Formula
    let order: CandidateOrder
    /// For each rank, what turns its least key into a least count; see `Formula`.
    let tiles: [Range<Int>]

    init(_ matrix: BinaryMatrix, _ parameters: SimilarityParameters, threads: Int) {
        let prepared = PreparedRows(matrix, minimumEntries: parameters.minimumEntries, threads: threads)
        self.parameters = parameters
        self.prepared = prepared
        let ranks = prepared.rankCount
        limit = min(parameters.limit, max(0, ranks - 1))
        let size = min(4096, Block.capacity)
        blockSize = size
        blocks = stride(from: 0, to: ranks, by: size).map { first in
            Block(prepared, first: first, count: min(size, ranks - first))
        }
        tiles = stride(from: 0, to: ranks, by: 256).map { $0..<min($0 + 256, ranks) }
        formula = Formula(prepared, parameters.measure)
        let rows = Storage<UInt32>(uninitialized: ranks)
        for rank in 0..<ranks { unsafe rows.base[rank] = prepared.rows[rank] }
        order = CandidateOrder(
            tolerance: parameters.measure == .cosine ? 0x1p-50 : 0, rows: rows, sizes: prepared.sizes)
    }
}
