import Model
import Synchronization

/// Finds the few neighbours in lists that belong to a small set of groups: a bit filter first, then a hash table.
struct GroupLookup {
    private let positions: GroupPositions
    private let filter: BitFilter

    /// Creates a look-up of a set.
    ///
    /// - Parameter groups: the set; a group's position is its position in this list.
    init(_ groups: [UInt32]) {
        positions = GroupPositions(groups)
        filter = BitFilter(groups)
    }

    /// Calls `body` with each neighbour that belongs to the set, and its position in the set.
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

/// One bit for every group index modulo 8192.
///
/// The filter rejects nearly all groups outside a small set, and none of the set.
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

    /// Lists the indexes of the neighbours that pass, ascending, without a branch that depends on a neighbour.
    ///
    /// - Parameter passed: receives the indexes; at least as long as the list of neighbours.
    /// - Returns: the number of neighbours that pass.
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

/// Tables with a number for each group of a model: the group's place in a list that is being made.
///
/// A look-up is one access to memory. Filling a table would take longer than making most lists, so tables are reused:
/// each user restores every place to `none`. No more tables exist than were ever used at once.
final class GroupPlaces: Sendable {
    /// The value that stands for no place.
    static let none = UInt32.max

    private let groupCount: Int
    private let unused = Mutex<[[UInt32]]>([])

    init(groupCount: Int) { self.groupCount = groupCount }

    /// Calls `body` with a table in which every place is `none`; `body` must restore that in the end.
    func using<Result>(_ body: (inout [UInt32]) -> Result) -> Result {
        var places =
            unused.withLock { $0.popLast() } ?? [UInt32](repeating: Self.none, count: groupCount)
        let result = body(&places)
        unused.withLock { $0.append(places) }
        return result
    }
}

/// The position of each group in a list: a hash table with the size of the list, not of the model.
struct GroupPositions {
    let groups: [UInt32]
    private let slots: [UInt32]

    /// Creates the table of a list.
    ///
    /// - Parameter groups: the list; if a group occurs more than once, its first position counts.
    init(_ groups: [UInt32]) {
        self.groups = groups
        // At most a quarter full: most look-ups are of groups outside the list, and the first slot usually shows that.
        var slots = [UInt32](repeating: SlotTable.free, count: SlotTable.slotCount(atLeast: groups.count * 4))
        for (position, group) in groups.enumerated() {
            let slot = SlotTable.slot(of: group, in: slots.span) { groups[$0] }
            if slots[slot] == SlotTable.free { slots[slot] = UInt32(position) }
        }
        self.slots = slots
    }

    /// The group's position, or `nil` if it is not in the list.
    @inline(__always)
    subscript(group: UInt32) -> Int? {
        let position = slots[SlotTable.slot(of: group, in: slots.span) { groups[$0] }]
        return position == SlotTable.free ? nil : Int(position)
    }
}

/// A hash table of groups with open addressing and linear probing.
///
/// A slot holds a position in a list, whose element there names the group. With 4 bytes a slot, the table stays in the
/// cache.
enum SlotTable {
    /// The mark of a slot without a position.
    static let free = UInt32.max

    /// Returns the number of slots: a power of two, at least `count` and at least 16.
    static func slotCount(atLeast count: Int) -> Int { 1 << (Int.bitWidth - (max(16, count) - 1).leadingZeroBitCount) }

    /// Returns the slot that holds the position of a group, or the free slot where it belongs.
    ///
    /// - Parameters:
    ///   - slots: the slots, a power of two of them.
    ///   - groupAt: returns the group at a position of the list.
    @inline(__always)
    static func slot(of group: UInt32, in slots: borrowing Span<UInt32>, _ groupAt: (_ position: Int) -> UInt32) -> Int
    {
        let mask = slots.count &- 1
        // Fibonacci hashing: group indexes are dense, so their low bits alone would cluster.
        var slot = Int(truncatingIfNeeded: (UInt64(group) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while slots[slot] != free, groupAt(Int(slots[slot])) != group { slot = (slot &+ 1) & mask }
        return slot
    }
}
