import Basics

/// The layout of a model file.
///
/// ```
/// bytes  0 ..<  8   "COTERIE\n"
///        8 ..< 12   format, UInt32
///       12 ..< 16   number of sections, UInt32
///       16 ..< 24   length of the file in bytes, UInt64
///       24 ..< 64   zero
///       64 ...      one entry of 32 bytes a section: name (16 bytes, padded with zeros),
///                   offset (UInt64), length in bytes (UInt64)
///       …           the sections, each at a multiple of 64 bytes
/// ```
/// All integers are little-endian. n is the number of groups. Groups are in ascending order of the bytes of their
/// external ids. A group's position in this order is its index.
///
/// The sections contain:
///
/// - `ids`, `titles`, `topics`: n + 1 offsets (UInt32), then the UTF-8 texts between them. Topics are separated by `;`.
/// - `facts`: n × 24 bytes: created, last active (Int64, lowest value: unknown), join policy (UInt8), a zero, answers
///   for 100 posts (UInt16), recent posts (UInt32).
/// - `relations`: the names of the relations, separated by `;`. Each is also the name of the section of its neighbours.
/// - `sizes`: n × relations numbers (UInt32): the entries of a group in each relation, group after group.
/// - `scales`: two numbers (Float64) for each relation: the mean of its best scores, and its evidence weight in lists.
/// - `topicIndex`: the groups of each topic, by `Term.normalized`: a `PostingIndex`, all weights 1.
/// - `trending`: 20 bytes for each group: index (UInt32), score (Float32), joiners, posters (UInt32), usual week
///   (Float32).
/// - `seasons`: n × 12 bytes, January first: percent (UInt8, 50 to 200) of the group's mean month. The section may be
///   empty.
/// - `tags`: the groups of each tag, by `Term.normalized`: a `PostingIndex`.
/// - `places`: the groups of each `PlaceCell`, by its two edges in tenths of a degree, `473,85`: a `PostingIndex`.
/// - `curated`: 24 bytes for each group: index, position (UInt32, ascending), start, expiry (Int64, lowest value:
///   none).
/// - `lookPhotos`, `lookGroups`, `lookIndex`: the photos with vectors, as `IndexedPhotos` and `LookShape` describe
///   them. Only a version of a catalog with vectors has these sections.
/// - `reach`: n × 12 bytes: joins, members who were offered the group, and those of them who opened it (UInt32), in the
///   last four weeks. Older versions lack the section.
/// - a relation's name: n + 1 offsets (UInt64, counted in neighbours), then 12 bytes for each neighbour: index, common
///   entries (UInt32) and score (Float).
package enum ModelLayout {
    /// The first bytes of a model file.
    package static let magic: [UInt8] = Array("COTERIE\n".utf8)
    /// The format that this program writes, and the only one it reads; that of the published members goes with it.
    package static let format: UInt32 = 6
    /// The number of bytes before the section table.
    package static let headerByteCount = 64
    /// The number of bytes of an entry in the section table.
    package static let tableEntryByteCount = 32
    /// The alignment of sections in bytes: each begins at a multiple of this number.
    package static let alignment = 64
    /// The number of bytes of a relation in the section `scales`.
    package static let scalesByteCount = 16
    /// The number of bytes of a group in the section `facts`.
    package static let factsByteCount = 24
    /// The most sections that a file may have (inclusive).
    package static let maximumSections = 64

    /// The name of a section of a model file.
    package struct SectionName: RawRepresentable, Hashable, Sendable {
        /// The name, 1 to 16 bytes.
        package let rawValue: String

        /// Creates a section name, or nil unless it is 1 to 16 bytes.
        package init?(rawValue: String) {
            guard (1...16).contains(rawValue.utf8.count) else { return nil }
            self.rawValue = rawValue
        }

        private init(_ name: StaticString) { rawValue = name.description }

        /// Creates the name of the section that holds a relation's neighbours.
        ///
        /// It is the name of the relation, after `by-` if another section has that name.
        package init(_ relation: Relation) {
            rawValue = Self.others.contains(relation.rawValue) ? Self.prefix + relation.rawValue : relation.rawValue
        }

        private static let prefix = "by-"
        private static let others = Set((fixed + optional).map(\.rawValue))

        /// The groups' external ids.
        package static let ids = SectionName("ids")
        /// The groups' titles.
        package static let titles = SectionName("titles")
        /// The groups' topics, separated by `;` within a group.
        package static let topics = SectionName("topics")
        /// The facts of fixed size: times and join policy.
        package static let facts = SectionName("facts")
        package static let relations = SectionName("relations")
        /// The number of entries of each group in each relation.
        package static let sizes = SectionName("sizes")
        /// The mean of the best scores of each relation, and its weight in lists.
        package static let scales = SectionName("scales")
        /// The groups of each topic.
        package static let topicIndex = SectionName("topicIndex")
        /// The groups that more people turn to than usual.
        package static let trending = SectionName("trending")
        /// The groups' monthly factors.
        package static let seasons = SectionName("seasons")
        /// The groups of each tag of their photos.
        package static let tags = SectionName("tags")
        /// The groups of each location of their photos.
        package static let places = SectionName("places")
        /// The groups that curators chose.
        package static let curated = SectionName("curated")

        /// The sections that every version has, in file order; the sections of neighbours follow them.
        package static let fixed = [
            ids, titles, topics, facts, relations, sizes, scales, topicIndex, trending, seasons, tags, places, curated,
        ]

        /// The external ids of the photos with vectors.
        package static let lookPhotos = SectionName("lookPhotos")
        package static let lookGroups = SectionName("lookGroups")
        package static let lookIndex = SectionName("lookIndex")

        /// The reach of each group in the last four weeks.
        package static let reach = SectionName("reach")
        /// The groups' places on the map.
        package static let map = SectionName("map")

        /// The sections that not every version has, in file order, after all others.
        ///
        /// Those of looks need vectors in the catalog.
        package static let optional = [lookPhotos, lookGroups, lookIndex, reach, map]

        /// The relation whose neighbours the section holds, or nil for a section of another kind.
        package var relation: Relation? {
            guard !Self.others.contains(rawValue) else { return nil }
            let isPrefixed = rawValue.hasPrefix(Self.prefix)
            return Relation(rawValue: isPrefixed ? String(rawValue.dropFirst(Self.prefix.count)) : rawValue)
        }
    }
}

