/// Sums over members, of which the measures are ratios and means.
public struct ListSums: Sendable {
    struct PipelineSums: Sendable {
        var stored = 0.0
        var exact = 0.0
        var recall = 0.0
        var gain = 0.0
        /// Over members whose baseline has a score.
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

    /// Nothing yet.
    public init() {}

    /// Counts a member, whose lists are added by themselves.
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
        let place = pipeline.rawValue
        pipelines[place].stored += weight * stored
        pipelines[place].exact += weight * exact
        pipelines[place].recall += weight * (accuracy?.recall ?? 0)
        pipelines[place].gain += weight * (accuracy?.gain ?? 0)
        if baselineScore > 0 { pipelines[place].keptScore += weight * score / baselineScore }
        if let shareError {
            pipelines[place].shareError += weight * shareError
            pipelines[place].fullLists += weight
        }
    }

    mutating func addRotation(change: Double, kept: Double) {
        self.change += change
        self.kept += kept
        rotatedMembers += 1
    }

    /// Adds the sums of other members.
    public mutating func merge(_ other: ListSums) {
        for place in pipelines.indices {
            pipelines[place].stored += other.pipelines[place].stored
            pipelines[place].exact += other.pipelines[place].exact
            pipelines[place].recall += other.pipelines[place].recall
            pipelines[place].gain += other.pipelines[place].gain
            pipelines[place].keptScore += other.pipelines[place].keptScore
            pipelines[place].shareError += other.pipelines[place].shareError
            pipelines[place].fullLists += other.pipelines[place].fullLists
        }
        members += other.members
        scoredMembers += other.scoredMembers
        testedMembers += other.testedMembers
        change += other.change
        kept += other.kept
        rotatedMembers += other.rotatedMembers
    }

    /// The measures of a pipeline; the baseline is the raw one.
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

    /// What rotation does from one bucket to the next, over members with 100 candidates or more.
    public var rotation: (members: Int, change: Double, kept: Double) {
        let count = Double(max(1, rotatedMembers))
        return (rotatedMembers, change / count, kept / count)
    }
}

/// What the lists of a pipeline are like, against the best 20 by raw score.
public struct ListMeasures: Sendable, Equatable {
    /// Members, also those whose list is empty.
    public var members: Int
    /// By how much the similarity within lists is lower, over stored pairs: a ratio of means.
    public var storedCut: Double
    /// The same over all pairs.
    public var exactCut: Double
    /// By how much the sum of raw scores is lower: a mean of ratios.
    public var loss: Double
    /// By how much the interests' shares of a full list differ from those of the profile.
    public var shareError: Double
    /// recall@20; nil without memberships held out.
    public var recall: Double?
    /// NDCG@20; nil without memberships held out.
    public var gain: Double?
}
