/// Lists of groups by a key, read in index.
///
/// | bytes | content |
/// | --- | --- |
/// | 0 ..< 4, 4 ..< 8 | number of keys k, number of postings p (UInt32) |
/// | 8 … | k + 1 offsets of the keys' lists (UInt32, in postings) |
/// | … | p postings of 8 bytes: group (UInt32), weight (Float32) |
/// | … | k + 1 offsets (UInt32), then the UTF-8 keys they cut |
///
/// Keys stand in strictly ascending order of their bytes. A list goes from the greatest weight to the least, equal
/// weights in ascending order of the group. An index without keys has no bytes at all.
struct PostingIndex: Sendable {
    static let headerByteCount = 8
    static let postingByteCount = 8

    private let region: ByteRegion
    private let keys: TextColumn?
    let keyCount: Int
    private let offsetsStart: Int
    private let postingsStart: Int

    /// Checks every key, offset and posting.
    init(_ region: ByteRegion, range: Range<Int>, groupCount: Int, section: ModelLayout.SectionName)
        throws(ModelError)
    {
        self.region = region
        let name = section.rawValue
        offsetsStart = range.lowerBound + Self.headerByteCount
        guard !range.isEmpty else {
            keys = nil
            keyCount = 0
            postingsStart = offsetsStart
            return
        }
        guard range.count >= Self.headerByteCount else { throw .corrupt(section: name, reason: "it has no counts") }
        let keyCount = Int(UInt32(littleEndian: region.load(range.lowerBound, as: UInt32.self)))
        let postingCount = Int(UInt32(littleEndian: region.load(range.lowerBound + 4, as: UInt32.self)))
        let postingsStart = offsetsStart + (keyCount + 1) * 4
        let keysStart = postingsStart + postingCount * Self.postingByteCount
        guard keyCount > 0, keysStart <= range.upperBound else {
            throw .corrupt(section: name, reason: "it has no room for what it counts")
        }
        self.keyCount = keyCount
        self.postingsStart = postingsStart
        let keys = try TextColumn(region, range: keysStart..<range.upperBound, count: keyCount, section: section)
        self.keys = keys
        for key in 1..<max(1, keyCount) {
            guard keys.isAscending(at: key) else { throw .corrupt(section: name, reason: "key \(key) is out of order") }
        }
        guard offset(0) == 0, offset(keyCount) == postingCount else {
            throw .corrupt(section: name, reason: "its offsets do not span its postings")
        }
        for key in 0..<keyCount {
            guard offset(key) <= offset(key + 1), offset(key + 1) <= postingCount else {
                throw .corrupt(section: name, reason: "offset \(key + 1) is out of order")
            }
            try check(list: key, groupCount: groupCount, name: name)
        }
    }

    private func check(list key: Int, groupCount: Int, name: String) throws(ModelError) {
        // Patterns of positive finite numbers are in the order of the numbers, and all others lie above them.
        var ceiling = Float.greatestFiniteMagnitude.bitPattern
        var floor: Int64 = -1
        for index in offset(key)..<offset(key + 1) {
            let posting = posting(index)
            guard posting.group < groupCount else {
                throw .corrupt(section: name, reason: "a posting of key \(key) is no group")
            }
            let pattern = posting.weight.bitPattern
            guard pattern > 0, pattern < ceiling || (pattern == ceiling && Int64(posting.group) > floor) else {
                throw .corrupt(section: name, reason: "the postings of key \(key) are out of order")
            }
            ceiling = pattern
            floor = Int64(posting.group)
        }
    }

    private func offset(_ index: Int) -> Int {
        Int(UInt32(littleEndian: region.load(offsetsStart + index * 4, as: UInt32.self)))
    }

    private func posting(_ index: Int) -> Posting {
        let start = postingsStart + index * Self.postingByteCount
        return Posting(
            group: UInt32(littleEndian: region.load(start, as: UInt32.self)),
            weight: Float(bitPattern: UInt32(littleEndian: region.load(start + 4, as: UInt32.self))))
    }

    /// A key by its index, 0 ..< `keyCount`.
    func key(_ index: Int) -> String { keys?[index] ?? "" }

    /// The list of the key at an index.
    func list(_ index: Int) -> [Posting] { (offset(index)..<offset(index + 1)).map(posting) }

    /// The list of a key; empty if the index does not have it.
    ///
    /// - Complexity: O(log keys + postings).
    subscript(key: String) -> [Posting] {
        guard let keys else { return [] }
        let bytes = key.utf8Span.span
        var low = 0
        var high = keyCount
        while low < high {
            let middle = (low + high) / 2
            let order = keys.compare(middle, with: bytes)
            if order == 0 { return list(middle) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return []
    }
}
