public import Similarity

/// What a tuning has tried: enough to go on after it was killed.
public struct TuningJournal: Sendable, Equatable, Codable {
    /// Settings and what they found.
    public struct Trial: Sendable, Equatable, Codable {
        /// The settings.
        public var settings: TunedSettings
        /// Whether they were measured on all members that settings are chosen on, or on a part of them.
        public var isOnAll: Bool
        /// The mean recall@20 of these members.
        public var recall: Double
        /// Their mean NDCG@20.
        public var gain: Double
        /// The 95% interval of the difference to the defaults, lower and upper bound, of the mean of recall and NDCG;
        /// nil if measured on a part.
        public var difference: [Double]?

        /// What is to be great: the mean of recall and NDCG.
        public var value: Double { MemberAccuracy(recall: recall, gain: gain).value }
    }

    /// All trials, in order.
    public internal(set) var trials: [Trial] = []
    /// How long it took up to now, in seconds, over all runs.
    public internal(set) var seconds = 0.0

    /// Nothing tried.
    public init() {}

    /// The best trials on all members, or on the few if that was all there was time for; the best first.
    public func best(_ count: Int) -> [Trial] {
        let onAll = trials.filter(\.isOnAll)
        return Array((onAll.isEmpty ? trials : onAll).sorted { $0.value > $1.value }.prefix(count))
    }

    /// The recall of the best trial; 0 without one.
    public var bestRecall: Double { best(1).first?.recall ?? 0 }
}
