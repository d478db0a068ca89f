extension CatalogSnapshot {
    /// Reads photos in one pass if their tags fit into memory.
    ///
    /// Otherwise the tags are first counted a share at a time, in a pass each, and then only the most frequent ones are
    /// numbered. What is found is the same.
    ///
    /// - Parameters:
    ///   - minimumPhotos: terms of fewer photos are left out (inclusive).
    ///   - read: reads all photos on several threads, and numbers those tags that are chosen.
    func content(
        minimumPhotos: Int, read: (TagNumbers.Choice) throws(CatalogError) -> [PhotoReader]
    ) throws(CatalogError) -> PhotoContent {
        var readers = try read(.all)
        if readers.contains(where: \.tagNumbers.isFull) {
            readers = []
            readers = try read(.known(frequentTags(minimumPhotos: minimumPhotos, read: read)))
        }
        return try content(of: &readers, minimumPhotos: minimumPhotos)
    }

    /// The tags of the vocabulary.
    private func frequentTags(
        minimumPhotos: Int, read: (TagNumbers.Choice) throws(CatalogError) -> [PhotoReader]
    ) throws(CatalogError) -> Set<String> {
        var found: [(text: String, photos: Int)] = []
        // What is still to be counted: a share that does not fit either is divided further.
        var shares = [TagShare(index: 0, count: 2), TagShare(index: 1, count: 2)]
        while let share = shares.popLast() {
            let threads = try read(.share(share)).map(\.tagNumbers)
            if threads.contains(where: \.isFull) {
                shares += share.halves
                continue
            }
            let vocabulary = TagVocabulary(threads, minimumPhotos: minimumPhotos)
            found += zip(vocabulary.texts, vocabulary.totals).map { ($0, Int($1)) }
        }
        found.sort(by: TagVocabulary.isMoreFrequent)
        return Set(found.prefix(PhotoRecords.maximumTerms).lazy.map(\.text))
    }
}
