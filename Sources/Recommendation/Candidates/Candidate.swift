/// A group that is a neighbour of a group that the member has joined.
struct Candidate {
    /// The group's index in the model.
    let group: UInt32
    private let ownInterest: Int32
    /// The raw score s: the sum of the contributions of the member's groups.
    let score: Double
    /// The score by which the list is ordered, after season, rotation and fatigue.
    var adjusted: Double
    /// What rotation multiplied the score by.
    private(set) var noise: Float = 1
    /// Why it was selected when it was.
    var cause = Selection.Choice.Cause.score

    /// A candidate that no stage has looked at.
    ///
    /// - Parameters:
    ///   - score: above 0.
    ///   - interest: the index of the interest of the joined group that is its strongest reason.
    init(group: UInt32, score: Double, interest: Int) {
        self.group = group
        self.score = score
        adjusted = score
        ownInterest = Int32(truncatingIfNeeded: interest)
    }

    /// The index of the interest of the joined group that is its strongest reason.
    var interest: Int { Int(ownInterest) }

    /// Multiplies the adjusted score by the noise of rotation.
    mutating func take(noise: Double) {
        self.noise = Float(noise)
        adjusted *= Double(self.noise)
    }

    /// Best first: by the adjusted score, equal ones in ascending order of the group.
    static func precedes(_ left: Candidate, _ right: Candidate) -> Bool {
        left.adjusted != right.adjusted ? left.adjusted > right.adjusted : left.group < right.group
    }
}
