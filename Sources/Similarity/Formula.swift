/// A measure as the kernels use it: what to add up for a common column, and what a key is.
///
/// A key orders the candidates of one source row. For plain cosine it is c² / nⱼ, whose square root is the cosine but
/// for the source's size; for a modified cosine it is `ModifiedCosine.key`.
struct Formula: Sendable {
    /// Nothing for plain cosine.
    let modified: ModifiedCosine?
    /// For each rank nⱼ, or for a modified cosine nⱼ^-q.
    let factors: Storage<Double>
    /// For each 64 ranks the least of their √nⱼ.
    let roots: Storage<Float>
    /// For each column its weight; 1 for plain cosine.
    let weights: Storage<UInt32>

    init(_ prepared: PreparedRows, _ measure: SimilarityParameters.Measure) {
        factors = Storage(uninitialized: prepared.rankCount)
        roots = Storage(zeroed: prepared.rankCount / 64 + 2 * groupSize / 64)
        for rank in 0..<prepared.rankCount {
            // Ranks come in descending order of size: the last of a chunk is its least.
            unsafe roots.base[rank / 64] = Float(prepared.sizes.base[rank]).squareRoot()
        }
        weights = Storage(uninitialized: prepared.columnCount)
        switch measure {
        case .cosine:
            modified = nil
            for rank in 0..<prepared.rankCount { unsafe factors.base[rank] = Double(prepared.sizes.base[rank]) }
        case .modified(let modified):
            self.modified = modified
            for rank in 0..<prepared.rankCount {
                unsafe factors.base[rank] = modified.neighbourFactor(size: Int(prepared.sizes.base[rank]))
            }
            let table = DegreeWeights(
                degreeDiscount: modified.degreeDiscount, largestDegree: prepared.degrees.max() ?? 0)
            for column in 0..<prepared.columnCount {
                unsafe weights.base[column] = table[degree: prepared.degrees[column]]
            }
        }
    }
}
