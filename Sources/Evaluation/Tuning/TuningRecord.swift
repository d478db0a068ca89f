public import Similarity

/// Settings that a tuning chose, and why: what the catalog keeps.
public struct TuningRecord: Sendable, Equatable, Codable {
    /// The settings.
    public var settings: TunedSettings
    /// When they were chosen, in Unix milliseconds.
    public var tunedAtMilliseconds: Int64
    /// How many members judged them; settings were chosen on others.
    public var memberCount: Int
    /// Recall@20 of these members with the defaults.
    public var usualRecall: Double
    /// Recall@20 of the same members with the settings.
    public var recall: Double
    /// The 95% interval of the difference of the mean of recall@20 and NDCG@20: its lower and its upper bound.
    public var difference: [Double]

    /// What a tuning found.
    public init(_ outcome: Tuning.Outcome, atMilliseconds instant: Int64) {
        settings = outcome.settings
        tunedAtMilliseconds = instant
        memberCount = outcome.memberCount
        usualRecall = outcome.usualRecall
        recall = outcome.recall
        difference = outcome.difference
    }
}
