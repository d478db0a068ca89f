import Glibc
public import Similarity

/// What a tuning changes in the settings of a relation, one at a time.
enum TuningParameter: CaseIterable {
    case cut, degreeDiscount, sourceExponent, neighbourExponent, shrinkage, scorePower, listPower, ridgeShare,
        ridgePenalty, limit, weight

    /// The greatest exponent and discount that are tried.
    private static let greatestExponent = 2.0

    /// The settings after a step in one direction; nil if there is none.
    ///
    /// - Parameters:
    ///   - size: 1 for the largest step; choices without an order take part in large steps only.
    ///   - up: the direction.
    func step(from part: TunedSettings.Part, size: Double, up: Bool) -> TunedSettings.Part? {
        var next = part
        let sign = up ? size : -size
        switch self {
        case .cut:
            guard size == 1, up else { return nil }
            next.formula.cut = part.formula.cut == .source ? .target : .source
        case .degreeDiscount: add(0.3 * sign, to: &next.formula.degreeDiscount)
        case .sourceExponent: add(0.15 * sign, to: &next.formula.sourceExponent)
        case .neighbourExponent: add(0.15 * sign, to: &next.formula.neighbourExponent)
        case .shrinkage:
            // As a factor, but from 0 on.
            next.formula.shrinkage = rounded(max(0, (part.formula.shrinkage + 1) * exp2(1.5 * sign) - 1))
        case .scorePower:
            next.formula.scorePower = rounded(min(4, max(0.2, part.formula.scorePower * exp2(0.4 * sign))))
        case .listPower: next.formula.listPower = rounded(min(1, max(0, part.formula.listPower + 0.25 * sign)))
        case .ridgeShare:
            guard part.formula.cut == .target else { return nil }
            next.formula.ridgeShare = rounded(min(1, max(0, part.formula.ridgeShare + 0.3 * sign)))
        case .ridgePenalty:
            // Without a share nothing depends on it.
            guard part.formula.cut == .target, part.formula.ridgeShare > 0 else { return nil }
            next.formula.ridgePenalty = rounded(min(1024, max(0.25, part.formula.ridgePenalty * exp2(1.5 * sign))))
        case .limit:
            guard size >= 0.5, let index = PairLists.limits.firstIndex(of: part.limit) else { return nil }
            let other = up ? index + 1 : index - 1
            guard PairLists.limits.indices.contains(other) else { return nil }
            next.limit = PairLists.limits[other]
        case .weight:
            // As a factor, from a quarter on if it was 0; below 1/64 nothing is left of it.
            let scaled = part.weight > 0 ? part.weight * exp2(sign) : up ? 0.25 : 0
            next.weight = scaled < 1.0 / 64 ? 0 : rounded(min(64, scaled))
        }
        return next == part ? nil : next
    }

    private func add(_ step: Double, to value: inout Double) {
        value = rounded(min(Self.greatestExponent, max(0, value + step)))
    }

    /// To thousandths, so that the same settings are found again.
    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

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
