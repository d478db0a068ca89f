/// The tags of enough photos, from what several threads counted.
///
/// Of equally frequent tags, the one whose bytes are less stands first: the vocabulary depends neither on the number of
/// threads nor on the numbers of the photos.
struct TagVocabulary {
    /// The tags, most frequent first.
    let texts: [String]
    /// How many photos have each tag.
    let totals: [UInt32]
    /// By thread and by the number that it gave to a tag: the index in `texts`, or `PhotoRecords.rare`.
    let indexes: [[UInt32]]

    /// - Parameter minimumPhotos: tags of fewer photos are left out (inclusive).
    init(_ threads: [TagNumbers], minimumPhotos: Int) {
        var numbers: [String: Int] = [:]
        var found: [(text: String, photos: Int)] = []
        let numberOfTag = threads.map { thread in
            thread.texts.enumerated().map { tag, text in
                let number = numbers[text] ?? found.count
                if number == found.count {
                    numbers[text] = number
                    found.append((text, 0))
                } else if text.utf8.lexicographicallyPrecedes(found[number].text.utf8) {
                    found[number].text = text
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

    /// The order of the vocabulary.
    static func isMoreFrequent(_ one: (text: String, photos: Int), _ other: (text: String, photos: Int)) -> Bool {
        one.photos != other.photos
            ? one.photos > other.photos : one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}
