import Glibc
public import Model
public import SparseMatrix

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
