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
