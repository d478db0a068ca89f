/// A photo that looks like another one.
package struct Lookalike: Sendable, Equatable {
    package var id: String
    /// The cosine of the two photos' vectors.
    package var similarity: Double
    /// The groups whose pools have the photo, ascending.
    package var groups: [UInt32]
    /// The owner's external id, if it is known.
    package var ownerID: String?
    /// The number of its look: photos with equal vectors have the same one, and so have near-duplicates of the other
    /// photo.
    package var look: Int?

    /// The similarity from which two photos count as the same one, cropped or edited.
    package static let duplicateSimilarity = 0.99
    /// The number of looks that vote for their groups.
    package static let voters = 100
    /// The most photos of a look that vote.
    package static let copies = 10

    package init(id: String, similarity: Double, groups: [UInt32]) {
        self.id = id
        self.similarity = similarity
        self.groups = groups
    }

    /// Whether the photo is nearly the same as the one it is compared with.
    package var isDuplicate: Bool { similarity >= Self.duplicateSimilarity }
}

/// The evidence that some kinds of suggestions for a photo rest on.
package enum PhotoBasis: String, Sendable, CaseIterable {
    /// The pools, tags, place and owner of the photo.
    case pools
    /// The groups of photos that look like the photo.
    case look
    case both
}

/// The votes of lookalikes for their groups.
struct LookVotes {
    /// The part of all indexed photos that a group is assumed to have beside its own, so that few photos are not much.
    private static let assumedShare = 0.02
    /// The greatest number of voters that a reason names.
    private static let named = 3

    /// Returns the reasons for groups, at most 1 each.
    ///
    /// A photo votes with its similarity above that of the last voter, relative to the first one. Photos of one look
    /// count as one, in the groups of all of them, as people post the same picture again and again.
    ///
    /// A group's share *v* of the votes is set against its share *e* of the indexed photos. The group gets
    /// *v a / (e + a)*, where *a* is small. Otherwise the largest groups would be suggested for every photo.
    ///
    /// - Parameters:
    ///   - lookalikes: the photos, best first.
    ///   - counts: the number of indexed photos in each group.
    ///   - total: the number of indexed photos.
    static func reasons(_ lookalikes: [Lookalike], counts: [UInt32], total: Int) -> PhotoRecommender.Reasons {
        let voters = Self.voters(among: lookalikes)
        guard let first = voters.first, let last = voters.last, total > 0 else { return [:] }
        let span = first.similarity - last.similarity
        var votes: [UInt32: (weight: Double, voters: [String])] = [:]
        // Photos of one look follow one another, as they are equally similar.
        var look: Int?
        var groupsOfLook: Set<UInt32> = []
        var all = 0.0
        for voter in voters {
            let weight = span > 0 ? (voter.similarity - last.similarity) / span : 1
            if voter.look == nil || voter.look != look {
                (look, groupsOfLook) = (voter.look, [])
                all += weight
            }
            // The last voter has no weight, but it is a reason.
            for group in voter.groups where groupsOfLook.insert(group).inserted {
                votes[group, default: (0, [])].weight += weight
                if votes[group, default: (0, [])].voters.count < named { votes[group]?.voters.append(voter.id) }
            }
        }
        guard all > 0 else { return [:] }
        return votes.compactMapValues { vote in vote.weight > 0 ? vote : nil }.reduce(into: [:]) { reasons, entry in
            let expected = Int(entry.key) < counts.count ? Double(counts[Int(entry.key)]) / Double(total) : 0
            let score = entry.value.weight / all * assumedShare / (expected + assumedShare)
            reasons[entry.key] = [
                .init(evidence: .looksLike(photos: entry.value.voters), contribution: score)
            ]
        }
    }

    /// Returns the photos of the first looks, without those that look like the opposite.
    private static func voters(among lookalikes: [Lookalike]) -> ArraySlice<Lookalike> {
        var looks = 0
        var last: Int?
        return lookalikes.prefix { photo in
            if photo.look == nil || photo.look != last { looks += 1 }
            last = photo.look
            return looks <= Lookalike.voters && photo.similarity > 0
        }
    }
}
