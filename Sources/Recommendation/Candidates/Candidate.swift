/// A group that is a neighbour of a group the member has joined.
struct Candidate {
    /// The group's index in the model.
    var group: UInt32
    /// s: the sum of what the member's groups contribute.
    var score: Double
    /// The interest whose groups give most of the score; its position in the list of interests.
    var interest: Int
    /// The score by which the list is ordered, after season, rotation and fatigue.
    var adjusted: Double

    /// Best first: by the adjusted score, equal ones in ascending order of the group.
    static func precedes(_ left: Candidate, _ right: Candidate) -> Bool {
        left.adjusted != right.adjusted ? left.adjusted > right.adjusted : left.group < right.group
    }
}
