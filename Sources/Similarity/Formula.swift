import Glibc
public import Model

/// A measure in the form that the kernels use.
///
/// A key orders the candidates of one source row. For plain cosine it is c² / nⱼ, the square of the cosine times the
/// source's size; for a modified cosine it is `ModifiedCosine.key`.
struct Formula: Sendable {
    /// Nil for plain cosine.
    let modified: ModifiedCosine?
    /// For each rank n, or for a modified cosine what the size of the other row makes of a key.
    let factors: Storage<Double>
    /// The greatest of them.
    let greatestFactor: Double
    let sizes: Storage<UInt32>
    /// For each 64 ranks, the least √nⱼ; empty for a modified cosine.
    let roots: Storage<Float>
    /// For each 64 ranks, the least inverse of a factor; empty for plain cosine.
    let inverses: Storage<Double>
    /// By degree; nil for plain cosine.
    let weights: DegreeWeights?

    init(_ prepared: PreparedMatrix, _ measure: SimilarityParameters.Measure) {
        factors = Storage(uninitialized: prepared.rankCount)
        let chunkCount = prepared.rankCount / 64 + 2 * groupSize / 64
        sizes = prepared.ranked.sizes
        switch measure {
        case .cosine:
            modified = nil
            weights = nil
            greatestFactor = 1
            roots = Storage(zeroed: chunkCount)
            inverses = Storage(zeroed: 0)
            for rank in 0..<prepared.rankCount {
                let size = Double(prepared.ranked.sizes[rank])
                factors[rank] = size
                // Ranks descend by size: the last of 64 has the least.
                roots[rank / 64] = Float(size).squareRoot()
            }
        case .modified(let modified):
            self.modified = modified
            roots = Storage(zeroed: 0)
            inverses = Storage(zeroed: chunkCount)
            var greatest = 0.0
            for rank in 0..<prepared.rankCount {
                let factor = modified.otherFactor(size: Int(prepared.ranked.sizes[rank]))
                factors[rank] = factor
                let least = rank % 64 == 0 ? .infinity : inverses[rank / 64]
                inverses[rank / 64] = min(least, 1 / factor)
                greatest = max(greatest, factor)
            }
            greatestFactor = greatest
            weights = DegreeWeights(
                degreeDiscount: modified.degreeDiscount, largestDegree: prepared.largestDegree)
        }
    }

    /// An upper bound of the keys of a source row's candidates.
    func greatestKey(ofRank rank: Int) -> Double {
        let size = Double(sizes[rank])
        guard modified != nil else { return size }
        return size * Double(DegreeWeights.one) * greatestFactor
    }
}

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

extension SimilarityParameters.Measure {
    /// The formula's name and parameters, as the manifest has them.
    public var forManifest: (name: String, parameters: [String: Double]) {
        switch self {
        case .cosine: ("cosine", [:])
        case .modified(let family):
            (
                "modified",
                [
                    "a": family.degreeDiscount, "p": family.sourceExponent, "q": family.neighbourExponent,
                    "h": family.shrinkage, "r": family.scorePower, "g": family.listPower,
                ].merging(family.mixedParts) { $1 }
            )
        }
    }
}

extension ModifiedCosine {
    /// The parameters of what scores are mixed with.
    fileprivate var mixedParts: [String: Double] {
        guard mixes else { return [:] }
        var parts: [String: Double] = [:]
        if ridgeShare > 0 { (parts["b"], parts["l"]) = (ridgeShare, ridgePenalty) }
        if factorWeight > 0 { parts["f"] = factorWeight }
        return parts
    }
}

extension ListCut {
    /// As the manifest has it: nil for the source.
    public var forManifest: String? { self == .source ? nil : rawValue }
}

extension Manifest.RelationReport {
    /// What counted as a neighbour; nil if this program does not know the formula.
    public var parameters: SimilarityParameters? {
        formula.map {
            SimilarityParameters(
                minimumEntries: minimumEntries, minimumCommon: minimumCommon, limit: limit, measure: $0)
        }
    }

    /// The formula that the version was computed with; nil if this program does not know it.
    var formula: SimilarityParameters.Measure? {
        switch measure {
        case "cosine": return .cosine
        case "modified":
            guard let knownCut = cut.map(ListCut.init(rawValue:)) ?? .source, let a = measureParameters["a"],
                let p = measureParameters["p"], let q = measureParameters["q"],
                let h = measureParameters["h"], let r = measureParameters["r"], a >= 0
            else { return nil }
            return .modified(
                ModifiedCosine(
                    degreeDiscount: a, sourceExponent: p, neighbourExponent: q, shrinkage: h, scorePower: r,
                    cut: knownCut, listPower: measureParameters["g"] ?? 0, ridgeShare: measureParameters["b"] ?? 0,
                    ridgePenalty: measureParameters["l"] ?? ModifiedCosine().ridgePenalty,
                    factorWeight: measureParameters["f"] ?? 0))
        default: return nil
        }
    }
}

extension SimilarityParameters.Measure {
    /// Whose k best pairs are kept.
    public var cut: ListCut { if case .modified(let family) = self { family.cut } else { .source } }

    /// About which part of a score is left if so many of the common entries were not there.
    public func partLeft(without missing: Int, ofCommon common: Int) -> Double {
        guard common > missing else { return 0 }
        let (before, after) = (Double(common), Double(common - missing))
        guard case .modified(let family) = self else { return after / before }
        let shrunk = { (count: Double) in count * count / (count + family.shrinkage) }
        return pow(shrunk(after) / shrunk(before), family.scorePower)
    }
}

extension SimilarityParameters {
    /// The fixed-point weights of the degrees that occur; nil for a formula without weights.
    public func weights(in matrix: BinaryMatrix) -> [Int: UInt32]? {
        guard case .modified(let family) = measure else { return nil }
        let degrees = matrix.columnDegrees(ofRowsWithAtLeast: minimumEntries)
        var occurs = [Bool](repeating: false, count: Int(degrees.max() ?? 0) + 1)
        for degree in degrees { occurs[Int(degree)] = true }
        return Dictionary(
            uniqueKeysWithValues: occurs.indices.dropFirst().filter { occurs[$0] }.map {
                ($0, DegreeWeights.weight(ofDegree: UInt32($0), discount: family.degreeDiscount))
            })
    }
}
