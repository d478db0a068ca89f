import Glibc

/// The standard normal distribution.
package enum NormalDistribution {
    /// Returns the probability of a value above z.
    package static func upperTail(_ z: Double) -> Double { erfc(z / 2.0.squareRoot()) / 2 }

    /// Returns the value that is exceeded with a probability.
    ///
    /// - Parameter probability: the probability, above 0 and below 1.
    package static func quantile(upperTail probability: Double) -> Double {
        falling(upperTail, to: probability, from: -40, through: 40)
    }
}

/// Student's t distribution.
package struct StudentDistribution: Sendable {
    /// The degrees of freedom, above 0.
    package let degreesOfFreedom: Double

    /// Returns the probability of a value above t.
    package func upperTail(_ t: Double) -> Double {
        let outside = IncompleteFunctions.lowerBeta(
            degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 0.5)
        return t >= 0 ? outside / 2 : 1 - outside / 2
    }

    /// Returns the value that is exceeded with a probability.
    ///
    /// - Parameter probability: the probability, above 0 and below 1.
    package func quantile(upperTail probability: Double) -> Double {
        falling(upperTail, to: probability, from: -1e6, through: 1e6)
    }
}

/// The χ² distribution.
package enum ChiSquaredDistribution {
    /// Returns the probability of a value above x.
    ///
    /// - Parameter degreesOfFreedom: the degrees of freedom, 1 or more.
    package static func upperTail(_ x: Double, degreesOfFreedom: Int) -> Double {
        IncompleteFunctions.upperGamma(Double(degreesOfFreedom) / 2, x / 2)
    }
}

/// The binomial distribution.
package enum BinomialDistribution {
    /// Returns the two-sided probability that a fair coin is at least as one-sided (the sign test).
    ///
    /// - Parameters:
    ///   - successes: the number of successes, 0 to `trials`.
    ///   - trials: the number of trials, 0 or more.
    package static func signTest(successes: Int, of trials: Int) -> Double {
        let greater = max(successes, trials - successes)
        guard greater > 0 else { return 1 }
        // P(X ≥ k) = I½(k, n − k + 1).
        return min(1, 2 * IncompleteFunctions.lowerBeta(0.5, Double(greater), Double(trials - greater + 1)))
    }
}

/// Returns the argument for which a falling function has a value.
///
/// The range is halved until it cannot be halved.
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

/// The incomplete gamma and beta functions, from which the tails of distributions follow.
///
/// Both are sums of few terms or continued fractions, with about 14 correct digits (Abramowitz and Stegun 6.5.29,
/// 6.5.31 and 26.5.8; fractions by Lentz's method).
enum IncompleteFunctions {
    /// The greatest number of terms of a sum or a fraction; 100 are enough for arguments below a thousand.
    private static let termLimit = 10_000
    private static let precision = 1e-16
    /// The value that takes the place of a denominator of 0.
    private static let tiny = 1e-300

    /// Returns ln Γ(x), for x above 0.
    static func logGamma(_ x: Double) -> Double {
        // Γ is positive above 0, so its sign is not needed. The variant without a shared sign is safe in all threads.
        var sign: Int32 = 0
        return unsafe lgamma_r(x, &sign)
    }

    /// Returns Q(a, x): the upper part of the gamma function as a fraction of the whole, 0 to 1.
    ///
    /// - Parameters:
    ///   - a: above 0.
    ///   - x: 0 or more.
    static func upperGamma(_ a: Double, _ x: Double) -> Double {
        guard x > 0 else { return 1 }
        let factor = exp(a * log(x) - x - logGamma(a))
        guard x >= a + 1 else {
            var (term, sum) = (1 / a, 1 / a)
            for index in 1...termLimit where term > precision * sum {
                term *= x / (a + Double(index))
                sum += term
            }
            return 1 - factor * sum
        }
        let fraction = continuedFraction(first: x + 1 - a) { index in
            let n = Double(index)
            return (numerator: n * (a - n), denominator: x + 1 - a + 2 * n)
        }
        return factor / fraction
    }

    /// Returns Iₓ(a, b): the lower part of the beta function as a fraction of the whole, 0 to 1.
    ///
    /// - Parameters:
    ///   - x: 0 to 1.
    ///   - a: above 0.
    ///   - b: above 0.
    static func lowerBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
        // The fraction converges quickly on this side only.
        guard x <= (a + 1) / (a + b + 2) else { return 1 - lowerBeta(1 - x, b, a) }
        let logFactor = logGamma(a + b) - logGamma(a) - logGamma(b) + a * log(x) + b * log1p(-x)
        let fraction = continuedFraction(first: 1) { index in
            let m = Double(index / 2)
            let numerator =
                index.isMultiple(of: 2)
                ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            return (numerator, denominator: 1)
        }
        return exp(logFactor) / (a * fraction)
    }

    /// Returns first + n₁/(d₁ + n₂/(d₂ + …)).
    private static func continuedFraction(
        first: Double, _ term: (Int) -> (numerator: Double, denominator: Double)
    ) -> Double {
        var value = first == 0 ? tiny : first
        var (upper, lower) = (value, 0.0)
        for index in 1...termLimit {
            let (numerator, denominator) = term(index)
            lower = denominator + numerator * lower
            upper = denominator + numerator / upper
            if lower == 0 { lower = tiny }
            if upper == 0 { upper = tiny }
            lower = 1 / lower
            value *= upper * lower
            if abs(upper * lower - 1) < precision * 4 { break }
        }
        return value
    }
}
