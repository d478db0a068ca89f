public import Model
public import SparseMatrix

/// A search that several processes share: each maps its file and finds the pairs of some rows; one puts them together.
///
/// Rows are numbered by rank, which is their index in the order by size, largest first. The lists are the same as those
/// of `NeighbourSearch`, however the ranks are divided, and however many rows a block has.
public struct PreparedSearch: Sendable {
    /// What tells this search from others, so that nothing of theirs is put together with it.
    public let identity: UInt64
    /// What counts as a neighbour.
    public let parameters: SimilarityParameters
    let prepared: PreparedMatrix
    let rowCount: Int
    let entryCount: Int

    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - matrix: rows × columns; the order of the rows breaks ties.
    ///   - path: for which processor bitmaps are chosen; the result does not depend on it.
    ///   - blockRows: the most rows of a block, for machines whose memory does not hold the whole file; nil for what
    ///     suits the caches.
    public init(
        _ matrix: BinaryMatrix, _ parameters: SimilarityParameters, path: ProcessorPath, threads: Int, blockRows: Int?,
        identity: UInt64
    ) {
        self.identity = identity
        self.parameters = parameters
        prepared = PreparedMatrix(
            matrix, minimumEntries: parameters.minimumEntries, bitmaps: parameters.measure.bitmaps(path),
            threads: threads, blockRows: blockRows)
        rowCount = matrix.rowCount
        entryCount = matrix.entryCount
    }

    init(
        _ prepared: PreparedMatrix, _ parameters: SimilarityParameters, identity: UInt64, rowCount: Int,
        entryCount: Int
    ) {
        self.prepared = prepared
        self.parameters = parameters
        self.identity = identity
        self.rowCount = rowCount
        self.entryCount = entryCount
    }

    /// The number of rows that count.
    public var rankCount: Int { prepared.rankCount }

    /// Finds the pairs of some ranks.
    ///
    /// - Parameters:
    ///   - ranks: within 0 ..< `rankCount`.
    ///   - rowsAtOnce: for so many ranks, 1 or more, every block is read once.
    public func pairs(of ranks: Range<Int>, threads: Int, path: ProcessorPath, rowsAtOnce: Int = 256) -> PairBlock {
        precondition(ranks.lowerBound >= 0 && ranks.upperBound <= rankCount, "ranks \(ranks) of \(rankCount)")
        let plan = SearchPlan(
            prepared, parameters, path, entryCount: entryCount, ranks: ranks, rowsAtOnce: rowsAtOnce)
        let found = plan.search(threads: threads) { _, _ in }
        var result = TileResult()
        for tile in found.results {
            result.counts += tile.counts
            result.neighbours += tile.neighbours
            result.pairs += tile.pairs
        }
        if result.counts.isEmpty { result.counts = [Int](repeating: 0, count: ranks.count) }
        return PairBlock(identity: identity, ranks: ranks, result: result)
    }

    /// Puts the pairs of all ranks together.
    ///
    /// - Parameter matrix: what was searched.
    /// - Throws: `PreparedSearchError` if they are of another search, or do not cover all ranks, each once.
    public func lists(_ blocks: [PairBlock], of matrix: BinaryMatrix, threads: Int) throws(PreparedSearchError)
        -> NeighbourTable
    {
        let blocks = blocks.filter { !$0.ranks.isEmpty }.sorted { $0.ranks.lowerBound < $1.ranks.lowerBound }
        var next = 0
        for block in blocks {
            guard block.identity == identity else { throw .otherSearch }
            guard block.ranks.lowerBound == next else { throw .gap(atRank: next) }
            next = block.ranks.upperBound
        }
        guard next == rankCount else { throw .gap(atRank: next) }
        var found = FoundPairs(
            results: blocks.map(\.result), tiles: blocks.map(\.ranks), ranked: prepared.ranked)
        return found.lists(parameters, of: matrix, threads: threads)
    }
}

/// Why a search cannot be shared.
public enum PreparedSearchError: Error, Equatable, CustomStringConvertible {
    /// A file is not what it should be.
    case damaged(String)
    /// Pairs were found by another search.
    case otherSearch
    /// Nobody found the pairs of a rank, or two did.
    case gap(atRank: Int)

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .damaged(let reason): "the file is damaged: \(reason)"
        case .otherSearch: "a block of pairs is of another search"
        case .gap(let rank): "there must be exactly one block of pairs with rank \(rank)"
        }
    }
}
