import Model

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
