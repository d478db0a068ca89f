import Recommendation

/// The lists that are compared: two that a personal list has to beat, and the personal one with ever more stages.
public enum EvaluatedList: String, Sendable, CaseIterable {
    /// The groups with the most members.
    case popular
    /// The sums of plain cosines by members, X = Y = 1.
    case cosine
    /// The sums by members, as the model has them.
    case raw
    /// The sums by all relations, and what the size of a group counts.
    case blend
    /// And without groups that may not be shown, or are too similar to a joined one.
    case filters
    /// And with diversity.
    case diversity
    /// And with rotation.
    case rotation
    /// What is served: all stages.
    case served

    /// In the order in which stages are added.
    static let blended: [EvaluatedList] = [.blend, .filters, .diversity, .rotation, .served]

    /// Whether it changes from one bucket to the next.
    public var rotates: Bool { self == .rotation || self == .served }

    /// The stages that it is made without.
    var omitted: Set<PlanStage> {
        switch self {
        case .popular, .cosine, .raw:
            [.popularity, .filters, .season, .rotation, .fatigue, .diversity, .coldStart]
        case .blend: [.filters, .season, .rotation, .fatigue, .diversity, .coldStart]
        case .filters: [.season, .rotation, .fatigue, .diversity, .coldStart]
        case .diversity: [.season, .rotation, .fatigue, .coldStart]
        case .rotation: [.season, .fatigue, .coldStart]
        case .served: []
        }
    }
}
