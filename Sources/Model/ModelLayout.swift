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
/// external ids; a group's position in this order is its index.
///
/// | section | content |
/// | --- | --- |
/// | `ids`, `titles`, `topics` | n + 1 offsets (UInt32), then the UTF-8 texts they cut; topics are separated by `;` |
/// | `facts` | n × 24 bytes: created, last active (Int64, lowest value: unknown), join policy (UInt8), 7 zeros |
/// | `relations` | the names of the relations, separated by `;`; each names the section of its neighbours |
/// | `sizes` | n × relations UInt32: the entries of a group in each relation, group after group |
/// | `scales` | two Float64 a relation: the mean of its best scores; what it counts in lists by evidence |
/// | `topicIndex` | the groups of each topic, by `Term.normalized`: a `PostingIndex`, all weights 1 |
/// | `trending` | 20 bytes each: index (UInt32), score (Float32), joiners, posters (UInt32), usual week (Float32) |
/// | `seasons` | n × 12 bytes, January first: percent (UInt8, 50 to 200) of the group's mean month; or empty |
/// | `tags` | the groups of each tag, by `Term.normalized`: a `PostingIndex` |
/// | `places` | the groups of each `PlaceCell`, by both its edges in tenths of a degree, `473,85`: a `PostingIndex` |
/// | `curated` | 24 bytes a group: index, position (UInt32, ascending), start, expiry (Int64, lowest value: none) |
/// | a relation's name | n + 1 offsets (UInt64, in neighbours); 12 bytes each: index, common (UInt32), score (Float) |
public enum ModelLayout {
    /// The first bytes of a model file.
    public static let magic: [UInt8] = Array("COTERIE\n".utf8)
    /// The format this program writes, and the only one it reads.
    public static let format: UInt32 = 4
    /// Bytes before the section table.
    public static let headerByteCount = 64
    /// Bytes of an entry in the section table.
    public static let tableEntryByteCount = 32
    /// Sections begin at multiples of it.
    public static let alignment = 64
    /// Bytes of a relation in the section `scales`.
    public static let scalesByteCount = 16
    /// Bytes of a group in the section `facts`.
    public static let factsByteCount = 24
    /// More sections than this are refused.
    public static let maximumSections = 64

    /// A section of a model file, by its name.
    public struct SectionName: RawRepresentable, Hashable, Sendable {
        /// The name: 1 to 16 bytes.
        public let rawValue: String

        /// A section by its name; nil if that is no name.
        public init?(rawValue: String) {
            guard (1...16).contains(rawValue.utf8.count) else { return nil }
            self.rawValue = rawValue
        }

        private init(_ name: StaticString) { rawValue = name.description }

        /// The section that holds a relation's neighbours.
        public init(_ relation: Relation) { rawValue = relation.rawValue }

        /// External ids.
        public static let ids = SectionName("ids")
        /// Titles.
        public static let titles = SectionName("titles")
        /// Topics, separated by `;` within a group.
        public static let topics = SectionName("topics")
        /// Fixed-size facts.
        public static let facts = SectionName("facts")
        /// The names of the relations.
        public static let relations = SectionName("relations")
        /// How many entries each group has in each relation.
        public static let sizes = SectionName("sizes")
        /// The mean of the best scores of each relation, and what it counts in lists.
        public static let scales = SectionName("scales")
        /// Groups by topic.
        public static let topicIndex = SectionName("topicIndex")
        /// Groups that more people turn to than usual.
        public static let trending = SectionName("trending")
        /// Monthly factors.
        public static let seasons = SectionName("seasons")
        /// Groups by the tags of their photos.
        public static let tags = SectionName("tags")
        /// Groups by the locations of their photos.
        public static let places = SectionName("places")
        /// What curators chose.
        public static let curated = SectionName("curated")

        /// The sections that every version has, in file order; the neighbours in each relation follow them.
        public static let fixed = [
            ids, titles, topics, facts, relations, sizes, scales, topicIndex, trending, seasons, tags, places, curated,
        ]

        /// The relation whose neighbours the section holds; nil for one that every version has.
        public var relation: Relation? { Self.fixed.contains(self) ? nil : Relation(rawValue: rawValue) }
    }
}
