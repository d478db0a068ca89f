package import Model

/// A search that several processes share.
///
/// Each process maps the search's file and finds the pairs of some rows; one process puts the pairs together. Rows are
/// numbered by rank, which is their position in the order by size, largest first. The lists are the same as those of
/// `NeighbourSearch`, however the ranks and blocks are divided.
package struct PreparedSearch: Sendable {
    /// A number that distinguishes this search from others; pairs of different searches are never combined.
    package let identity: UInt64
    /// The criteria of neighbours and the formula.
    package let parameters: SimilarityParameters
    let prepared: PreparedMatrix
    let rowCount: Int
    let entryCount: Int

    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - matrix: rows × columns; the order of the rows breaks ties.
    ///   - parameters: the criteria of neighbours and the formula.
    ///   - path: the processor for which bitmaps are chosen; the result does not depend on it.
    ///   - threads: the number of threads, 1 or more.
    ///   - blockRows: the most rows of a block, for machines whose memory cannot hold the whole file; nil for a size
    ///     that suits the caches.
    ///   - identity: a number that distinguishes this search from others.
    package init(
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
    package var rankCount: Int { prepared.rankCount }

    /// Finds the pairs of a range of ranks.
    ///
    /// - Parameters:
    ///   - ranks: the ranks, within 0 ..< `rankCount`.
    ///   - threads: the number of threads, 1 or more.
    ///   - path: the processor instructions to use.
    ///   - rowsAtOnce: the number of ranks, 1 or more, for which every block is read once.
    package func pairs(of ranks: Range<Int>, threads: Int, path: ProcessorPath, rowsAtOnce: Int = 256) -> PairBlock {
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

    /// Combines the pairs of all ranks into lists.
    ///
    /// - Parameters:
    ///   - blocks: the pairs, in any order.
    ///   - matrix: the matrix that was searched.
    ///   - threads: the number of threads, 1 or more.
    /// - Throws: `PreparedSearchError` if blocks belong to another search, or do not cover every rank exactly once.
    package func lists(_ blocks: [PairBlock], of matrix: BinaryMatrix, threads: Int) throws(PreparedSearchError)
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
        var found = NeighbourPairs(
            results: blocks.map(\.result), tiles: blocks.map(\.ranks), ranked: prepared.ranked)
        return found.lists(parameters, of: matrix, threads: threads)
    }
}

/// The reasons why a shared search fails.
package enum PreparedSearchError: Error, Equatable, CustomStringConvertible {
    /// A file is damaged or of another kind.
    case damaged(String)
    /// The pairs were found by another search.
    case otherSearch
    /// A rank is in no block of pairs, or in several.
    case gap(atRank: Int)

    /// An explanation in words.
    package var description: String {
        switch self {
        case .damaged(let reason): "the file is damaged: \(reason)"
        case .otherSearch: "a block of pairs is of another search"
        case .gap(let rank): "there must be exactly one block of pairs with rank \(rank)"
        }
    }
}

/// The pairs found for some ranks of a `PreparedSearch`.
package struct PairBlock: Sendable {
    let identity: UInt64
    /// The ranks, without gaps.
    package let ranks: Range<Int>
    let result: TileResult

    private static let magic = UInt64(0x316b_6c62_7269_6150)
    private static let headerCount = 6

    init(identity: UInt64, ranks: Range<Int>, result: TileResult) {
        self.identity = identity
        self.ranks = ranks
        self.result = result
    }

    /// The encoded form, as bytes of a file.
    ///
    /// The file begins with 64-bit numbers: format, identity of the search, first rank, rank after the last, number of
    /// neighbours, number of pairs. The number of pairs of each rank follows. Then come the pairs and then the
    /// neighbours.
    package var encoded: [UInt8] {
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

    /// Decodes the bytes of `encoded`; `PreparedSearch.lists` checks that they belong to its search.
    ///
    /// - Throws: `PreparedSearchError.damaged` if the bytes are anything else.
    package init(_ bytes: [UInt8]) throws(PreparedSearchError) {
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
