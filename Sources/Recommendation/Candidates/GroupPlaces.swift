/// Places by group: an open-addressing table that is sized by the groups in it, not by the model.
struct GroupPlaces {
    /// Group and place in one word each, so that a look touches one line of the cache.
    private var slots: [UInt64]
    private(set) var count = 0

    // No group has this index: a model has fewer than 2³² − 1 groups.
    private static let free = UInt64.max

    /// A table that has room for so many different groups before it grows.
    init(capacity: Int) {
        // At most a quarter full: most groups that are looked up are in no table, and that shows at the first slot.
        let bits = max(4, Int.bitWidth - max(1, capacity * 4 - 1).leadingZeroBitCount)
        slots = [UInt64](repeating: Self.free, count: 1 << bits)
    }

    /// The place of every group in a list; of one that stands there more than once, the first.
    init(_ list: some Collection<UInt32>) {
        self.init(capacity: list.count)
        for (place, group) in list.enumerated() { insert(group, at: place) }
    }

    /// The group's place; nil if it has none.
    @inline(__always)
    subscript(group: UInt32) -> Int? {
        let found = slots[Self.slot(of: group, in: slots.span)]
        return found == Self.free ? nil : Self.place(found)
    }

    /// The group's place, which is `next` if it had none so far.
    @inline(__always)
    mutating func place(of group: UInt32, orInsert next: Int) -> Int {
        makeRoom(for: 1)
        let slot = Self.slot(of: group, in: slots.span)
        guard slots[slot] == Self.free else { return Self.place(slots[slot]) }
        slots[slot] = Self.entry(group, next)
        count += 1
        return next
    }

    /// Gives a group that is not in the table a place.
    mutating func insert(_ group: UInt32, at place: Int) { _ = self.place(of: group, orInsert: place) }

    private static func entry(_ group: UInt32, _ place: Int) -> UInt64 {
        UInt64(group) << 32 | UInt64(UInt32(truncatingIfNeeded: place))
    }

    @inline(__always)
    private static func place(_ entry: UInt64) -> Int { Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) }

    /// Where a table of so many slots, a power of two, is to be looked into first.
    ///
    /// Fibonacci hashing; group indexes are dense, so their low bits alone would cluster.
    @inline(__always)
    static func firstSlot(of group: UInt32, among count: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(group) &* 0x9E37_79B9_7F4A_7C15) >> 32) & (count &- 1)
    }

    @inline(__always)
    private static func slot(of group: UInt32, in slots: borrowing Span<UInt64>) -> Int {
        let mask = slots.count &- 1
        var slot = firstSlot(of: group, among: slots.count)
        while slots[slot] >> 32 != UInt64(group), slots[slot] != free { slot = (slot &+ 1) & mask }
        return slot
    }

    /// Grows until the table is at most half full with so many more.
    private mutating func makeRoom(for more: Int) {
        guard (count + more) * 2 > slots.count else { return }
        let old = slots
        var size = old.count
        while (count + more) * 2 > size { size *= 2 }
        slots = [UInt64](repeating: Self.free, count: size)
        for entry in old where entry != Self.free {
            slots[Self.slot(of: UInt32(entry >> 32), in: slots.span)] = entry
        }
    }
}
