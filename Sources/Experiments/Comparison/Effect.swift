import Glibc

/// By how much one arm differs from another, and how sure that is.
public struct Effect: Sendable, Equatable {
    /// The difference, in units of the measure, or as a fraction of the first arm's mean.
    public var difference: Double
    /// Its standard error, in the same unit.
    public var standardError: Double
    /// Those of Welch and Satterthwaite.
    public var degreesOfFreedom: Double
    /// The number of members in both arms.
    public var count: Int

    /// The least number of members an arm must have for an effect to be told.
    private static let leastCount = 2

    /// The difference of two means, second minus first (Welch 1947).
    ///
    /// - Returns: nil if an arm has fewer than two members, or nothing varies.
    public init?(absolute first: ArmMean, _ second: ArmMean) {
        self.init(
            second.value - first.value, variance: first.variance + second.variance, of: (first, second))
    }

    /// The difference of two means as a fraction of the first: (ȳ₂ − ȳ₁) ÷ ȳ₁.
    ///
    /// Its variance is s₁²·ȳ₂² ÷ ȳ₁⁴ + s₂² ÷ ȳ₁², with s² the variance of a mean (the delta method).
    ///
    /// - Returns: nil if an arm has fewer than two members, nothing varies, or the first mean is 0.
    public init?(relative first: ArmMean, _ second: ArmMean) {
        guard first.value != 0 else { return nil }
        let square = first.value * first.value
        self.init(
            second.value / first.value - 1,
            variance: first.variance * second.value * second.value / (square * square) + second.variance / square,
            of: (first, second))
    }

    /// - Parameter arms: they give the degrees of freedom, also where the variance is that of a ratio.
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

    /// The probability of a difference at least as great, either way, if there were none.
    public var pValue: Double {
        2 * StudentDistribution(degreesOfFreedom: degreesOfFreedom).upperTail(abs(difference) / standardError)
    }

    /// The interval for who looks once, at the end that was planned.
    ///
    /// - Parameter error: how often such intervals miss the true difference; above 0 and below 1.
    public func interval(error: Double = 0.05) -> Interval {
        let quantile = StudentDistribution(degreesOfFreedom: degreesOfFreedom).quantile(upperTail: error / 2)
        return Interval(around: difference, halfWidth: quantile * standardError)
    }
}

/// A range of differences.
public struct Interval: Sendable, Equatable {
    /// Its bounds, both inclusive.
    public var lower, upper: Double

    /// From `center − halfWidth` to `center + halfWidth`.
    public init(around center: Double, halfWidth: Double) {
        (lower, upper) = (center - halfWidth, center + halfWidth)
    }

    /// Whether a value is in it.
    public func contains(_ value: Double) -> Bool { lower <= value && value <= upper }
}

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

/// Holm's correction for asking several questions of one experiment (Holm 1979).
public enum Holm {
    /// The p values as if each were the only one: of m, in rising order, the i-th is multiplied by m − i + 1, and none
    /// is below the one before it; at most 1.
    ///
    /// If all below α are called real, then with a probability of at most α any is called so that is not.
    ///
    /// - Returns: in the order of `values`.
    public static func adjusted(_ values: [Double]) -> [Double] {
        var result = values
        var greatest = 0.0
        for (rank, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
            greatest = max(greatest, min(1, values[index] * Double(values.count - rank)))
            result[index] = greatest
        }
        return result
    }
}
