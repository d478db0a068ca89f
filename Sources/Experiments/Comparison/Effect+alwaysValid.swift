import Glibc

extension Effect {
    /// The number of members at which always-valid intervals are narrowest, if nobody says otherwise.
    public static let usualTuningCount = 5000

    /// The interval for who looks whenever they like: all of them together miss the true difference as seldom as one.
    ///
    /// An asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit
    /// theory and asymptotic confidence sequences", 2021, theorem 2.2): with n members, s² = n × standard error², and
    /// error α, the half width is √(s² · 2(nρ² + 1) ÷ (n²ρ²) · ln(√(nρ² + 1) ÷ α)), where
    /// ρ² = (−2 ln α + ln(−2 ln α + 1)) ÷ m.
    ///
    /// - Parameters:
    ///   - error: how often the true difference is outside one of them; above 0 and below 1.
    ///   - tuningCount: m, the number of members at which they are narrowest; chosen before the experiment; above 0.
    public func alwaysValidInterval(error: Double = 0.05, tuningCount: Int = usualTuningCount) -> Interval {
        let least = -2 * log(error)
        let density = (least + log(least + 1)) / Double(tuningCount)
        let n = Double(count)
        let growth = n * density + 1
        let variance = standardError * standardError * n
        let square = variance * 2 * growth / (n * n * density) * log(growth.squareRoot() / error)
        return Interval(around: difference, halfWidth: square.squareRoot())
    }
}
