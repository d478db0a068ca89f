/// The position of each group in a list: a hash table that is sized by the list, not by the model.
struct GroupPositions {
    /// The list.
    let groups: [UInt32]
    private let slots: [UInt32]

    /// - Parameter groups: of a group that occurs more than once, the first position counts.
    init(_ groups: [UInt32]) {
        self.groups = groups
        // At most a quarter full: most groups that are looked up are not in the list, and the first slot shows that.
        var slots = [UInt32](repeating: SlotTable.free, count: SlotTable.slotCount(atLeast: groups.count * 4))
        for (position, group) in groups.enumerated() {
            let slot = SlotTable.slot(of: group, in: slots.span) { groups[$0] }
            if slots[slot] == SlotTable.free { slots[slot] = UInt32(position) }
        }
        self.slots = slots
    }

    /// The group's position; nil if it is not in the list.
    @inline(__always)
    subscript(group: UInt32) -> Int? {
        let position = slots[SlotTable.slot(of: group, in: slots.span) { groups[$0] }]
        return position == SlotTable.free ? nil : Int(position)
    }
}

/// The hash table of groups: open addressing, linear probing.
///
/// A slot holds a position in a list whose elements say which group they are of; 4 bytes a slot keep the table in the
/// cache.
enum SlotTable {
    /// Marks a slot without a position.
    static let free = UInt32.max

    /// A power of two, 16 or more.
    static func slotCount(atLeast count: Int) -> Int { 1 << (Int.bitWidth - (max(16, count) - 1).leadingZeroBitCount) }

    /// The slot that holds the position of a group, or the free one where it belongs.
    ///
    /// - Parameter groupAt: the group at a position of the list.
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
