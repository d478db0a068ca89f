import Model

/// Numbers the tags of photos and counts them.
///
/// A recompute with strings instead of numbers would spend most of its time on comparing and counting them.
struct TagNumbers: Sendable {
    /// The tags to number; the other tags of a photo only get the number `other`.
    enum Choice: Sendable {
        case all
        case share(TagShare)
        /// These tags, normalized.
        case known(Set<String>)

        func has(_ tag: String) -> Bool {
            switch self {
            case .all: true
            case .share(let share): share.has(tag)
            case .known(let tags): tags.contains(tag)
            }
        }
    }

    /// The most different tags that one thread numbers, which take some hundred megabytes.
    static let mostTags = 4_000_000
    /// The number of a text that is no tag.
    private static let none = UInt32.max
    /// The number of tags that are not chosen.
    static let other = PhotoRecords.rare

    /// The last photo with a tag, and the number of photos with it.
    private struct Photos {
        var last: UInt32
        var count: UInt32
    }

    private let choice: Choice
    private let mostTags: Int
    /// Whether there are more different tags than can be numbered.
    private(set) var isFull = false
    /// The tags as written; `numberOfSlot` has the number of each by its slot.
    private var written = IdentifierCache()
    private var numberOfSlot: [UInt32] = []
    private var numbers: [String: UInt32] = [:]
    /// The normalized tags, by number.
    private(set) var texts: [String] = []
    private var photos: [Photos] = []

    init(_ choice: Choice = .all, mostTags: Int = mostTags) {
        self.choice = choice
        self.mostTags = if case .known(let tags) = choice { max(tags.count, mostTags) } else { mostTags }
    }

    func photoCount(_ number: Int) -> Int { Int(photos[number].count) }

    /// Appends the numbers of a photo's tags to an array.
    ///
    /// Each number is appended once, but `other` once for each such tag.
    ///
    /// - Parameters:
    ///   - list: the tags, separated by `;`.
    ///   - photo: the photo's column; columns must come in ascending order.
    mutating func append(_ list: Span<UInt8>, ofPhoto photo: UInt32, to found: inout [UInt32]) {
        var start = 0
        for end in 0...list.count where end == list.count || list[end] == UInt8(ascii: ";") {
            let number = number(of: list.extracting(start..<end), photo)
            start = end + 1
            guard number != Self.none else { continue }
            if number != Self.other {
                let isNew = photos[Int(number)].count == 0
                guard isNew || photos[Int(number)].last != photo else { continue }
                photos[Int(number)].last = photo
                photos[Int(number)].count += 1
            }
            found.append(number)
        }
    }

    private mutating func number(of tag: Span<UInt8>, _ photo: UInt32) -> UInt32 {
        guard tag.count > 0 else { return Self.none }
        // Dropped spellings are normalized again when they return.
        if numberOfSlot.count == mostTags { (written, numberOfSlot) = (IdentifierCache(), []) }
        let slot = Int(written.slot(of: tag))
        if slot == numberOfSlot.count { numberOfSlot.append(newNumber(of: written.id(UInt32(slot)), photo)) }
        return numberOfSlot[slot]
    }

    /// Returns the number of a tag in a new spelling.
    private mutating func newNumber(of tag: String, _ photo: UInt32) -> UInt32 {
        let text = Term.normalized(tag)
        if let number = numbers[text] { return number }
        guard !text.isEmpty else { return Self.none }
        guard choice.has(text) else { return Self.other }
        guard texts.count < mostTags else {
            isFull = true
            return Self.other
        }
        let number = UInt32(texts.count)
        numbers[text] = number
        texts.append(text)
        photos.append(Photos(last: photo, count: 0))
        return number
    }
}

/// A share of all tags, chosen by their hashes, which differ from process to process.
struct TagShare: Sendable {
    /// The index of the share, from 0 to below `count`.
    let index: UInt
    let count: UInt

    func has(_ tag: String) -> Bool { UInt(bitPattern: tag.hashValue) % count == index }

    var halves: [TagShare] {
        [TagShare(index: index, count: count * 2), TagShare(index: index + count, count: count * 2)]
    }
}

