/// The stages from a profile to a list, in their order.
public enum PlanStage: String, Sendable, CaseIterable {
    /// Takes the groups that the member has joined.
    case profile
    /// Collects their neighbours.
    case candidates
    /// Adds what the size of a group counts by evidence, if it counts anything.
    case popularity
    /// Clusters the joined groups into interests.
    case interests
    /// Removes groups that may not be shown, are inactive, or are too similar to a joined one.
    case filters
    /// Raises groups in their season, and lowers those out of it.
    case season
    /// Changes the order every few hours.
    case rotation
    /// Lowers groups shown often without a click, and neighbours of dismissed ones.
    case fatigue
    /// Gives each interest its share, and avoids groups that are similar to one another.
    case diversity
    /// Adds groups about stated interests, curated, trending and popular groups.
    case coldStart = "cold-start"

    /// Whether a list can be made without it.
    public var canBeOmitted: Bool {
        switch self {
        case .profile, .interests, .candidates: false
        case .popularity, .filters, .season, .rotation, .fatigue, .diversity, .coldStart: true
        }
    }
}

/// The report of one stage.
public struct StageReport: Sendable, Equatable {
    /// The stage.
    public var stage: PlanStage
    /// The number of groups it received.
    public var taken: Int
    /// The number of groups it passed on.
    public var passed: Int
    /// Further facts, in a few words.
    public var note: String
}
