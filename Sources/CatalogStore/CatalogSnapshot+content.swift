import SQLite

extension CatalogSnapshot {
    /// A kind of content of photos.
    public enum PhotoContent: Sendable {
        /// Tags.
        case tags
        /// Locations.
        case places

        var columns: String { self == .tags ? "tags, NULL" : "latitude, longitude" }
        var noted: NotedColumn { self == .tags ? .tags : .latitude }
        var condition: String { self == .tags ? "tags IS NOT NULL" : "latitude IS NOT NULL AND longitude IS NOT NULL" }
    }

    /// Whether any public photo has this content.
    public func hasContent(_ content: PhotoContent) throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in
            guard try catalog.mayHaveValues(content.noted) else { return false }
            return try database.integer("SELECT 1 FROM photos WHERE visibility = 0 AND \(content.condition) LIMIT 1")
                != nil
        }
    }

    /// The tags of public photos.
    ///
    /// - Parameters:
    ///   - minimumPhotos: tags of fewer photos are left out (inclusive).
    ///   - normalized: maps tags that mean the same to one text; a tag that it maps to "" is left out.
    public func photoTags(minimumPhotos: Int, normalized: (Substring) -> String) throws(CatalogError)
        -> PhotoTerms<String>
    {
        try withoutActuallyEscaping(normalized) { normalized throws(CatalogError) in
            var tags = TagNumbers(normalized: normalized)
            let terms = try photoTerms(.tags, minimumPhotos: minimumPhotos) { row in
                unsafe row.withText(1) { unsafe tags.numbers(in: $0.span) }
            }
            return terms.renamed { tags.texts[Int($0)] }
        }
    }

    /// The locations of public photos, as cells of a map that the caller chooses.
    ///
    /// - Parameters:
    ///   - minimumPhotos: cells with fewer photos are left out (inclusive).
    ///   - place: the cell of a latitude and a longitude in degrees; nil to leave the photo out.
    public func photoPlaces<Place: Hashable & Comparable & Sendable>(
        minimumPhotos: Int, place: (_ latitude: Double, _ longitude: Double) -> Place?
    ) throws(CatalogError) -> PhotoTerms<Place> {
        try photoTerms(.places, minimumPhotos: minimumPhotos) { row in
            guard let latitude = row.optionalNumber(1), let longitude = row.optionalNumber(2),
                let place = place(latitude, longitude)
            else { return [] }
            return [place]
        }
    }

    /// Reads the photos twice: to find the frequent terms, and to collect the photos that have them.
    private func photoTerms<Term: Comparable>(
        _ content: PhotoContent, minimumPhotos: Int, _ terms: (Statement) -> Set<Term>
    ) throws(CatalogError) -> PhotoTerms<Term> {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT photo_key, \(content.columns) FROM photos WHERE visibility = 0 AND \(content.condition)
                ORDER BY photo_key
                """)
            var counts: [Term: Int] = [:]
            while try rows.step() {
                for term in terms(rows) { counts[term, default: 0] += 1 }
            }
            let vocabulary = counts.filter { $0.value >= minimumPhotos }
                .sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
                .prefix(PhotoTerms<Term>.maximumTerms).map(\.key)
            let indexes = Dictionary(
                uniqueKeysWithValues: vocabulary.enumerated().map { ($0.element, UInt16($0.offset)) })
            var result = PhotoTerms(vocabulary: vocabulary)
            while try rows.step() {
                let all = terms(rows)
                guard !all.isEmpty else { continue }
                result.append(Set(all.compactMap { indexes[$0] }), column: Int(rows.integer(0)))
            }
            return result
        }
    }
}
