public import CatalogStore
public import Model
import Similarity

/// A version's formula over counts from the catalog: the score of a pair, and the order of a list.
public struct ListFormula {
    private let report: Manifest.RelationReport
    private let measure: SimilarityParameters.Measure

    /// Of a relation of a version.
    ///
    /// Nothing if this program does not know the formula.
    public init?(_ report: Manifest.RelationReport) {
        guard let measure = report.formula else { return nil }
        self.report = report
        self.measure = measure
    }

    /// What common entries weigh; nil if the formula has no weights.
    public var weights: EntryWeights? {
        guard case .modified(let family) = measure else { return nil }
        let table = report.weights ?? [:]
        return EntryWeights(minimumEntries: report.minimumEntries) { degree in
            // Only in a catalog that changed since is there a degree that the version does not have.
            table[degree] ?? DegreeWeights.weight(ofDegree: UInt32(clamping: degree), discount: family.degreeDiscount)
        }
    }

    /// The score of another group in the list of a group of a size.
    public func score(_ overlap: Overlap, sourceSize: Int) -> Double {
        guard overlap.common > 0 else { return 0 }
        switch measure {
        case .cosine:
            return Double(overlap.common) / (Double(sourceSize) * Double(overlap.size)).squareRoot()
        case .modified(let family):
            return family.score(key: key(overlap, family), sourceSize: sourceSize)
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
            Overlap(groupID: "", common: common, size: neighbourSize, weightSum: weightSum), sourceSize: sourceSize)
    }

    /// The order of a list: c² / n as integers, or the key of the modified cosine; then the bytes of the ids.
    public func isBefore(_ left: Overlap, _ right: Overlap) -> Bool {
        switch measure {
        case .cosine:
            let ours = UInt128(left.common) * UInt128(left.common) * UInt128(right.size)
            let theirs = UInt128(right.common) * UInt128(right.common) * UInt128(left.size)
            if ours != theirs { return ours > theirs }
        case .modified(let family):
            let (ours, theirs) = (key(left, family), key(right, family))
            if ours != theirs { return ours > theirs }
        }
        return left.groupID.utf8.lexicographicallyPrecedes(right.groupID.utf8)
    }

    private func key(_ overlap: Overlap, _ family: ModifiedCosine) -> Double {
        family.key(weightSum: overlap.weightSum, common: overlap.common, neighbourSize: overlap.size)
    }
}
