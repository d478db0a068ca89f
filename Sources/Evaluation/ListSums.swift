/// Sums over members, from which the measures are computed as ratios and means.
public struct ListSums: Sendable {
    struct PipelineSums: Sendable {
        var stored = 0.0
        var exact = 0.0
        var recall = 0.0
        var gain = 0.0
        /// Only members whose baseline list has a score.
        var keptScore = 0.0
        var shareError = 0.0
        var fullLists = 0.0
    }

    private var pipelines = [PipelineSums](repeating: PipelineSums(), count: ListExperiment.Pipeline.allCases.count)
    private var members = 0
    private var scoredMembers = 0
    private var testedMembers = 0
    private var change = 0.0
    private var kept = 0.0
    private var rotatedMembers = 0

    /// No members yet.
    public init() {}

    /// Counts a member; the member's lists are added separately.
    mutating func addMember(isScored: Bool, isTested: Bool) {
        members += 1
        if isScored { scoredMembers += 1 }
        if isTested { testedMembers += 1 }
    }

    /// Adds a member's list.
    ///
    /// - Parameter weight: 1, or less if it is one of several lists of the same member and pipeline.
    mutating func add(
        _ pipeline: ListExperiment.Pipeline, score: Double, baselineScore: Double, stored: Double, exact: Double,
        accuracy: Accuracy?, shareError: Double?, weight: Double
    ) {
        let index = pipeline.rawValue
        pipelines[index].stored += weight * stored
        pipelines[index].exact += weight * exact
        pipelines[index].recall += weight * (accuracy?.recall ?? 0)
        pipelines[index].gain += weight * (accuracy?.gain ?? 0)
        if baselineScore > 0 { pipelines[index].keptScore += weight * score / baselineScore }
        if let shareError {
            pipelines[index].shareError += weight * shareError
            pipelines[index].fullLists += weight
        }
    }

    mutating func addRotation(change: Double, kept: Double) {
        self.change += change
        self.kept += kept
        rotatedMembers += 1
    }

    /// Adds the sums of other members.
    public mutating func merge(_ other: ListSums) {
        for index in pipelines.indices {
            pipelines[index].stored += other.pipelines[index].stored
            pipelines[index].exact += other.pipelines[index].exact
            pipelines[index].recall += other.pipelines[index].recall
            pipelines[index].gain += other.pipelines[index].gain
            pipelines[index].keptScore += other.pipelines[index].keptScore
            pipelines[index].shareError += other.pipelines[index].shareError
            pipelines[index].fullLists += other.pipelines[index].fullLists
        }
        members += other.members
        scoredMembers += other.scoredMembers
        testedMembers += other.testedMembers
        change += other.change
        kept += other.kept
        rotatedMembers += other.rotatedMembers
    }

    /// The measures of a pipeline, with the raw pipeline as the baseline.
    public func measures(of pipeline: ListExperiment.Pipeline) -> ListMeasures {
        let sums = pipelines[pipeline.rawValue]
        func ratio(_ part: Double, _ whole: Double) -> Double { whole > 0 ? part / whole : 0 }
        return ListMeasures(
            members: members, storedCut: 1 - ratio(sums.stored, pipelines[0].stored),
            exactCut: 1 - ratio(sums.exact, pipelines[0].exact),
            loss: 1 - ratio(sums.keptScore, Double(scoredMembers)),
            shareError: ratio(sums.shareError, sums.fullLists),
            recall: testedMembers > 0 ? sums.recall / Double(testedMembers) : nil,
            gain: testedMembers > 0 ? sums.gain / Double(testedMembers) : nil)
    }

    /// The effect of rotation from one bucket to the next, over members with 100 candidates or more.
    public var rotation: (members: Int, change: Double, kept: Double) {
        let count = Double(max(1, rotatedMembers))
        return (rotatedMembers, change / count, kept / count)
    }
}

/// The measures of a pipeline's lists, relative to the best 20 groups by raw score.
public struct ListMeasures: Sendable, Equatable {
    /// The number of members, including those with an empty list.
    public var members: Int
    /// The relative decrease of intra-list similarity over stored pairs: a ratio of means.
    public var storedCut: Double
    /// The same over all pairs.
    public var exactCut: Double
    /// The relative decrease of the sum of raw scores: a mean of ratios.
    public var loss: Double
    /// The difference between the interests' shares of a full list and those of the profile.
    public var shareError: Double
    /// recall@20; nil without held-out memberships.
    public var recall: Double?
    /// NDCG@20; nil without held-out memberships.
    public var gain: Double?
}
