/// The steps from a profile to a list, in their order.
public enum PlanStage: String, Sendable, CaseIterable {
    /// The groups that the member has joined.
    case profile
    /// Clusters of them.
    case interests
    /// Their neighbours.
    case candidates
    /// What may be shown, without what is too similar to a joined group.
    case filters
    /// Groups whose time of the year it is rise.
    case season
    /// A new order every few hours.
    case rotation
    /// Groups shown often without a click, and neighbours of dismissed ones, sink.
    case fatigue
    /// Interests in turns, without repetition.
    case diversity
    /// Stated interests, curated picks and trending fill up.
    case coldStart = "cold-start"

    /// Whether a list can be made without it.
    public var canBeOmitted: Bool {
        switch self {
        case .profile, .interests, .candidates: false
        case .filters, .season, .rotation, .fatigue, .diversity, .coldStart: true
        }
    }
}

/// What a stage did.
public struct StageReport: Sendable, Equatable {
    /// The stage.
    public var stage: PlanStage
    /// Groups it was given.
    public var taken: Int
    /// Groups it passed on.
    public var passed: Int
    /// What else there is to say, in a few words.
    public var note: String
}
