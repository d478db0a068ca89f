/// One row's neighbour.
@frozen
public struct Neighbour: Sendable, Equatable {
    /// The neighbour's row.
    public var index: UInt32
    /// How many entries the two rows have in common.
    public var common: UInt32
    /// The similarity, rounded to single precision; lists are ordered by the exact value.
    public var score: Float

    /// A neighbour.
    @inlinable
    public init(index: UInt32, common: UInt32, score: Float) {
        self.index = index
        self.common = common
        self.score = score
    }
}

/// Every row's neighbours: best first, equal scores in ascending order of the row index.
public struct NeighbourLists: Sendable, Equatable {
    /// Where each row's list begins: rows + 1 offsets into `neighbours`.
    public var offsets: [Int]
    /// All lists, one after the other.
    public var neighbours: [Neighbour]

    /// Lists as they are.
    public init(offsets: [Int], neighbours: [Neighbour]) {
        self.offsets = offsets
        self.neighbours = neighbours
    }

    /// The list of one row, best first.
    public func list(ofRow row: Int) -> ArraySlice<Neighbour> { neighbours[offsets[row]..<offsets[row + 1]] }
}
