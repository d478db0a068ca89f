import Glibc
public import Model

/// ( Σ_common d(u)^-a / (nᵢ^p nⱼ^q) · c/(c+h) )^r, with d(u) the number of rows that column u is in.
///
/// Only rows with at least the minimum of entries count towards d(u). The weights d^-a are the
/// fixed-point integers of `DegreeWeights`. Plain cosine is a = 0, p = q = ½, h = 0, r = 1, cut at the source, g = 0.
public struct ModifiedCosine: Sendable, Hashable, Codable {
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
    /// Whose k best pairs are kept.
    public var cut: ListCut
    /// g, 0 to 1: every list is divided by the power g of its sum.
    ///
    /// With 1 all lists give the same to a sum over several of them, whatever their length.
    public var listPower: Double
    /// b, 0 to 1: which part of a score is the coefficient of `RidgeRegression`; only of lists cut at the target.
    public var ridgeShare: Double
    /// l, above 0: the penalty λ of that regression.
    public var ridgePenalty: Double
    /// f, 0 or more: what the products of `SpectralFactors` add to a score; only of lists cut at the target.
    public var factorWeight: Double

    /// Plain cosine by default.
    public init(
        degreeDiscount: Double = 0, sourceExponent: Double = 0.5, neighbourExponent: Double = 0.5,
        shrinkage: Double = 0, scorePower: Double = 1, cut: ListCut = .source, listPower: Double = 0,
        ridgeShare: Double = 0, ridgePenalty: Double = 15, factorWeight: Double = 0
    ) {
        self.degreeDiscount = degreeDiscount
        self.sourceExponent = sourceExponent
        self.neighbourExponent = neighbourExponent
        self.shrinkage = shrinkage
        self.scorePower = scorePower
        self.cut = cut
        self.listPower = listPower
        self.ridgeShare = ridgeShare
        self.ridgePenalty = ridgePenalty
        self.factorWeight = factorWeight
    }

    /// Whether scores are mixed with something else.
    var mixes: Bool { cut == .target && (ridgeShare > 0 || factorWeight > 0) }

    /// The default parameters of a recompute.
    ///
    /// Chosen on parts of the training files of seven public sets: on each within 5% of the best recall@20 that two
    /// dozen settings had.
    public static let standard = ModifiedCosine(
        degreeDiscount: 0.7, sourceExponent: 0.6, neighbourExponent: 0.25, shrinkage: 4.5, scorePower: 0.85,
        cut: .target, listPower: 0.5)
}

extension ModifiedCosine {
    /// Reads parameters; those that an earlier program did not know have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            degreeDiscount: try values.decode(Double.self, forKey: .degreeDiscount),
            sourceExponent: try values.decode(Double.self, forKey: .sourceExponent),
            neighbourExponent: try values.decode(Double.self, forKey: .neighbourExponent),
            shrinkage: try values.decode(Double.self, forKey: .shrinkage),
            scorePower: try values.decode(Double.self, forKey: .scorePower),
            cut: try values.decode(ListCut.self, forKey: .cut),
            listPower: try values.decode(Double.self, forKey: .listPower))
        ridgeShare = try values.decodeIfPresent(Double.self, forKey: .ridgeShare) ?? ridgeShare
        ridgePenalty = try values.decodeIfPresent(Double.self, forKey: .ridgePenalty) ?? ridgePenalty
        factorWeight = try values.decodeIfPresent(Double.self, forKey: .factorWeight) ?? factorWeight
    }
}

/// Whose k best pairs are kept, of a source row and a target row that may be in its list.
public enum ListCut: String, Sendable, Equatable, CaseIterable, Codable {
    /// Every row keeps its k best targets.
    case source
    /// Every row keeps the k best sources in whose lists it is: lists vary in length, and rare rows are in as many as
    /// frequent ones.
    case target
}

extension ModifiedCosine {
    /// The number that orders a row's neighbours: larger is more similar, equal is a tie.
    ///
    /// One expression, evaluated from left to right in double precision, so that every implementation that has the same
    /// integers has the same order. The row's own size and r do not change the order; `score` applies them.
    ///
    /// - Parameters:
    ///   - weightSum: Σ d(u)^-a over the common entries, in units of 1/`DegreeWeights.one`.
    ///   - common: c.
    ///   - otherSize: the size of the other row: nⱼ of a target, or nᵢ of a source if lists are cut at the target.
    public func key(weightSum: UInt64, common: Int, otherSize: Int) -> Double {
        key(weightSum: weightSum, common: common, otherFactor: otherFactor(size: otherSize))
    }

    /// nⱼ^-q, or nᵢ^-p if lists are cut at the target.
    func otherFactor(size: Int) -> Double { pow(Double(size), cut == .source ? -neighbourExponent : -sourceExponent) }

    @inline(__always)
    func key(weightSum: UInt64, common: Int, otherFactor: Double) -> Double {
        Double(weightSum) * otherFactor * (Double(common) / (Double(common) + shrinkage))
    }

    /// The key of a pair: it orders all pairs, by the scores that they have before lists are divided by their sums.
    ///
    /// - Parameters:
    ///   - key: orders the pairs of one row.
    ///   - ownSize: the size of that row.
    func pairKey(key: Double, ownSize: Int) -> Double {
        key * pow(Double(ownSize), cut == .source ? -sourceExponent : -neighbourExponent)
    }

    /// The score of a pair before its list is divided by its sum.
    func score(pairKey: Double) -> Double { pow(pairKey / Double(DegreeWeights.one), scorePower) }

    /// The score that belongs to the key of a row of a size, before its list is divided by its sum.
    public func score(key: Double, ownSize: Int) -> Double { score(pairKey: pairKey(key: key, ownSize: ownSize)) }

    /// Divides the scores of a list by the power g of their sum, added in the order of the list.
    func normalize(_ scores: inout [Double]) {
        guard listPower != 0 else { return }
        let sum = scores.reduce(0, +)
        guard sum > 0 else { return }
        let divisor = pow(sum, listPower)
        for index in scores.indices { scores[index] /= divisor }
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

/// What a tuning chooses: for each relation the formula, how many pairs are kept, and what it counts in lists.
public struct TunedSettings: Sendable, Hashable, Codable {
    /// The settings of one relation.
    public struct Part: Sendable, Hashable, Codable {
        /// The formula.
        public var formula: ModifiedCosine
        /// k, 1 or more.
        public var limit: Int
        /// What its scores count in members' lists, 0 or more; memberships count 1.
        public var weight: Double

        /// The settings of one relation.
        public init(formula: ModifiedCosine = .standard, limit: Int = 100, weight: Double = 1) {
            self.formula = formula
            self.limit = limit
            self.weight = weight
        }
    }

    private var parts: [String: Part]

    /// Settings of some relations.
    public init(_ parts: [Relation: Part]) {
        self.parts = Dictionary(uniqueKeysWithValues: parts.map { ($0.key.rawValue, $0.value) })
    }

    /// The relations that have settings, in ascending order of their names.
    public var relations: [Relation] { parts.keys.sorted().map { Relation(rawValue: $0) } }

    /// The settings of a relation; nil if it has none.
    public subscript(relation: Relation) -> Part? {
        get { parts[relation.rawValue] }
        set { parts[relation.rawValue] = newValue }
    }
}
