import Glibc

/// ( Σ_common d(u)^-a / (nᵢ^p nⱼ^q) · c/(c+h) )^r, with d(u) the number of rows that column u is in.
///
/// Only rows that count (those with at least the minimum of entries) count towards d(u). The weights d^-a are the
/// fixed-point integers of `DegreeWeights`. Plain cosine is a = 0, p = q = ½, h = 0, r = 1.
public struct ModifiedCosine: Sendable, Equatable {
    /// a, 0 or more: discounts columns that are in many rows.
    public var degreeDiscount: Double
    /// p: exponent of the source row's size.
    public var sourceExponent: Double
    /// q: exponent of the neighbour's size.
    public var neighbourExponent: Double
    /// h, 0 or more: shrinks the score of pairs with little evidence.
    public var shrinkage: Double
    /// r, above 0: power of the whole score.
    public var scorePower: Double

    /// Plain cosine unless said otherwise.
    public init(
        degreeDiscount: Double = 0, sourceExponent: Double = 0.5, neighbourExponent: Double = 0.5,
        shrinkage: Double = 0, scorePower: Double = 1
    ) {
        self.degreeDiscount = degreeDiscount
        self.sourceExponent = sourceExponent
        self.neighbourExponent = neighbourExponent
        self.shrinkage = shrinkage
        self.scorePower = scorePower
    }
}

extension ModifiedCosine {
    /// What orders a row's neighbours: larger is more alike, equal is a tie.
    ///
    /// One expression, evaluated from left to right in double precision, so that every engine that has the same integers
    /// has the same order. The source row's size and r, which change no order, are left to `score`.
    ///
    /// - Parameters:
    ///   - weightSum: Σ over the common entries, in units of 1/`DegreeWeights.one`.
    ///   - common: c.
    ///   - neighbourSize: nⱼ.
    public func key(weightSum: UInt64, common: Int, neighbourSize: Int) -> Double {
        key(weightSum: weightSum, common: common, neighbourFactor: neighbourFactor(size: neighbourSize))
    }

    /// nⱼ^-q.
    func neighbourFactor(size: Int) -> Double { pow(Double(size), -neighbourExponent) }

    @inline(__always)
    func key(weightSum: UInt64, common: Int, neighbourFactor: Double) -> Double {
        Double(weightSum) * neighbourFactor * (Double(common) / (Double(common) + shrinkage))
    }

    /// The score that belongs to a key.
    ///
    /// - Parameter sourceSize: nᵢ.
    public func score(key: Double, sourceSize: Int) -> Double {
        pow(key / Double(DegreeWeights.one) * pow(Double(sourceSize), -sourceExponent), scorePower)
    }
}
