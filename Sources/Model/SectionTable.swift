/// Where the sections of a model file lie, checked against the bytes there are.
struct SectionTable {
    private var ranges: [ModelLayout.SectionName: Range<Int>] = [:]

    /// Reads the header and the table; those that this program does not know go unread.
    init(_ region: ByteRegion) throws(ModelError) {
        guard region.count >= ModelLayout.headerByteCount else { throw .truncated("it has no header") }
        for (offset, byte) in ModelLayout.magic.enumerated()
        where region.load(offset, as: UInt8.self) != byte {
            throw .notAModel
        }
        let format = UInt32(littleEndian: region.load(8, as: UInt32.self))
        guard format == ModelLayout.format else { throw .unknownFormat(format) }
        let sectionCount = Int(UInt32(littleEndian: region.load(12, as: UInt32.self)))
        let byteCount = UInt64(littleEndian: region.load(16, as: UInt64.self))
        guard byteCount == UInt64(region.count) else {
            throw .truncated("it has \(region.count) bytes of \(byteCount)")
        }
        let tableEnd = ModelLayout.headerByteCount + sectionCount * ModelLayout.tableEntryByteCount
        guard sectionCount <= ModelLayout.maximumSections, tableEnd <= region.count else {
            throw .truncated("it has no room for \(sectionCount) sections")
        }
        for entry in 0..<sectionCount {
            let start = ModelLayout.headerByteCount + entry * ModelLayout.tableEntryByteCount
            let name = String(
                decoding: (0..<16).map { region.load(start + $0, as: UInt8.self) }.prefix { $0 != 0 }, as: UTF8.self)
            let offset = UInt64(littleEndian: region.load(start + 16, as: UInt64.self))
            let length = UInt64(littleEndian: region.load(start + 24, as: UInt64.self))
            guard offset <= byteCount, length <= byteCount - offset else {
                throw .truncated("section \"\(name)\" ends after the last byte")
            }
            guard let known = ModelLayout.SectionName(rawValue: name) else { continue }
            // Neighbours are read where they lie, as numbers that have to be aligned.
            guard offset.isMultiple(of: UInt64(ModelLayout.alignment)) else {
                throw .corrupt(
                    section: name, reason: "it begins at byte \(offset), no multiple of \(ModelLayout.alignment)")
            }
            guard ranges.updateValue(Int(offset)..<Int(offset + length), forKey: known) == nil else {
                throw .corrupt(section: name, reason: "it stands twice")
            }
        }
    }

    /// The bytes of a section that must be there.
    subscript(name: ModelLayout.SectionName) -> Range<Int> {
        get throws(ModelError) {
            guard let range = ranges[name] else { throw .missingSection(name.rawValue) }
            return range
        }
    }
}
