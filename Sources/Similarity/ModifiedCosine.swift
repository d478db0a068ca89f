import Glibc
package import Model

/// The modified cosine, ( Σ_common d(u)^-a / (nᵢ^p nⱼ^q) · c/(c+h) )^r.
///
/// Here d(u) is the number of rows that have column u. Only rows with at least the minimum number of entries count. The
/// weights d^-a are the fixed-point integers of `DegreeWeights`. Plain cosine is a = 0, p = q = ½, h = 0, r = 1, cut at
/// the source, g = 0.
package struct ModifiedCosine: Sendable, Hashable, Codable {
    /// The exponent a, 0 or more, which discounts columns that are in many rows.
    package var degreeDiscount: Double
    /// The exponent p of the source row's size.
    package var sourceExponent: Double
    /// The exponent q of the neighbour's size.
    package var neighbourExponent: Double
    /// The shrinkage h, 0 or more, which lowers the score of pairs with few common entries.
    package var shrinkage: Double
    /// The power r of the whole score, above 0.
    package var scorePower: Double
    /// The side of a pair whose k best are kept.
    package var cut: ListLimitSide
    /// The exponent g, 0 to 1: every list is divided by its sum to the power g.
    ///
    /// With g = 1, all lists contribute the same total to a sum over several lists, whatever their length.
    package var listPower: Double
    /// The exponent y, 0 or more, of a row's size in the number of pairs that it keeps (`PairLimits`).
    package var limitExponent: Double {
        get { keptExponent ?? 0 }
        set { keptExponent = newValue == 0 ? nil : newValue }
    }
    /// The exponent, or nil for 0, as in tunings that were kept before there was one.
    private var keptExponent: Double?

    /// Creates a formula; the defaults are plain cosine.
    package init(
        degreeDiscount: Double = 0, sourceExponent: Double = 0.5, neighbourExponent: Double = 0.5,
        shrinkage: Double = 0, scorePower: Double = 1, cut: ListLimitSide = .source, listPower: Double = 0,
        limitExponent: Double = 0
    ) {
        self.degreeDiscount = degreeDiscount
        self.sourceExponent = sourceExponent
        self.neighbourExponent = neighbourExponent
        self.shrinkage = shrinkage
        self.scorePower = scorePower
        self.cut = cut
        self.listPower = listPower
        self.limitExponent = limitExponent
    }

    /// The default parameters of a recompute.
    ///
    /// The parameters were chosen on parts of the training files of seven public data sets. On each set, recall@20 is
    /// within 5% of the best of two dozen settings.
    package static let standard = ModifiedCosine(
        degreeDiscount: 0.7, sourceExponent: 0.6, neighbourExponent: 0.25, shrinkage: 4.5, scorePower: 0.85,
        cut: .target, listPower: 0.5)
}

/// The side of a pair whose k best are kept: the source row, or the target row that may be in its list.
package enum ListLimitSide: String, Sendable, Equatable, CaseIterable, Codable {
    /// Every row keeps its k best targets.
    case source
    /// Every row keeps its k best sources and appears in the lists of those sources only.
    ///
    /// Lists then vary in length, and a rare row is in as many lists as a frequent one.
    case target
}

extension ModifiedCosine {
    /// Returns the key that orders a row's neighbours: larger is more similar, and equal keys tie.
    ///
    /// The key is one expression, evaluated from left to right in double precision. Every implementation with the same
    /// integers therefore gets the same order. The row's own size and r do not change the order; `score` applies them.
    ///
    /// - Parameters:
    ///   - weightSum: Σ d(u)^-a over the common entries, in units of 1/`DegreeWeights.one`.
    ///   - common: the number c of common entries.
    ///   - otherSize: the size of the other row: nⱼ of a target, or nᵢ of a source if lists are cut at the target.
    package func key(weightSum: UInt64, common: Int, otherSize: Int) -> Double {
        key(weightSum: weightSum, common: common, otherFactor: otherFactor(size: otherSize))
    }

