/// Numbers tags, because comparing and counting millions of strings would take most of a recompute.
struct TagNumbers {
    /// The most different tags, some hundred megabytes; further ones are ignored.
    private static let maximumTags = 4_000_000
    /// The number of texts that are no tags.
    private static let none = UInt32.max

    private let normalized: (Substring) -> String
    /// Tags as they are written, and the number of each by its slot.
    private var written = IdentifierCache()
    private var numberOfSlot: [UInt32] = []
    private var numbers: [String: UInt32] = [:]
    /// Tags by their number, normalized.
    private(set) var texts: [String] = []

    /// - Parameter normalized: maps tags that mean the same to one text; a tag that it maps to "" is ignored.
    init(normalized: @escaping (Substring) -> String) { self.normalized = normalized }

    /// The numbers of the tags in a list separated by `;`, each once, in no particular order.
    mutating func numbers(in list: Span<UInt8>) -> Set<UInt32> {
        var found: Set<UInt32> = []
        var start = 0
        for end in 0...list.count where end == list.count || list[end] == UInt8(ascii: ";") {
            let number = number(of: list.extracting(start..<end))
            if number != Self.none { found.insert(number) }
            start = end + 1
        }
        return found
    }

    private mutating func number(of tag: Span<UInt8>) -> UInt32 {
        guard tag.count > 0 else { return Self.none }
        let slot = Int(written.slot(of: tag))
        if slot == numberOfSlot.count { numberOfSlot.append(newNumber(of: written.id(UInt32(slot)))) }
        return numberOfSlot[slot]
    }

    /// The number of a tag in a spelling that is new.
    private mutating func newNumber(of tag: String) -> UInt32 {
        let text = normalized(tag[...])
        if let number = numbers[text] { return number }
        guard !text.isEmpty, texts.count < Self.maximumTags else { return Self.none }
        let number = UInt32(texts.count)
        numbers[text] = number
        texts.append(text)
        return number
    }
}
