import Model

/// The numbers by which the parts of a mix are multiplied before they are added up.
///
/// A mix is (1 - b) s/s̄ + b x/x̄, with s the score of a pair and x its coefficient in a regression. Each is divided by
/// the mean of what is greatest for a target.
public struct MixScale: Sendable, Equatable {
    /// (1 - b) / s̄.
    public let ofScores: Double
    /// b / x̄.
    public let ofCoefficients: Double

    /// The scale of a mix; a part of which no pair has anything above 0 is left out.
    ///
    /// - Parameters:
    ///   - targets: the number of targets that have pairs.
    ///   - scores: the sum over them of the greatest score of each.
    ///   - coefficients: the same of coefficients.
    public init(_ formula: ModifiedCosine, targets: Int, scores: Double, coefficients: Double) {
        let count = Double(targets)
        let share = coefficients > 0 ? formula.ridgeShare : 0
        ofScores = scores > 0 ? (1 - share) * count / scores : 0
        ofCoefficients = coefficients > 0 ? share * count / coefficients : 0
    }

    /// The score of a pair in the list of its source, 0 where the mix is negative.
    @inline(__always)
    public func mixed(score: Double, coefficient: Double) -> Double {
        max(0, ofScores * score + ofCoefficients * coefficient)
    }
}

/// Mixes the scores of pairs with the coefficients of a ridge regression.
struct ScoreMix {
    let formula: ModifiedCosine
    /// By rank.
    let sizes: Storage<UInt32>
    /// By row, `RidgeRegression.masses`.
    let masses: [Float]
    let threads: Int
    let path: ProcessorPath

    /// Puts what lists are ordered by in place of the keys: the scores as `MixScale` mixes them.
    func mix(_ found: inout FoundPairs, rowCount: Int) {
        let slices = found.slices(rowCount: rowCount)
        // Where the pairs that take part in a regression begin, of each row as a target.
        var offsets = [0]
        offsets.reserveCapacity(rowCount + 1)
        for slice in slices {
            offsets.append(offsets[offsets.count - 1] + min(slice.count, RidgeRegression.sourceLimit))
        }
        let coefficients = coefficients(found, slices, offsets)
        var (scores, coefficientSum, count) = (0.0, 0.0, 0)
        for (row, slice) in slices.enumerated() where slice.count > 0 {
            // Pairs stand best first.
            scores += formula.score(pairKey: found.results[slice.tile].pairs[slice.start].key)
            coefficientSum += (offsets[row]..<offsets[row + 1]).reduce(0) { max($0, Double(coefficients[$1])) }
            count += 1
        }
        let scale = MixScale(formula, targets: count, scores: scores, coefficients: coefficientSum)
        for (row, slice) in slices.enumerated() {
            for index in 0..<slice.count {
                let score = formula.score(pairKey: found.results[slice.tile].pairs[slice.start + index].key)
                let position = offsets[row] + index
                found.results[slice.tile].pairs[slice.start + index].key = scale.mixed(
                    score: score, coefficient: position < offsets[row + 1] ? Double(coefficients[position]) : 0)
            }
        }
    }

    /// The coefficients of the pairs that take part in a regression, target after target.
    private func coefficients(
        _ found: FoundPairs, _ slices: [(tile: Int, start: Int, count: Int)], _ offsets: [Int]
    ) -> [Float] {
        // What common entries weigh is what a key is made from, by the sizes and the shrinkage that it has.
        var sourceFactors = [Double](repeating: 1, count: masses.count)
        var targetFactors = sourceFactors
        for rank in 0..<sizes.count {
            let (row, size) = (Int(found.rows[rank]), Int(sizes[rank]))
            sourceFactors[row] = formula.otherFactor(size: size) * Double(DegreeWeights.one)
            targetFactors[row] = formula.pairKey(key: 1, ownSize: size)
        }
        var (sources, weights): ([UInt32], [Float]) = ([], [])
        sources.reserveCapacity(offsets[masses.count])
        weights.reserveCapacity(offsets[masses.count])
        for (row, slice) in slices.enumerated() where slice.count > 0 {
            let count = offsets[row + 1] - offsets[row]
            for pair in found.results[slice.tile].pairs[slice.start..<slice.start + count] {
                let common = Double(pair.common)
                let shrunk = common / (common + formula.shrinkage)
                sources.append(pair.row)
                weights.append(Float(pair.key / (sourceFactors[Int(pair.row)] * targetFactors[row] * shrunk)))
            }
        }
        return RidgeRegression(offsets: offsets, sources: sources, weights: weights, masses: masses)
            .coefficients(penalty: formula.ridgePenalty, threads: threads, path: path)
    }
}

extension SimilarityParameters {
    /// The time that mixing scores takes, in nanoseconds of one core, as measured.
    ///
    /// - Parameter rows: that count.
    public func mixingNanoseconds(rows: Int) -> Double {
        guard case .modified(let formula) = measure, formula.mixes else { return 0 }
        let sources = Double(min(limit, RidgeRegression.sourceLimit))
        return Double(rows) * sources * sources * sources * 0.065
    }
}
