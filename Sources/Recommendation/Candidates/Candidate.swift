/// An element that can be ranked: best first by a score of 0 or more, equal ones in ascending order of the group.
protocol Ranked {
    /// The score that decides the rank.
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
    let score: Double
    let group: UInt32
    private let ownInterest: Int32

    /// Creates a candidate.
    ///
    /// - Parameters:
    ///   - group: the group's index in the model.
    ///   - score: the raw score, above 0.
    ///   - interest: the interest of the joined group that contributes most, as in `Candidate.interest`.
    init(group: UInt32, score: Double, interest: Int) {
        self.score = score
        self.group = group
        ownInterest = Int32(truncatingIfNeeded: interest)
    }

    /// The index of the interest of the joined group that contributes most, as in `Candidate.interest`.
    var interest: Int { Int(ownInterest) }
    var rankingScore: Double { score }
}

/// A group that may come into a list, with its score after each stage.
struct Candidate: Ranked {
    /// The group's index in the model.
    let group: UInt32
    private let ownInterest: Int32
    /// The raw score: the sum of the contributions of the member's groups and of its size.
    let score: Double
    /// The score that orders the list, after season, boosts, rotation and fatigue.
    var adjusted: Double
    /// The factor that rotation multiplied the score by.
    private(set) var noise: Float = 1
    /// The factor that the boosts of the request multiplied the score by.
    private(set) var boost: Float = 1
    /// The factor that the season multiplied the score by, in percent.
    private var seasonPercent: UInt8 = 100
    /// The reason why the candidate was selected when it was.
    var cause = Selection.Choice.Cause.score

    init(_ raw: RawCandidate) {
        group = raw.group
        score = raw.score
        adjusted = raw.score
        ownInterest = Int32(truncatingIfNeeded: raw.interest)
    }

    /// Creates a candidate before any stage.
    ///
    /// - Parameters:
    ///   - group: the group's index in the model.
    ///   - score: the raw score, above 0.
    init(group: UInt32, score: Double, interest: Int) {
        self.init(RawCandidate(group: group, score: score, interest: interest))
    }

    /// The index of the interest of the joined group that contributes most.
    ///
    /// The number of the interests stands for none, if no joined group contributes.
    var interest: Int { Int(ownInterest) }

    /// The factor that the season multiplied the score by.
    var season: Double { Double(seasonPercent) / 100 }

    /// Multiplies the adjusted score by the seasonal factor.
    mutating func take(seasonPercent: UInt8) {
        self.seasonPercent = seasonPercent
        adjusted *= season
    }

    /// Multiplies the adjusted score by the boosts of the request.
    mutating func take(boost: Double) {
        self.boost = Float(boost)
        adjusted *= Double(self.boost)
    }

    /// Multiplies the adjusted score by the noise of rotation.
    mutating func take(noise: Double) {
        self.noise = Float(noise)
        adjusted *= Double(self.noise)
    }

    var rankingScore: Double { adjusted }
}
