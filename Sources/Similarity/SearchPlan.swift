import SparseMatrix

/// What the worker threads read: rows, blocks and the formula in the form that the kernels use.
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
            bitmaps: parameters.measure.bitmaps(path), threads: threads)
        self.init(
            prepared, parameters, path, entryCount: matrix.entryCount, ranks: 0..<prepared.rankCount, rowsAtOnce: 256)
    }

    /// A plan for some ranks.
    ///
    /// - Parameter rowsAtOnce: the ranks of a tile, for which all blocks are read once.
    init(
        _ prepared: PreparedMatrix, _ parameters: SimilarityParameters, _ path: ProcessorPath, entryCount: Int,
        ranks wanted: Range<Int>, rowsAtOnce: Int
    ) {
        self.parameters = parameters
        self.path = path
        self.prepared = prepared
        let ranks = prepared.rankCount
        limit = min(parameters.limit, max(0, ranks - 1))
        tiles = stride(from: wanted.lowerBound, to: wanted.upperBound, by: rowsAtOnce)
            .map { $0..<min($0 + rowsAtOnce, wanted.upperBound) }
        cost = SearchCost(prepared, parameters, entryCount: entryCount)
        formula = Formula(prepared, parameters.measure)
        order = CandidateOrder(
            tolerance: parameters.measure == .cosine ? 0x1p-50 : 0, rows: prepared.ranked.rows,
            sizes: prepared.ranked.sizes)
    }
}

extension SimilarityParameters.Measure {
    /// Where bitmaps are faster.
    func bitmaps(_ path: ProcessorPath) -> BitmapUse { self == .cosine ? .counting : .weighing(path) }
}

/// Estimates of what the parts of a search cost, for even progress: roughly nanoseconds of one core.
///
/// Fitted on matrices of 1 to 60 million entries, with few heavy and with many light columns; on the largest ones the
/// progress is off by at most a twentieth of the whole.
struct SearchCost: Sendable {
    /// The cost before the first tile.
    let preparation: Int
    /// The cost of mixing scores, after the last tile.
    private let mixing: Int
    private let perEntry: Int
    private let perRank: Int

    init(_ prepared: PreparedMatrix, _ parameters: SimilarityParameters, entryCount: Int) {
        // With weights, adding costs about three times as much, and comparing nine times.
        let (adding, comparing) = parameters.measure == .cosine ? (1, 1) : (3, 9)
        preparation = 35 * entryCount
        mixing = Int(parameters.mixingNanoseconds(rows: prepared.rankCount, entries: entryCount))
        perEntry = 22 * adding * prepared.blocks.count
        perRank = comparing * prepared.rankCount * 2 / 5
    }

    /// The cost of a whole search.
    func total(_ tiles: [Range<Int>], _ prepared: PreparedMatrix) -> Int {
        tiles.reduce(preparation + mixing) { $0 + cost(of: $1, prepared) }
    }

    /// The cost of comparing a tile of ranks with all blocks.
    func cost(of tile: Range<Int>, _ prepared: PreparedMatrix) -> Int {
        let entries = prepared.offsets[tile.upperBound] - prepared.offsets[tile.lowerBound]
        return entries * perEntry + tile.count * perRank
    }
}
