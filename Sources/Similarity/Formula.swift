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
