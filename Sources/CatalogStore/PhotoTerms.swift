/// The terms of public photos, that is their tags or locations, by the photos' columns in a matrix.
public struct PhotoTerms<Term: Hashable & Sendable>: Sendable {
    /// The terms of enough photos, most frequent first, equally frequent ones in ascending order.
    public private(set) var vocabulary: [Term]
    /// The number of photos with each term of the vocabulary.
    public private(set) var totals: [UInt32]
    /// The number of photos with any term, in the vocabulary or not.
    public private(set) var photoCount = 0
    private var described = BitSet(count: 0)
    private var ends: [UInt32] = []
    private var terms: [UInt16] = []

    /// The most terms of a vocabulary: as many as a `UInt16` can number.
    static var maximumTerms: Int { 1 << 16 }

    init(vocabulary: [Term]) {
        self.vocabulary = vocabulary
        totals = [UInt32](repeating: 0, count: vocabulary.count)
    }

    /// A copy with other names for the terms.
    func renamed<Name: Hashable & Sendable>(_ name: (Term) -> Name) -> PhotoTerms<Name> {
        var renamed = PhotoTerms<Name>(vocabulary: vocabulary.map(name))
        (renamed.totals, renamed.photoCount, renamed.described) = (totals, photoCount, described)
        (renamed.ends, renamed.terms) = (ends, terms)
        return renamed
    }

    /// Adds a photo that has terms; call it in ascending order of the columns.
    ///
    /// - Parameter photoTerms: the photo's terms that are in the vocabulary, as indexes of it; may be empty.
    mutating func append(_ photoTerms: Set<UInt16>, column: Int) {
        described.insert(column)
        photoCount += 1
        while ends.count < column { ends.append(UInt32(terms.count)) }
        for term in photoTerms { totals[Int(term)] += 1 }
        terms.append(contentsOf: photoTerms)
        ends.append(UInt32(terms.count))
    }

    /// Whether a photo has any term, in the vocabulary or not.
    public func hasTerms(_ column: Int) -> Bool { described.contains(column) }

    /// A photo's terms as indexes of `vocabulary`, each once, in no particular order.
    public func terms(ofPhoto column: Int) -> ArraySlice<UInt16> {
        guard column < ends.count else { return [] }
        return terms[Int(column == 0 ? 0 : ends[column - 1])..<Int(ends[column])]
    }
}
