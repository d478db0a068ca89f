package import Model

/// Finds groups for a photo.
///
/// A photo that is in pools gets the groups of photos that share a pool with it, and the neighbours of its groups.
/// Another photo gets the groups of its tags, its location and its owner, and the neighbours of the owner's groups.
/// Groups with large pools fill up the list.
///
/// A suggested group meets three conditions:
///
/// - The photo is not in the group.
/// - The group was active within a year of the instant, or its last activity is unknown.
/// - Anyone may join the group or ask to, or the owner is there already.
///
/// A list has at most one of groups that are too similar to one another.
///
/// The caller makes sure that the groups and the photo are public. The same inputs always give the same list.
package struct PhotoRecommender: Sendable {
    /// The days without activity after which a group is no longer suggested.
    package static let idleDays: Int64 = 365
    /// The number of postings of a tag or a location that are considered, the strongest first; it bounds the work.
    static let postingLimit = 2000

    let model: VisibleModel
    let relations: RelationTable
    let weights: PhotoWeights
    private let popular: PopularPools
    private let ceiling: SimilarityCeiling
    private let instant: Int64

    /// Creates a recommender over a model.
    ///
    /// - Parameters:
    ///   - relations: the relations and their weights.
    ///   - ceiling: the groups that are too similar to one another.
    ///   - instant: the present, in Unix seconds.
    package init(
        model: VisibleModel, popular: PopularPools, relations: RelationTable = .standard,
        weights: PhotoWeights = PhotoWeights(), _ ceiling: SimilarityCeiling = .none, at instant: Int64
    ) {
        self.ceiling = ceiling
        self.model = model
        self.popular = popular
        self.relations = relations
        self.weights = weights
        self.instant = instant
    }

    /// Returns the groups that a public photo could go to, best first; equal scores in ascending order of the index.
    ///
    /// - Parameter limit: the greatest number of suggestions.
    package func suggestions(for photo: PhotoContext, limit: Int, by basis: PhotoBasis = .pools) -> [PhotoSuggestion] {
        var reasons: Reasons = [:]
        if basis != .look {
            reasons = photo.groups.isEmpty ? contentReasons(photo) : companionReasons(photo)
            reasons.merge(similarReasons(to: seeds(of: photo))) { $0 + $1 }
        }
        if basis != .pools {
            let weight = photo.groups.isEmpty ? weights.lookInNoPool : weights.lookInPools
            reasons.merge(lookReasons(photo, weight: basis == .look ? 1 : weight)) { $0 + $1 }
        }
        if basis != .look { addPopularity(to: &reasons, for: photo, limit: limit) }
        let suggestions = reasons.lazy.filter { isAllowed($0.key, for: photo) }.map { group, reasons in
            // A fixed order gives the same sum for the same inputs, bit for bit.
            let ordered = reasons.enumerated().sorted {
                $0.element.contribution != $1.element.contribution
                    ? $0.element.contribution > $1.element.contribution : $0.offset < $1.offset
            }.map(\.element)
            return PhotoSuggestion(
                group: group, score: ordered.reduce(0) { $0 + $1.contribution }, reasons: ordered)
        }
        return ceiling.distinct(
            suggestions.sorted { $0.score != $1.score ? $0.score > $1.score : $0.group < $1.group }, limit: limit
        ) { $0.group }
    }

    private func isAllowed(_ group: UInt32, for photo: PhotoContext) -> Bool {
        guard model.shows(group), !photo.groups.contains(group) else { return false }
        if let last = model.lastActiveAt(of: Int(group)), last < instant - Self.idleDays * 86_400 { return false }
        return model.joinPolicy(of: Int(group)) != .invite || photo.ownerGroups[group] != nil
            || photo.ownerMemberships.contains(group)
    }

    /// Returns the groups whose neighbours are suggested, with weights.
    ///
    /// The weights sum to 1, or to less if little is known about the owner.
    private func seeds(of photo: PhotoContext) -> [(group: UInt32, weight: Double)] {
        guard photo.groups.isEmpty else {
            return photo.groups.map { (group: $0, weight: 1 / Double(photo.groups.count)) }
        }
        guard photo.ownerGroups.isEmpty else {
            return photo.ownerGroups.map { (group: $0.key, weight: photo.ownerShare(ofPhotos: $0.value)) }
                .sorted { $0.group < $1.group }
        }
        let joined = photo.ownerMemberships.sorted()
        // Each group counts as if it had one photo of the owner.
        return joined.map { (group: $0, weight: 1 / Double(joined.count + PhotoContext.unknownPhotos)) }
    }

    /// Returns the neighbours of some groups, scored by plain cosine.
    private func similarReasons(to seeds: [(group: UInt32, weight: Double)]) -> Reasons {
        var reasons: Reasons = [:]
        for seed in seeds {
            for facts in relations.tabled where facts.weight > 0 {
                let weight =
                    weights.similarGroups * facts.weight * (facts.role == .pool ? 1 : weights.otherRelations)
                for neighbour in model.neighbours(of: Int(seed.group), by: facts.relation) {
                    let contribution =
                        weight * seed.weight * model.cosine(of: neighbour, to: Int(seed.group), by: facts.relation)
                    guard contribution > 0 else { continue }
                    reasons[neighbour.index, default: []].append(
                        .init(
                            evidence: .similarGroup(seed.group, by: facts.relation, common: neighbour.common),
                            contribution: contribution))
                }
            }
        }
        return reasons
    }

    /// Adds the weight of large pools to the groups found, and to as many of the largest groups as may be listed.
    private func addPopularity(to reasons: inout Reasons, for photo: PhotoContext, limit: Int) {
        guard weights.popularity > 0 else { return }
        let largest = ceiling.distinct(popular.groups.lazy.filter { isAllowed($0, for: photo) }, limit: limit) { $0 }
        for group in Set(reasons.keys).union(largest) {
            let share = popular.share(of: group)
            guard share > 0 else { continue }
            reasons[group, default: []].append(
                .init(evidence: .popular(count: popular.size(of: group)), contribution: weights.popularity * share))
        }
    }
}

