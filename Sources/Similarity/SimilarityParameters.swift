/// What counts as a neighbour, and how alike two rows are.
public struct SimilarityParameters: Sendable, Equatable {
    /// X: a row counts, as source and as neighbour, only with at least this many entries (inclusive).
    public var minimumEntries: Int
    /// Y: a pair counts only with at least this many common entries (inclusive, 1 or more).
    public var minimumCommon: Int
    /// k: how many neighbours a row keeps, at most.
    public var limit: Int
    /// The formula.
    public var measure: Measure

    /// Plain cosine unless said otherwise.
    public init(minimumEntries: Int, minimumCommon: Int, limit: Int, measure: Measure = .cosine) {
        self.minimumEntries = minimumEntries
        self.minimumCommon = minimumCommon
        self.limit = limit
        self.measure = measure
    }

    /// A similarity formula; c is a pair's common entries, n a row's entries.
    public enum Measure: Sendable, Equatable {
        /// Plain cosine, c / √(nᵢ nⱼ) (Salton and McGill 1983), ordered exactly by the integers c² / nⱼ.
        case cosine
        /// The tunable family of `ModifiedCosine`.
        case modified(ModifiedCosine)
    }
}

/// ( Σ_common d(u)^-a / (nᵢ^p nⱼ^q) · c/(c+h) )^r, with d(u) the number of rows that column u is in.
///
/// Plain cosine is a = 0, p = q = ½, h = 0, r = 1.
public struct ModifiedCosine: Sendable, Equatable {
    /// a: discounts columns that are in many rows.
    public var degreeDiscount: Double
    /// p: exponent of the source row's size.
    public var sourceExponent: Double
    /// q: exponent of the neighbour's size.
    public var neighbourExponent: Double
    /// h: shrinks the score of pairs with little evidence.
    public var shrinkage: Double
    /// r: power of the whole score.
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
