/// A group in a member's list.
public struct PlanItem: Sendable, Equatable {
    /// Why a group is in the list at all.
    public enum Origin: String, Sendable, CaseIterable {
        /// Groups that the member has joined brought it.
        case personal
        /// It is about a stated interest.
        case topic
        /// Somebody of the site picked it.
        case curated
        /// It grows faster than usual.
        case trending
        /// It has more members than others, and nothing better is known.
        case popular
    }

    /// The group's index in the model.
    public var group: UInt32
    /// The raw score s; 0 unless the origin is personal.
    public var score: Double
    /// The interest it serves, as a position in the plan's list of interests; nil unless the origin is personal.
    public var interest: Int?
    /// Why it is in the list.
    public var origin: Origin

    /// An item.
    public init(group: UInt32, score: Double, interest: Int?, origin: Origin) {
        self.group = group
        self.score = score
        self.interest = interest
        self.origin = origin
    }
}
