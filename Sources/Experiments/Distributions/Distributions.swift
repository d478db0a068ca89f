import Glibc

/// The standard normal distribution.
public enum NormalDistribution {
    /// The probability of a value above z.
    public static func upperTail(_ z: Double) -> Double { erfc(z / 2.0.squareRoot()) / 2 }

    /// The value that is exceeded with a probability.
    ///
    /// - Parameter probability: above 0 and below 1.
    public static func quantile(upperTail probability: Double) -> Double {
        falling(upperTail, to: probability, from: -40, through: 40)
    }
}

/// Student's t distribution.
public struct StudentDistribution: Sendable {
    /// Above 0.
    public let degreesOfFreedom: Double

    /// The distribution with so many degrees of freedom.
    public init(degreesOfFreedom: Double) { self.degreesOfFreedom = degreesOfFreedom }

    /// The probability of a value above t.
    public func upperTail(_ t: Double) -> Double {
        let outside = IncompleteFunctions.lowerBeta(
            degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 0.5)
        return t >= 0 ? outside / 2 : 1 - outside / 2
    }

    /// The value that is exceeded with a probability.
    ///
    /// - Parameter probability: above 0 and below 1.
    public func quantile(upperTail probability: Double) -> Double {
        falling(upperTail, to: probability, from: -1e6, through: 1e6)
    }
}

/// The χ² distribution.
public enum ChiSquaredDistribution {
    /// The probability of a value above x.
    ///
    /// - Parameter degreesOfFreedom: 1 or more.
    public static func upperTail(_ x: Double, degreesOfFreedom: Int) -> Double {
        IncompleteFunctions.upperGamma(Double(degreesOfFreedom) / 2, x / 2)
    }
}

/// The binomial distribution.
public enum BinomialDistribution {
    /// The two-sided probability that a fair coin is at least so one-sided (the sign test).
    ///
    /// - Parameters:
    ///   - successes: 0 to `trials`.
    ///   - trials: 0 or more.
    public static func signTest(successes: Int, of trials: Int) -> Double {
        let greater = max(successes, trials - successes)
        guard greater > 0 else { return 1 }
        // P(X ≥ k) = I½(k, n − k + 1).
        return min(1, 2 * IncompleteFunctions.lowerBeta(0.5, Double(greater), Double(trials - greater + 1)))
    }
}

/// Where a falling function has a value, by halving the range until it cannot be halved.
private func falling(
    _ function: (Double) -> Double, to value: Double, from lower: Double, through upper: Double
) -> Double {
    var (lower, upper) = (lower, upper)
    while true {
        let middle = (lower + upper) / 2
        guard middle > lower, middle < upper else { return middle }
        if function(middle) > value { lower = middle } else { upper = middle }
    }
}
