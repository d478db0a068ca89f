public import Model

/// Lists the groups that are similar to one, in a blend of relations.
///
/// Pure: the same inputs give the same list.
public struct Recommender: Sendable {
    /// The groups and their neighbours.
    public let model: VisibleModel
    /// How relations are blended.
    public let relations: RelationTable

    /// A recommender over a model.
    public init(model: VisibleModel, relations: RelationTable = .standard) {
        self.model = model
        self.relations = relations
    }

    /// The neighbours of a group in one relation, best first.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - filter: what is asked of the groups.
    public func neighbours(of group: UInt32, by relation: Relation, limit: Int, filter: GroupFilter = .none)
        -> [Neighbour]
    {
        let filter = AppliedFilter(filter, in: model, relations)
        let neighbours = model.neighbours(of: Int(group), by: relation)
        return Array(neighbours.lazy.filter { filter?.passes($0.index) != false }.prefix(limit))
    }

    /// Groups that are similar to one.
    ///
    /// s(j) = Σ over relations R of weight(R) · s_R(i, j) / (mean best score of R)
    ///
    /// - Parameters:
    ///   - group: the index of a group; nothing is similar to one that the model does not show.
    ///   - limit: how many at most.
    ///   - filter: what is asked of the groups.
    /// - Returns: best first; equal scores in ascending order of the group index, which is that of the
    ///   external ids' bytes.
    /// - Complexity: O(neighbours · log neighbours).
    public func similar(to group: UInt32, limit: Int, filter: GroupFilter = .none) -> [Suggestion] {
        let filter = AppliedFilter(filter, in: model, relations)
        var suggestions: [Suggestion] = []
        var positions: [UInt32: Int] = [:]
        for factor in relations.factors(in: model) {
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
        return suggestions.prefix(limit).map { suggestion in
            var suggestion = suggestion
            suggestion.reasons.sort(by: Suggestion.Reason.precedes)
            return suggestion
        }
    }
}
