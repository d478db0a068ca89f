import CatalogStore
import Model
import Recommendation
import SparseMatrix

/// Which groups the photos with a tag, or of a location, go to.
struct ContentSignals {
    var tags: [String: [Posting]] = [:]
    var places: [PlaceCell: [Posting]] = [:]
}

extension RecomputeJob {
    /// Tags and places that a group keeps at most.
    private static var tagsPerGroup: Int { 32 }
    private static var placesPerGroup: Int { 16 }
    /// A tag or a location counts with so many photos, and in a group with so many: single photos must not show.
    private static var photosOfTerm: Int { 5 }
    private static var photosInGroup: Int { 3 }

    /// What the groups' public photos are about, as far as the catalog has tags and places.
    ///
    /// - Parameter matrix: public groups × photos, of the snapshot.
    func contentSignals(
        _ snapshot: CatalogSnapshot, _ matrix: BinaryMatrix, _ clock: StepClock
    ) throws(RecomputeError) -> (ContentSignals, outcome: String) {
        var signals = ContentSignals()
        guard matrix.entryCount > 0 else { return (signals, "no pools") }
        do throws(CatalogError) {
            if try snapshot.hasContent(.tags) {
                let tags = try snapshot.photoTags(minimumPhotos: Self.photosOfTerm) { Term.normalized($0) }
                let profile = profile(of: tags, .divergence, limit: Self.tagsPerGroup)
                signals.tags = postings(tags, matrix, profile, clock)
            }
            if try snapshot.hasContent(.places) {
                let places = try snapshot.photoPlaces(minimumPhotos: Self.photosOfTerm) {
                    PlaceCell(latitude: $0, longitude: $1)
                }
                let profile = profile(of: places, .excess, limit: Self.placesPerGroup)
                signals.places = postings(places, matrix, profile, clock)
            }
        } catch { throw .catalog(error) }
        return (signals, "\(signals.tags.count) tags and \(signals.places.count) places point to groups")
    }

    private func profile<Term>(
        of terms: PhotoTerms<Term>, _ measure: ContentProfile.Measure, limit: Int
    ) -> ContentProfile {
        ContentProfile(
            totals: terms.totals, photoCount: terms.photoCount, measure: measure,
            minimumPhotos: Self.photosInGroup, limit: limit)
    }

    private func postings<Term>(
        _ terms: PhotoTerms<Term>, _ matrix: BinaryMatrix, _ profile: ContentProfile, _ clock: StepClock
    ) -> [Term: [Posting]] {
        var postings: [Term: [Posting]] = [:]
        var counts = [Int](repeating: 0, count: terms.vocabulary.count)
        var touched: [Int] = []
        for group in 0..<matrix.rowCount {
            var photoCount = 0
            for photo in matrix.row(group) {
                if terms.hasTerms(Int(photo)) { photoCount += 1 }
                for term in terms.terms(ofPhoto: Int(photo)) {
                    if counts[Int(term)] == 0 { touched.append(Int(term)) }
                    counts[Int(term)] += 1
                }
            }
            for (term, weight) in profile.weights(touched.lazy.map { ($0, counts[$0]) }, of: photoCount) {
                postings[terms.vocabulary[term], default: []].append(Posting(group: UInt32(group), weight: weight))
            }
            for term in touched { counts[term] = 0 }
            touched.removeAll(keepingCapacity: true)
            if group.isMultiple(of: 256) { clock.advance(done: group, total: matrix.rowCount, unit: "groups") }
        }
        return postings
    }
}
