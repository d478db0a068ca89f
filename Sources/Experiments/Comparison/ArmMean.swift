/// The mean of a measure over the members of an arm, and how exact it is.
public struct ArmMean: Sendable, Equatable {
    /// The mean.
    public var value: Double
    /// The variance of the mean: that of a member divided by their number.
    public var variance: Double
    /// The number of members.
    public var count: Int

    /// The mean of a measure of which every member has one value.
    public init(_ sums: SampleSums) {
        value = sums.mean
        variance = sums.count > 0 ? sums.variance / Double(sums.count) : 0
        count = sums.count
    }

    /// The ratio of two sums over the members, such as clicks to lists shown, where a member has several of both.
    ///
    /// Its variance is (σ²y − 2R·σyx + R²·σ²x) ÷ (x̄²·n), with R = Σy ÷ Σx: the members are the independent units, not
    /// the lists. (The delta method; Deng, Knoblich and Lu, "Applying the Delta Method in Metric Analytics", 2018.)
    public init(ratioOf sums: PairedSums) {
        count = sums.count
        let mean = sums.companion.mean
        guard count > 0, mean != 0 else {
            (value, variance) = (0, 0)
            return
        }
        value = sums.measure.sum / sums.companion.sum
        let ofMember =
            sums.measure.variance - 2 * value * sums.covariance + value * value * sums.companion.variance
        variance = max(0, ofMember) / (mean * mean * Double(count))
    }
}
