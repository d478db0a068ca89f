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
    /// The mean of recall@20 and of the same with each group weighted by 1/√n: with the defaults.
    public var usualBalanced: Double
    /// The same with the settings.
    public var balanced: Double
    /// The 95% interval of the difference in balanced recall: its lower and its upper bound.
    public var difference: [Double]

    /// What a tuning found.
    public init(_ outcome: Tuning.Outcome, atMilliseconds instant: Int64) {
        settings = outcome.settings
        tunedAtMilliseconds = instant
        memberCount = outcome.memberCount
        usualRecall = outcome.usualRecall
        recall = outcome.recall
        usualBalanced = outcome.usualBalanced
        balanced = outcome.balanced
        difference = outcome.difference
    }
}
