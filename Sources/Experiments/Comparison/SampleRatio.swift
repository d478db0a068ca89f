/// Whether the arms have as many members as their weights say.
///
/// If they have not, members are missing from an arm, hardly ever by chance, and no other number can be trusted.
/// (Fabijan and others, "Diagnosing Sample Ratio Mismatch in Online Controlled Experiments", 2019.)
public enum SampleRatio {
    /// A p value below this is an alarm.
    public static let alarmBelow = 0.001

    /// The probability of counts at least as far from the weights: Pearson's χ², Σ(n − e)² ÷ e with e the expected
    /// counts, with one degree of freedom less than there are arms.
    ///
    /// - Parameters:
    ///   - counts: the members of each arm.
    ///   - weights: of each arm, above 0, in any unit.
    /// - Returns: 1 if there are no members or fewer than two arms.
    public static func pValue(counts: [Int], weights: [Double]) -> Double {
        let (total, weight) = (Double(counts.reduce(0, +)), weights.reduce(0, +))
        guard total > 0, counts.count > 1 else { return 1 }
        let statistic = zip(counts, weights).reduce(0.0) { sum, arm in
            let expected = total * arm.1 / weight
            return sum + (Double(arm.0) - expected) * (Double(arm.0) - expected) / expected
        }
        return ChiSquaredDistribution.upperTail(statistic, degreesOfFreedom: counts.count - 1)
    }
}
