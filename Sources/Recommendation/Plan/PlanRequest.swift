public import Model

/// What a plan depends on, beside the model version and the planner's configuration and key.
public struct PlanRequest: Sendable, Equatable {
    /// Whom it is for; without memberships in hidden groups, which must not be told as reasons either.
    public var profile: MemberProfile
    /// The moment it is made, in Unix milliseconds.
    public var atMilliseconds: Int64
    /// Another seed gives another order; 0 as a rule.
    public var seed: UInt64
    /// Groups that must not be shown to anybody.
    public var hidden: Set<UInt32>
    /// Groups that are put forward; nil: those of the model version.
    public var curated: [CuratedGroup]?

    /// A request.
    public init(
        profile: MemberProfile, atMilliseconds: Int64, seed: UInt64 = 0, hidden: Set<UInt32> = [],
        curated: [CuratedGroup]? = nil
    ) {
        self.profile = profile
        self.profile.joined.removeAll { hidden.contains($0.group) }
        self.atMilliseconds = atMilliseconds
        self.seed = seed
        self.hidden = hidden
        self.curated = curated
    }
}
