import Model

/// Numbers the tags of photos and counts them, because comparing and counting millions of strings would take most of a
/// recompute.
struct TagNumbers: Sendable {
    /// The most different tags, some hundred megabytes; further ones are ignored.
    static let maximumTags = 4_000_000
    /// The number of texts that are no tags.
    private static let none = UInt32.max

    /// The photos that have a tag.
    private struct Photos {
        var first: UInt32
        var last: UInt32
        var count: UInt32
    }

    /// Tags as they are written, and the number of each by its slot.
    private var written = IdentifierCache()
    private var numberOfSlot: [UInt32] = []
    private var numbers: [String: UInt32] = [:]
    /// Tags by their number, normalized.
    private(set) var texts: [String] = []
    private var photos: [Photos] = []

    /// How many photos have a tag.
    func photoCount(_ number: Int) -> Int { Int(photos[number].count) }

    /// The first photo that has a tag.
    func firstPhoto(_ number: Int) -> UInt32 { photos[number].first }

    /// Adds the numbers of a photo's tags to an array, each once.
    ///
    /// - Parameters:
    ///   - list: tags separated by `;`.
    ///   - photo: its column; columns come in ascending order.
    mutating func append(_ list: Span<UInt8>, ofPhoto photo: UInt32, to found: inout [UInt32]) {
        var start = 0
        for end in 0...list.count where end == list.count || list[end] == UInt8(ascii: ";") {
            let number = number(of: list.extracting(start..<end), photo)
            start = end + 1
            guard number != Self.none else { continue }
            let isNew = photos[Int(number)].count == 0
            guard isNew || photos[Int(number)].last != photo else { continue }
            photos[Int(number)].last = photo
            photos[Int(number)].count += 1
            found.append(number)
        }
    }

    private mutating func number(of tag: Span<UInt8>, _ photo: UInt32) -> UInt32 {
        guard tag.count > 0 else { return Self.none }
        let slot = Int(written.slot(of: tag))
        if slot == numberOfSlot.count { numberOfSlot.append(newNumber(of: written.id(UInt32(slot)), photo)) }
        return numberOfSlot[slot]
    }

    /// The number of a tag in a spelling that is new.
    private mutating func newNumber(of tag: String, _ photo: UInt32) -> UInt32 {
        let text = Term.normalized(tag)
        if let number = numbers[text] {
            // Of equivalent spellings of a character, the one whose bytes are less stands for all.
            if text.utf8.lexicographicallyPrecedes(texts[Int(number)].utf8) { texts[Int(number)] = text }
            return number
        }
        guard !text.isEmpty, texts.count < Self.maximumTags else { return Self.none }
        let number = UInt32(texts.count)
        numbers[text] = number
        texts.append(text)
        photos.append(Photos(first: photo, last: photo, count: 0))
        return number
    }
}
