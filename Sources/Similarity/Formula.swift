/// A measure as the kernels use it: what to add up for a common column, and what a key is.
///
/// A key orders the candidates of one source row. For plain cosine it is c² / nⱼ, whose square root is the cosine but
/// for the source's size; for a modified cosine it is `ModifiedCosine.key`.
struct Formula: Sendable {
    /// Nothing for plain cosine.
    let modified: ModifiedCosine?
    /// For each rank nⱼ, or for a modified cosine nⱼ^-q.
    let factors: Storage<Double>
    /// The greatest of them.
    let greatestFactor: Double
    let sizes: Storage<UInt32>
    /// For each 64 ranks the least of their √nⱼ; nothing for a modified cosine.
    let roots: Storage<Float>
    /// For each 64 ranks the least of their nⱼ^q; nothing for plain cosine.
    let inverses: Storage<Double>
    /// By degree; nothing for plain cosine.
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
                // Ranks come in descending order of size: the last of a chunk is its least.
                roots[rank / 64] = Float(size).squareRoot()
            }
        case .modified(let modified):
            self.modified = modified
            roots = Storage(zeroed: 0)
            inverses = Storage(zeroed: chunkCount)
            var greatest = 0.0
            for rank in 0..<prepared.rankCount {
                let factor = modified.neighbourFactor(size: Int(prepared.ranked.sizes[rank]))
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

    /// No candidate of a source row has a greater key.
    func greatestKey(ofRank rank: Int) -> Double {
        let size = Double(sizes[rank])
        guard modified != nil else { return size }
        return size * Double(DegreeWeights.one) * greatestFactor
    }
}
