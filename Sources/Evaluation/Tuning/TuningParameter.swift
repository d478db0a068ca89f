import Glibc
package import Similarity

/// A parameter of a relation's settings that a tuning changes, one at a time.
enum TuningParameter: CaseIterable {
    case cut, degreeDiscount, sourceExponent, neighbourExponent, shrinkage, scorePower, listPower, limit,
        limitExponent, weight

    /// The greatest exponent and discount to try.
    private static let greatestExponent = 2.0

    /// Returns the settings after a step in one direction, or nil if there is no such step.
    ///
    /// - Parameters:
    ///   - size: The size of the step, at most 1. The cut changes only with size 1, and the limit and its exponent
    ///     only from 0.5 on.
    ///   - up: Whether the step goes up.
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
            // Multiplied rather than added to, but able to leave 0.
            next.formula.shrinkage = rounded(max(0, (part.formula.shrinkage + 1) * exp2(1.5 * sign) - 1))
        case .scorePower:
            next.formula.scorePower = rounded(min(4, max(0.2, part.formula.scorePower * exp2(0.4 * sign))))
        case .listPower: next.formula.listPower = rounded(min(1, max(0, part.formula.listPower + 0.25 * sign)))
        case .limit:
            guard size >= 0.5, let index = PairLists.limits.firstIndex(of: part.limit) else { return nil }
            let other = up ? index + 1 : index - 1
            guard PairLists.limits.indices.contains(other) else { return nil }
            next.limit = PairLists.limits[other]
        case .limitExponent:
            guard size >= 0.5 else { return nil }
            next.formula.limitExponent = min(0.5, max(0, part.formula.limitExponent + (up ? 0.25 : -0.25)))
        case .weight:
            // Multiplied; a step up from 0 leads to a quarter, and anything below 1/64 becomes 0.
            let scaled = part.weight > 0 ? part.weight * exp2(sign) : up ? 0.25 : 0
            next.weight = scaled < 1.0 / 64 ? 0 : rounded(min(64, scaled))
        }
        return next == part ? nil : next
    }

    private func add(_ step: Double, to value: inout Double) {
        value = rounded(min(Self.greatestExponent, max(0, value + step)))
    }

    /// Returns a value rounded to thousandths, because equal settings must compare equal.
    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

/// The mean of the differences of two settings, member by member, with its standard error.
///
/// A member's value is the mean over the folds. Folds with the same members are not independent of each other.
package struct PairedDifference: Sendable, Equatable, Codable {
    package var mean: Double
    package var standardError: Double

    /// Whether the mean is greater than twice its error.
    package var isBeyondChance: Bool { mean > 2 * standardError }

    /// - Parameters:
    ///   - values: The value of each member.
    ///   - others: The values of the same members with other settings.
    init(_ values: [Double], _ others: [Double]) {
        let differences = zip(values, others).map { $0 - $1 }
        let count = Double(differences.count)
        let mean = differences.reduce(0, +) / max(1, count)
        let squares = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        self.mean = mean
        // One member says nothing about the error.
        standardError = count > 1 ? (squares / count / (count - 1)).squareRoot() : abs(mean)
    }

    private enum CodingKeys: CodingKey { case mean, standardError }

    /// Reads what is kept; an earlier program kept the bounds of the 95% interval.
    package init(from decoder: any Decoder) throws {
        if let bounds = try? [Double](from: decoder), bounds.count == 2 {
            (mean, standardError) = ((bounds[0] + bounds[1]) / 2, (bounds[1] - bounds[0]) / 3.92)
        } else {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            mean = try values.decode(Double.self, forKey: .mean)
            standardError = try values.decode(Double.self, forKey: .standardError)
        }
    }
}

/// The settings that a tuning chose, with the evidence for them, as the catalog stores them.
package struct TuningRecord: Sendable, Equatable, Codable {
    package var settings: TunedSettings
    /// The time of the choice, in Unix milliseconds.
    package var tunedAtMilliseconds: Int64
    /// The number of members who judged the settings, which were chosen on others.
    package var memberCount: Int
    /// The recall@20 of these members with the defaults.
    package var usualRecall: Double
    /// The recall@20 of the same members with the chosen settings.
    package var recall: Double
    /// The gain in the mean of recall@20 and NDCG@20.
    package var difference: PairedDifference
    /// The recall@20 of the groups with the most members.
    package var popularRecall: Double
    /// The same gain over the groups with the most members.
    package var differenceToPopular: PairedDifference

    /// Whether the gain is more than chance, and the settings do not just find the most popular groups again.
    package var isBetter: Bool { difference.isBeyondChance && differenceToPopular.isBeyondChance }
}

/// The trials of a tuning so far, enough to go on after it was killed.
package struct TuningJournal: Sendable, Equatable, Codable {
    /// A trial: settings with their accuracy.
    package struct Trial: Sendable, Equatable, Codable {
        package var settings: TunedSettings
        /// Whether the trial used all members that settings are chosen on, instead of a part of them.
        package var isOnAll: Bool
        /// The mean recall@20 of these members.
        package var recall: Double
        /// The mean NDCG@20 of these members.
        package var gain: Double
        /// The gain in the mean of recall and NDCG over the defaults, or nil for a part of the members.
        package var difference: PairedDifference?

        /// The value to maximise: the mean of recall and NDCG.
        package var value: Double { (recall + gain) / 2 }
    }

    /// All trials, in order.
    package internal(set) var trials: [Trial] = []
    /// The time that all runs have taken so far, in seconds.
    package internal(set) var seconds = 0.0

    package init() {}

    /// Returns the best trials on all members, best first; trials on a part of them if there are no others.
    package func best(_ count: Int) -> [Trial] {
        let onAll = trials.filter(\.isOnAll)
        return Array((onAll.isEmpty ? trials : onAll).sorted { $0.value > $1.value }.prefix(count))
    }

    /// The recall of the best trial, or 0 if there is none.
    package var bestRecall: Double { best(1).first?.recall ?? 0 }
}
