import CSimilarity

/// The data that worker threads read: rows, blocks and the formula in the form that the kernels use.
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

    /// Creates a plan for a range of ranks.
    ///
    /// - Parameters:
    ///   - prepared: the prepared matrix.
    ///   - parameters: the criteria and the formula.
    ///   - path: the processor instructions to use.
    ///   - entryCount: the number of entries in the matrix, for the estimate of the cost.
    ///   - wanted: the ranks to search for.
    ///   - rowsAtOnce: the number of ranks in a tile; each block is read once for a tile.
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
    /// Returns the rule that decides when bitmaps are faster.
    func bitmaps(_ path: ProcessorPath) -> BitmapUse { self == .cosine ? .counting : .weighing(path) }
}

/// Estimates of the cost of the parts of a search, roughly in nanoseconds of one core.
///
/// Progress is reported in this unit to make it even. The estimates were fitted on matrices of 1 to 60 million entries,
/// with few heavy and with many light columns. On the largest ones, progress is off by at most 5% of the whole.
struct SearchCost: Sendable {
    /// The cost before the first tile.
    let preparation: Int
    /// The cost of mixing scores, after the last tile.
    private let mixing: Int
    private let perEntry: Int
    private let perRank: Int

    init(_ prepared: PreparedMatrix, _ parameters: SimilarityParameters, entryCount: Int) {
        // With weights, adding costs about twice as much, and comparing four times.
        let (adding, comparing) = parameters.measure == .cosine ? (1, 1) : (2, 4)
        preparation = 35 * entryCount
        mixing = Int(parameters.mixingNanoseconds(rows: prepared.rankCount))
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

/// The sets of processor instructions that the search can use; all give the same result.
package enum ProcessorPath: String, Sendable, CaseIterable {
    /// Only instructions that every processor has.
    case portable = "scalar"
    /// x86-64 with AVX2.
    case avx2
    /// x86-64 with AVX-512 F, BW, DQ and VL.
    case avx512

    /// The paths that this processor supports, slowest first.
    package static var supported: [ProcessorPath] { allCases.filter { $0.code <= coterie_best_path() } }

    /// The fastest path that this processor supports.
    package static var fastest: ProcessorPath { supported.last ?? .portable }

    var code: Int32 {
        switch self {
        case .portable: Int32(COTERIE_PORTABLE)
        case .avx2: Int32(COTERIE_AVX2)
        case .avx512: Int32(COTERIE_AVX512)
        }
    }
}
