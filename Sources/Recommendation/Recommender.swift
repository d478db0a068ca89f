package import Model

/// Lists the groups that are similar to one, in a blend of relations.
///
/// A recommender is pure: the same inputs give the same list.
package struct Recommender: Sendable {
    /// The groups and their neighbours.
    package let model: VisibleModel
    package let relations: RelationTable
    /// The groups that are too similar to one another, of which a list has at most one.
    private let ceiling: SimilarityCeiling

    package init(model: VisibleModel, relations: RelationTable = .standard, _ ceiling: SimilarityCeiling = .none) {
        self.model = model
        self.relations = relations
        self.ceiling = ceiling
    }

    /// Returns the neighbours of a group in one relation, best first; boosts multiply the scores that order them.
    ///
    /// - Parameters:
    ///   - group: the index of the group.
    ///   - limit: the greatest number of neighbours.
    ///   - filter: the conditions for the neighbours.
    ///   - boosts: the factors for the order; the neighbours keep their scores.
    package func neighbours(
        of group: UInt32, by relation: Relation, limit: Int, filter: GroupFilter = .none, boosts: [Boost] = []
    ) -> [Neighbour] {
        let filter = AppliedFilter(filter, in: model, relations)
        var neighbours = model.neighbours(of: Int(group), by: relation)
        if let boosts = AppliedBoosts(boosts, in: model) {
            neighbours = boosts.ordered(neighbours) { (group: $0.index, score: Double($0.score)) }
        }
        return ceiling.distinct(neighbours.lazy.filter { filter?.passes($0.index) != false }, limit: limit) { $0.index }
    }

    /// Returns the groups that are similar to one by the relations of tables together.
    ///
    ///     s(j) = Σ over relations R of weight(R) · s_R(i, j) / (mean best score of R)
    ///
    /// - Parameters:
    ///   - group: the index of a group; nothing is similar to a group that the model does not show.
    ///   - limit: the greatest number of groups.
    ///   - filter: the conditions for the groups.
    ///   - boosts: the factors for the order; the groups keep their scores.
    /// - Returns: the groups, best first; equal scores in ascending order of the index, which is that of the external
    ///   ids' bytes.
    /// - Complexity: O(neighbours · log neighbours).
    package func similar(
        to group: UInt32, limit: Int, filter: GroupFilter = .none, boosts: [Boost] = []
    ) -> [Suggestion] {
        let filter = AppliedFilter(filter, in: model, relations)
        var suggestions: [Suggestion] = []
        var positions: [UInt32: Int] = [:]
        for factor in relations.factors(in: model) where relations.isTabled(factor.relation) {
            for neighbour in model.neighbours(of: Int(group), by: factor.relation)
            where neighbour.index != group && neighbour.score > 0 && filter?.passes(neighbour.index) != false {
                let position = positions[neighbour.index] ?? suggestions.count
                if position == suggestions.count {
                    positions[neighbour.index] = position
                    suggestions.append(Suggestion(group: neighbour.index, score: 0, reasons: []))
                }
                let contribution = factor.factor * Double(neighbour.score)
                suggestions[position].score += contribution
                suggestions[position].reasons.append(
                    .init(
                        seed: group, relation: factor.relation, contribution: contribution, common: neighbour.common,
                        relationIndex: factor.index))
            }
        }
        suggestions.sort { $0.score != $1.score ? $0.score > $1.score : $0.group < $1.group }
        if let boosts = AppliedBoosts(boosts, in: model) {
            suggestions = boosts.ordered(suggestions) { (group: $0.group, score: $0.score) }
        }
        return ceiling.distinct(suggestions, limit: limit) { $0.group }.map { suggestion in
            var suggestion = suggestion
            suggestion.reasons.sort(by: Suggestion.Reason.precedes)
            return suggestion
        }
    }
}

/// The factor of a relation's scores in a blend of relations.
struct RelationFactor: Sendable {
    var index: Int
    var relation: Relation
    /// The relation's weight divided by the mean of its best scores; above 0.
    var factor: Double
}

extension RelationTable {
    /// Returns the factors of the relations that count, in the order of the version's relations.
    func factors(in model: VisibleModel) -> [RelationFactor] {
        model.relations.enumerated().compactMap { index, relation in
            guard let weight = self[relation]?.weight, weight > 0 else { return nil }
            return RelationFactor(index: index, relation: relation, factor: weight / model.meanBestScore(of: relation))
        }
    }

    /// Returns the factor of each relation of a version, by its index; 0 for one that does not count.
    func factorsByIndex(in model: VisibleModel) -> [Double] {
        var factors = [Double](repeating: 0, count: model.relations.count)
        for factor in self.factors(in: model) { factors[factor.index] = factor.factor }
        return factors
    }

    /// Returns the number of a group's entries in the relation of a role, or 0 if there is none.
    func size(of group: Int, in role: RelationDescription.Role, _ model: VisibleModel) -> UInt32 {
        self[role].map { model.size(of: group, in: $0.relation) } ?? 0
    }

    /// Returns these numbers of all groups; zeros if there is no such relation.
    func sizes(in role: RelationDescription.Role, _ model: VisibleModel) -> [UInt32] {
        self[role].map { model.sizes(in: $0.relation) } ?? [UInt32](repeating: 0, count: model.groupCount)
    }
}

/// A group that is suggested, with the reasons.
package struct Suggestion: Sendable, Equatable {
    /// The group's index in the model.
    package var group: UInt32
    /// The sum of the reasons' contributions.
    package var score: Double
    /// The reasons, the largest contribution first.
    ///
    /// Equal ones go by group index, then by the order of the version's relations.
    package var reasons: [Reason]

    /// A part of a suggestion's score.
    package struct Reason: Sendable, Equatable {
        /// The group whose neighbour the suggestion is.
        package var seed: UInt32
        /// The relation in which it is a neighbour.
        package var relation: Relation
        /// The part of the score that this reason contributes.
        package var contribution: Double
        /// The number of entries that the two groups have in common in that relation.
        package var common: UInt32
        var relationIndex: Int
    }
}

extension Suggestion.Reason {
    /// Returns whether a reason comes before another: the largest contribution first.
    ///
    /// Equal ones go by group index, then by the order of the version's relations.
    static func precedes(_ left: Self, _ right: Self) -> Bool {
        if left.contribution != right.contribution { return left.contribution > right.contribution }
        if left.seed != right.seed { return left.seed < right.seed }
        return left.relationIndex < right.relationIndex
    }
}
