import Glibc
package import Model

/// A similarity measure in the form that the kernels use.
///
/// A key orders the candidates of one source row. For plain cosine the key is c² / nⱼ: the square of the cosine times
/// the source's size. For a modified cosine it is `ModifiedCosine.key`. A pair's *sum* is that of the weights of its
/// common columns, which all are 1 for plain cosine.
struct Formula: Sendable {
    /// The modified cosine, or nil for plain cosine.
    let modified: ModifiedCosine?
    /// For each rank, its size n; for a modified cosine, the factor by which its size multiplies a key.
    private let factors: Storage<Double>
    /// For each rank, the factor that turns a threshold of `BestCandidates` into the least sum.
    let inverses: Storage<Float>
    /// The smallest of each 64.
    let leastInverses: Storage<Float>
    /// For each 64 ranks the smallest inverse of the block, divided by theirs, in units of 2⁻¹⁶.
    let sizeFactors: Storage<UInt32>
    /// The weights of columns by degree.
    let weights: Storage<UInt32>

    init(_ prepared: PreparedMatrix, _ measure: SimilarityParameters.Measure) {
        let chunkCount = prepared.rankCount / 64 + 2 * groupSize / 64
        factors = Storage(uninitialized: prepared.rankCount)
        inverses = Storage(zeroed: prepared.rankCount)
        leastInverses = Storage(zeroed: chunkCount)
        sizeFactors = Storage(zeroed: chunkCount)
        weights = Storage(uninitialized: Int(prepared.largestDegree) + 1)
        if case .modified(let modified) = measure { self.modified = modified } else { modified = nil }
        let table = modified.map {
            DegreeWeights(degreeDiscount: $0.degreeDiscount, largestDegree: prepared.largestDegree).table
        }
        for degree in 0..<weights.count { weights[degree] = table?[degree] ?? 1 }
        for rank in 0..<prepared.rankCount {
            let size = Int(prepared.ranked.sizes[rank])
            factors[rank] = modified?.otherFactor(size: size) ?? Double(size)
            inverses[rank] = Float(modified == nil ? Double(size).squareRoot() : 1 / factors[rank])
            let least = rank % 64 == 0 ? .infinity : leastInverses[rank / 64]
            leastInverses[rank / 64] = min(least, inverses[rank])
        }
        for block in prepared.blocks {
            let chunks = block.ranks.lowerBound / 64..<(block.ranks.upperBound + 63) / 64
            let least = chunks.reduce(Float.infinity) { min($0, leastInverses[$1]) }
            for chunk in chunks {
                let factor = (least / leastInverses[chunk] * 0x1p16).rounded(.down)
                sizeFactors[chunk] = factor <= 0x1p16 ? UInt32(factor) : 0
            }
        }
    }

    /// Whether no rank needs a greater sum than a larger row.
    var inversesDescend: Bool {
        modified.map { ($0.cut == .source ? $0.neighbourExponent : $0.sourceExponent) >= 0 } ?? true
    }

    /// Whether the order of a row's pairs counts; a cut at the target sorts them by source.
    var keepsOrder: Bool { modified.map { $0.cut == .source } ?? true }

    /// Returns a factor by which every useful sum exceeds what a threshold says, if no pair has more common entries.
    func tightening(mostCommon: Int) -> Double {
        modified.map { 1 + $0.shrinkage / Double(mostCommon) } ?? 1
    }

    /// Returns the key of a pair for one of its rows.
    ///
    /// - Parameters:
    ///   - sum: the sum of the weights of the common columns.
    ///   - common: their number.
    ///   - other: the rank of the other row.
    @inline(__always)
    func key(sum: UInt64, common: UInt32, other: Int) -> Double {
        let factor = unsafe factors.base[other]
        guard let modified else { return Double(common) * Double(common) / factor }
        return modified.key(weightSum: sum, common: Int(common), otherFactor: factor)
    }
}

/// The counts of a pair of groups from which its score follows.
package struct PairCounts: Sendable, Equatable {
    /// The number c of common entries.
    package var common: Int
    /// The number of entries of the other group.
    package var otherSize: Int
    /// The sum of the weights of the common entries, in units of 1/`DegreeWeights.one`; plain cosine ignores it.
    package var weightSum: UInt64

    package init(common: Int, otherSize: Int, weightSum: UInt64) {
        self.common = common
        self.otherSize = otherSize
        self.weightSum = weightSum
    }
}

