import Model

/// Finds the few neighbours in lists that belong to a small set of groups: a bit filter first, then a hash table.
struct GroupLookup {
    private let positions: GroupPositions
    private let filter: BitFilter

    /// - Parameter groups: the set; positions are those in this list.
    init(_ groups: [UInt32]) {
        positions = GroupPositions(groups)
        filter = BitFilter(groups)
    }

    /// Calls `body` with each neighbour that belongs to the set, and its position in it.
    ///
    /// - Parameter body: its first two arguments name the list, as in `NeighbourLists.forEach`.
    @inline(__always)
    func forEachFound(
        in lists: NeighbourLists, _ body: (_ group: Int, _ relation: Int, Neighbour, _ position: Int) -> Void
    ) {
        var passed = [Int32](repeating: 0, count: lists.longestCount)
        lists.forEach { group, relation, neighbours in
            var passed = passed.mutableSpan
            let passedCount = filter.pass(neighbours, into: &passed)
            for number in 0..<passedCount {
                let neighbour = neighbours[Int(passed[number])]
                if let position = positions[neighbour.index] { body(group, relation, neighbour, position) }
            }
        }
    }
}

/// One bit for every group index modulo 8192: rejects nearly all groups that are not in a small set, and none that is.
private struct BitFilter {
    private static let bitCount = 8192
    private var words = InlineArray<128, UInt64>(repeating: 0)

    init(_ groups: [UInt32]) {
        for group in groups {
            let bit = Self.bit(of: group)
            words[bit >> 6] |= 1 << UInt64(bit & 63)
        }
    }

    // Indexes are dense: their low bits do as well as any hash.
    @inline(__always)
    private static func bit(of group: UInt32) -> Int { Int(truncatingIfNeeded: group) & (bitCount - 1) }

    /// Lists the indexes of the neighbours that pass, ascending, without a branch that depends on any of them.
    ///
    /// - Parameter passed: receives the indexes; at least as long as the list of neighbours.
    /// - Returns: how many pass.
    @inline(__always)
    func pass(_ neighbours: Span<Neighbour>, into passed: inout MutableSpan<Int32>) -> Int {
        let words = words.span
        var count = 0
        for index in neighbours.indices {
            passed[count] = Int32(truncatingIfNeeded: index)
            let bit = Self.bit(of: neighbours[index].index)
            count &+= Int(truncatingIfNeeded: (words[bit >> 6] &>> UInt64(bit & 63)) & 1)
        }
        return count
    }
}
