import Model

/// Mixes the scores of pairs with the coefficients of a ridge regression, and with the products of factors.
struct ScoreMix {
    let formula: ModifiedCosine
    /// By rank.
    let sizes: Storage<UInt32>
    /// By row, Σ d(u)^-a over its entries; none if there is no regression.
    let masses: [Float]
    /// If they have a weight.
    let factors: SpectralFactors?
    let threads: Int
    let path: ProcessorPath

    /// Puts what lists are ordered by in place of the keys: the scores as `MixScale` mixes them.
    func mix(_ found: inout FoundPairs, rowCount: Int) {
        let targets = Targets(found, rowCount: rowCount)
        let coefficients = coefficients(found, targets)
        let products = products(found, targets)
        let scale = scale(found, targets, coefficients, products)
        for (row, slice) in targets.slices.enumerated() {
            for index in 0..<slice.count {
                let score = formula.score(pairKey: found.results[slice.tile].pairs[slice.start + index].key)
                let isRegressed = !coefficients.isEmpty && index < targets.count(of: row)
                found.results[slice.tile].pairs[slice.start + index].key = scale.mixed(
                    score: score, coefficient: isRegressed ? Double(coefficients[targets.offsets[row] + index]) : 0,
                    factors: products.map { Double($0[targets.starts[row] + index]) } ?? 0)
            }
        }
    }

    /// Of the pairs that take part in a regression; none if there is none.
    private func coefficients(_ found: FoundPairs, _ targets: Targets) -> [Float] {
        guard formula.ridgeShare > 0 else { return [] }
        return RidgeRegression(
            offsets: targets.offsets, sources: targets.sources(of: found), weights: weights(found, targets),
            masses: masses
        ).coefficients(penalty: formula.ridgePenalty, threads: threads, path: path)
    }

    /// Of all pairs, target after target.
    private func products(_ found: FoundPairs, _ targets: Targets) -> Storage<Float>? {
        guard let factors else { return nil }
        let products = Storage<Float>(uninitialized: targets.starts.last ?? 0)
        let rowsAtOnce = 256
        let rowCount = targets.slices.count
        concurrently(threads, count: (rowCount + rowsAtOnce - 1) / rowsAtOnce) { part in
            for row in part * rowsAtOnce..<min(rowCount, (part + 1) * rowsAtOnce) {
                let slice = targets.slices[row]
                for index in 0..<slice.count {
                    let source = found.results[slice.tile].pairs[slice.start + index].row
                    products[targets.starts[row] + index] = factors.score(source: Int(source), target: row)
                }
            }
        }
        return products
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
        _ found: FoundPairs, _ targets: Targets, _ coefficients: [Float], _ products: Storage<Float>?
    ) -> MixScale {
        var (scores, coefficientSum, productSum, count) = (0.0, 0.0, 0.0, 0)
        for (row, slice) in targets.slices.enumerated() where slice.count > 0 {
            // Pairs stand best first.
            scores += formula.score(pairKey: found.results[slice.tile].pairs[slice.start].key)
            if !coefficients.isEmpty {
                let range = targets.offsets[row]..<targets.offsets[row + 1]
                coefficientSum += range.reduce(0) { max($0, Double(coefficients[$1])) }
            }
            if let products {
                let range = targets.starts[row]..<targets.starts[row + 1]
                productSum += range.reduce(0) { max($0, Double(products[$1])) }
            }
            count += 1
        }
        return MixScale(
            formula, targets: count, scores: scores, coefficients: coefficientSum, factors: productSum)
    }
}

/// Where the pairs of every row as a target are.
private struct Targets: Sendable {
    var slices: [(tile: Int, start: Int, count: Int)]
    /// Rows + 1, of all pairs.
    var starts = [0]
    /// Rows + 1, of those pairs that take part in a regression.
    var offsets = [0]

    init(_ found: FoundPairs, rowCount: Int) {
        slices = found.slices(rowCount: rowCount)
        starts.reserveCapacity(rowCount + 1)
        offsets.reserveCapacity(rowCount + 1)
        var (end, regressedEnd) = (0, 0)
        for slice in slices {
            end += slice.count
            starts.append(end)
            regressedEnd += min(slice.count, RidgeRegression.sourceLimit)
            offsets.append(regressedEnd)
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
        guard case .modified(let formula) = measure, formula.mixes, formula.ridgeShare > 0 else { return [] }
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

extension SimilarityParameters {
    /// What mixing scores takes, in nanoseconds of one core, as measured.
    ///
    /// - Parameters:
    ///   - rows: that count.
    ///   - entries: of them.
    public func mixingNanoseconds(rows: Int, entries: Int) -> Double {
        guard case .modified(let formula) = measure, formula.mixes else { return 0 }
        let sources = Double(min(limit, RidgeRegression.sourceLimit))
        let ridge = formula.ridgeShare > 0 ? Double(rows) * sources * sources * sources * 0.065 : 0
        return ridge + (formula.factorWeight > 0 ? SpectralFactors.nanoseconds(rows: rows, entries: entries) : 0)
    }
}
