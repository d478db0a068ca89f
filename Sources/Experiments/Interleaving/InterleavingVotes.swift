import Glibc

/// The votes of members between two interleaved lists.
///
/// A member votes for the list that more of the member's clicks or joins are credited to.
package struct InterleavingVotes: Sendable, Equatable {
    /// The numbers of members who prefer the first list, the second, and neither.
    package private(set) var first = 0, second = 0, neither = 0

    package init() {}

    /// Adds a member.
    ///
    /// - Parameter credits: the number of clicks or joins credited to each list.
    package mutating func add(_ credits: (first: Int, second: Int)) {
        if credits.first > credits.second {
            first += 1
        } else if credits.first < credits.second {
            second += 1
        } else {
            neither += 1
        }
    }

    /// The part of the members with a preference who prefer the second list; a half if nobody has one.
    package var secondPart: Double { first + second > 0 ? Double(second) / Double(first + second) : 0.5 }
    /// The probability of votes at least as one-sided if members preferred neither (the sign test).
    package var pValue: Double { BinomialDistribution.signTest(successes: second, of: first + second) }

    /// The number of members with a preference.
    package var count: Int { first + second }

    /// Returns the always-valid interval of the part of these members who prefer the second list.
    ///
    /// The votes are compared under two assumptions: a part p, or any part, drawn from a beta distribution. With k of n
    /// votes, p is outside if B(a + k, a + n − k) ÷ B(a, a) ≥ pᵏ(1 − p)ⁿ⁻ᵏ ÷ α. However often anyone looks, the true
    /// part is ever outside with probability α at most. (Ville's inequality. Robbins, "Statistical methods related to
    /// the law of the iterated logarithm", 1970.)
    ///
    /// - Parameters:
    ///   - error: α, the probability that any of the intervals misses the true part; above 0 and below 1.
    ///   - tuningCount: the number of votes at which the interval is narrowest, above 0; it determines a.
    package func alwaysValidInterval(error: Double = 0.05, tuningCount: Int = usualTuningCount) -> Interval {
        let least = -2 * log(error)
        let a = max(0.5, (Double(tuningCount) / (least + log(least + 1)) - 1) / 2)
        let (k, n) = (Double(second), Double(count))
        let logGamma = IncompleteFunctions.logGamma
        let mixed =
            logGamma(a + k) + logGamma(a + n - k) - logGamma(2 * a + n) - 2 * logGamma(a) + logGamma(2 * a)
        func isOutside(_ part: Double) -> Bool {
            func power(_ base: Double, _ exponent: Double) -> Double { exponent == 0 ? 0 : exponent * log(base) }
            return mixed - power(part, k) - power(1 - part, n - k) >= -log(error)
        }
        // The likelihood falls from the seen part to either side, so there is one bound on each.
        let seen = secondPart
        func bound(_ end: Double) -> Double {
            guard isOutside(end) else { return end }
            var (inside, outside) = (seen, end)
            for _ in 0..<60 {
                let middle = (inside + outside) / 2
                if isOutside(middle) { outside = middle } else { inside = middle }
            }
            return outside
        }
        return Interval(lower: bound(0), upper: bound(1))
    }

    /// The default number of votes at which the always-valid interval is narrowest.
    package static let usualTuningCount = 500

    /// Returns the conclusion about the second list.
    ///
    /// - Parameters:
    ///   - isFinal: whether the planned end has come, so that the sign test decides.
    ///   - tuningCount: the parameter of `alwaysValidInterval(error:tuningCount:)`.
    ///   - error: the probability of a conclusion where members prefer neither list.
    package func conclusion(isFinal: Bool, tuningCount: Int, error: Double) -> Conclusion {
        guard count > 0 else { return .tooEarly }
        let isReal =
            isFinal ? pValue < error : !alwaysValidInterval(error: error, tuningCount: tuningCount).contains(0.5)
        guard isReal else { return .undecided }
        return second > first ? .more : .less
    }
}
