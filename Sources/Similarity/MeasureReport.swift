import Model
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
                    "h": family.shrinkage, "r": family.scorePower,
                ]
            )
        }
    }
}

extension Manifest.RelationReport {
    /// The formula that the version was computed with; nil if this program does not know it.
    var formula: SimilarityParameters.Measure? {
        switch measure {
        case "cosine": return .cosine
        case "modified":
            guard let a = measureParameters["a"], let p = measureParameters["p"], let q = measureParameters["q"],
                let h = measureParameters["h"], let r = measureParameters["r"], a >= 0
            else { return nil }
            return .modified(
                ModifiedCosine(
                    degreeDiscount: a, sourceExponent: p, neighbourExponent: q, shrinkage: h, scorePower: r))
        default: return nil
        }
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
