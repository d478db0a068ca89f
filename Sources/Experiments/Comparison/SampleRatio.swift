import Glibc

/// A test of whether the arms have as many members as their weights say.
///
/// A mismatch is hardly ever chance: members are missing from an arm, and no other number can be trusted.
/// (Fabijan and others, "Diagnosing Sample Ratio Mismatch in Online Controlled Experiments", 2019.)
package enum SampleRatio {
    /// The p value below which there is an alarm.
    package static let alarmBelow = 0.001

    /// Returns the probability of counts at least as far from the weights, by Pearson's χ² test.
    ///
    /// The statistic is Σ(n − e)² ÷ e with e the expected counts; the degrees of freedom are one fewer than the arms.
    ///
    /// - Parameters:
    ///   - counts: the number of members in each arm.
    ///   - weights: the weight of each arm, above 0, in any unit.
    /// - Returns: the probability, or 1 if there are no members or fewer than two arms.
    package static func pValue(counts: [Int], weights: [Double]) -> Double {
        let (total, weight) = (Double(counts.reduce(0, +)), weights.reduce(0, +))
        guard total > 0, counts.count > 1 else { return 1 }
        let statistic = zip(counts, weights).reduce(0.0) { sum, arm in
            let expected = total * arm.1 / weight
            return sum + (Double(arm.0) - expected) * (Double(arm.0) - expected) / expected
        }
        return ChiSquaredDistribution.upperTail(statistic, degreesOfFreedom: counts.count - 1)
    }

    /// Returns the check of the sample ratio: members are missing if the arms do not have what their weights say.
    static func check(_ arms: [(name: String, count: Int)], pValue: Double, evidence: Double) -> ExperimentCheck {
        let counts = arms.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        let isAlarm = pValue < alarmBelow || evidence >= SequentialSampleRatio.alarmFrom
        return ExperimentCheck(
            "sample ratio",
            seen: isAlarm
                ? "the arms do not have the members that their weights say (\(counts)): some are missing"
                : "\(counts), p \((pValue * 10_000).rounded() / 10_000)",
            expected: "as the weights say, p \(alarmBelow) or more", isAlarm ? .alarm : .good)
    }
}

/// The same test for looks every day: false alarms stay below one in a thousand however often it is repeated.
///
/// The members who came since the last look are compared under two assumptions: their arms have the given weights, or
/// any weights. The second is a Dirichlet distribution that learns from each row (Lindon and Malek, "Anytime-Valid
/// Inference for Multinomial Count Data", 2022).
package struct SequentialSampleRatio: Sendable {
    /// The least Bayes factor for an alarm (inclusive).
    package static let alarmFrom = 1000.0

    private let probabilities: [Double]
    private var concentrations: [Double]
    /// ln P(counts so far | any weights).
    package private(set) var logLikelihoodOfAny = 0.0
    /// ln P(counts so far | the given weights).
    package private(set) var logLikelihoodOfGiven = 0.0

    /// Creates a test without members.
    ///
    /// - Parameter weights: the weight of each arm, above 0, in any unit.
    package init(weights: [Double]) {
        let sum = weights.reduce(0, +)
        probabilities = weights.map { $0 / sum }
        concentrations = weights.map { _ in 1 }
    }

    /// Adds the members who came since the last row.
    ///
    /// - Parameter counts: the number of these members in each arm.
    package mutating func add(_ counts: [Int]) {
        let row = counts.map(Double.init)
        let total = row.reduce(0, +)
        let logGamma = IncompleteFunctions.logGamma
        let coefficient = logGamma(total + 1) - row.reduce(0) { $0 + logGamma($1 + 1) }
        let mass = concentrations.reduce(0, +)
        logLikelihoodOfAny +=
            coefficient + logGamma(mass) - logGamma(mass + total)
            + zip(row, concentrations).reduce(0) { $0 + logGamma($1.0 + $1.1) - logGamma($1.1) }
        logLikelihoodOfGiven += coefficient + zip(row, probabilities).reduce(0) { $0 + $1.0 * log($1.1) }
        for index in row.indices { concentrations[index] += row[index] }
    }

    /// The Bayes factor of the counts: their likelihood with any weights, divided by that with the given weights.
    package var evidence: Double { exp(logLikelihoodOfAny - logLikelihoodOfGiven) }
    /// Whether the arms' counts cannot be trusted.
    package var isAlarm: Bool { evidence >= Self.alarmFrom }
}

/// The number of members that an experiment needs.
package struct SampleSize: Sendable, Equatable {
    /// The least number of members in both arms together with which the effect is found as often as required.
    package let memberCount: Int

    /// Computes the number of members needed to find a difference of means.
    ///
    /// The formula is
    ///
    ///     n = (z(α ÷ 2) + z(1 − power))² · σ² · (1 ÷ w₁ + 1 ÷ w₂) ÷ δ²
    ///
    /// The normal distribution exceeds z(p) with probability p, α is the error, and w the part of the members in each
    /// arm.
    ///
    /// - Parameters:
    ///   - effect: δ as a fraction of the mean, other than 0.
    ///   - mean: the mean of the measure a member, other than 0.
    ///   - variance: σ² of the measure a member, in squares of its unit.
    ///   - firstPart: the first arm's part of both arms' members; above 0 and below 1.
    ///   - power: the probability of finding the effect; above 0 and below 1.
    ///   - error: the probability of reporting an effect where there is none; above 0 and below 1.
    package init(
        toFind effect: Double, ofMean mean: Double, variance: Double, firstPart: Double = 0.5, power: Double = 0.8,
        error: Double = 0.05
    ) {
        let quantiles =
            NormalDistribution.quantile(upperTail: error / 2) + NormalDistribution.quantile(upperTail: 1 - power)
        let difference = effect * mean
        let weight = 1 / firstPart + 1 / (1 - firstPart)
        let count = quantiles * quantiles * variance * weight / (difference * difference)
        memberCount = count < Double(Int.max / 2) ? Int(count.rounded(.up)) : .max
    }
}
