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
