public import Model

/// Finds groups for a photo.
///
/// For a photo that is in pools: the groups of photos that share a pool with it, and the neighbours of its groups. For
/// another photo: the groups of its tags and its location, its owner's groups, and the neighbours of those. Groups with
/// large pools fill up. A group is suggested only if the photo is not in it, if it was active within a year of the
/// instant (or its last activity is unknown), and if one may join it or the owner is there already. The caller makes
/// sure that the groups and the photo are public.
///
/// Pure: the same inputs give the same list.
public struct PhotoRecommender: Sendable {
    /// Groups without activity for longer than this are not suggested, in days.
    public static let idleDays: Int64 = 365
    /// The most postings of a tag or a location that are considered, the strongest first; it bounds the work.
    static let postingLimit = 2000

    let model: VisibleModel
    let relations: RelationTable
    let weights: PhotoWeights
    private let popular: PopularPools
    private let instant: Int64

    /// A recommender over a model.
    ///
    /// - Parameters:
    ///   - popular: of the same version.
    ///   - instant: the present, in Unix seconds.
    public init(
        model: VisibleModel, popular: PopularPools, relations: RelationTable = .standard,
        weights: PhotoWeights = PhotoWeights(), at instant: Int64
    ) {
        self.model = model
        self.popular = popular
        self.relations = relations
        self.weights = weights
        self.instant = instant
    }

    /// The groups that a public photo could go to, best first; equal scores in ascending order of the group index.
    ///
    /// - Parameter limit: how many at most.
    public func suggestions(for photo: PhotoContext, limit: Int) -> [PhotoSuggestion] {
        var reasons = photo.groups.isEmpty ? contentReasons(photo) : companionReasons(photo)
        reasons.merge(similarReasons(to: seeds(of: photo))) { $0 + $1 }
        addPopularity(to: &reasons, for: photo, limit: limit)
        let suggestions = reasons.lazy.filter { isAllowed($0.key, for: photo) }.map { group, reasons in
            // A stable order, so that the same inputs give the same sum, bit for bit.
            let ordered = reasons.enumerated().sorted {
                $0.element.contribution != $1.element.contribution
                    ? $0.element.contribution > $1.element.contribution : $0.offset < $1.offset
            }.map(\.element)
            return PhotoSuggestion(
                group: group, score: ordered.reduce(0) { $0 + $1.contribution }, reasons: ordered)
        }
        return Array(
            suggestions.sorted { $0.score != $1.score ? $0.score > $1.score : $0.group < $1.group }.prefix(limit))
    }

    private func isAllowed(_ group: UInt32, for photo: PhotoContext) -> Bool {
        guard model.shows(group), !photo.groups.contains(group) else { return false }
        if let last = model.lastActiveAt(of: Int(group)), last < instant - Self.idleDays * 86_400 { return false }
        return model.joinPolicy(of: Int(group)) != .invite || photo.ownerGroups[group] != nil
            || photo.ownerMemberships.contains(group)
    }

    /// The groups whose neighbours are suggested; their weights sum to 1, or to less if little is known about the
    /// owner.
    private func seeds(of photo: PhotoContext) -> [(group: UInt32, weight: Double)] {
        guard photo.groups.isEmpty else {
            return photo.groups.map { (group: $0, weight: 1 / Double(photo.groups.count)) }
        }
        guard photo.ownerGroups.isEmpty else {
            return photo.ownerGroups.map { (group: $0.key, weight: photo.ownerShare(ofPhotos: $0.value)) }
                .sorted { $0.group < $1.group }
        }
        let joined = photo.ownerMemberships.sorted()
        // As if each had one photo of the owner.
        return joined.map { (group: $0, weight: 1 / Double(joined.count + PhotoContext.unknownPhotos)) }
    }

    /// The neighbours of some groups, by plain cosine.
    private func similarReasons(to seeds: [(group: UInt32, weight: Double)]) -> Reasons {
        var reasons: Reasons = [:]
        for seed in seeds {
            for facts in relations where facts.weight > 0 {
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

    /// Adds what large pools count, to the groups that were found and to as many of the largest as may be listed.
    private func addPopularity(to reasons: inout Reasons, for photo: PhotoContext, limit: Int) {
        guard weights.popularity > 0 else { return }
        let largest = popular.groups.lazy.filter { isAllowed($0, for: photo) }.prefix(limit)
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

    /// The groups of photos that share a pool with the photo.
    func companionReasons(_ photo: PhotoContext) -> Reasons {
        photo.companions.filter { $0.value.share > 0 }.mapValues { companions in
            [
                .init(
                    evidence: .sharedPools(photos: companions.photos),
                    contribution: weights.sharedPools * companions.share)
            ]
        }
    }

    /// The groups suggested by a photo's tags, its location and its owner.
    func contentReasons(_ photo: PhotoContext) -> Reasons {
        var reasons = tagReasons(photo.tags)
        reasons.merge(placeReasons(photo.place)) { $0 + $1 }
        reasons.merge(ownerReasons(photo)) { $0 + $1 }
        return reasons
    }

    /// The cosine between a photo's tags, all with the same weight, and a group's tags.
    private func tagReasons(_ tags: [String]) -> Reasons {
        // Tags without groups are left out, so that they do not weaken the others.
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

    /// The weight of the photo's own cell, or half the weight of an adjacent cell, whichever is greater.
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

    /// The groups with other photos of the owner, by their share, and those that the owner is a member of.
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
