import Glibc
import Model
import Similarity

/// The coefficients of a regression, to be mixed with the scores of pairs.
struct RidgeCoefficients: Sendable {
    /// The coefficient of each pair, in the order of `PairLists`.
    var ofPairs: [Float]
    /// The sum, over the targets, of the greatest coefficient of each.
    var sumOfGreatest = 0.0
}

/// The pairs of every target in a regression, with their positions in `PairLists`.
struct RegressedPairs: Sendable {
    /// The start of each target's pairs, as targets + 1 offsets.
    private var offsets = [0]
    private var sources: [UInt32] = []
    /// Σ d^-a over the common entries of each pair.
    private var weights: [Float] = []
    /// The position of each pair in `PairLists`.
    private var positions: [UInt32] = []
    /// The `RidgeRegression.masses` of all targets.
    private let masses: [Float]
    /// The part of the entries that is left if the matrix was thinned out.
    private let keptPart: Double

    /// - Parameters:
    ///   - matrix: Groups × entries.
    ///   - kept: The pairs of each target, best first, with the scores of `formula`.
    ///   - positions: The positions in `PairLists` of all kept pairs, target after target.
    ///   - keptPart: The part of the entries that is left if the matrix was thinned out.
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

    /// Returns the coefficients of a regression.
    ///
    /// - Parameters:
    ///   - limits: The most pairs that each target keeps.
    ///   - pairCount: The number of pairs of all sources.
    func coefficients(penalty: Double, limits: [Int], pairCount: Int, threads: Int) -> RidgeCoefficients {
        let found = RidgeRegression(offsets: offsets, sources: sources, weights: weights, masses: masses)
            .coefficients(penalty: penalty * keptPart, limits: limits, threads: threads)
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
