import Basics
import CatalogStore
import Model
import Recommendation
import Similarity
import Synchronization

/// The tags, the places and the looks of the photos in pools.
struct PoolContent {
    let signals: ContentSignals
    /// The number of each photo's owner, by the photo's column; empty if no hints need them.
    let owners: [UInt32]
    /// The photos with vectors, if there are any in public pools.
    let looks: BuiltLooks?

    /// Whether some group has a feature.
    var hasFeatures: Bool {
        !signals.tags.isEmpty || !signals.places.isEmpty || looks?.typical.groups.contains { !$0.isEmpty } == true
    }

    /// Reads what is known of the photos in pools.
    ///
    /// - Parameters:
    ///   - matrix: public groups × photos.
    ///   - events: the events of the matrix; they are attributed to the owners of the photos.
    ///   - vectors: the vectors of public photos, or `nil` if there are none.
    init(_ matrix: BinaryMatrix, _ events: inout GroupEvents?, _ vectors: PhotoVectors?, _ run: JobRun)
        throws(Failure)
    {
        (signals, owners) = try run.clock.step(.content) { () throws(Failure) in
            try ContentSignals.found(matrix, &events, wantsOwners: run.told.contains(.photos), run)
        }
        looks =
            if let vectors {
                try run.clock.step(.looks) { () throws(Failure) in try BuiltLooks.made(vectors, matrix, run) }
            } else { nil }
    }
}

/// The groups that photos with a tag, or of a place, go to.
struct ContentSignals: Sendable {
    var tags: [String: [Posting]] = [:]
    var places: [PlaceCell: [Posting]] = [:]
}

extension ContentSignals {
    /// The most tags and places that a group keeps.
    private static var tagsPerGroup: Int { 32 }
    private static var placesPerGroup: Int { 16 }
    /// The least number of photos of a tag or place, in all and in a group, so that single photos do not show.
    private static var photosOfTerm: Int { 5 }
    static var photosInGroup: Int { 3 }
    /// The number of groups that a thread takes at a time.
    private static var groupsPerPortion: Int { 128 }
    /// The number of pool entries whose counting takes as long as reading one photo.
    private static var entriesPerPhoto: Int { 8 }

    /// Returns the tags and places that are typical of groups, from their public photos, and the photos' owners.
    fileprivate static func found(
        _ matrix: BinaryMatrix, _ events: inout GroupEvents?, wantsOwners: Bool, _ run: JobRun
    ) throws(Failure) -> ((ContentSignals, owners: [UInt32]), outcome: String) {
        guard matrix.entryCount > 0 else { return ((ContentSignals(), []), "no pools") }
        let total = matrix.columnCount + matrix.entryCount / entriesPerPhoto
        let hasContent = try run.entries.hasPhotoContent()
        guard events != nil || hasContent || wantsOwners else {
            return ((ContentSignals(), []), "no tags, no places")
        }
        let clock = run.clock
        let content = try run.entries.photoContent(minimumPhotos: photosOfTerm) { photos in
            clock.advance(done: photos, total: total)
        }
        events?.attribute(to: content.owners)
        let entriesDone = Atomic<Int>(0)
        let signals = postings(content, matrix, threads: run.parameters.threads) { entries in
            let done = entriesDone.add(entries, ordering: .relaxed).newValue
            clock.advance(done: matrix.columnCount + done / entriesPerPhoto, total: total)
        }
        let outcome = "\(signals.tags.count) tags and \(signals.places.count) places point to groups"
        return ((signals, wantsOwners ? content.owners : []), outcome)
    }

    /// Counts the tags and places of each group's photos, and keeps those that distinguish the group from others.
    private static func postings(
        _ content: PhotoContent, _ matrix: BinaryMatrix, threads: Int, _ progress: @Sendable (_ entries: Int) -> Void
    ) -> ContentSignals {
        let tags = profile(of: content.tags, .divergence, limit: tagsPerGroup)
        let places = profile(of: content.places, .excess, limit: placesPerGroup)
        let groups = Parallel.map(
            matrix.rowCount, inPortionsOf: groupsPerPortion, threads: threads,
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
                return (
                    tags: tags.weights(tally.tags.terms, of: tally.tags.photoCount),
                    places: places.weights(tally.places.terms, of: tally.places.photoCount)
                )
            }
            progress(groups.reduce(0) { $0 + matrix.size(ofRow: $1) })
            return terms
        }.flatMap(\.self)
        var signals = ContentSignals()
        for (group, terms) in groups.enumerated() {
            for (tag, weight) in terms.tags {
                signals.tags[content.tags.terms[tag], default: []].append(.init(group: UInt32(group), weight: weight))
            }
            for (place, weight) in terms.places {
                let cell = content.places.terms[place]
                signals.places[cell, default: []].append(.init(group: UInt32(group), weight: weight))
            }
        }
        return signals
    }

    private static func profile<Term>(
        of vocabulary: PhotoVocabulary<Term>, _ measure: ContentProfile.Measure, limit: Int
    ) -> ContentProfile {
        ContentProfile(
            totals: vocabulary.totals, photoCount: vocabulary.photoCount, measure: measure,
            minimumPhotos: photosInGroup, limit: limit)
    }
}
