import Basics
import Foundation

/// Lists of groups by key, read in place.
///
/// The bytes are, in this order:
///
/// - the number of keys k and the number of postings p (UInt32).
/// - k + 1 offsets of the keys' lists (UInt32, counted in postings).
/// - p postings of 8 bytes: group (UInt32), weight (Float32).
/// - k + 1 offsets (UInt32), then the UTF-8 keys between them.
///
/// Keys are in strictly ascending order of their bytes. A list goes from the greatest weight to the least; equal
/// weights are in ascending order of the group. An index without keys has no bytes at all.
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
        throws(Failure)
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

    private func check(list key: Int, groupCount: Int, name: String) throws(Failure) {
        // The bit patterns of positive finite numbers are in the order of the numbers, and all others are greater.
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

    /// Returns the key at an index, 0 ..< `keyCount`.
    func key(_ index: Int) -> String { keys?[index] ?? "" }

    func list(_ index: Int) -> [Posting] { (offset(index)..<offset(index + 1)).map(posting) }

    /// Returns the list of a key; empty if the index lacks the key.
    ///
    /// - Complexity: O(log keys + postings).
    subscript(key: String) -> [Posting] {
        guard let keys else { return [] }
        let bytes = key.utf8Span.span
        let index = (0..<keyCount).partitioningIndex { keys.compare($0, with: bytes) >= 0 }
        return index < keyCount && keys.compare(index, with: bytes) == 0 ? list(index) : []
    }
}

/// A cell of the map, a tenth of a degree of latitude by a tenth of longitude.
///
/// A cell measures 11 km from south to north, and at most as much from west to east.
package struct PlaceCell: Sendable, Hashable, Comparable {
    /// The southern edge in tenths of a degree, −900 to 899.
    package let south: Int
    /// The western edge in tenths of a degree, −1800 to 1799.
    package let west: Int

    /// Finds the cell of a point, or nil if the point is out of range or not a number.
    ///
    /// - Parameters:
    ///   - latitude: the latitude in degrees, −90 to 90.
    ///   - longitude: the longitude in degrees, −180 to 180; both ends are the same meridian.
    package init?(latitude: Double, longitude: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.init(south: Int((latitude * 10).rounded(.down)), west: Int((longitude * 10).rounded(.down)))
    }

    /// Creates a cell from its edges; a pole belongs to the outermost cells, and longitudes wrap around.
    private init(south: Int, west: Int) {
        self.south = min(max(south, -900), 899)
        self.west = (west + 1800 + 3600) % 3600 - 1800
    }

    /// The cell's number among all cells, from south to north and from west to east, from 0.
    package var number: Int { (south + 900) * 3600 + west + 1800 }

    /// Reads a cell from exactly the text that `key` writes, or nil for anything else.
    init?(key: String) {
        let edges = key.split(separator: ",").compactMap { Int($0) }
        guard edges.count == 2, (-900...899).contains(edges[0]), (-1800...1799).contains(edges[1]) else { return nil }
        self.init(south: edges[0], west: edges[1])
        guard self.key == key else { return nil }
    }

    /// The adjacent cells: eight, or five beside a pole.
    package var neighbours: [PlaceCell] {
        var cells: [PlaceCell] = []
        for row in -1...1 where (-900...899).contains(south + row) {
            for column in -1...1 where (row, column) != (0, 0) {
                cells.append(PlaceCell(south: south + row, west: west + column))
            }
        }
        return cells
    }

    /// Whether a cell comes before another, from south to north and then from west to east.
    package static func < (left: PlaceCell, right: PlaceCell) -> Bool {
        (left.south, left.west) < (right.south, right.west)
    }

    /// The middle of the cell, in degrees.
    package var middle: (latitude: Double, longitude: Double) {
        ((Double(south) + 0.5) / 10, (Double(west) + 0.5) / 10)
    }

    /// The cell's key in indexes, made of both edges: `473,85`.
    var key: String { "\(south),\(west)" }
}

/// Normalization of words that people type: topics, interests, tags.
package enum Term {
    /// Returns a term as indexes store it: in lower case and normal form C, without white space around it.
    ///
    /// So equivalent spellings are equal in their bytes, too. The result is empty if the text is only white space.
    package static func normalized(_ text: some StringProtocol) -> String {
        // Nearly all terms are ASCII, and catalogs have many millions of them.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return normalizedASCII(Array(text.utf8)) }
        let trimmed = text.drop { $0.isWhitespace }
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        return trimmed[..<end].lowercased().precomposedStringWithCanonicalMapping
    }

    private static func normalizedASCII(_ text: [UInt8]) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
        let trimmed = text.drop(while: isSpace)
        let end = trimmed.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? trimmed.startIndex
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(decoding: trimmed[..<end].map { capitals.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
