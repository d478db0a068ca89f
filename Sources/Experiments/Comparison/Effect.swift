import Glibc

/// The difference between two arms, and its uncertainty.
package struct Effect: Sendable, Equatable {
    /// The difference, in units of the measure, or as a fraction of the first arm's mean.
    package var difference: Double
    /// The standard error of the difference, in the same unit.
    package var standardError: Double
    /// The degrees of freedom of Welch and Satterthwaite.
    package var degreesOfFreedom: Double
    /// The number of members in both arms.
    package var count: Int

    /// The least number of members that each arm needs for an effect (inclusive).
    private static let leastCount = 2

    /// Creates the difference of two means, second minus first (Welch 1947).
    ///
    /// The result is `nil` if an arm has fewer than two members, or nothing varies.
    package init?(absolute first: ArmMean, _ second: ArmMean) {
        self.init(
            second.value - first.value, variance: first.variance + second.variance, of: (first, second))
    }

    /// Creates the difference of two means as a fraction of the first: (ȳ₂ − ȳ₁) ÷ ȳ₁.
    ///
    /// The variance is s₁²·ȳ₂² ÷ ȳ₁⁴ + s₂² ÷ ȳ₁², with s² the variance of a mean (the delta method). The result is
    /// `nil` if an arm has fewer than two members, nothing varies, or the first mean is 0.
    package init?(relative first: ArmMean, _ second: ArmMean) {
        guard first.value != 0 else { return nil }
        let square = first.value * first.value
        self.init(
            second.value / first.value - 1,
            variance: first.variance * second.value * second.value / (square * square) + second.variance / square,
            of: (first, second))
    }

    /// Creates an effect from a difference and its variance.
    ///
    /// - Parameter arms: the two arms; they give the degrees of freedom, also where the variance is that of a ratio.
    init?(_ difference: Double, variance: Double, of arms: (ArmMean, ArmMean)) {
        let (first, second) = arms
        guard min(first.count, second.count) >= Self.leastCount, variance > 0, difference.isFinite else { return nil }
        self.difference = difference
        standardError = variance.squareRoot()
        count = first.count + second.count
        let sum = first.variance + second.variance
        let parts =
            first.variance * first.variance / Double(first.count - 1)
            + second.variance * second.variance / Double(second.count - 1)
        degreesOfFreedom = parts > 0 ? sum * sum / parts : Double(count - 2)
    }

    /// The probability of a difference at least as great, in either direction, if there were none.
    package var pValue: Double {
        2 * StudentDistribution(degreesOfFreedom: degreesOfFreedom).upperTail(abs(difference) / standardError)
    }

    /// Returns the confidence interval for a single look, at the planned end.
    ///
    /// - Parameter error: the probability that the interval misses the true difference; above 0 and below 1.
    package func interval(error: Double = 0.05) -> Interval {
        let quantile = StudentDistribution(degreesOfFreedom: degreesOfFreedom).quantile(upperTail: error / 2)
        return Interval(around: difference, halfWidth: quantile * standardError)
    }
}

/// A range of differences.
package struct Interval: Sendable, Equatable {
    /// The bounds of the range, both inclusive.
    package var lower, upper: Double

    package init(lower: Double, upper: Double) { (self.lower, self.upper) = (lower, upper) }

    /// Creates the range from `center − halfWidth` to `center + halfWidth`.
    package init(around center: Double, halfWidth: Double) {
        (lower, upper) = (center - halfWidth, center + halfWidth)
    }

    package func contains(_ value: Double) -> Bool { lower <= value && value <= upper }
}

extension Effect {
    /// Returns the regression coefficient θ of a measure on its earlier value, with both arms as one sample.
    ///
    /// The coefficient is θ = cov(y, x) ÷ var(x), or 0 if the earlier value does not vary.
    ///
    /// - Parameter first: the sums of the first arm: y from the experiment, x from the weeks before it.
    package static func explanation(_ first: PairedSums, _ second: PairedSums) -> Double {
        let both = first + second
        return both.companion.variance > 0 ? both.covariance / both.companion.variance : 0
    }

    /// Creates the difference of two means without the part that the weeks before explain.
    ///
    /// The method, CUPED (Deng, Xu, Kohavi and Walker 2013), compares ȳ − θx̄ of the two arms; the variance per member
    /// is σ²y + θ²σ²x − 2θσyx. The result is `nil` if an arm has fewer than two members, or nothing varies.
    package init?(adjustedAbsolute first: PairedSums, _ second: PairedSums) {
        let theta = Self.explanation(first, second)
        self.init(absolute: ArmMean(first, without: theta), ArmMean(second, without: theta))
    }

