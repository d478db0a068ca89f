import Model
@testable import Similarity
import TestSupport
import Testing

@Suite("Factors of a whole matrix")
struct SpectralFactorsTests {
    /// 16 communities of ten rows each, which share columns with one another, with a few entries anywhere; and 16 rows
    /// with two entries.
    ///
    /// The matrix has 16 singular vectors that are far above all others, and with so many rows there are 16 factors.
    private func communities(seed: UInt64) throws -> BinaryMatrix {
        var generator = SeededGenerator(seed: seed)
        var pairs: [(row: UInt32, column: UInt32)] = []
        for row in 0..<160 {
            for column in 0..<320 {
                let isOwn = row / 10 == column / 20
                if Double.random(in: 0..<1, using: &generator) < (isOwn ? 0.6 : 0.004) {
                    pairs.append((row: UInt32(row), column: UInt32(column)))
                }
            }
        }
        for row in 160..<176 {
            for column in [row * 2 - 320, row * 2 - 319] { pairs.append((row: UInt32(row), column: UInt32(column))) }
        }
        return try BinaryMatrix(rowCount: 176, columnCount: 320, pairs: pairs)
    }

    /// √(nⱼ/nᵢ) times the projection on the eigenvectors of D_r^-½ X D_c^-1 Xᵀ D_r^-½ with the greatest eigenvalues, by
    /// source and target.
    private func filtered(_ matrix: BinaryMatrix, minimumEntries: Int, count: Int) -> [[Double]] {
        let rows = 0..<matrix.rowCount
        let degrees = matrix.columnDegrees(ofRowsWithAtLeast: minimumEntries).map(Double.init)
        let sizes = rows.map { matrix.size(ofRow: $0) >= minimumEntries ? Double(matrix.size(ofRow: $0)) : 0 }
        var products = rows.map { one in
            rows.map { other in
                guard sizes[one] > 0, sizes[other] > 0 else { return 0.0 }
                let common = Set(matrix.row(one)).intersection(matrix.row(other))
                return common.reduce(0) { $0 + 1 / degrees[Int($1)] } / (sizes[one] * sizes[other]).squareRoot()
            }
        }
        var vectors = rows.map { row in rows.map { $0 == row ? 1.0 : 0 } }
        // The method of Jacobi (1846): rotations that make what is beside the diagonal 0.
        for _ in 0..<12 {
            for first in rows {
                for second in first + 1..<max(first + 1, rows.count) where abs(products[first][second]) > 1e-14 {
                    let tangent = 0.5 * (products[second][second] - products[first][first]) / products[first][second]
                    let t = (tangent < 0 ? -1 : 1) / (abs(tangent) + (tangent * tangent + 1).squareRoot())
                    let cosine = 1 / (t * t + 1).squareRoot()
                    let sine = t * cosine
                    for row in rows {
                        let (one, other) = (products[row][first], products[row][second])
                        products[row][first] = cosine * one - sine * other
                        products[row][second] = sine * one + cosine * other
                    }
                    for column in rows {
                        let (one, other) = (products[first][column], products[second][column])
                        products[first][column] = cosine * one - sine * other
                        products[second][column] = sine * one + cosine * other
                        let (its, others) = (vectors[column][first], vectors[column][second])
                        vectors[column][first] = cosine * its - sine * others
                        vectors[column][second] = sine * its + cosine * others
                    }
                }
            }
        }
        let best = rows.sorted { products[$0][$0] > products[$1][$1] }.prefix(count)
        return rows.map { source in
            rows.map { target in
                guard sizes[source] > 0 else { return 0 }
                let projection = best.reduce(0) { $0 + vectors[source][$1] * vectors[target][$1] }
                return (sizes[target] / sizes[source]).squareRoot() * projection
            }
        }
    }

    @Test("project on the singular vectors that a method for small matrices finds", arguments: [1, 4])
    func dense(minimumEntries: Int) throws {
        let matrix = try communities(seed: 7)
        let factors = SpectralFactors(matrix, minimumEntries: minimumEntries, passCount: 12, threads: 2)
        let expected = filtered(matrix, minimumEntries: minimumEntries, count: 16)
        #expect(matrix.size(ofRow: 170) == 2)
        var greatest = 0.0
        for source in 0..<matrix.rowCount {
            for target in 0..<matrix.rowCount {
                let score = Double(factors.score(source: source, target: target))
                #expect(abs(score - expected[source][target]) < 2e-3, "\(source), \(target)")
                if source != target { greatest = max(greatest, score) }
            }
        }
        #expect(greatest > 0.1)
    }

