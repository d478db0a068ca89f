/// What the parts of a search cost, so that progress is even: roughly nanoseconds of a core, from the amount of work.
///
/// Fitted on matrices of 1 to 60 million entries, of few heavy and of many light columns; what was done is off by at most
/// some tenths of the whole.
struct SearchCost: Sendable {
    /// Before the first tile.
    let preparation: Int
    private let perEntry: Int
    private let perRank: Int

    init(_ prepared: PreparedMatrix, _ measure: SimilarityParameters.Measure, entryCount: Int) {
        // Weights take the cost of adding and of comparing about threefold.
        let scale = measure == .cosine ? 1 : 3
        preparation = 35 * entryCount
        perEntry = 22 * scale * prepared.blocks.count
        perRank = scale * prepared.rankCount * 2 / 5
    }

    /// All of a search with these tiles.
    func total(_ tiles: [Range<Int>], _ prepared: PreparedMatrix) -> Int {
        tiles.reduce(preparation) { $0 + cost(of: $1, prepared) }
    }

    /// A tile of ranks against all blocks.
    func cost(of tile: Range<Int>, _ prepared: PreparedMatrix) -> Int {
        let entries = prepared.offsets[tile.upperBound] - prepared.offsets[tile.lowerBound]
        return entries * perEntry + tile.count * perRank
    }
}
