extension Effect {
    /// What of a measure the same measure of earlier explains: θ = cov(y, x) ÷ var(x), both arms as one sample; 0 if
    /// the earlier measure does not vary.
    ///
    /// - Parameters:
    ///   - first, second: y of the experiment, and x of the weeks before it, of each arm.
    public static func explanation(_ first: PairedSums, _ second: PairedSums) -> Double {
        let both = first + second
        return both.companion.variance > 0 ? both.covariance / both.companion.variance : 0
    }

    /// The difference of two means without what the weeks before explain (CUPED; Deng, Xu, Kohavi and Walker 2013).
    ///
    /// Of every arm ȳ − θx̄ is compared, and σ²y + θ²σ²x − 2θσyx is its variance a member.
    ///
    /// - Returns: nil if an arm has fewer than two members, or nothing varies.
    public init?(adjustedAbsolute first: PairedSums, _ second: PairedSums) {
        let theta = Self.explanation(first, second)
        self.init(absolute: ArmMean(first, without: theta), ArmMean(second, without: theta))
    }

    /// The same as a fraction of the first arm's mean ȳ₁, which is not adjusted.
    ///
    /// The variance is that of the delta method with ȳ₂ ÷ ȳ₁ as the ratio of the means:
    /// (σ²y₁(ȳ₂ ÷ ȳ₁)² − 2θσyx₁·ȳ₂ ÷ ȳ₁ + θ²σ²x₁) ÷ (n₁ȳ₁²) + (σ²y₂ + θ²σ²x₂ − 2θσyx₂) ÷ (n₂ȳ₁²).
    /// It takes account of ȳ₁ standing in numerator and denominator; the simpler one of `init(relative:_:)` does not.
    ///
    /// - Returns: nil if an arm has fewer than two members, nothing varies, or the first mean is 0.
    public init?(adjustedRelative first: PairedSums, _ second: PairedSums) {
        let theta = Self.explanation(first, second)
        let arms = (ArmMean(first, without: theta), ArmMean(second, without: theta))
        let mean = first.measure.mean
        guard mean != 0 else { return nil }
        let ratio = second.measure.mean / mean
        let ofMember =
            first.measure.variance * ratio * ratio - 2 * theta * first.covariance * ratio
            + theta * theta * first.companion.variance
        let variance = ofMember / Double(max(1, first.count)) + arms.1.variance
        self.init((arms.1.value - arms.0.value) / mean, variance: variance / (mean * mean), of: arms)
    }
}

extension ArmMean {
    /// The mean of y − θx.
    fileprivate init(_ sums: PairedSums, without theta: Double) {
        self.init(SampleSums())
        value = sums.measure.mean - theta * sums.companion.mean
        count = sums.count
        let ofMember =
            sums.measure.variance + theta * theta * sums.companion.variance - 2 * theta * sums.covariance
        variance = max(0, ofMember) / Double(max(1, count))
    }
}
