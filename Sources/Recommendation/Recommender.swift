public import Model

/// Assembles lists of groups from a model version.
///
/// Pure: the same inputs give the same list.
public struct Recommender: Sendable {
    /// The groups and their neighbours.
    public let model: ModelVersion
    /// How relations are blended.
    public let relations: RelationTable

    /// A recommender over a model version.
    public init(model: ModelVersion, relations: RelationTable = .standard) {
        self.model = model
        self.relations = relations
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
        let factors = relations.factors(in: model)
        var capacity = 0
        for seed in seeds {
            for factor in factors { capacity += model.neighbours(of: Int(seed.group), by: factor.relation).count }
        }
        var scores = CandidateScores(capacity: min(capacity, model.groupCount))
        forEachContribution(of: seeds, factors) { _, _, neighbour, contribution in
            scores.add(contribution, to: neighbour.index)
        }
        let best = scores.best(limit, where: isAllowed)
        return explain(best, seeds: seeds, factors: factors)
    }

    private func forEachContribution(
        of seeds: [Seed], _ factors: [RelationFactor],
        _ body: (Seed, RelationFactor, Neighbour, Double) -> Void
    ) {
        for seed in seeds {
            for factor in factors {
                for neighbour in model.neighbours(of: Int(seed.group), by: factor.relation) {
                    body(seed, factor, neighbour, seed.weight * factor.factor * Double(neighbour.score))
                }
            }
        }
    }

    private func explain(
        _ best: [(group: UInt32, score: Double)], seeds: [Seed], factors: [RelationFactor]
    ) -> [Suggestion] {
        var reasons = Dictionary(uniqueKeysWithValues: best.map { ($0.group, [Suggestion.Reason]()) })
        forEachContribution(of: seeds, factors) { seed, factor, neighbour, contribution in
            reasons[neighbour.index]?.append(
                .init(
                    seed: seed.group, relation: factor.relation, contribution: contribution, common: neighbour.common,
                    relationIndex: factor.index))
        }
        return best.map { group, score in
            Suggestion(
                group: group, score: score, reasons: (reasons[group] ?? []).sorted(by: Suggestion.Reason.precedes))
        }
    }
}

/// What scores of a relation are multiplied by where relations are blended.
struct RelationFactor: Sendable {
    /// The index of the relation in the version.
    var index: Int
    var relation: Relation
    /// Its weight in units of the mean of its best scores, above 0.
    var factor: Double
}

extension RelationTable {
    /// The factors of the relations that count, in the order of the version's relations.
    func factors(in model: ModelVersion) -> [RelationFactor] {
        model.relations.enumerated().compactMap { index, relation in
            guard let weight = self[relation]?.weight, weight > 0 else { return nil }
            return RelationFactor(index: index, relation: relation, factor: weight / model.meanBestScore(of: relation))
        }
    }

    /// The factor of each relation of a version, by its index; 0 for one that does not count.
    func factorsByIndex(in model: ModelVersion) -> [Double] {
        var factors = [Double](repeating: 0, count: model.relations.count)
        for factor in self.factors(in: model) { factors[factor.index] = factor.factor }
        return factors
    }

    /// How many entries a group has in the relation of a role; 0 if there is none.
    func size(of group: Int, in role: RelationFacts.Role, _ model: ModelVersion) -> UInt32 {
        self[role].map { model.size(of: group, in: $0.relation) } ?? 0
    }
}
