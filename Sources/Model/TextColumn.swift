import Basics

/// A text for every group, read in place from a model file: offsets, then the bytes between them.
struct TextColumn: Sendable {
    private let region: ByteRegion
    private let offsetsStart: Int
    private let textsStart: Int

    /// Checks that offsets ascend from 0 to the end of the section, and that texts are UTF-8.
    init(_ region: ByteRegion, range: Range<Int>, count: Int, section: ModelLayout.SectionName) throws(Failure) {
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
        // If all texts together are UTF-8, each text is UTF-8 unless it begins within a character.
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

    /// Returns the byte range of a group's text in the region.
    func byteRange(_ index: Int) -> Range<Int> {
        textsStart + Int(Self.offset(region, offsetsStart, index))..<textsStart
            + Int(Self.offset(region, offsetsStart, index + 1))
    }

    /// A group's text.
    subscript(index: Int) -> String {
        unsafe region.withBytes(byteRange(index)) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The number of groups ahead at which a text is prefetched; its offset is prefetched twice as far ahead.
    private static let lead = 8

    /// Returns the texts of groups, in the order given.
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

    /// Compares a group's text with other bytes: negative if it sorts before them, 0 if equal, positive if after.
    func compare(_ index: Int, with other: Span<UInt8>) -> Int {
        unsafe region.withBytes(byteRange(index)) { bytes in
            for offset in 0..<min(bytes.count, other.count) where unsafe bytes[offset] != other[offset] {
                return unsafe Int(bytes[offset]) - Int(other[offset])
            }
            return bytes.count - other.count
        }
    }

    /// Whether the text at an index sorts after the one before it; the index must be above 0.
    func isAscending(at index: Int) -> Bool {
        unsafe region.withBytes(byteRange(index)) { bytes in
            unsafe compare(index - 1, with: bytes.bindMemory(to: UInt8.self).span) < 0
        }
    }
}

/// Texts one after the other in one array of bytes.
///
/// This form suits lists of thousands or millions of texts that are rarely read. A `String` for each would take several
/// times the memory. Making and copying the strings would take more time than all work on them. `TextColumn` reads the
/// same layout in place from a model file.
package struct PackedTexts: Sendable, Equatable {
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var ends: [Int] = []

    package init() {}

    @inlinable package var count: Int { ends.count }

    /// The number of bytes of all texts together.
    package var byteCount: Int { bytes.count }

    /// The approximate memory use in bytes.
    package var memoryByteCount: Int { bytes.capacity + ends.capacity * MemoryLayout<Int>.stride }

    /// Adds a text.
    ///
    /// - Parameter text: the UTF-8 bytes of the text.
    @inlinable
    package mutating func append(_ text: some Collection<UInt8>) {
        bytes.append(contentsOf: text)
        ends.append(bytes.count)
    }

    /// Adds a text.
    ///
    /// - Parameter text: the UTF-8 bytes of the text.
    @inlinable
    package mutating func append(_ text: Span<UInt8>) {
        unsafe text.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// Adds a text at an index of `count` or more; the texts between are empty.
    package mutating func append(_ text: some Collection<UInt8>, at index: Int) {
        precondition(index >= count, "texts are added in ascending order of their indexes")
        while count < index { ends.append(bytes.count) }
        append(text)
    }

    @inlinable
    func range(at index: Int) -> Range<Int> {
        index < ends.count ? (index == 0 ? 0 : ends[index - 1])..<ends[index] : bytes.count..<bytes.count
    }

    /// Returns the bytes of a text; none for an index of `count` or more.
    @inlinable
    package func bytes(at index: Int) -> ArraySlice<UInt8> { bytes[range(at: index)] }

    /// The text at an index; empty for an index of `count` or more.
    package subscript(index: Int) -> String { String(decoding: bytes(at: index), as: UTF8.self) }

    /// Whether a text has these bytes.
    @inlinable
    package func isEqual(_ index: Int, to text: Span<UInt8>) -> Bool {
        let range = range(at: index)
        guard range.count == text.count else { return false }
        for offset in 0..<range.count {
            if bytes[range.lowerBound + offset] != text[offset] { return false }
        }
        return true
    }
}

extension PackedTexts {
    /// Prefetches the bounds of a text without waiting for them; the index must be below `count`.
    package func prefetchRange(at index: Int) {
        ends.span.prefetch(max(0, index - 1)..<index + 1)
    }

    /// Prefetches a text without waiting for it; its bounds should have been prefetched before.
    package func prefetchText(at index: Int) {
        bytes.span.prefetch(range(at: index))
    }
}
