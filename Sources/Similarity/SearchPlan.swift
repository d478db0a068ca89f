import SparseMatrix

/// All that the worker threads read: rows, blocks and the formula in the form that the kernels want.
struct SearchPlan: Sendable {
    let parameters: SimilarityParameters
    let path: ProcessorPath
    let prepared: PreparedRows
    let blocks: [Block]
    let limit: Int
    let formula: Formula
    let order: CandidateOrder
    let tiles: [Range<Int>]

    init(_ matrix: BinaryMatrix, _ parameters: SimilarityParameters, _ path: ProcessorPath, threads: Int) {
        let prepared = PreparedRows(matrix, minimumEntries: parameters.minimumEntries, threads: threads)
        self.parameters = parameters
        self.path = path
        self.prepared = prepared
        let ranks = prepared.rankCount
        limit = min(parameters.limit, max(0, ranks - 1))
        let listsOnly = parameters.measure != .cosine
        blocks = Self.blockRanges(prepared).map { range in
            Block(prepared, range, bitmapMinimum: listsOnly ? .max : max(16, (range.count + 511) / 512 * 2))
        }
        tiles = stride(from: 0, to: ranks, by: 256).map { $0..<min($0 + 256, ranks) }
        formula = Formula(prepared, parameters.measure)
        let rows = Storage<UInt32>(uninitialized: ranks)
        for rank in 0..<ranks { unsafe rows.base[rank] = prepared.rows[rank] }
        order = CandidateOrder(
            tolerance: parameters.measure == .cosine ? 0x1p-50 : 0, rows: rows, sizes: prepared.sizes)
    }

    static func blockRanges(_ prepared: PreparedRows) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        let increments = prepared.degrees.reduce(0.0) { $0 + Double($1) * Double($1) }
        let entries = prepared.degrees.reduce(0.0) { $0 + Double($1) }
        let single = increments / entries < 40
        var first = 0
        while first < prepared.rankCount {
            let size = single ? Block.capacity : (unsafe prepared.sizes.base[first]) >= 256 ? 4096 : 16384
            let end = min(prepared.rankCount, first + size)
            ranges.append(first..<end)
            first = end
        }
        return ranges
    }
}
