import Model

/// The factors of the two parts of a mix.
///
/// A mix is (1 - b) s/s̄ + b x/x̄, with s the score of a pair and x its coefficient in a regression. The means s̄ and
/// x̄ are those of the targets' greatest scores and greatest coefficients.
package struct MixScale: Sendable, Equatable {
    /// (1 - b) / s̄.
    package let ofScores: Double
    /// b / x̄.
    package let ofCoefficients: Double

    /// Creates the scale of a mix; a part without any value above 0 is left out.
    ///
    /// - Parameters:
    ///   - targets: The number of targets with pairs.
    ///   - scores: The sum of the greatest score of each target.
    ///   - coefficients: The sum of the greatest coefficient of each target.
    package init(_ formula: ModifiedCosine, targets: Int, scores: Double, coefficients: Double) {
        let count = Double(targets)
        let share = coefficients > 0 ? formula.ridgeShare : 0
        ofScores = scores > 0 ? (1 - share) * count / scores : 0
        ofCoefficients = coefficients > 0 ? share * count / coefficients : 0
    }

    /// Returns the mixed score of a pair in the list of its source, or 0 if the mix is negative.
    @inline(__always)
    package func mixed(score: Double, coefficient: Double) -> Double {
        max(0, ofScores * score + ofCoefficients * coefficient)
    }
}

/// A mix of the scores of pairs with the coefficients of a ridge regression.
struct ScoreMix {
    let formula: ModifiedCosine
    let ranked: RankedRows
    /// The `RidgeRegression.masses` of all rows.
    let masses: [Float]
    let threads: Int
    let path: ProcessorPath

    /// Replaces the keys, which lists are ordered by, with the scores as `MixScale` mixes them.
    ///
    /// - Parameters:
    ///   - pairs: the pairs of targets, best first.
    ///   - slices: the positions of each row's pairs.
    func mix(_ pairs: Storage<ListedPair>, _ slices: [Range<Int>]) {
        // The start of each target's pairs that take part in a regression.
        let offsets = slices.reduce(into: [0]) { offsets, slice in
            offsets.append(offsets[offsets.count - 1] + min(slice.count, RidgeRegression.sourceLimit))
        }
        let coefficients = coefficients(pairs, slices, offsets)
        var (scores, coefficientSum, count) = (0.0, 0.0, 0)
        for (row, slice) in slices.enumerated() where slice.count > 0 {
            // The best pair is the first.
            scores += formula.score(pairKey: pairs[slice.lowerBound].key)
            coefficientSum += (offsets[row]..<offsets[row + 1]).reduce(0) { max($0, Double(coefficients[$1])) }
            count += 1
        }
        let scale = MixScale(formula, targets: count, scores: scores, coefficients: coefficientSum)
        Parallel.forEach(slices.count, inPortionsOf: 1024, threads: threads) { rows in
            for row in rows {
                for (position, place) in zip(offsets[row]..., slices[row]) {
                    let score = formula.score(pairKey: pairs[place].key)
                    pairs[place].key = scale.mixed(
                        score: score, coefficient: position < offsets[row + 1] ? Double(coefficients[position]) : 0)
                }
            }
        }
    }

    /// Returns the coefficients of the pairs that take part in a regression, target after target.
    private func coefficients(
        _ pairs: Storage<ListedPair>, _ slices: [Range<Int>], _ offsets: [Int]
    ) -> [Float] {
        // The weight of the common entries is computed back from a key, which also contains the sizes and the
        // shrinkage.
        var sourceFactors = [Double](repeating: 1, count: masses.count)
        var targetFactors = sourceFactors
        for rank in 0..<ranked.count {
            let (row, size) = (Int(ranked.rows[rank]), Int(ranked.sizes[rank]))
            sourceFactors[row] = formula.otherFactor(size: size) * Double(DegreeWeights.one)
            targetFactors[row] = formula.pairKey(key: 1, ownSize: size)
        }
        let (ownFactors, otherFactors) = (targetFactors, sourceFactors)
        let portions = Parallel.map(slices.count, inPortionsOf: 1024, threads: threads, state: { _ in }) { _, rows in
            rows.flatMap { row in
                slices[row].prefix(offsets[row + 1] - offsets[row]).map { place in
                    let pair = pairs[place]
                    let shrunk = Double(pair.common) / (Double(pair.common) + formula.shrinkage)
                    let factor = otherFactors[Int(pair.other)] * ownFactors[row] * shrunk
                    return (source: pair.other, weight: Float(pair.key / factor))
                }
            }
        }
        let (sources, weights) = (portions.flatMap { $0.map(\.source) }, portions.flatMap { $0.map(\.weight) })
        return RidgeRegression(offsets: offsets, sources: sources, weights: weights, masses: masses)
            .coefficients(penalty: formula.ridgePenalty, threads: threads, path: path)
    }
}

extension SimilarityParameters {
    /// Returns the measured time for mixing scores, in nanoseconds of one core.
    ///
    /// - Parameter rows: The number of rows that count.
    package func mixingNanoseconds(rows: Int) -> Double {
        guard case .modified(let formula) = measure, formula.mixes else { return 0 }
        let sources = Double(min(limit, RidgeRegression.sourceLimit))
        return Double(rows) * sources * sources * sources * 0.065
    }
}
