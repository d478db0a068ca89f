/// A text for every group, read from a model file in offset: offsets, then the bytes that they divide.
struct TextColumn: Sendable {
    private let region: ByteRegion
    private let offsetsStart: Int
    private let textsStart: Int

    /// Checks that offsets ascend from 0 to the end of the section, and that texts are UTF-8.
    init(_ region: ByteRegion, range: Range<Int>, count: Int, section: ModelLayout.SectionName) throws(ModelError) {
        let name = section.rawValue
        let tableBytes = (count + 1) * 4
        guard tableBytes <= range.count else { throw .corrupt(section: name, reason: "its offsets are cut short") }
        self.region = region
        offsetsStart = range.lowerBound
        textsStart = range.lowerBound + tableBytes
        var floor: UInt32 = 0
        for index in 0...count {
            let offset = Self.offset(region, offsetsStart, index)
            guard offset >= floor, index > 0 || offset == 0 else {
                throw .corrupt(section: name, reason: "offset \(index) descends")
            }
            floor = offset
        }
        guard Int(floor) == range.count - tableBytes else {
            throw .corrupt(section: name, reason: "its texts do not end where its offsets say")
        }
        let valid = unsafe region.withBytes(textsStart..<range.upperBound) { bytes in
            unsafe String(validating: bytes, as: UTF8.self) != nil
        }
        guard valid else { throw .corrupt(section: name, reason: "its texts are not UTF-8") }
        // Where all texts together are UTF-8, each is if none begins within a character.
        for index in 0..<count where byteRange(index).lowerBound < range.upperBound {
            guard !UTF8.isContinuation(region.load(byteRange(index).lowerBound, as: UInt8.self)) else {
                throw .corrupt(section: name, reason: "offset \(index) cuts a character in two")
            }
        }
    }

    @inline(__always)
    private static func offset(_ region: ByteRegion, _ start: Int, _ index: Int) -> UInt32 {
        UInt32(littleEndian: region.load(start + index * 4, as: UInt32.self))
    }

    /// Where the bytes of a group's text lie in the region.
    func byteRange(_ index: Int) -> Range<Int> {
        textsStart + Int(Self.offset(region, offsetsStart, index))..<textsStart
            + Int(Self.offset(region, offsetsStart, index + 1))
    }

    /// A group's text.
    subscript(index: Int) -> String {
        unsafe region.withBytes(byteRange(index)) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// How many groups ahead an offset and a text are asked for: neither is in the processor's caches.
    private static let lead = 8

    /// The texts of some groups.
    func texts(of groups: [UInt32]) -> PackedTexts {
        var texts = PackedTexts()
        for (position, group) in groups.enumerated() {
            if position + 2 * Self.lead < groups.count {
                let start = offsetsStart + Int(groups[position + 2 * Self.lead]) * 4
                region.prefetch(start..<start + 8)
            }
            if position + Self.lead < groups.count { region.prefetch(byteRange(Int(groups[position + Self.lead]))) }
            unsafe region.withBytes(byteRange(Int(group))) { unsafe texts.append($0) }
        }
        return texts
    }

    /// Orders a group's text against other bytes: negative before, 0 equal, positive after.
    func compare(_ index: Int, with other: Span<UInt8>) -> Int {
        unsafe region.withBytes(byteRange(index)) { bytes in
            for offset in 0..<min(bytes.count, other.count) where unsafe bytes[offset] != other[offset] {
                return unsafe Int(bytes[offset]) - Int(other[offset])
            }
            return bytes.count - other.count
        }
    }

    /// Whether the text before one, which there must be, stands before it in the order of their bytes.
    func isAscending(at index: Int) -> Bool {
        unsafe region.withBytes(byteRange(index)) { bytes in
            unsafe compare(index - 1, with: bytes.bindMemory(to: UInt8.self).span) < 0
        }
    }
}
