import Foundation
import Model
@testable import Similarity
import TestSupport
import Testing

@Suite("Scores mixed with the coefficients of a regression")
struct RidgeTests {
    static let measure = SimilarityParameters.Measure.modified(
        ModifiedCosine(
            degreeDiscount: 0.6, sourceExponent: 0.6, neighbourExponent: 0.25, shrinkage: 1, scorePower: 0.8,
            cut: .target, listPower: 0.5, ridgeShare: 0.6, ridgePenalty: 7))

    /// The regression of every target on its sources, solved by elimination, with matrices that are written down whole.
    private struct Plain {
        let matrix: BinaryMatrix
        let formula: ModifiedCosine
        /// By source, then target.
        var scores: [[Double]]
        private let degrees: [UInt32]

        init(_ matrix: BinaryMatrix, _ parameters: SimilarityParameters, _ formula: ModifiedCosine) {
            self.matrix = matrix
            self.formula = formula
            degrees = matrix.columnDegrees(ofRowsWithAtLeast: parameters.minimumEntries)
            var plain = formula
            (plain.ridgeShare, plain.listPower) = (0, 0)
            var unmixed = parameters
            unmixed.measure = .modified(plain)
            let kept = BruteForce.neighbours(of: matrix, unmixed)
            let count = matrix.rowCount
            scores = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
            for source in 0..<count {
                for neighbour in kept.list(of: source) {
                    scores[source][Int(neighbour.index)] = Double(neighbour.score)
                }
            }
        }

        private func weight(_ one: Int, _ other: Int) -> Double {
            let others = Set(matrix.row(other))
            return matrix.row(one).filter(others.contains).reduce(0) {
                $0 + pow(Double(max(1, degrees[Int($1)])), -formula.degreeDiscount)
            }
        }

        /// By source, then target.
        func mixed() -> [[Double]] {
            let rows = scores.indices
            var coefficients = scores.map { $0.map { _ in 0.0 } }
            for target in rows {
                let sources = rows.filter { scores[$0][target] > 0 }
                var system = sources.map { one in
                    sources.map { other in
                        let isKept = one == other || scores[one][other] > 0 || scores[other][one] > 0
                        return (isKept ? weight(one, other) : 0) + (one == other ? formula.ridgePenalty : 0)
                    } + [weight(one, target)]
                }
                for column in sources.indices {
                    for row in sources.indices where row != column {
                        let factor = system[row][column] / system[column][column]
                        for place in column...sources.count { system[row][place] -= factor * system[column][place] }
                    }
                }
                let size = pow(weight(target, target), 0.15)
                for (place, source) in sources.enumerated() {
                    coefficients[source][target] = system[place][sources.count] / system[place][place] / size
                }
            }
            let (score, coefficient) = (mean(scores), mean(coefficients))
            return rows.map { source in
                let mixed = rows.map { target in
                    max(
                        0,
                        (1 - formula.ridgeShare) * scores[source][target] / score
                            + formula.ridgeShare * coefficients[source][target] / coefficient)
                }
                let sum = pow(mixed.reduce(0, +), formula.listPower)
                return mixed.map { sum > 0 ? $0 / sum : 0 }
            }
        }

        /// The mean over the targets with sources of what is greatest for each.
        private func mean(_ values: [[Double]]) -> Double {
            let targets = scores.indices.filter { target in scores.contains { $0[target] > 0 } }
            return targets.reduce(0) { sum, target in sum + (values.map { $0[target] }.max() ?? 0) }
                / Double(max(1, targets.count))
        }
    }

    @Test("are those of a regression that is solved by elimination", arguments: 0..<30 as Range<UInt64>)
    func plainly(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let formula = ModifiedCosine(
            degreeDiscount: .random(in: 0...1, using: &generator), shrinkage: .random(in: 0...3, using: &generator),
            scorePower: .random(in: 0.5...1.5, using: &generator), cut: .target,
            listPower: .random(in: 0...1, using: &generator), ridgeShare: .random(in: 0.1...1, using: &generator),
            ridgePenalty: .random(in: 2...20, using: &generator))
        let matrix = try BinaryMatrix.random(
            rowCount: .random(in: 0...60, using: &generator), columnCount: 80,
            density: .random(in: 0.02...0.2, using: &generator), seed: seed)
        // With all pairs the matrix of a regression is positive definite.
        let parameters = SimilarityParameters(
            minimumEntries: .random(in: 0...5, using: &generator), minimumCommon: 1, limit: 60,
            measure: .modified(formula))
        let found = NeighbourSearch(parameters: parameters, threads: 2).run(on: matrix)
        let expected = Plain(matrix, parameters, formula).mixed()
        for source in 0..<matrix.rowCount {
            var scores = [Double](repeating: 0, count: matrix.rowCount)
            for neighbour in found.list(of: source) { scores[Int(neighbour.index)] = Double(neighbour.score) }
            for (score, expected) in zip(scores, expected[source]) {
                #expect(abs(score - expected) <= 1e-4 * max(1, expected), "seed \(seed), row \(source)")
            }
            let list = found.list(of: source).map(\.score)
            #expect(list == list.sorted(by: >) && !list.contains { $0 <= 0 })
        }
    }

