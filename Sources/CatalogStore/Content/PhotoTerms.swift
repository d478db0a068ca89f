/// The terms of public photos, that is their tags or locations, by the photos' columns in a matrix.
public struct PhotoTerms<Term: Hashable & Sendable>: Sendable {
    /// The terms of enough photos, most frequent first, equally frequent ones in ascending order.
    public let vocabulary: [Term]
    /// The photos' terms as indexes of the vocabulary.
    public let indexes: PhotoTermIndexes
}

/// The terms of photos as indexes of a vocabulary.
public struct PhotoTermIndexes: Sendable {
    /// What stands for a term that is not in the vocabulary.
    static let rare = UInt32.max - 1
    /// What stands for no term at all.
    static let none = UInt32.max

    /// The number of photos with each term of the vocabulary.
    public private(set) var totals: [UInt32]
    /// The number of photos with any term, in the vocabulary or not.
    public private(set) var photoCount = 0
    private var described = BitSet(count: 0)
    /// By column, where the photo's terms end.
    private var ends: [UInt32] = []
    private var terms: [UInt16] = []

    /// The most terms of a vocabulary: as many as a `UInt16` can number.
    static var maximumTerms: Int { 1 << 16 }

    init(vocabularyCount: Int, columnCount: Int) {
        totals = [UInt32](repeating: 0, count: vocabularyCount)
        ends.reserveCapacity(columnCount)
    }

    /// Adds the photo of the next column.
    ///
    /// - Parameter photoTerms: indexes of the vocabulary, `rare` or `none`; each index at most once.
    mutating func append(_ photoTerms: some Sequence<UInt32>) {
        var hasTerms = false
        for term in photoTerms where term != Self.none {
            hasTerms = true
            guard term != Self.rare else { continue }
            totals[Int(term)] += 1
            terms.append(UInt16(truncatingIfNeeded: term))
        }
        if hasTerms {
            described.insert(ends.count)
            photoCount += 1
        }
        ends.append(UInt32(terms.count))
    }

    /// A photo's terms as indexes of the vocabulary, each once, in no particular order.
    public func terms(ofPhoto column: Int) -> ArraySlice<UInt16> {
        guard column < ends.count else { return [] }
        return terms[Int(column == 0 ? 0 : ends[column - 1])..<Int(ends[column])]
    }

    /// Counts the terms of photos.
    ///
    /// - Parameters:
    ///   - photos: their columns.
    ///   - tally: of this vocabulary.
    public func count(_ photos: ArraySlice<UInt32>, into tally: inout TermTally) {
        for photo in photos {
            let column = Int(photo)
            guard described.contains(column) else { continue }
            tally.photoCount += 1
            for index in Int(column == 0 ? 0 : ends[column - 1])..<Int(ends[column]) { tally.add(terms[index]) }
        }
    }
}

/// How many photos of some have each term of a vocabulary.
public struct TermTally: Sendable {
    /// The photos that have any term, in the vocabulary or not.
    public internal(set) var photoCount = 0
    private var counts: [UInt32]
    private var touched: [UInt16] = []

    /// No photos.
    public init(vocabularyCount: Int) { counts = [UInt32](repeating: 0, count: vocabularyCount) }

    mutating func add(_ term: UInt16) {
        if counts[Int(term)] == 0 { touched.append(term) }
        counts[Int(term)] += 1
    }

    /// The terms that were counted, in no particular order.
    public var terms: [(term: Int, photos: Int)] { touched.map { (Int($0), Int(counts[Int($0)])) } }

    /// Begins anew.
    public mutating func clear() {
        photoCount = 0
        for term in touched { counts[Int(term)] = 0 }
        touched.removeAll(keepingCapacity: true)
    }
}
