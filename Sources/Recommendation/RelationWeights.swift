public import Model

/// The weight of each relation in a blend.
///
/// A relation's scores are divided by the mean of its best scores first, which makes relations
/// comparable; a weight of 0 leaves a relation out.
public struct RelationWeights: Sendable, Equatable {
    /// The weight of neighbours by photos, 0 or more.
    public var photos: Double
    /// The weight of neighbours by members, 0 or more.
    public var members: Double

    /// Equal weights unless said otherwise.
    public init(photos: Double = 1, members: Double = 1) {
        self.photos = photos
        self.members = members
    }

    /// Only one relation.
    public init(only relation: Relation) {
        self.init(photos: relation == .photos ? 1 : 0, members: relation == .members ? 1 : 0)
    }

    /// The weight of a relation.
    public subscript(relation: Relation) -> Double {
        switch relation {
        case .photos: photos
        case .members: members
        }
    }

    /// What a score of a relation is multiplied by; 0 if the relation does not count.
    func factor(of relation: Relation, in model: ModelVersion) -> Double {
        let weight = self[relation]
        return weight > 0 ? weight / model.meanBestScore(of: relation) : 0
    }

    /// The factors of the relations that count.
    func factors(in model: ModelVersion) -> [(relation: Relation, factor: Double)] {
        Relation.allCases.map { ($0, factor(of: $0, in: model)) }.filter { $0.factor > 0 }
    }
}