    @Test("are the same bits on any number of threads and any processor")
    func sameBits() throws {
        let matrix = try BinaryMatrix.random(rowCount: 600, columnCount: 900, density: 0.03, seed: 4)
        let parameters = SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: 120, measure: Self.measure)
        let expected = NeighbourSearch(parameters: parameters, threads: 1, path: .portable).run(on: matrix)
        #expect(expected.neighbours.count > 10_000)
        for path in ProcessorPath.supported {
            for threads in [2, 5] {
                #expect(
                    NeighbourSearch(parameters: parameters, threads: threads, path: path).run(on: matrix) == expected)
            }
        }
    }

    @Test("Sources that are alike share what one of them says alone")
    func alike() {
        // Row 0 is the target of 1 and 2, which have all of their 4 entries in common, and of 3, which is like neither.
        func coefficients(_ sources: [UInt32], alike: Float) -> [Float] {
            var regression = (offsets: [0], sources: sources, weights: sources.map { _ in Float(2) })
            regression.offsets.append(sources.count)
            if alike > 0 {
                regression.sources += [2, 1]
                regression.weights += [alike, alike]
                regression.offsets += [sources.count + 1, sources.count + 2, sources.count + 2]
            } else {
                regression.offsets += [sources.count, sources.count, sources.count]
            }
            return RidgeRegression(
                offsets: regression.offsets, sources: regression.sources, weights: regression.weights,
                masses: [1, 4, 4, 4]
            ).coefficients(penalty: 1, threads: 1)
        }
        #expect(coefficients([1], alike: 0) == [0.4])
        let both = coefficients([1, 2, 3], alike: 4)
        #expect(abs(both[0] - 2.0 / 9) < 1e-6 && both[0] == both[1] && both[2] == 0.4)
    }

    @Test("Where pairs are missing so that there is no decomposition, each source counts alone")
    func indefinite() {
        let regression = RidgeRegression(
            offsets: [0, 3, 3, 4, 5], sources: [1, 2, 3, 1, 2], weights: [1, 0.5, 1, 1, 1], masses: [1, 1, 1, 1])
        let found = regression.coefficients(penalty: 0.1, threads: 1)
        let expected: [Double] = [1 / 1.1, 0.5 / 1.1, 1 / 1.1]
        #expect(Array(found.prefix(3)) == expected.map { Float($0) })
    }

    @Test("Only the first sources of a target take part")
    func limit() {
        let regression = RidgeRegression(
            offsets: [0, 2, 4, 5], sources: [1, 2, 2, 0, 1], weights: [2, 2, 3, 2, 3], masses: [1, 4, 4])
        let all = regression.coefficients(penalty: 1, threads: 1)
        #expect(abs(all[0] - 0.25) < 1e-6)
        #expect(abs(all[1] - 0.25) < 1e-6)
        // One source alone is the quotient of what it has in common and its own mass with the penalty.
        // Targets of weight 4 have it divided by a power of 4.
        let first = regression.coefficients(penalty: 1, limits: [1, 1, 1], threads: 1)
        let large = Float(0.6 * pow(4, -0.15))
        let expected: [Float] = [0.4, 0, large, 0, large]
        #expect(first == expected)
    }

    @Test("A version with a parameter that is not known has no formula")
    func unknownParameter() {
        let known = Self.measure.forManifest.parameters
        func formula(_ more: [String: Double]) -> ListFormula? {
            ListFormula(
                Manifest.RelationReport(
                    relation: Relation(rawValue: "members"), measure: "modified",
                    measureParameters: known.merging(more) { $1 }, minimumEntries: 1, minimumCommon: 1, limit: 30,
                    entries: 0, entriesOfPrivateGroups: 0, entriesOfPrivatePhotos: 0, groupsCounted: 0,
                    groupsBelowMinimum: 0, groupsWithNeighbours: 0, neighbours: 0, path: "portable"))
        }
        #expect(formula([:]) != nil)
        #expect(formula(["f": 0.5]) == nil)
    }
}