    /// Creates the same difference as a fraction of the first arm's mean ȳ₁, which is not adjusted.
    ///
    /// The variance follows from the delta method, with ȳ₂ ÷ ȳ₁ as the ratio of the means:
    ///
    ///     (σ²y₁(ȳ₂ ÷ ȳ₁)² − 2θσyx₁·ȳ₂ ÷ ȳ₁ + θ²σ²x₁) ÷ (n₁ȳ₁²) + (σ²y₂ + θ²σ²x₂ − 2θσyx₂) ÷ (n₂ȳ₁²)
    ///
    /// This variance allows for ȳ₁ in both numerator and denominator; the simpler variance of `init(relative:_:)` does
    /// not. The result is `nil` if an arm has fewer than two members, nothing varies, or the first mean is 0.
    package init?(adjustedRelative first: PairedSums, _ second: PairedSums) {
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
    fileprivate init(_ sums: PairedSums, without theta: Double) {
        self.init(SampleSums())
        value = sums.measure.mean - theta * sums.companion.mean
        count = sums.count
        let ofMember =
            sums.measure.variance + theta * theta * sums.companion.variance - 2 * theta * sums.covariance
        variance = max(0, ofMember) / Double(max(1, count))
    }
}

extension Effect {
    /// The default number of members at which anytime-valid intervals are narrowest.
    package static let usualTuningCount = 5000

    /// Returns the anytime-valid confidence interval, for looks at any time.
    ///
    /// All these intervals together miss the true difference as seldom as one. The intervals form an asymptotic
    /// confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and
    /// asymptotic confidence sequences", 2021, theorem 2.2). With n members, s² = n × standard error², and error α, the
    /// half width is
    ///
    ///     √(s² · 2(nρ² + 1) ÷ (n²ρ²) · ln(√(nρ² + 1) ÷ α))
    ///     ρ² = (−2 ln α + ln(−2 ln α + 1)) ÷ m
    ///
    /// - Parameters:
    ///   - error: the probability that any of the intervals misses the true difference; above 0 and below 1.
    ///   - tuningCount: m, the number of members at which the intervals are narrowest, above 0; it is chosen before the
    ///     experiment.
    package func alwaysValidInterval(error: Double = 0.05, tuningCount: Int = usualTuningCount) -> Interval {
        let least = -2 * log(error)
        let density = (least + log(least + 1)) / Double(tuningCount)
        let n = Double(count)
        let growth = n * density + 1
        let variance = standardError * standardError * n
        let square = variance * 2 * growth / (n * n * density) * log(growth.squareRoot() / error)
        return Interval(around: difference, halfWidth: square.squareRoot())
    }
}

/// The mean of a measure over the members of an arm, with its variance.
package struct ArmMean: Sendable, Equatable {
    package var value: Double
    /// The variance of the mean: the variance of a member's value, divided by the number of members.
    package var variance: Double
    package var count: Int

    package init(_ sums: SampleSums) {
        value = sums.mean
        variance = sums.count > 0 ? sums.variance / Double(sums.count) : 0
        count = sums.count
    }

    /// Creates the ratio of two sums over the members, such as clicks to pages shown.
    ///
    /// A member may have several of both, so the members are the independent units, not the pages. With R = Σy ÷ Σx,
    /// the variance is (σ²y − 2R·σyx + R²·σ²x) ÷ (x̄²·n). (The delta method; Deng, Knoblich and Lu, "Applying the Delta
    /// Method in Metric Analytics", 2018.)
    package init(ratioOf sums: PairedSums) {
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

/// Holm's correction for asking several questions of one experiment (Holm 1979).
package enum Holm {
    /// Returns corrected p values, each of which can be judged as if it were the only one.
    ///
    /// Of m values in rising order, the i-th is multiplied by m − i + 1. None is then below the one before it, nor
    /// above 1. If all values below α are called real, the probability that any of them is not real is at most α.
    ///
    /// - Returns: the corrected values, in the order of `values`.
    package static func adjusted(_ values: [Double]) -> [Double] {
        var result = values
        var greatest = 0.0
        for (rank, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
            greatest = max(greatest, min(1, values[index] * Double(values.count - rank)))
            result[index] = greatest
        }
        return result
    }
}
