/// A neighbour as a model version keeps it: 12 bytes, little-endian, in this order.
@frozen
public struct Neighbour: Sendable, Equatable, BitwiseCopyable {
    /// The neighbour's group index in the same version; before there is one, its row in the matrix.
    public var index: UInt32
    /// How many entries (photos or members) the two groups have in common.
    public var common: UInt32
    /// The similarity in single precision; lists are ordered by the exact value, best first.
    public var score: Float

    /// A neighbour.
    @inlinable
    public init(index: UInt32, common: UInt32, score: Float) {
        self.index = index
        self.common = common
        self.score = score
    }

    /// The plain cosine c / √(nᵢ nⱼ), whatever the measure; 0 if a size is.
    ///
    /// - Parameters:
    ///   - size: entries of the group whose list this neighbour is in, in the relation of the list.
    ///   - otherSize: entries of the neighbour.
    @inlinable
    public func cosine(sizes size: Double, _ otherSize: Double) -> Double {
        size > 0 && otherSize > 0 ? Double(common) / (size * otherSize).squareRoot() : 0
    }

    /// Bytes a neighbour takes.
    public static let byteCount = 12
}

/// The neighbours of every group in one relation, as they are found and written.
public struct NeighbourTable: Sendable, Equatable {
    /// Where each group's list begins: groups + 1 offsets into `neighbours`.
    public var offsets: [Int]
    /// All lists, one after the other; each best first, equal scores in ascending order of the group index.
    public var neighbours: [Neighbour]

    /// Lists as they are.
    public init(offsets: [Int], neighbours: [Neighbour]) {
        self.offsets = offsets
        self.neighbours = neighbours
    }

    /// A table without a neighbour, for so many groups.
    public static func empty(groupCount: Int) -> NeighbourTable {
        NeighbourTable(offsets: [Int](repeating: 0, count: groupCount + 1), neighbours: [])
    }

    /// The list of one group, best first.
    public func list(of group: Int) -> ArraySlice<Neighbour> { neighbours[offsets[group]..<offsets[group + 1]] }

    /// How many neighbours the longest list has.
    public var longestCount: Int { zip(offsets, offsets.dropFirst()).reduce(0) { max($0, $1.1 - $1.0) } }

    /// The mean of the best scores, over groups that have a neighbour; 1 if none has.
    ///
    /// Scores of a relation are divided by it before relations are blended, so that neither
    /// outweighs the other by its scale alone.
    public var meanBestScore: Double {
        var sum = 0.0
        var lists = 0
        for group in 0..<(offsets.count - 1) where offsets[group] < offsets[group + 1] {
            sum += Double(neighbours[offsets[group]].score)
            lists += 1
        }
        return lists == 0 || sum <= 0 ? 1 : sum / Double(lists)
    }
}
