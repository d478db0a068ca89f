/// What can be ranked: best first by a score of 0 or more, equal ones in ascending order of the group.
protocol Ranked {
    /// The score by which it is ranked.
    var rankingScore: Double { get }
    /// The group's index in the model.
    var group: UInt32 { get }
}

extension Ranked {
    @inline(__always)
    static func precedes(_ left: Self, _ right: Self) -> Bool {
        left.rankingScore != right.rankingScore ? left.rankingScore > right.rankingScore : left.group < right.group
    }
}

/// A candidate before any stage: small, since there are thousands.
struct RawCandidate: Ranked {
    /// The raw score.
    let score: Double
    let group: UInt32
    private let ownInterest: Int32

    /// - Parameters:
    ///   - score: above 0.
    ///   - interest: the index of the interest of the joined group that is its strongest reason.
    init(group: UInt32, score: Double, interest: Int) {
        self.score = score
        self.group = group
        ownInterest = Int32(truncatingIfNeeded: interest)
    }

    /// The index of the interest of the joined group that is its strongest reason.
    var interest: Int { Int(ownInterest) }
    var rankingScore: Double { score }
}

/// A group that is a neighbour of a group that the member has joined.
struct Candidate: Ranked {
    /// The group's index in the model.
    let group: UInt32
    private let ownInterest: Int32
    /// The raw score s: the sum of the contributions of the member's groups.
    let score: Double
    /// The score by which the list is ordered, after season, rotation and fatigue.
    var adjusted: Double
    /// What rotation multiplied the score by.
    private(set) var noise: Float = 1
    /// What the season multiplied the score by, in percent.
    private var seasonPercent: UInt8 = 100
    /// Why it was selected when it was.
    var cause = Selection.Choice.Cause.score

    /// A candidate that no stage has looked at.
    init(_ raw: RawCandidate) {
        group = raw.group
        score = raw.score
        adjusted = raw.score
        ownInterest = Int32(truncatingIfNeeded: raw.interest)
    }

    /// A candidate that no stage has looked at.
    ///
    /// - Parameters:
    ///   - score: above 0.
    ///   - interest: the index of the interest of the joined group that is its strongest reason; the number of the
    ///     interests if there is none.
    init(group: UInt32, score: Double, interest: Int) {
        self.init(RawCandidate(group: group, score: score, interest: interest))
    }

    /// The index of the interest of the joined group that is its strongest reason; the number of the interests if there
    /// is none.
    var interest: Int { Int(ownInterest) }

    /// What the season multiplied the score by.
    var season: Double { Double(seasonPercent) / 100 }

    /// Multiplies the adjusted score by what the season says.
    mutating func take(seasonPercent: UInt8) {
        self.seasonPercent = seasonPercent
        adjusted *= season
    }

    /// Multiplies the adjusted score by the noise of rotation.
    mutating func take(noise: Double) {
        self.noise = Float(noise)
        adjusted *= Double(self.noise)
    }

    var rankingScore: Double { adjusted }
}
