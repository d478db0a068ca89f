/// What a plan depends on, beside the model version and the planner's configuration and key.
public struct PlanRequest: Sendable, Equatable {
    /// Whom it is for.
    public var profile: MemberProfile
    /// The moment it is made, in Unix milliseconds.
    public var atMilliseconds: Int64
    /// Another seed gives another order; 0 as a rule.
    public var seed: UInt64
    /// Groups that must not be shown to anybody.
    public var hidden: Set<UInt32>

    /// A request.
    public init(profile: MemberProfile, atMilliseconds: Int64, seed: UInt64 = 0, hidden: Set<UInt32> = []) {
        self.profile = profile
        self.atMilliseconds = atMilliseconds
        self.seed = seed
        self.hidden = hidden
    }
}
