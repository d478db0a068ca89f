package import Basics
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
}

extension PreparedSearch {
    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - matrix: rows × columns; the order of the rows breaks ties.
    ///   - parameters: the criteria of neighbours and the formula.
    ///   - threads: the number of threads, 1 or more.
    ///   - blockRows: the most rows of a block, for machines whose memory cannot hold the whole file; nil for a size
    ///     that suits the caches.
    ///   - identity: a number that distinguishes this search from others.
    package init(
        _ matrix: BinaryMatrix, _ parameters: SimilarityParameters, threads: Int, blockRows: Int?, identity: UInt64
    ) {
        self.init(
            identity: identity, parameters: parameters,
            prepared: PreparedMatrix(
                matrix, minimumEntries: parameters.minimumEntries, threads: threads, blockRows: blockRows),
            rowCount: matrix.rowCount, entryCount: matrix.entryCount)
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
        let pairs = found.slices.flatMap { slice in slice.map { found.pairs[$0] } }
        return PairBlock(identity: identity, ranks: ranks, counts: found.slices.map(\.count), pairs: pairs)
    }

    /// Combines the pairs of all ranks into lists.
    ///
    /// - Parameters:
    ///   - blocks: the pairs, in any order.
    ///   - matrix: the matrix that was searched.
    ///   - threads: the number of threads, 1 or more.
    /// - Throws: `Failure.Code.badData` if blocks belong to another search, or do not cover every rank exactly once.
    package func lists(_ blocks: [PairBlock], of matrix: BinaryMatrix, threads: Int) throws(Failure)
        -> NeighbourTable
    {
        let blocks = blocks.filter { !$0.ranks.isEmpty }.sorted { $0.ranks.lowerBound < $1.ranks.lowerBound }
        var next = 0
        for block in blocks {
            guard block.identity == identity else { throw Failure(.badData, "a block of pairs is of another search") }
            guard block.ranks.lowerBound == next else { throw .gap(atRank: next) }
            next = block.ranks.upperBound
        }
        guard next == rankCount else { throw .gap(atRank: next) }
        let pairs = Storage<ListedPair>(uninitialized: blocks.reduce(0) { $0 + $1.pairs.count })
        var slices: [Range<Int>] = []
        var end = 0
        for block in blocks {
            for (position, pair) in block.pairs.enumerated() { pairs[end + position] = pair }
            for count in block.counts {
                slices.append(end..<end + count)
                end += count
            }
        }
        var found = NeighbourPairs(pairs: pairs, slices: slices, ranks: 0..<rankCount)
        return found.lists(parameters, prepared.ranked, of: matrix, threads: threads)
    }
}

/// The pairs found for some ranks of a `PreparedSearch`.
package struct PairBlock: Sendable {
    let identity: UInt64
    /// The ranks, without gaps.
    package let ranks: Range<Int>
    /// The number of pairs of each rank.
    let counts: [Int]
    let pairs: [ListedPair]
}

extension PairBlock {
    private static let magic = UInt64(0x326b_6c62_7269_6150)
    private static let headerCount = 5

    /// The encoded form, as bytes of a file.
    ///
    /// The file begins with 64-bit numbers: format, identity of the search, first rank, rank after the last, number of
    /// pairs. The number of pairs of each rank follows. Then come the pairs.
    package var encoded: [UInt8] {
        let header =
            [
                Self.magic, identity, UInt64(ranks.lowerBound), UInt64(ranks.upperBound),
                UInt64(pairs.count),
            ] + counts.map(UInt64.init)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(header.count * 8 + pairs.count * 16)
        unsafe header.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        unsafe pairs.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Decodes the bytes of `encoded`; `PreparedSearch.lists` checks that they belong to its search.
    ///
    /// - Throws: `Failure.Code.badData` if the bytes are anything else.
    package init(_ bytes: [UInt8]) throws(Failure) {
        let (header, counts): ([Int], [Int])
        do {
            var reader = ByteReader(bytes)
            header = try reader.integers(Self.headerCount, Int.self)
            guard UInt64(bitPattern: Int64(header[0])) == Self.magic, header[2] >= 0, header[2] <= header[3] else {
                throw ByteReader.Failure.damaged
            }
            counts = try reader.integers(header[3] - header[2], Int.self)
        } catch { throw .damaged("it is not a block of pairs, or is cut short") }
        let start = (Self.headerCount + counts.count) * 8
        let (count, room) = (header[4], (bytes.count - start) / 16)
        guard count >= 0, count <= room, start + count * 16 == bytes.count,
            counts.allSatisfy({ $0 >= 0 && $0 <= room }), counts.reduce(0, { $0 &+ $1 }) == count
        else { throw .damaged("a block of pairs does not end where its header says") }
        let pairs = unsafe bytes.withUnsafeBytes { buffer in
            (0..<count).map { index in
                unsafe buffer.loadUnaligned(fromByteOffset: start + index * 16, as: ListedPair.self)
            }
        }
        self.init(
            identity: UInt64(bitPattern: Int64(header[1])), ranks: header[2]..<header[3], counts: counts, pairs: pairs)
    }
}

extension Failure {
    static func damaged(_ reason: String) -> Failure { Failure(.badData, "the file is damaged: \(reason)") }

    fileprivate static func gap(atRank rank: Int) -> Failure {
        Failure(.badData, "there must be exactly one block of pairs with rank \(rank)")
    }
}