/// The tags of enough photos, over all threads.
///
/// Tags are in descending order of their photos; ties are in ascending order of bytes. So the vocabulary depends
/// neither on the number of threads nor on the numbers of the photos.
struct TagVocabulary {
    /// The tags, the most frequent first.
    let texts: [String]
    /// The number of photos with each tag.
    let totals: [UInt32]
    /// The index in `texts`, or `PhotoRecords.rare`, by thread and by the thread's number of a tag.
    let indexes: [[UInt32]]

    /// Merges the tags of threads.
    ///
    /// - Parameters:
    ///   - threads: the tags of each thread.
    ///   - minimumPhotos: the least number of photos of a tag in the vocabulary, inclusive.
    init(_ threads: [TagNumbers], minimumPhotos: Int) {
        var numbers: [String: Int] = [:]
        var found: [(text: String, photos: Int)] = []
        let numberOfTag = threads.map { thread in
            thread.texts.enumerated().map { tag, text in
                let number = numbers[text] ?? found.count
                if number == found.count {
                    numbers[text] = number
                    found.append((text, 0))
                }
                found[number].photos += thread.photoCount(tag)
                return number
            }
        }
        let vocabulary = found.indices.filter { found[$0].photos >= minimumPhotos }
            .sorted { Self.isMoreFrequent(found[$0], found[$1]) }
            .prefix(PhotoRecords.maximumTerms)
        var indexes = [UInt32](repeating: PhotoRecords.rare, count: found.count)
        for (index, number) in vocabulary.enumerated() { indexes[number] = UInt32(index) }
        texts = vocabulary.map { found[$0].text }
        totals = vocabulary.map { UInt32(found[$0].photos) }
        self.indexes = numberOfTag.map { numbers in numbers.map { indexes[$0] } }
    }

    /// Whether one tag is before another in the vocabulary.
    static func isMoreFrequent(_ one: (text: String, photos: Int), _ other: (text: String, photos: Int)) -> Bool {
        one.photos != other.photos
            ? one.photos > other.photos : one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

/// Numbers the map cells in which photos were taken, and counts the photos.
struct CellNumbers: Sendable {
    private var numbers: [Int: UInt32] = [:]
    private(set) var cells: [PlaceCell] = []
    private(set) var photoCounts: [Int] = []

    /// Counts a photo.
    ///
    /// - Returns: the number of the cell.
    mutating func count(_ cell: PlaceCell) -> UInt32 {
        if let number = numbers[cell.number] {
            photoCounts[Int(number)] += 1
            return number
        }
        let number = UInt32(cells.count)
        numbers[cell.number] = number
        cells.append(cell)
        photoCounts.append(1)
        return number
    }
}

/// The cells of enough photos, over all threads.
struct CellVocabulary {
    /// The cells, the most frequent first; ties from south to north.
    let cells: [PlaceCell]
    /// The number of photos in each cell.
    let totals: [UInt32]
    /// The index in `cells`, or `PhotoRecords.rare`, by thread and by the thread's number of a cell.
    let indexes: [[UInt32]]

    /// Merges the cells of threads.
    ///
    /// - Parameters:
    ///   - threads: the cells of each thread.
    ///   - minimumPhotos: the least number of photos of a cell in the vocabulary, inclusive.
    init(_ threads: [CellNumbers], minimumPhotos: Int) {
        var totals: [PlaceCell: Int] = [:]
        for thread in threads {
            for (cell, photos) in zip(thread.cells, thread.photoCounts) { totals[cell, default: 0] += photos }
        }
        let vocabulary = totals.filter { $0.value >= minimumPhotos }
            .sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
            .prefix(PhotoRecords.maximumTerms)
        cells = vocabulary.map(\.key)
        self.totals = vocabulary.map { UInt32($0.value) }
        let indexes = Dictionary(uniqueKeysWithValues: cells.enumerated().map { ($0.element, UInt32($0.offset)) })
        self.indexes = threads.map { $0.cells.map { indexes[$0] ?? PhotoRecords.rare } }
    }
}