    /// Returns nⱼ^-q, or nᵢ^-p if lists are cut at the target.
    func otherFactor(size: Int) -> Double { pow(Double(size), cut == .source ? -neighbourExponent : -sourceExponent) }

    @inline(__always)
    func key(weightSum: UInt64, common: Int, otherFactor: Double) -> Double {
        Double(weightSum) * otherFactor * (Double(common) / (Double(common) + shrinkage))
    }

    /// Returns a key that orders all pairs by their scores before lists are normalized.
    ///
    /// - Parameters:
    ///   - key: the key that orders the pairs of one row.
    ///   - ownSize: the size of that row.
    func pairKey(key: Double, ownSize: Int) -> Double {
        key * pow(Double(ownSize), cut == .source ? -sourceExponent : -neighbourExponent)
    }

    /// Returns the score of a pair before its list is normalized.
    func score(pairKey: Double) -> Double { pow(pairKey / Double(DegreeWeights.one), scorePower) }

    /// Returns the score for a key of a row with a given size, before the list is normalized.
    package func score(key: Double, ownSize: Int) -> Double { score(pairKey: pairKey(key: key, ownSize: ownSize)) }

    /// Divides the scores of a list by their sum to the power g; the sum is added in the order of the list.
    func normalize(_ scores: inout [Double]) {
        guard listPower != 0 else { return }
        let sum = scores.reduce(0, +)
        guard sum > 0 else { return }
        let divisor = pow(sum, listPower)
        for index in scores.indices { scores[index] /= divisor }
    }
}

/// The weights d^-a of columns in d rows, as fixed-point integers.
///
/// Integers have the same sum in any order, on any number of threads and on any processor. Anyone with this table can
/// reproduce the sums of a model.
package struct DegreeWeights: Sendable, Equatable {
    /// The weight of a column that counts in full: 2³¹.
    package static let one: UInt32 = 1 << 31

    /// The weights by degree.
    ///
    /// A degree is the index of its weight. Degree 0 does not occur; the entry at 0 repeats the weight of degree 1.
    package let table: [UInt32]

    /// Tabulates the weights of all degrees.
    ///
    /// - Parameters:
    ///   - degreeDiscount: the exponent a, 0 or more.
    ///   - largestDegree: the last degree of the table.
    package init(degreeDiscount: Double, largestDegree: UInt32) {
        table = (0...largestDegree).map { Self.weight(ofDegree: $0, discount: degreeDiscount) }
    }

    /// Returns max(1, round(2³¹ d^-a)); a weight of at least 1 gives every pair with common entries a positive score.
    package static func weight(ofDegree degree: UInt32, discount: Double) -> UInt32 {
        precondition(discount >= 0, "a negative discount would weigh a column above one")
        let exact = Double(one) * pow(Double(max(1, degree)), -discount)
        return max(1, UInt32(exact.rounded()))
    }
}

/// The settings that tuning chooses for each relation: formula, number of pairs kept, and weight in lists.
package struct TunedSettings: Sendable, Hashable, Codable {
    /// The settings of one relation.
    package struct Part: Sendable, Hashable, Codable {
        package var formula: ModifiedCosine
        /// The most pairs that a row keeps: k, 1 or more.
        package var limit: Int
        /// The weight of the relation's scores in members' lists, 0 or more; memberships have weight 1.
        package var weight: Double

        package init(formula: ModifiedCosine = .standard, limit: Int = 100, weight: Double = 1) {
            self.formula = formula
            self.limit = limit
            self.weight = weight
        }
    }

    private var parts: [String: Part]

    package init(_ parts: [Relation: Part]) {
        self.parts = Dictionary(uniqueKeysWithValues: parts.map { ($0.key.rawValue, $0.value) })
    }

    /// The relations that have settings, in ascending order of their names.
    package var relations: [Relation] { parts.keys.sorted().map { Relation(rawValue: $0) } }

    /// The settings of a relation, or nil if it has none.
    package subscript(relation: Relation) -> Part? {
        get { parts[relation.rawValue] }
        set { parts[relation.rawValue] = newValue }
    }
}
