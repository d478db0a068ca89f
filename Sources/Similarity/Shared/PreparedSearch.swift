public import Model

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

/// The pairs that were found for some ranks of a `PreparedSearch`.
public struct PairBlock: Sendable {
    let identity: UInt64
    /// The ranks, all of them in order.
    public let ranks: Range<Int>
    let result: TileResult

    private static let magic = UInt64(0x316b_6c62_7269_6150)
    private static let headerCount = 6

    init(identity: UInt64, ranks: Range<Int>, result: TileResult) {
        self.identity = identity
        self.ranks = ranks
        self.result = result
    }

    /// The bytes of a file: 64-bit numbers (the format, the identity of the search, the first rank, the rank behind the
    /// last, how many neighbours, how many pairs), how many each rank has, then the neighbours and pairs.
    public var encoded: [UInt8] {
        let header =
            [
                Self.magic, identity, UInt64(ranks.lowerBound), UInt64(ranks.upperBound),
                UInt64(result.neighbours.count), UInt64(result.pairs.count),
            ] + result.counts.map(UInt64.init)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(header.count * 8 + result.neighbours.count * 12 + result.pairs.count * 16)
        unsafe header.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        unsafe result.pairs.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        unsafe result.neighbours.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Reads what `encoded` gave; `PreparedSearch.lists` checks that it belongs to a search.
    ///
    /// - Throws: `PreparedSearchError.damaged` if the bytes are anything else.
    public init(_ bytes: [UInt8]) throws(PreparedSearchError) {
        func numbers(_ first: Int, _ count: Int) throws(PreparedSearchError) -> [Int] {
            guard count >= 0, count <= bytes.count / 8, (first + count) * 8 <= bytes.count else {
                throw .damaged("a block of pairs is cut short")
            }
            return unsafe bytes.withUnsafeBytes { buffer in
                (0..<count).map { unsafe buffer.loadUnaligned(fromByteOffset: (first + $0) * 8, as: Int.self) }
            }
        }
        let header = try numbers(0, Self.headerCount)
        guard UInt64(bitPattern: Int64(header[0])) == Self.magic, header[2] >= 0, header[2] <= header[3] else {
            throw .damaged("it is not a block of pairs")
        }
        var result = TileResult()
        result.counts = try numbers(Self.headerCount, header[3] - header[2])
        let start = (Self.headerCount + result.counts.count) * 8
        let (neighbours, pairs) = (header[4], header[5])
        let room = bytes.count - start
        let sum = result.counts.reduce(0) { $0 &+ max(0, $1) }
        guard neighbours >= 0, pairs >= 0, neighbours <= room, pairs <= room, pairs * 16 + neighbours * 12 == room,
            result.counts.allSatisfy({ $0 >= 0 && $0 <= room }), sum == max(neighbours, pairs)
        else { throw .damaged("a block of pairs does not end where its header says") }
        unsafe bytes.withUnsafeBytes { buffer in
            result.pairs = (0..<pairs).map { index in
                unsafe buffer.loadUnaligned(fromByteOffset: start + index * 16, as: ListedPair.self)
            }
            let first = start + pairs * 16
            result.neighbours = (0..<neighbours).map { index in
                unsafe buffer.loadUnaligned(fromByteOffset: first + index * 12, as: Neighbour.self)
            }
        }
        self.init(
            identity: UInt64(bitPattern: Int64(header[1])), ranks: header[2]..<header[3], result: result)
    }
}
