import Glibc
import Model
import Similarity

/// The coefficients of a regression that the scores of pairs are mixed with.
struct RidgeCoefficients: Sendable {
    /// By position of a pair among those of the sources.
    var ofPairs: [Float]
    /// The sum over the targets of what is greatest for each.
    var sumOfGreatest = 0.0
}

/// The pairs of every target that a regression looks at, and where they are among the pairs of the sources.
struct RegressedPairs: Sendable {
    /// Targets + 1.
    private var offsets = [0]
    private var sources: [UInt32] = []
    /// Σ d^-a over the common entries.
    private var weights: [Float] = []
    /// Of each of them, as a pair of its source.
    private var positions: [UInt32] = []
    /// Of each target, `RidgeRegression.masses`.
    private let masses: [Float]
    /// The part of the entries that is left of a matrix that was thinned out.
    private let keptPart: Double

    /// - Parameters:
    ///   - matrix: groups × entries.
    ///   - kept: by target, best first, with the scores of `formula`.
    ///   - positions: of all kept pairs, target after target, where they are among the pairs of the sources.
    ///   - keptPart: of a matrix that was thinned out.
    init(
        _ matrix: BinaryMatrix, _ kept: NeighbourTable, _ formula: ModifiedCosine, _ positions: [UInt32],
        keptPart: Double, threads: Int
    ) {
        masses = RidgeRegression.masses(of: matrix, degreeDiscount: formula.degreeDiscount, threads: threads)
        self.keptPart = keptPart
        let exponent = Float(formula.neighbourExponent)
        let factors = (0..<matrix.rowCount).map { powf(Float(max(1, matrix.size(ofRow: $0))), exponent) }
        for target in masses.indices {
            let list = kept.list(of: target).prefix(RidgeRegression.sourceLimit)
            for (index, pair) in zip(list.indices, list) {
                let common = Float(pair.common)
                sources.append(pair.index)
                weights.append(pair.score * factors[Int(pair.index)] * (common + Float(formula.shrinkage)) / common)
                self.positions.append(positions[index])
            }
            offsets.append(sources.count)
        }
    }

    /// The coefficients of a regression.
    ///
    /// - Parameters:
    ///   - limit: how many pairs a target keeps.
    ///   - pairCount: of all sources.
    func coefficients(penalty: Double, limit: Int, pairCount: Int, threads: Int) -> RidgeCoefficients {
        let found = RidgeRegression(offsets: offsets, sources: sources, weights: weights, masses: masses)
            .coefficients(penalty: penalty * keptPart, limit: limit, threads: threads)
        var coefficients = RidgeCoefficients(ofPairs: [Float](repeating: 0, count: pairCount))
        for target in masses.indices {
            var most: Float = 0
            for index in offsets[target]..<offsets[target + 1] {
                coefficients.ofPairs[Int(positions[index])] = found[index]
                most = max(most, found[index])
            }
            coefficients.sumOfGreatest += Double(most)
        }
        return coefficients
    }
}
