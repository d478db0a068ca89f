import Model
import SparseMatrix

/// Mixes the scores of pairs with the coefficients of a ridge regression.
struct RidgeMix {
    let formula: ModifiedCosine
    /// By rank.
    let sizes: Storage<UInt32>
    /// By row, Σ d(u)^-a over its entries.
    let masses: [Float]
    let threads: Int

    /// Puts what lists are ordered by in place of the keys: (1 - b) s/s̄ + b x/x̄, with s the score and x the
    /// coefficient of a pair, each divided by the mean of what is greatest for a target; 0 where that is negative.
    func mix(_ found: inout FoundPairs) {
        let targets = Targets(found, rowCount: masses.count)
        let regression = RidgeRegression(
            offsets: targets.offsets, sources: targets.sources(of: found), weights: weights(found, targets),
            masses: masses)
        let coefficients = regression.coefficients(penalty: formula.ridgePenalty, threads: threads)
        let scale = scale(found, targets, coefficients)
        for (row, slice) in targets.slices.enumerated() where slice.count > 0 {
            for index in 0..<slice.count {
                let score = formula.score(pairKey: found.results[slice.tile].pairs[slice.start + index].key)
                let position = targets.offsets[row] + index
                let coefficient = position < targets.offsets[row + 1] ? Double(coefficients[position]) : 0
                found.results[slice.tile].pairs[slice.start + index].key = max(
                    0, scale.ofScores * score + scale.ofCoefficients * coefficient)
            }
        }
    }

    /// What common entries weigh: what a key is made from, by the sizes and the shrinkage that it has.
    private func weights(_ found: FoundPairs, _ targets: Targets) -> [Float] {
        var sourceFactors = [Double](repeating: 1, count: masses.count)
        var targetFactors = sourceFactors
        for rank in 0..<sizes.count {
            let (row, size) = (Int(found.rows[rank]), Int(sizes[rank]))
            sourceFactors[row] = formula.otherFactor(size: size) * Double(DegreeWeights.one)
            targetFactors[row] = formula.pairKey(key: 1, ownSize: size)
        }
        var weights: [Float] = []
        weights.reserveCapacity(targets.offsets[masses.count])
        for (row, slice) in targets.slices.enumerated() where slice.count > 0 {
            for pair in found.results[slice.tile].pairs[slice.start..<slice.start + targets.count(of: row)] {
                let common = Double(pair.common)
                let shrunk = common / (common + formula.shrinkage)
                weights.append(Float(pair.key / (sourceFactors[Int(pair.row)] * targetFactors[row] * shrunk)))
            }
        }
        return weights
    }

    private func scale(
        _ found: FoundPairs, _ targets: Targets, _ coefficients: [Float]
    ) -> (ofScores: Double, ofCoefficients: Double) {
        var (scores, greatest, count) = (0.0, 0.0, 0)
        for (row, slice) in targets.slices.enumerated() where slice.count > 0 {
            // Pairs stand best first.
            scores += formula.score(pairKey: found.results[slice.tile].pairs[slice.start].key)
            let range = targets.offsets[row]..<targets.offsets[row + 1]
            greatest += range.reduce(0) { max($0, Double(coefficients[$1])) }
            count += 1
        }
        guard scores > 0, greatest > 0 else { return (1, 0) }
        return (
            (1 - formula.ridgeShare) * Double(count) / scores, formula.ridgeShare * Double(count) / greatest
        )
    }
}

/// Where the pairs of every row as a target are.
private struct Targets {
    var slices: [(tile: Int, start: Int, count: Int)]
    /// Rows + 1, of those pairs that take part in a regression.
    var offsets = [0]

    init(_ found: FoundPairs, rowCount: Int) {
        slices = found.slices(rowCount: rowCount)
        offsets.reserveCapacity(rowCount + 1)
        var end = 0
        for slice in slices {
            end += min(slice.count, RidgeRegression.sourceLimit)
            offsets.append(end)
        }
    }

    func count(of row: Int) -> Int { offsets[row + 1] - offsets[row] }

    func sources(of found: FoundPairs) -> [UInt32] {
        var sources: [UInt32] = []
        sources.reserveCapacity(offsets[slices.count])
        for (row, slice) in slices.enumerated() where slice.count > 0 {
            for pair in found.results[slice.tile].pairs[slice.start..<slice.start + count(of: row)] {
                sources.append(pair.row)
            }
        }
        return sources
    }
}

extension SimilarityParameters {
    /// Σ d(u)^-a over the entries of every row, with d(u) of the rows that count; none if the formula does not need it.
    func masses(of matrix: BinaryMatrix, threads: Int) -> [Float] {
        guard case .modified(let formula) = measure, formula.usesRidge else { return [] }
        let degrees = matrix.columnDegrees(ofRowsWithAtLeast: minimumEntries)
        let table = DegreeWeights(degreeDiscount: formula.degreeDiscount, largestDegree: degrees.max() ?? 0)
        let masses = Storage<Float>(zeroed: matrix.rowCount)
        let rowsAtOnce = 256
        concurrently(threads, count: (matrix.rowCount + rowsAtOnce - 1) / rowsAtOnce) { part in
            for row in part * rowsAtOnce..<min(matrix.rowCount, (part + 1) * rowsAtOnce) {
                let sum = matrix.row(row).reduce(UInt64(0)) { $0 + UInt64(table[degree: degrees[Int($1)]]) }
                masses[row] = Float(Double(sum) / Double(DegreeWeights.one))
            }
        }
        return unsafe Array(UnsafeBufferPointer(start: masses.base, count: masses.count))
    }
}
