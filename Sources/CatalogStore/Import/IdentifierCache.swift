/// External ids seen during an import, each with a slot: an open-addressing table over one array of bytes.
///
/// A dictionary of strings takes several times the memory and time at millions of ids.
struct IdentifierCache {
    /// By slot: the catalog's key, 0 while it is not known.
    private(set) var keys: [UInt32] = []
    private var ends: [UInt32] = []
    private var bytes: [UInt8] = []
    private var table = [UInt32](repeating: 0, count: 1 << 12)  // slot + 1; 0 is free

    var count: Int { keys.count }

    /// Roughly the memory it takes, in bytes.
    var byteCount: Int { bytes.capacity + (keys.capacity + ends.capacity + table.capacity) * 4 }

    // FNV-1a with a final mix: ids are short and mostly differ in their last bytes.
    private static func hash(_ id: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in 0..<id.count { hash = (hash ^ UInt64(id[index])) &* 0x0000_0100_0000_01b3 }
        hash ^= hash >> 32
        return hash &* 0x9e37_79b9_7f4a_7c15
    }

    /// The slot of an id, a new one if it was not seen before.
    mutating func slot(of id: Span<UInt8>) -> UInt32 {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: Self.hash(id) >> 24) & mask
        while table[place] != 0 {
            let slot = table[place] - 1
            if isEqual(slot, id) { return slot }
            place = (place + 1) & mask
        }
        let slot = UInt32(keys.count)
        for index in 0..<id.count { bytes.append(id[index]) }
        ends.append(UInt32(bytes.count))
        keys.append(0)
        table[place] = slot + 1
        if keys.count * 2 > table.count { grow() }
        return slot
    }

    private func range(_ slot: UInt32) -> Range<Int> {
        (slot == 0 ? 0 : Int(ends[Int(slot) - 1]))..<Int(ends[Int(slot)])
    }

    private func isEqual(_ slot: UInt32, _ id: Span<UInt8>) -> Bool {
        let range = range(slot)
        guard range.count == id.count else { return false }
        for offset in 0..<range.count {
            if bytes[range.lowerBound + offset] != id[offset] { return false }
        }
        return true
    }

    private mutating func grow() {
        table = [UInt32](repeating: 0, count: table.count * 2)
        let mask = table.count - 1
        for slot in 0..<UInt32(keys.count) {
            var place = Int(truncatingIfNeeded: Self.hash(bytes.span.extracting(range(slot))) >> 24) & mask
            while table[place] != 0 { place = (place + 1) & mask }
            table[place] = slot + 1
        }
    }

    /// The id in a slot.
    func id(_ slot: UInt32) -> String { String(decoding: bytes[range(slot)], as: UTF8.self) }

    mutating func setKey(_ key: UInt32, of slot: UInt32) { keys[Int(slot)] = key }

    /// Slots without a key, in ascending order of their ids' bytes, in which the catalog's index is quickest to search.
    func unresolved(from first: Int) -> [UInt32] {
        var slots = (UInt32(first)..<UInt32(keys.count)).filter { keys[Int($0)] == 0 }
        slots.sort { left, right in
            let (left, right) = (range(left), range(right))
            return bytes[left].lexicographicallyPrecedes(bytes[right])
        }
        return slots
    }

    /// The bytes of all ids must stay below 4 GiB; true if that is near.
    var isNearlyFull: Bool { bytes.count > Int(UInt32.max) - 1 << 24 || keys.count > Int(UInt32.max) / 2 }
}
