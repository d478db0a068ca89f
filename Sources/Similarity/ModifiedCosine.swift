import Glibc

/// ( Σ_common d(u)^-a / (nᵢ^p nⱼ^q) · c/(c+h) )^r, with d(u) the number of rows that column u is in.
///
/// Only rows with at least the minimum of entries count towards d(u). The weights d^-a are the
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

    /// Plain cosine by default.
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
    /// The number that orders a row's neighbours: larger is more similar, equal is a tie.
    ///
    /// One expression, evaluated from left to right in double precision, so that every implementation that has the same
    /// integers has the same order. The source row's size and r do not change the order; `score` applies them.
    ///
    /// - Parameters:
    ///   - weightSum: Σ d(u)^-a over the common entries, in units of 1/`DegreeWeights.one`.
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

/// The weight d^-a of a column that is in d rows, as fixed-point integers.
///
/// Integers add up to the same sum in any order, on any number of threads and on any processor; with this table a
/// model's sums can be reproduced.
public struct DegreeWeights: Sendable, Equatable {
    /// The weight of a column that counts in full: 2³¹.
    public static let one: UInt32 = 1 << 31

    /// Weights by degree.
    ///
    /// Degree 0 does not occur: it has the weight of degree 1, so that the degree is the index.
    public let table: [UInt32]

    /// Tabulates the weights of all degrees.
    ///
    /// - Parameters:
    ///   - degreeDiscount: a, 0 or more.
    ///   - largestDegree: the last degree of the table.
    public init(degreeDiscount: Double, largestDegree: UInt32) {
        table = (0...largestDegree).map { Self.weight(ofDegree: $0, discount: degreeDiscount) }
    }

    /// max(1, round(2³¹ d^-a)): at least 1, so that a pair with common entries has a score above 0.
    public static func weight(ofDegree degree: UInt32, discount: Double) -> UInt32 {
        precondition(discount >= 0, "a negative discount would weigh a column above one")
        let exact = Double(one) * pow(Double(max(1, degree)), -discount)
        return max(1, UInt32(exact.rounded()))
    }

    /// The weight of a column of this degree.
    public subscript(degree degree: UInt32) -> UInt32 { table[Int(degree)] }
}
