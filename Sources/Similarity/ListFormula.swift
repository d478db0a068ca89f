public import Model

/// What a group has in common with one that may be in its list.
public struct PairCounts: Sendable, Equatable {
    /// c: common entries.
    public var common: Int
    /// nⱼ: entries of the group that may be in the list.
    public var neighbourSize: Int
    /// The sum of what the common entries weigh, in units of 1/`DegreeWeights.one`; plain cosine does not look at it.
    public var weightSum: UInt64

    /// Counts.
    public init(common: Int, neighbourSize: Int, weightSum: UInt64) {
        self.common = common
        self.neighbourSize = neighbourSize
        self.weightSum = weightSum
    }
}

/// The formula of a relation in a version, over counts: the score of a pair, and the order of a list.
public struct ListFormula: Sendable {
    private let measure: SimilarityParameters.Measure
    private let weights: [Int: UInt32]

    /// The formula of a relation of a version.
    ///
    /// Nothing if this program does not know the formula.
    public init?(_ report: Manifest.RelationReport) {
        guard let measure = report.formula else { return nil }
        self.measure = measure
        weights = report.weights ?? [:]
    }

    /// Whether common entries weigh differently.
    public var hasWeights: Bool { if case .modified = measure { true } else { false } }

    /// What an entry weighs that is in so many groups.
    public func weight(ofDegree degree: Int) -> UInt32 {
        guard case .modified(let family) = measure else { return DegreeWeights.one }
        // Only in a catalog that changed since is there a degree that the version does not have.
        return weights[degree]
            ?? DegreeWeights.weight(ofDegree: UInt32(clamping: degree), discount: family.degreeDiscount)
    }

    /// The score of a pair in the list of a group of a size.
    public func score(_ pair: PairCounts, sourceSize: Int) -> Double {
        guard pair.common > 0 else { return 0 }
        switch measure {
        case .cosine:
            return Double(pair.common) / (Double(sourceSize) * Double(pair.neighbourSize)).squareRoot()
        case .modified(let family):
            return family.score(key: Self.key(pair, family), sourceSize: sourceSize)
        }
    }

    /// Whether a score follows from counts and sizes alone, as every common entry weighs the same.
    var followsFromCounts: Bool {
        guard case .modified(let family) = measure else { return true }
        return family.degreeDiscount == 0
    }

    /// The score of a pair whose common entries count in full.
    func score(common: Int, sourceSize: Int, neighbourSize: Int) -> Double {
        let weightSum = UInt64(common) * UInt64(DegreeWeights.one)
        return score(
            PairCounts(common: common, neighbourSize: neighbourSize, weightSum: weightSum), sourceSize: sourceSize)
    }

    /// Whether a pair stands before another in a list: by c² / n as integers, or by the key of the modified cosine.
    ///
    /// Of two that are equally alike, neither does; the bytes of their ids decide then.
    public func isCloser(_ left: PairCounts, than right: PairCounts) -> Bool {
        switch measure {
        case .cosine:
            let ours = UInt128(left.common) * UInt128(left.common) * UInt128(right.neighbourSize)
            let theirs = UInt128(right.common) * UInt128(right.common) * UInt128(left.neighbourSize)
            return ours > theirs
        case .modified(let family):
            return Self.key(left, family) > Self.key(right, family)
        }
    }

    private static func key(_ pair: PairCounts, _ family: ModifiedCosine) -> Double {
        family.key(weightSum: pair.weightSum, common: pair.common, neighbourSize: pair.neighbourSize)
    }
}
