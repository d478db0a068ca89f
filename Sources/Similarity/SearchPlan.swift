import CSimilarity

/// The data that worker threads read: rows, blocks and the formula in the form that the kernels use.
struct SearchPlan: Sendable {
    let parameters: SimilarityParameters
    let path: ProcessorPath
    let prepared: PreparedMatrix
    let formula: Formula
    /// The best candidates of the ranks that are searched for.
    let best: BestCandidates
    /// Portions of these ranks, each within one block.
    let tiles: [Tile]
    let cost: SearchCost

    /// Some ranks of a block.
    struct Tile: Sendable {
        let ranks: Range<Int>
        let block: Int
    }

    init(_ matrix: BinaryMatrix, _ parameters: SimilarityParameters, _ path: ProcessorPath, threads: Int) {
        let prepared = PreparedMatrix(matrix, minimumEntries: parameters.minimumEntries, threads: threads)
        self.init(
            prepared, parameters, path, entryCount: matrix.entryCount, ranks: 0..<prepared.rankCount, rowsAtOnce: 128)
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
        tiles = prepared.blocks.indices.flatMap { number in
            let ranks = prepared.blocks[number].ranks.clamped(to: wanted)
            return stride(from: ranks.lowerBound, to: ranks.upperBound, by: rowsAtOnce)
                .map { Tile(ranks: $0..<min($0 + rowsAtOnce, ranks.upperBound), block: number) }
        }
        cost = SearchCost(prepared, parameters, entryCount: entryCount)
        formula = Formula(prepared, parameters.measure)
        best = BestCandidates(
            ranks: wanted, rankCount: prepared.rankCount,
            PairLimits(parameters, sizes: (0..<prepared.rankCount).lazy.map { prepared.ranked.sizes[$0] }),
            CandidateOrder(
                tolerance: parameters.measure == .cosine ? 0x1p-50 : 0, rows: prepared.ranked.rows,
                sizes: prepared.ranked.sizes))
    }

    /// Whether all ranks are searched for, so that a pair is compared once for both of its rows.
    var comparesOnce: Bool { best.ranks.count == prepared.rankCount }

    /// Whether a block's rows have their best candidates among the smallest rows, and not among the largest ones.
    ///
    /// If one common column is enough, the smallest rows have the best scores; otherwise few have enough in common.
    func prefersSmallest(_ block: Int) -> Bool {
        parameters.minimumCommon == 1 && prepared.blocks[block].largestSize <= BlockShape.smallSize
    }

    /// Returns the blocks with which a tile is compared.
    func blocks(for tile: Tile) -> Range<Int> {
        0..<(comparesOnce && !prefersSmallest(tile.block) ? tile.block + 1 : prepared.blocks.count)
    }
}

/// Estimates of the cost of the parts of a search, roughly in nanoseconds of one core.
///
/// Progress is reported in this unit to make it even. The estimates were fitted on matrices of 1 to 60 million entries,
/// with few heavy and with many light columns.
struct SearchCost: Sendable {
    /// The cost before the first tile.
    let preparation: Int
    private let perEntry: Int
    private let perRank: Int

    init(_ prepared: PreparedMatrix, _ parameters: SimilarityParameters, entryCount: Int) {
        // With weights, adding costs about twice as much, and comparing four times.
        let (adding, comparing) = parameters.measure == .cosine ? (1, 1) : (2, 4)
        preparation = 35 * entryCount
        perEntry = 22 * adding
        perRank = comparing
    }

    func total(_ plan: SearchPlan) -> Int {
        plan.tiles.reduce(preparation) { $0 + cost(of: $1, plan) }
    }

    /// The cost of comparing a tile of ranks with the blocks that it visits.
    func cost(of tile: SearchPlan.Tile, _ plan: SearchPlan) -> Int {
        let entries = plan.prepared.offsets[tile.ranks.upperBound] - plan.prepared.offsets[tile.ranks.lowerBound]
        let blocks = plan.blocks(for: tile)
        let targets = plan.prepared.blocks[blocks.upperBound - 1].ranks.upperBound
        return entries * blocks.count * perEntry + tile.ranks.count * targets * perRank * 2 / 5
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

    package static var fastest: ProcessorPath { supported.last ?? .portable }

    var code: Int32 {
        switch self {
        case .portable: Int32(COTERIE_PORTABLE)
        case .avx2: Int32(COTERIE_AVX2)
        case .avx512: Int32(COTERIE_AVX512)
        }
    }
}
