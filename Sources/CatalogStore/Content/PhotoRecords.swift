import Model

/// The tags and the location of every public photo as indexes of vocabularies, by the photos' columns in a matrix.
///
/// Photos are read in the order of groups, which means random access to memory. So the data of a photo is stored
/// together: a header, the index of its location, and the indexes of its tags. Terms outside the vocabularies have no
/// index.
package struct PhotoRecords: Sendable {
    /// The mark of a term that is not in its vocabulary.
    static let rare = UInt32.max - 1
    /// The mark of an absent term.
    static let none = UInt32.max
    /// The most terms of a vocabulary, which `UInt16` can number.
    static let maximumTerms = 1 << 16

    /// The bits of a header.
    private enum Header {
        static let hasTags: UInt16 = 1
        static let hasPlace: UInt16 = 2
        static let hasFrequentPlace: UInt16 = 4
    }

    /// The number of photos between the prefetch of a record and its use.
    private static let recordLead = 12
    /// The number of photos between the prefetch of a record's start and its use.
    private static let startLead = 24

    /// The start of each photo's record, by column, and the end of the last one.
    private var starts: [UInt32] = [0]
    private var words: [UInt16] = []
    /// The number of photos with any tag, in the vocabulary or not.
    private(set) var photosWithTags = 0
    /// The number of photos with a location, in the vocabulary or not.
    private(set) var photosWithPlaces = 0

    /// Creates empty records, to which photos are appended.
    init(count: Int) { starts.reserveCapacity(count + 1) }

    /// Joins the records of adjacent ranges of columns.
    init(_ parts: [PhotoRecords]) {
        starts.reserveCapacity(parts.reduce(1) { $0 + $1.starts.count - 1 })
        words.reserveCapacity(parts.reduce(0) { $0 + $1.words.count })
        for part in parts {
            let first = UInt32(words.count)
            starts.append(contentsOf: part.starts.dropFirst().lazy.map { first + $0 })
            words.append(contentsOf: part.words)
            photosWithTags += part.photosWithTags
            photosWithPlaces += part.photosWithPlaces
        }
    }

    /// Appends the photo of the next column.
    ///
    /// - Parameters:
    ///   - place: an index of the vocabulary, `rare` or `none`.
    ///   - tags: for each tag an index of the vocabulary, `rare` or `none`; each index at most once.
    mutating func append(place: UInt32, tags: some Sequence<UInt32>) {
        let start = words.count
        if place != Self.none {
            photosWithPlaces += 1
            words.append(Header.hasPlace)
            if place != Self.rare {
                words[start] |= Header.hasFrequentPlace
                words.append(UInt16(truncatingIfNeeded: place))
            }
        }
        var hasTags = false
        for tag in tags where tag != Self.none {
            if !hasTags {
                hasTags = true
                photosWithTags += 1
                if words.count == start { words.append(0) }
                words[start] |= Header.hasTags
            }
            if tag != Self.rare { words.append(UInt16(truncatingIfNeeded: tag)) }
        }
        starts.append(UInt32(words.count))
    }

    package func count(_ photos: ArraySlice<UInt32>, tags: inout TermTally, places: inout TermTally) {
        let columns = photos.span
        let starts = starts.span
        let words = words.span
        for index in columns.indices {
            if index + Self.startLead < columns.count { starts.prefetch(Int(columns[index + Self.startLead])) }
            if index + Self.recordLead < columns.count {
                words.prefetch(Int(starts[Int(columns[index + Self.recordLead])]))
            }
            let column = Int(columns[index])
            var word = Int(starts[column])
            let end = Int(starts[column + 1])
            guard word < end else { continue }
            let header = words[word]
            word += 1
            if header & Header.hasPlace != 0 { places.photoCount += 1 }
            if header & Header.hasFrequentPlace != 0 {
                places.add(words[word])
                word += 1
            }
            if header & Header.hasTags != 0 { tags.photoCount += 1 }
            while word < end {
                tags.add(words[word])
                word += 1
            }
        }
    }
}

/// The number of photos with each term of a vocabulary.
package struct TermTally: Sendable {
    /// The number of photos with any term, in the vocabulary or not.
    package internal(set) var photoCount = 0
    private var counts: [UInt32]
    private var touched: [UInt16] = []

    package init(vocabularyCount: Int) { counts = [UInt32](repeating: 0, count: vocabularyCount) }

    @inline(__always)
    mutating func add(_ term: UInt16) {
        if counts[Int(term)] == 0 { touched.append(term) }
        counts[Int(term)] += 1
    }

    /// The terms with at least one photo, in no particular order.
    package var terms: [(term: Int, photos: Int)] { touched.map { (Int($0), Int(counts[Int($0)])) } }

    /// Removes all photos.
    package mutating func clear() {
        photoCount = 0
        for term in touched { counts[Int(term)] = 0 }
        touched.removeAll(keepingCapacity: true)
    }
}
