/// The tags of enough photos, from what several threads counted.
///
/// Of equally frequent tags, the one whose bytes are less stands first: the vocabulary depends neither on the number of
/// threads nor on the numbers of the photos, as long as there are no more than `TagNumbers.maximumTags`.
struct TagVocabulary {
    /// The tags, most frequent first.
    let texts: [String]
    /// How many photos have each tag.
    let totals: [UInt32]
    /// By thread and by the number that it gave to a tag: the index in `texts`, `PhotoRecords.rare`, or `.none` for
    /// tags beyond the limit of different ones.
    let indexes: [[UInt32]]

    /// - Parameter minimumPhotos: tags of fewer photos are left out (inclusive).
    init(_ threads: [TagNumbers], minimumPhotos: Int) {
        var tags = threads.enumerated().flatMap { thread, numbers in
            numbers.texts.indices.map { (first: numbers.firstPhoto($0), thread: thread, number: $0) }
        }
        // A photo was read by one thread, which numbers its tags in their order.
        tags.sort { ($0.first, $0.number) < ($1.first, $1.number) }
        var numbers: [String: Int] = [:]
        var found: [(text: String, photos: Int)] = []
        var numberOfTag = threads.map { [Int?](repeating: nil, count: $0.texts.count) }
        for tag in tags {
            let text = threads[tag.thread].texts[tag.number]
            let number = numbers[text] ?? found.count
            if number == found.count {
                guard found.count < TagNumbers.maximumTags else { continue }
                numbers[text] = number
                found.append((text, 0))
            } else if text.utf8.lexicographicallyPrecedes(found[number].text.utf8) {
                found[number].text = text
            }
            found[number].photos += threads[tag.thread].photoCount(tag.number)
            numberOfTag[tag.thread][tag.number] = number
        }
        let vocabulary = found.indices.filter { found[$0].photos >= minimumPhotos }
            .sorted { one, other in
                let (one, other) = (found[one], found[other])
                return one.photos != other.photos
                    ? one.photos > other.photos : one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
            }
            .prefix(PhotoRecords.maximumTerms)
        var indexes = [UInt32](repeating: PhotoRecords.rare, count: found.count)
        for (index, number) in vocabulary.enumerated() { indexes[number] = UInt32(index) }
        texts = vocabulary.map { found[$0].text }
        totals = vocabulary.map { UInt32(found[$0].photos) }
        self.indexes = numberOfTag.map { numbers in
            numbers.map { number in number.map { indexes[$0] } ?? PhotoRecords.none }
        }
    }
}
