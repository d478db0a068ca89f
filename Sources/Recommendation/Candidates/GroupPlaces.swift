/// Places by group: an open-addressing table that is sized by the groups in it, not by the model.
struct GroupPlaces {
    private var groups: [UInt32]
    private var places: [UInt32]
    private let mask: Int

    // No group has this index: a model has fewer than 2³² − 1 groups.
    private static let free = UInt32.max

    /// A table for at most so many different groups.
    init(capacity: Int) {
        var size = 16
        // At most a quarter full: most groups that are looked up are in no table, and that shows at the first slot.
        while size < capacity * 4 { size *= 2 }
        groups = [UInt32](repeating: Self.free, count: size)
        places = [UInt32](repeating: 0, count: size)
        mask = size - 1
    }

    /// The place of every group in a list of different groups.
    init(_ list: some Collection<UInt32>) {
        self.init(capacity: list.count)
        for (place, group) in list.enumerated() { insert(group, at: place) }
    }

    // Fibonacci hashing; group indexes are dense, so their low bits alone would cluster.
    @inline(__always)
    private func slot(of group: UInt32) -> Int {
        var slot = Int(truncatingIfNeeded: (UInt64(group) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while groups[slot] != group, groups[slot] != Self.free { slot = (slot + 1) & mask }
        return slot
    }

    /// The group's place; nil if it has none.
    @inline(__always)
    subscript(group: UInt32) -> Int? {
        let slot = slot(of: group)
        return groups[slot] == group ? Int(places[slot]) : nil
    }

    /// The group's place, which is `next` if it had none so far.
    @inline(__always)
    mutating func place(of group: UInt32, orInsert next: Int) -> Int {
        let slot = slot(of: group)
        if groups[slot] == group { return Int(places[slot]) }
        groups[slot] = group
        places[slot] = UInt32(truncatingIfNeeded: next)
        return next
    }

    /// Gives a group that is not in the table a place.
    mutating func insert(_ group: UInt32, at place: Int) { _ = self.place(of: group, orInsert: place) }
}
