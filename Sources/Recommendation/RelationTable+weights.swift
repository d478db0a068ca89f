import Model

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
    func factors(in model: VisibleModel) -> [RelationFactor] {
        model.relations.enumerated().compactMap { index, relation in
            guard let weight = self[relation]?.weight, weight > 0 else { return nil }
            return RelationFactor(index: index, relation: relation, factor: weight / model.meanBestScore(of: relation))
        }
    }

    /// The factor of each relation of a version, by its index; 0 for one that does not count.
    func factorsByIndex(in model: VisibleModel) -> [Double] {
        var factors = [Double](repeating: 0, count: model.relations.count)
        for factor in self.factors(in: model) { factors[factor.index] = factor.factor }
        return factors
    }

    /// How many entries a group has in the relation of a role; 0 if there is none.
    func size(of group: Int, in role: RelationFacts.Role, _ model: VisibleModel) -> UInt32 {
        self[role].map { model.size(of: group, in: $0.relation) } ?? 0
    }
}
