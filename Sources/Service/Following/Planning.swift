public import Recommendation

/// What members' lists depend on, beside the model version and the member.
public struct Planning: Sendable {
    /// How a list is made.
    public var configuration = PlanConfiguration()
    /// What the order of all members depends on; the same on all daemons.
    public var key = RotationKey(0, 0)

    /// The defaults of the design, and a key that everybody knows.
    public init() {}
}
