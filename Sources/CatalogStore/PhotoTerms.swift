/// The terms of public photos, tags or places, by the column that stands for each photo in a matrix.
public struct PhotoTerms<Term: Hashable & Sendable>: Sendable {
    /// The terms that enough photos have: the one most photos have first, equal ones in an order that is always the
    /// same.
    public private(set) var vocabulary: [Term]
    /// How many photos have each.
    public private(set) var totals: [UInt32]
    /// How many photos have any, be it one that too few have to be kept.
    public private(set) var photoCount = 0
    private var described = BitSet(count: 0)
    private var ends: [UInt32] = []
    private var terms: [UInt16] = []

    /// The most terms that are kept: as many as two bytes can name.
    static var maximumTerms: Int { 1 << 16 }

    init(vocabulary: [Term]) {
        self.vocabulary = vocabulary
        totals = [UInt32](repeating: 0, count: vocabulary.count)
    }

    /// The same with other names for the terms.
    func renamed<Name: Hashable & Sendable>(_ name: (Term) -> Name) -> PhotoTerms<Name> {
        var renamed = PhotoTerms<Name>(vocabulary: vocabulary.map(name))
        (renamed.totals, renamed.photoCount, renamed.described) = (totals, photoCount, described)
        (renamed.ends, renamed.terms) = (ends, terms)
        return renamed
    }

    /// Adds the terms of a photo that has any; photos come in ascending order of their column.
    ///
    /// - Parameter photoTerms: those of the vocabulary, each once.
    mutating func append(_ photoTerms: Set<UInt16>, column: Int) {
        described.insert(column)
        photoCount += 1
        while ends.count < column { ends.append(UInt32(terms.count)) }
        for term in photoTerms { totals[Int(term)] += 1 }
        terms.append(contentsOf: photoTerms)
        ends.append(UInt32(terms.count))
    }

    /// Whether a photo has any term, be it one that too few photos have to be kept.
    public func hasTerms(_ column: Int) -> Bool { described.contains(column) }

    /// The places in `vocabulary` of a photo's terms, each once, in no particular order.
    public func terms(ofPhoto column: Int) -> ArraySlice<UInt16> {
        guard column < ends.count else { return [] }
        return terms[Int(column == 0 ? 0 : ends[column - 1])..<Int(ends[column])]
    }
}