extension PhotoRecommender {
    /// Reasons by group index.
    typealias Reasons = [UInt32: [PhotoSuggestion.Reason]]

    /// Returns the groups of photos that share a pool with the photo.
    func companionReasons(_ photo: PhotoContext) -> Reasons {
        photo.companions.filter { $0.value.share > 0 }.mapValues { companions in
            [
                .init(
                    evidence: .sharedPools(photos: companions.photos),
                    contribution: weights.sharedPools * companions.share)
            ]
        }
    }

    /// Returns the groups of photos that look like the photo.
    private func lookReasons(_ photo: PhotoContext, weight: Double) -> Reasons {
        guard weight > 0 else { return [:] }
        return LookVotes.reasons(
            photo.lookalikes, counts: popular.lookCounts, total: model.looks?.count ?? 0
        ).mapValues { reasons in
            reasons.map { .init(evidence: $0.evidence, contribution: weight * $0.contribution) }
        }
    }

    /// Returns the groups that a photo's tags, its location and its owner suggest.
    func contentReasons(_ photo: PhotoContext) -> Reasons {
        var reasons = tagReasons(photo.tags)
        reasons.merge(placeReasons(photo.place)) { $0 + $1 }
        reasons.merge(ownerReasons(photo)) { $0 + $1 }
        return reasons
    }

    /// Returns the cosines between a photo's tags, all with the same weight, and the groups' tags.
    private func tagReasons(_ tags: [String]) -> Reasons {
        // Tags without groups are left out: they would weaken the other tags.
        let known = Set(tags.map { Term.normalized($0) }).sorted().compactMap { tag in
            let postings = model.groups(withTag: tag)
            return postings.isEmpty ? nil : (tag: tag, postings: postings.prefix(Self.postingLimit))
        }
        var found: [UInt32: [(tag: String, weight: Double)]] = [:]
        for (tag, postings) in known {
            for posting in postings { found[posting.group, default: []].append((tag, Double(posting.weight))) }
        }
        let length = Double(known.count).squareRoot()
        return found.mapValues { tags in
            let telling = tags.enumerated().sorted {
                $0.element.weight != $1.element.weight
                    ? $0.element.weight > $1.element.weight : $0.offset < $1.offset
            }
            let cosine = tags.reduce(0) { $0 + $1.weight } / length
            return [.init(evidence: .tags(telling.map(\.element.tag)), contribution: weights.tags * cosine)]
        }
    }

    /// Returns the groups near a place, by the weight of its cell or half that of an adjacent one, if greater.
    private func placeReasons(_ place: PlaceCell?) -> Reasons {
        guard let place else { return [:] }
        var reasons: Reasons = [:]
        for cell in [place] + place.neighbours {
            for posting in model.groups(at: cell).prefix(Self.postingLimit) {
                let contribution = weights.place * Double(posting.weight) * (cell == place ? 1 : 0.5)
                guard contribution > reasons[posting.group]?[0].contribution ?? 0 else { continue }
                reasons[posting.group] = [.init(evidence: .place(cell), contribution: contribution)]
            }
        }
        return reasons
    }

    /// Returns the groups with other photos of the owner, by their share, and the groups that the owner is a member of.
    private func ownerReasons(_ photo: PhotoContext) -> Reasons {
        var reasons: Reasons = [:]
        for group in photo.ownerMemberships.union(photo.ownerGroups.keys) {
            let (photos, isMember) = (photo.ownerGroups[group] ?? 0, photo.ownerMemberships.contains(group))
            var contribution = isMember ? weights.ownerMembership : 0
            contribution += weights.ownerPhotos * photo.ownerShare(ofPhotos: photos)
            guard contribution > 0 else { continue }
            reasons[group] = [
                .init(evidence: .owner(photos: photos, isMember: isMember), contribution: contribution)
            ]
        }
        return reasons
    }
}
