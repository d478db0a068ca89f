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
/// All integers are little-endian. n is the number of groups; groups stand in ascending order of the
/// bytes of their external ids, and a group's place in it is its index.
///
/// | section | content |
/// | --- | --- |
/// | `ids`, `titles`, `topics` | n + 1 offsets (UInt32), then the UTF-8 texts they cut; topics are separated by `;` |
/// | `facts` | n × 32 bytes: photos, members (UInt32), created, last active (Int64, lowest value: unknown), join policy (UInt8), 7 zeros |
/// | `scales` | a Float64 a relation (photos, members): the mean of its best scores |
/// | `topicIndex` | the groups of each topic, by `Term.normalized`: a `PostingIndex`, all weights 1 |
/// | `trending` | 20 bytes a group, best first: index (UInt32), score (Float32), joiners, posters (UInt32), usual week (Float32) |
/// | `seasons` | n × 12 bytes, January first: percent (UInt8, 50 to 200) of the group's mean month; or empty |
/// | `tags` | the groups of each tag, by `Term.normalized`: a `PostingIndex` |
/// | `places` | the groups of each `PlaceCell`, by both its edges in tenths of a degree, `473,85`: a `PostingIndex` |
/// | `curated` | 24 bytes a group: index, position (UInt32, ascending), start, expiry (Int64, lowest value: none) |
/// | `photos`, `members` | n + 1 offsets (UInt64, in neighbours), then neighbours of 12 bytes: index, common (UInt32), score (Float32) |
public enum ModelLayout {
    /// The first bytes of a model file.
    public static let magic: [UInt8] = Array("COTERIE\n".utf8)
    /// The format this program writes, and the only one it reads.
    public static let format: UInt32 = 2
    /// Bytes before the section table.
    public static let headerByteCount = 64
    /// Bytes of an entry in the section table.
    public static let tableEntryByteCount = 32
    /// Sections begin at multiples of it.
    public static let alignment = 64
    /// Bytes of a group in the section `facts`.
    public static let factsByteCount = 32
    /// More sections than this are refused.
    public static let maximumSections = 64

    /// The sections a version of this format has, in file order.
    public enum SectionName: String, Sendable, CaseIterable {
        /// External ids.
        case ids
        /// Titles.
        case titles
        /// Topics, separated by `;` within a group.
        case topics
        /// Fixed-size facts.
        case facts
        /// The mean of the best scores of each relation.
        case scales
        /// Groups by topic.
        case topicIndex
        /// Groups that more people turn to than usual.
        case trending
        /// Monthly factors.
        case seasons
        /// Groups by the tags of their photos.
        case tags
        /// Groups by the places of their photos.
        case places
        /// What curators chose.
        case curated
        /// Neighbours by photos.
        case photos
        /// Neighbours by members.
        case members

        /// The section that holds a relation's neighbours.
        public init(_ relation: Relation) {
            self =
                switch relation {
                case .photos: .photos
                case .members: .members
                }
        }

        /// The relation whose neighbours the section holds, if it holds any.
        public var relation: Relation? {
            switch self {
            case .photos: .photos
            case .members: .members
            default: nil
            }
        }
    }
}
