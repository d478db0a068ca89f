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
        sizes = prepared.sizes
        weights = Storage(uninitialized: prepared.columnCount)
        switch measure {
        case .cosine:
            modified = nil
            greatestFactor = 1
            for rank in 0..<prepared.rankCount { unsafe factors.base[rank] = Double(prepared.sizes.base[rank]) }
        case .modified(let modified):
            self.modified = modified
            var greatest = 0.0
            for rank in 0..<prepared.rankCount {
                let factor = modified.neighbourFactor(size: Int(unsafe prepared.sizes.base[rank]))
                unsafe factors.base[rank] = factor
                greatest = max(greatest, factor)
            }
            greatestFactor = greatest
            let table = DegreeWeights(
                degreeDiscount: modified.degreeDiscount, largestDegree: prepared.degrees.max() ?? 0)
            for column in 0..<prepared.columnCount {
                unsafe weights.base[column] = table[degree: prepared.degrees[column]]
            }
        }
    }

    /// No candidate of a source row has a greater key.
    func greatestKey(ofRank rank: Int) -> Double {
        let size = Double(unsafe sizes.base[rank])
        guard modified != nil else { return size }
        return size * Double(DegreeWeights.one) * greatestFactor
    }
}