    @Test("are none if few rows count")
    func few() throws {
        let matrix = try communities(seed: 7)
        let counting = (0..<matrix.rowCount).count { matrix.size(ofRow: $0) >= 13 }
        try #require((1..<128).contains(counting))
        let factors = SpectralFactors(matrix, minimumEntries: 13, threads: 1)
        for row in 0..<matrix.rowCount { #expect(factors.score(source: row, target: row) == 0) }
    }

    private func formula(ridge: Double, factors: Double) -> ModifiedCosine {
        ModifiedCosine(
            degreeDiscount: 0.6, sourceExponent: 0.6, neighbourExponent: 0.25, shrinkage: 1, scorePower: 0.8,
            cut: .target, listPower: 0.5, ridgeShare: ridge, ridgePenalty: 7, factorWeight: factors)
    }

    private func lists(
        _ matrix: BinaryMatrix, _ formula: ModifiedCosine, threads: Int = 2, path: ProcessorPath = .fastest
    ) -> NeighbourTable {
        let parameters = SimilarityParameters(
            minimumEntries: 1, minimumCommon: 1, limit: 30, measure: .modified(formula))
        return NeighbourSearch(parameters: parameters, threads: threads, path: path).run(on: matrix)
    }

    @Test("add to scores what their products are", arguments: [0.2, 1.5])
    func mixed(weight: Double) throws {
        let matrix = try BinaryMatrix.random(rowCount: 300, columnCount: 400, density: 0.03, seed: 4)
        var plain = formula(ridge: 0, factors: 0)
        plain.listPower = 0
        let factors = SpectralFactors(matrix, threads: 1)
        // By target, of all that are kept: the source, its score and the product.
        var kept = [[(source: Int, score: Double, product: Double)]](repeating: [], count: matrix.rowCount)
        let unmixed = lists(matrix, plain)
        for source in 0..<matrix.rowCount {
            for neighbour in unmixed.list(of: source) {
                let target = Int(neighbour.index)
                kept[target].append(
                    (source, Double(neighbour.score), Double(factors.score(source: source, target: target))))
            }
        }
        let targets = Double(kept.count { !$0.isEmpty })
        let score = kept.reduce(0) { $0 + ($1.map(\.score).max() ?? 0) } / targets
        let product = kept.reduce(0) { $0 + max(0, $1.map(\.product).max() ?? 0) } / targets
        var expected = [[Double]](
            repeating: [Double](repeating: 0, count: matrix.rowCount), count: matrix.rowCount)
        for (target, pairs) in kept.enumerated() {
            for pair in pairs {
                expected[pair.source][target] = max(0, pair.score / score + weight * pair.product / product)
            }
        }
        let found = lists(matrix, formula(ridge: 0, factors: weight))
        var leftOut = 0
        for source in 0..<matrix.rowCount {
            let divisor = expected[source].reduce(0, +).squareRoot()
            var scores = [Double](repeating: 0, count: matrix.rowCount)
            for neighbour in found.list(of: source) { scores[Int(neighbour.index)] = Double(neighbour.score) }
            for (target, score) in scores.enumerated() {
                let expected = divisor > 0 ? expected[source][target] / divisor : 0
                #expect(abs(score - expected) < 1e-5 * max(1, expected), "\(source), \(target)")
            }
            leftOut += unmixed.list(of: source).count - found.list(of: source).count
        }
        // Where rows are less alike than by chance, a great weight leaves a pair out.
        #expect(weight < 1 || leftOut > 0)
    }

    @Test("give the same bits on any number of threads and any processor", arguments: [0, 0.6])
    func sameBits(ridge: Double) throws {
        let matrix = try BinaryMatrix.random(rowCount: 600, columnCount: 900, density: 0.03, seed: 4)
        let measure = formula(ridge: ridge, factors: 0.5)
        let expected = lists(matrix, measure, threads: 1, path: .portable)
        #expect(expected.neighbours.count > 10_000 && expected != lists(matrix, formula(ridge: ridge, factors: 0)))
        for path in ProcessorPath.supported {
            for threads in [2, 5] { #expect(lists(matrix, measure, threads: threads, path: path) == expected) }
        }
    }
}
