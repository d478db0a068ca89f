import Basics

/// The groups on all pages of a list that a reader has had so far, as text: the `next` of a page.
///
/// The next page has none of them again, and leaves no other group of the list out. The list may have changed since, by
/// a join, a new version or a new session.
///
/// The text is a tilde, and in base64url the marks of the groups, ascending, and the checksum of these. A mark is the
/// first five bytes of the checksum of a group's id (XXH3, little-endian). Two of 300 groups have the same mark in one
/// of 20 million lists; one of them is then left out.
struct SeenGroups: Equatable {
    /// The most characters of the text, inclusive; proxies refuse long addresses.
    static let lengthLimit = 4096

    private static let sign = Character("~")
    private static let markBytes = 5, sumBytes = 4
    private var marks: Set<UInt64> = []

    init() {}

    /// Reads a text, or returns nil if no program wrote it, such as the id of a group.
    init?(_ text: String) {
        guard text.first == Self.sign, let bytes = Base64URL.decode(text.dropFirst()) else { return nil }
        let body = bytes.dropLast(Self.sumBytes)
        guard body.count.isMultiple(of: Self.markBytes), bytes.elementsEqual(body + Self.sum(of: Array(body)))
        else { return nil }
        for start in stride(from: 0, to: body.count, by: Self.markBytes) {
            marks.insert(body[start..<start + Self.markBytes].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    /// The text, or nil if it would be too long.
    var text: String? {
        let body = marks.sorted().flatMap { Self.bytes(of: $0, count: Self.markBytes) }
        let text = String(Self.sign) + Base64URL.encode(body + Self.sum(of: body))
        return text.utf8.count <= Self.lengthLimit ? text : nil
    }

    /// Whether the reader has had the group with this external id.
    func contains(_ id: String) -> Bool { marks.contains(Self.mark(of: id)) }

    mutating func insert(_ id: String) { marks.insert(Self.mark(of: id)) }

    private static func mark(of id: String) -> UInt64 {
        Checksum.number(of: Array(id.utf8)) & (1 << UInt64(8 * markBytes) - 1)
    }

    private static func sum(of body: [UInt8]) -> [UInt8] { bytes(of: Checksum.number(of: body), count: sumBytes) }

    private static func bytes(of number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
}