/// The score formula of a relation in a version, applied to counts.
///
/// The formula gives the score of a pair and decides which pairs of a group are kept.
package struct ListFormula: Sendable {
    private let measure: SimilarityParameters.Measure
    private let weights: [Int: UInt32]

    /// Reads the formula of a relation from a manifest, or nil if this program does not know the formula.
    package init?(_ report: Manifest.RelationReport) {
        guard let measure = report.formula else { return nil }
        self.measure = measure
        weights = report.weights ?? [:]
    }

    /// Whether common entries may have different weights.
    package var hasWeights: Bool { if case .modified = measure { true } else { false } }

    /// The side of a pair whose k best are kept: the group that owns the list, or the group that may be in it.
    package var cut: ListLimitSide { if case .modified(let family) = measure { family.cut } else { .source } }

    /// Returns the weight of an entry that is in a given number of groups.
    package func weight(ofDegree degree: Int) -> UInt32 {
        guard case .modified(let family) = measure else { return DegreeWeights.one }
        // The version lacks a degree only if the catalog has changed since.
        return weights[degree]
            ?? DegreeWeights.weight(ofDegree: UInt32(clamping: degree), discount: family.degreeDiscount)
    }

    /// Returns the score of a pair before its list is normalized.
    ///
    /// - Parameters:
    ///   - pair: the counts of the pair; its `otherSize` is that of the group whose pairs are not cut.
    ///   - ownSize: the entries of the group whose k best pairs are kept, as `cut` says.
    package func score(_ pair: PairCounts, ownSize: Int) -> Double {
        guard pair.common > 0 else { return 0 }
        switch measure {
        case .cosine:
            return Double(pair.common) / (Double(ownSize) * Double(pair.otherSize)).squareRoot()
        case .modified(let family):
            return family.score(key: Self.key(pair, family), ownSize: ownSize)
        }
    }

    /// Whether a listed score follows from counts and sizes alone.
    ///
    /// That is so if every common entry has the same weight and scores are not normalized.
    var followsFromCounts: Bool {
        guard case .modified(let family) = measure else { return true }
        return family.degreeDiscount == 0 && family.listPower == 0
    }

    /// Returns the score of a pair whose common entries all have full weight.
    func score(common: Int, sourceSize: Int, neighbourSize: Int) -> Double {
        let weightSum = UInt64(common) * UInt64(DegreeWeights.one)
        let (own, other) = cut == .source ? (sourceSize, neighbourSize) : (neighbourSize, sourceSize)
        return score(PairCounts(common: common, otherSize: other, weightSum: weightSum), ownSize: own)
    }

    /// Whether one pair is more similar than another of the group whose pairs are cut.
    ///
    /// Plain cosine compares c² / n as integers, and the modified cosine compares keys. The result is false for equally
    /// similar pairs, which the bytes of the groups' ids order.
    package func isCloser(_ left: PairCounts, than right: PairCounts) -> Bool {
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
    /// The formula's name and parameters, as the manifest stores them.
    package var forManifest: (name: String, parameters: [String: Double]) {
        switch self {
        case .cosine: ("cosine", [:])
        case .modified(let family):
            (
                "modified",
                [
                    "a": family.degreeDiscount, "p": family.sourceExponent, "q": family.neighbourExponent,
                    "h": family.shrinkage, "r": family.scorePower, "g": family.listPower,
                ].merging(family.limitExponent > 0 ? ["y": family.limitExponent] : [:]) { $1 }
            )
        }
    }
}

extension ListLimitSide {
    /// The name that the manifest stores; nil for `source`.
    package var forManifest: String? { self == .source ? nil : rawValue }
}

extension Manifest.RelationReport {
    /// The search parameters, or nil if this program does not know the formula.
    package var parameters: SimilarityParameters? {
        formula.map {
            SimilarityParameters(
                minimumEntries: minimumEntries, minimumCommon: minimumCommon, limit: limit, measure: $0)
        }
    }

    /// The most pairs that a group keeps, by its number of entries.
    package var pairLimits: PairLimits {
        let exponent = measureParameters["y"] ?? 0
        return PairLimits(
            factor: measureParameters["C"] ?? Double(limit), exponent: exponent, rows: groupsCounted)
    }

    /// The formula that the version was computed with, or nil if this program does not know it.
    var formula: SimilarityParameters.Measure? {
        switch measure {
        case "cosine": return .cosine
        case "modified":
            // A parameter that this program does not know makes another formula of it.
            guard Set(measureParameters.keys).isSubset(of: ["a", "p", "q", "h", "r", "g", "y", "C"]),
                let knownCut = cut.map(ListLimitSide.init(rawValue:)) ?? .source, let a = measureParameters["a"],
                let p = measureParameters["p"], let q = measureParameters["q"],
                let h = measureParameters["h"], let r = measureParameters["r"], a >= 0
            else { return nil }
            return .modified(
                ModifiedCosine(
                    degreeDiscount: a, sourceExponent: p, neighbourExponent: q, shrinkage: h, scorePower: r,
                    cut: knownCut, listPower: measureParameters["g"] ?? 0,
                    limitExponent: measureParameters["y"] ?? 0))
        default: return nil
        }
    }
}

extension SimilarityParameters.Measure {
    /// The side of a pair whose k best are kept.
    package var cut: ListLimitSide { if case .modified(let family) = self { family.cut } else { .source } }

    /// Returns approximately the part of a score that is left if some of the common entries were missing.
    package func partLeft(without missing: Int, ofCommon common: Int) -> Double {
        guard common > missing else { return 0 }
        let (before, after) = (Double(common), Double(common - missing))
        guard case .modified(let family) = self else { return after / before }
        let shrunk = { (count: Double) in count * count / (count + family.shrinkage) }
        return pow(shrunk(after) / shrunk(before), family.scorePower)
    }
}

extension SimilarityParameters {
    /// Returns the fixed-point weights of the degrees that occur, or nil for a formula without weights.
    package func weights(in matrix: BinaryMatrix) -> [Int: UInt32]? {
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
