/// By what the parts of a mix are multiplied before they are added up: (1 - b) s/s̄ + b x/x̄ + f y/ȳ, with s the score of
/// a pair, x its coefficient in a regression, y its product of factors, each divided by the mean of what is greatest for
/// a target.
public struct MixScale: Sendable, Equatable {
    /// (1 - b) / s̄.
    public let ofScores: Double
    /// b / x̄.
    public let ofCoefficients: Double
    /// f / ȳ.
    public let ofFactors: Double

    /// What the mix is made of; a part of which no pair has anything above 0 is left out.
    ///
    /// - Parameters:
    ///   - targets: the number of targets that have pairs.
    ///   - scores: the sum over them of the greatest score of each.
    ///   - coefficients: the same of coefficients.
    ///   - factors: the same of products of factors.
    public init(_ formula: ModifiedCosine, targets: Int, scores: Double, coefficients: Double, factors: Double) {
        let count = Double(targets)
        let share = coefficients > 0 ? formula.ridgeShare : 0
        ofScores = scores > 0 ? (1 - share) * count / scores : 0
        ofCoefficients = coefficients > 0 ? share * count / coefficients : 0
        ofFactors = factors > 0 ? formula.factorWeight * count / factors : 0
    }

    /// What a pair has in the list of its source, 0 where that is negative.
    @inline(__always)
    public func mixed(score: Double, coefficient: Double, factors: Double) -> Double {
        max(0, ofScores * score + ofCoefficients * coefficient + ofFactors * factors)
    }
}
