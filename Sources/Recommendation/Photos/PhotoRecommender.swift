public import Model

/// Finds groups for a photo.
///
/// For a photo that is in pools: the groups of photos that share a pool with it, and the neighbours of its groups. For
/// another photo: the groups of its tags and its location, its owner's groups, and the neighbours of those. A group is
/// suggested only if the photo is not in it, if it was active within a year of the instant (or its last activity is
/// unknown), and if one may join it or the owner is there already. The caller makes sure that the groups and the photo
/// are public.
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
    private let instant: Int64

    /// A recommender over a model.
    ///
    /// - Parameter instant: the present, in Unix seconds.
    public init(
        model: VisibleModel, relations: RelationTable = .standard, weights: PhotoWeights = PhotoWeights(),
        at instant: Int64
    ) {
        self.model = model
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
        return photo.ownerGroups.map { (group: $0.key, weight: photo.ownerShare(ofPhotos: $0.value)) }
            .sorted { $0.group < $1.group }
    }

    /// The neighbours of some groups; one with the mean best score in every relation gets the full weight.
    private func similarReasons(to seeds: [(group: UInt32, weight: Double)]) -> [UInt32: [PhotoSuggestion.Reason]] {
        var reasons: [UInt32: [PhotoSuggestion.Reason]] = [:]
        let factors = relations.factors(in: model)
        let all = relations.reduce(0) { $0 + $1.weight }
        for seed in seeds {
            for factor in factors {
                for neighbour in model.neighbours(of: Int(seed.group), by: factor.relation) where neighbour.score > 0 {
                    reasons[neighbour.index, default: []].append(
                        .init(
                            evidence: .similarGroup(seed.group, by: factor.relation, common: neighbour.common),
                            contribution: weights.similarGroups * seed.weight * factor.factor / all
                                * Double(neighbour.score)))
                }
            }
        }
        return reasons
    }
}
