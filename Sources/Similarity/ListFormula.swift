public import Model

/// What a group has in common with another one.
public struct PairCounts: Sendable, Equatable {
    /// c: common entries.
    public var common: Int
    /// Entries of the other group.
    public var otherSize: Int
    /// The sum of what the common entries weigh, in units of 1/`DegreeWeights.one`; plain cosine does not look at it.
    public var weightSum: UInt64

    /// Counts.
    public init(common: Int, otherSize: Int, weightSum: UInt64) {
        self.common = common
        self.otherSize = otherSize
        self.weightSum = weightSum
    }
}

/// The formula of a relation in a version, over counts: the score of a pair, and which pairs of a group are kept.
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

    /// Whose k best pairs are kept: those of the group that has the list, or of the group that may be in it.
    public var cut: ListCut { if case .modified(let family) = measure { family.cut } else { .source } }

    /// What an entry weighs that is in so many groups.
    public func weight(ofDegree degree: Int) -> UInt32 {
        guard case .modified(let family) = measure else { return DegreeWeights.one }
        // Only in a catalog that changed since is there a degree that the version does not have.
        return weights[degree]
            ?? DegreeWeights.weight(ofDegree: UInt32(clamping: degree), discount: family.degreeDiscount)
    }

    /// The score of a pair, before lists are divided by their sums.
    ///
    /// - Parameters:
    ///   - pair: counts of the group that does not cut.
    ///   - ownSize: entries of the group that does: the one that has the list, or the one that may be in it.
    public func score(_ pair: PairCounts, ownSize: Int) -> Double {
        guard pair.common > 0 else { return 0 }
        switch measure {
        case .cosine:
            return Double(pair.common) / (Double(ownSize) * Double(pair.otherSize)).squareRoot()
        case .modified(let family):
            return family.score(key: Self.key(pair, family), ownSize: ownSize)
        }
    }

    /// Whether a listed score follows from counts and sizes alone: every common entry weighs the same, and scores are
    /// neither divided by sums of lists nor mixed with something else.
    var followsFromCounts: Bool {
        guard case .modified(let family) = measure else { return true }
        return family.degreeDiscount == 0 && family.listPower == 0 && !family.mixes
    }

    /// The score of a pair whose common entries count in full.
    func score(common: Int, sourceSize: Int, neighbourSize: Int) -> Double {
        let weightSum = UInt64(common) * UInt64(DegreeWeights.one)
        let (own, other) = cut == .source ? (sourceSize, neighbourSize) : (neighbourSize, sourceSize)
        return score(PairCounts(common: common, otherSize: other, weightSum: weightSum), ownSize: own)
    }

    /// Whether a pair stands before another among those of the group that cuts: by c² / n as integers, or by the key of
    /// the modified cosine.
    ///
    /// Of two that are equally alike, neither does; the bytes of their ids decide then.
    public func isCloser(_ left: PairCounts, than right: PairCounts) -> Bool {
        switch measure {
        case .cosine:
            let ours = UInt128(left.common) * UInt128(left.common) * UInt128(right.otherSize)
            let theirs = UInt128(right.common) * UInt128(right.common) * UInt128(left.otherSize)
            return ours > theirs
        case .modified(let family):
            return Self.key(left, family) > Self.key(right, family)
        }
    }

    private static func key(_ pair: PairCounts, _ family: ModifiedCosine) -> Double {
        family.key(weightSum: pair.weightSum, common: pair.common, otherSize: pair.otherSize)
    }
}
