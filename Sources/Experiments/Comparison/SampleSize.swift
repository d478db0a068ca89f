import Glibc

/// How many members an experiment needs.
public struct SampleSize: Sendable, Equatable {
    /// The least members of both arms together with which the effect is found as often as asked for.
    public let memberCount: Int

    /// Members needed to find a difference of means.
    ///
    /// n = (z(α ÷ 2) + z(1 − power))² · σ² · (1 ÷ w₁ + 1 ÷ w₂) ÷ δ², with z(p) the normal value that is exceeded with
    /// probability p, α the error, and w the parts of the members in each arm.
    ///
    /// - Parameters:
    ///   - effect: δ as a fraction of the mean, other than 0.
    ///   - mean: of the measure a member, other than 0.
    ///   - variance: σ² of the measure a member, in squares of its unit.
    ///   - firstPart: the part of both arms' members that is in the first; above 0 and below 1.
    ///   - power: how often the effect is found; above 0 and below 1.
    ///   - error: how often an effect is reported where there is none; above 0 and below 1.
    public init(
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
