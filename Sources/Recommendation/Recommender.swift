public import Model

/// Assembles lists of groups from a model version.
///
/// Pure: the same inputs give the same list.
public struct Recommender: Sendable {
    /// The groups and their neighbours.
    public let model: ModelVersion
    /// How relations are blended.
    public let weights: RelationWeights

    /// A recommender over a model version.
    public init(model: ModelVersion, weights: RelationWeights = RelationWeights()) {
        self.model = model
        self.weights = weights
    }

    /// The best neighbours of some groups: scores are summed over seeds and relations.
    ///
    /// s(j) = Σ over seeds i and relations R of weight(i) · weight(R) · s_R(i, j) / (mean best score of R)
    ///
    /// - Parameters:
    ///   - seeds: the groups that speak; a group index outside the model is passed over.
    ///   - limit: how many at most.
    ///   - isAllowed: whether a group may be suggested.
    /// - Returns: best first; equal scores in ascending order of the group index, that is of the bytes of the external id.
    /// - Complexity: O(neighbours of the seeds).
    public func suggest(seeds: [Seed], limit: Int, where isAllowed: (UInt32) -> Bool) -> [Suggestion] {
        // In one order whatever the caller's, so that floating-point sums are the same bit for bit.
        let seeds = seeds.filter { Int($0.group) < model.groupCount }.sorted {
            $0.group != $1.group ? $0.group < $1.group : $0.weight < $1.weight
        }
        let factors = weights.factors(in: model)
        var capacity = 0
        for seed in seeds {
            for (relation, _) in factors { capacity += model.neighbours(of: Int(seed.group), by: relation).count }
        }
        var scores = CandidateScores(capacity: min(capacity, model.groupCount))
        forEachContribution(of: seeds, factors) { _, _, neighbour, contribution in
            scores.add(contribution, to: neighbour.index)
        }
        let best = scores.best(limit, where: isAllowed)
        return explain(best, seeds: seeds, factors: factors)
    }

    private func forEachContribution(
        of seeds: [Seed], _ factors: [(relation: Relation, factor: Double)],
        _ body: (Seed, Relation, Neighbour, Double) -> Void
    ) {
        for seed in seeds {
            for (relation, factor) in factors {
                for neighbour in model.neighbours(of: Int(seed.group), by: relation) {
                    body(seed, relation, neighbour, seed.weight * factor * Double(neighbour.score))
                }
            }
        }
    }

    private func explain(
        _ best: [(group: UInt32, score: Double)], seeds: [Seed], factors: [(relation: Relation, factor: Double)]
    ) -> [Suggestion] {
        var reasons = Dictionary(uniqueKeysWithValues: best.map { ($0.group, [Suggestion.Reason]()) })
        forEachContribution(of: seeds, factors) { seed, relation, neighbour, contribution in
            reasons[neighbour.index]?.append(
                .init(seed: seed.group, relation: relation, contribution: contribution, common: neighbour.common))
        }
        return best.map { group, score in
            Suggestion(
                group: group, score: score, reasons: (reasons[group] ?? []).sorted(by: Suggestion.Reason.precedes))
        }
    }
}