/// The positions of the sections in a model file, computed from their lengths alone.
///
/// A store can therefore write or check a file piece by piece, without having all of it in memory.
package struct SectionPlacement: Sendable, Equatable {
    /// The sections, in file order.
    package let names: [ModelLayout.SectionName]
    /// The byte range of each section in the file, in the order of `names`.
    package let ranges: [Range<Int>]
    /// The length of the file, in bytes.
    package let byteCount: Int

    /// Places sections one after the other, each at a multiple of `ModelLayout.alignment`.
    ///
    /// - Parameter sections: the sections in file order, with lengths in bytes that are not negative.
    package init(_ sections: [(name: ModelLayout.SectionName, byteCount: Int)]) {
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

    /// The byte range of a section in the file, or nil if there is no section of that name.
    package subscript(name: ModelLayout.SectionName) -> Range<Int>? {
        names.firstIndex(of: name).map { ranges[$0] }
    }

    /// The bytes of the header and the section table, with which the file begins.
    package var header: [UInt8] {
        var bytes = ModelLayout.magic
        bytes.append(littleEndian: ModelLayout.format)
        bytes.append(littleEndian: UInt32(names.count))
        bytes.append(littleEndian: UInt64(byteCount))
        bytes += [UInt8](repeating: 0, count: ModelLayout.headerByteCount - bytes.count)
        for (name, range) in zip(names, ranges) {
            let text = Array(name.rawValue.utf8)
            bytes += text + [UInt8](repeating: 0, count: 16 - text.count)
            bytes.append(littleEndian: UInt64(range.lowerBound))
            bytes.append(littleEndian: UInt64(range.count))
        }
        return bytes
    }
}

/// The positions of the sections in a model file, checked against its length.
struct SectionTable {
    private var ranges: [ModelLayout.SectionName: Range<Int>] = [:]

    /// Reads and checks the header and the section table; a name that is not 1 to 16 bytes is ignored.
    init(_ region: ByteRegion) throws(Failure) {
        guard region.count >= ModelLayout.headerByteCount else { throw .truncated("it has no header") }
        for (offset, byte) in ModelLayout.magic.enumerated()
        where region.load(offset, as: UInt8.self) != byte {
            throw Failure(.badData, "this is not a model file")
        }
        let format = UInt32(littleEndian: region.load(8, as: UInt32.self))
        guard format == ModelLayout.format else {
            throw Failure(
                .badData, "model format \(format) is not known to this program: recompute, or upgrade it")
        }
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
            // Neighbours are read in place as numbers, which need this alignment.
            guard offset.isMultiple(of: UInt64(ModelLayout.alignment)) else {
                throw .corrupt(
                    section: name, reason: "it begins at byte \(offset), no multiple of \(ModelLayout.alignment)")
            }
            guard ranges.updateValue(Int(offset)..<Int(offset + length), forKey: known) == nil else {
                throw .corrupt(section: name, reason: "it stands twice")
            }
        }
    }

    /// Returns the byte range of a section, or nil if the file lacks it.
    func found(_ name: ModelLayout.SectionName) -> Range<Int>? { ranges[name] }

    /// The byte range of a section; throws if the file lacks it.
    subscript(name: ModelLayout.SectionName) -> Range<Int> {
        get throws(Failure) {
            guard let range = ranges[name] else {
                throw Failure(.badData, "the model has no section \"\(name.rawValue)\"")
            }
            return range
        }
    }
}

extension Failure {
    /// Returns the failure of a section whose content contradicts itself.
    static func corrupt(section: String, reason: String) -> Failure {
        Failure(.badData, "section \"\(section)\" of the model is corrupt: \(reason)")
    }

    /// Returns the failure of bytes that end too early, or of a section that lies outside them.
    static func truncated(_ what: String) -> Failure { Failure(.badData, "the model is cut short: \(what)") }

    /// Returns the failure of a model with more groups, postings or text than the format can hold.
    static func tooLarge(_ what: String) -> Failure { Failure(.badData, "the model is too large: \(what)") }
}
