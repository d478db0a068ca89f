import Basics
import CatalogStore
import Model
import Recommendation
import Similarity
import Synchronization

/// The groups that photos with a tag, or of a place, go to.
struct ContentSignals: Sendable {
    var tags: [String: [Posting]] = [:]
    var places: [PlaceCell: [Posting]] = [:]
    /// The number of each photo's owner, by the photo's column; empty if they were not read.
    var owners: [UInt32] = []
}

extension RecomputeJob {
    /// The most tags and places that a group keeps.
    private static var tagsPerGroup: Int { 32 }
    private static var placesPerGroup: Int { 16 }
    /// The least number of photos of a tag or place, in all and in a group, so that single photos do not show.
    private static var photosOfTerm: Int { 5 }
    static var photosInGroup: Int { 3 }
    /// The number of groups that a thread takes at a time.
    private static var groupsPerPortion: Int { 128 }

    /// Returns the tags and places that are typical of groups, from their public photos.
    ///
    /// - Parameters:
    ///   - matrix: public groups × photos, of the same source.
    ///   - events: the events of the matrix; they are attributed to the owners of the photos.
    ///   - wantsOwners: whether the owners of the photos are read in any case.
    func contentSignals(
        _ entries: any EntrySource, _ matrix: BinaryMatrix, _ events: inout GroupEvents?, wantsOwners: Bool,
        _ clock: StepClock
    ) throws(Failure) -> (ContentSignals, outcome: String) {
        guard matrix.entryCount > 0 else { return (ContentSignals(), "no pools") }
        let total = matrix.columnCount + matrix.entryCount / ContentSteps.entriesPerPhoto
        let content: PhotoContent
        let hasContent = try entries.hasPhotoContent()
        guard events != nil || hasContent || wantsOwners else { return (ContentSignals(), "no tags, no places") }
        content = try entries.photoContent(minimumPhotos: Self.photosOfTerm) { photos in
            clock.advance(done: photos, total: total, unit: nil)
        }
        events?.attribute(to: content.owners)
        let entriesDone = Atomic<Int>(0)
        var signals = postings(content, matrix) { entries in
            let done = entriesDone.add(entries, ordering: .relaxed).newValue
            clock.advance(
                done: matrix.columnCount + done / ContentSteps.entriesPerPhoto, total: total, unit: nil)
        }
        if wantsOwners { signals.owners = content.owners }
        return (signals, "\(signals.tags.count) tags and \(signals.places.count) places point to groups")
    }

    /// Counts the tags and places of each group's photos, and keeps those that distinguish the group from others.
    private func postings(
        _ content: PhotoContent, _ matrix: BinaryMatrix, _ progress: @Sendable (_ entries: Int) -> Void
    ) -> ContentSignals {
        let tags = profile(of: content.tags, .divergence, limit: Self.tagsPerGroup)
        let places = profile(of: content.places, .excess, limit: Self.placesPerGroup)
        let groups = Parallel.map(
            matrix.rowCount, inPortionsOf: Self.groupsPerPortion, threads: parameters.threads,
            state: { _ in
                (
                    tags: TermTally(vocabularyCount: content.tags.terms.count),
                    places: TermTally(vocabularyCount: content.places.terms.count)
                )
            }
        ) { tally, groups in
            let terms = groups.map { group in
                content.records.count(matrix.row(group), tags: &tally.tags, places: &tally.places)
                defer {
                    tally.tags.clear()
                    tally.places.clear()
                }
                return GroupTerms(
                    tags: tags.weights(tally.tags.terms, of: tally.tags.photoCount),
                    places: places.weights(tally.places.terms, of: tally.places.photoCount))
            }
            progress(groups.reduce(0) { $0 + matrix.size(ofRow: $1) })
            return terms
        }.flatMap(\.self)
        var signals = ContentSignals()
        for (group, terms) in groups.enumerated() {
            for (tag, weight) in terms.tags {
                signals.tags[content.tags.terms[tag], default: []].append(
                    Posting(group: UInt32(group), weight: weight))
            }
            for (place, weight) in terms.places {
                signals.places[content.places.terms[place], default: []].append(
                    Posting(group: UInt32(group), weight: weight))
            }
        }
        return signals
    }

    private func profile<Term>(
        of vocabulary: PhotoVocabulary<Term>, _ measure: ContentProfile.Measure, limit: Int
    ) -> ContentProfile {
        ContentProfile(
            totals: vocabulary.totals, photoCount: vocabulary.photoCount, measure: measure,
            minimumPhotos: Self.photosInGroup, limit: limit)
    }
}

/// The weights of the parts of the step in its progress.
private enum ContentSteps {
    /// The number of pool entries whose counting takes as long as reading one photo.
    static let entriesPerPhoto = 8
}

/// The tags and places that distinguish a group from others, with their weights.
private struct GroupTerms: Sendable {
    var tags: [(term: Int, weight: Float)]
    var places: [(term: Int, weight: Float)]
}
