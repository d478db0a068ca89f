/// Where the sections of a model file lie, from their lengths alone.
///
/// A store can therefore write a file piece by piece, and check one, without having all of it in memory.
public struct SectionPlacement: Sendable, Equatable {
    /// The sections, in file order.
    public let names: [ModelLayout.SectionName]
    /// The bytes of each section in the file, in the order of `names`.
    public let ranges: [Range<Int>]
    /// The length of the file, in bytes.
    public let byteCount: Int

    /// Places sections one after the other, each at a multiple of `ModelLayout.alignment`.
    ///
    /// - Parameter sections: in file order; lengths in bytes, none negative.
    public init(_ sections: [(name: ModelLayout.SectionName, byteCount: Int)]) {
        var end = ModelLayout.headerByteCount + sections.count * ModelLayout.tableEntryByteCount
        var ranges: [Range<Int>] = []
        for section in sections {
            let start = (end + ModelLayout.alignment - 1) / ModelLayout.alignment * ModelLayout.alignment
            end = start + section.byteCount
            ranges.append(start..<end)
        }
        names = sections.map(\.name)
        self.ranges = ranges
        byteCount = end
    }

    /// The bytes of a section in the file; nil if there is none of that name.
    public subscript(name: ModelLayout.SectionName) -> Range<Int>? {
        names.firstIndex(of: name).map { ranges[$0] }
    }

    /// The header and the section table: the first bytes of the file.
    public var header: [UInt8] {
        var bytes = ModelLayout.magic
        ModelEncoding.append(ModelLayout.format, to: &bytes)
        ModelEncoding.append(UInt32(names.count), to: &bytes)
        ModelEncoding.append(UInt64(byteCount), to: &bytes)
        bytes += [UInt8](repeating: 0, count: ModelLayout.headerByteCount - bytes.count)
        for (name, range) in zip(names, ranges) {
            let text = Array(name.rawValue.utf8)
            bytes += text + [UInt8](repeating: 0, count: 16 - text.count)
            ModelEncoding.append(UInt64(range.lowerBound), to: &bytes)
            ModelEncoding.append(UInt64(range.count), to: &bytes)
        }
        return bytes
    }
}
