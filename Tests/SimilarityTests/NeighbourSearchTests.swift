import Model
import Similarity
import TestSupport
import Testing

struct NeighbourSearchTests {
    static let measures: [SimilarityParameters.Measure] = [
        .cosine,
        .modified(ModifiedCosine()),
        .modified(
            ModifiedCosine(
                degreeDiscount: 0.7, sourceExponent: 0.4, neighbourExponent: 0.6, shrinkage: 3, scorePower: 0.5)),
        .modified(ModifiedCosine(degreeDiscount: 3, sourceExponent: 0, neighbourExponent: 0, shrinkage: 0.5)),
        .modified(.standard),
        .modified(ModifiedCosine(sourceExponent: 0.2, neighbourExponent: 0.9, cut: .target)),
        .modified(ModifiedCosine(degreeDiscount: 1, scorePower: 1.5, listPower: 1)),
    ]

    /// Searches on every path that the processor has, and with 1 to 8 threads, and expects what brute force finds, bit
    /// for bit.
    func expectBruteForce(_ matrix: BinaryMatrix, _ parameters: SimilarityParameters, _ comment: Comment) {
        let expected = BruteForce.neighbours(of: matrix, parameters)
        for path in ProcessorPath.supported {
            for threads in path == .fastest ? [1, 2, 3, 8] : [2] {
                let found = NeighbourSearch(parameters: parameters, threads: threads, path: path).run(on: matrix)
                #expect(found == expected, "\(comment), \(path), \(threads) threads")
            }
        }
    }

    /// A small matrix, and parameters to search it with.
    ///
    /// - Parameter seed: of the matrix.
    static func random(
        _ measure: SimilarityParameters.Measure, seed: UInt64, using generator: inout SeededGenerator
    ) throws -> (BinaryMatrix, SimilarityParameters) {
        let matrix = try BinaryMatrix.random(
            rowCount: Int.random(in: 0...150, using: &generator),
            columnCount: Int.random(in: 1...200, using: &generator),
            density: Double.random(in: 0.01...0.5, using: &generator), seed: seed)
        let parameters = SimilarityParameters(
            minimumEntries: Int.random(in: 0...12, using: &generator),
            minimumCommon: Int.random(in: 1...6, using: &generator),
            limit: Int.random(in: 0...60, using: &generator), measure: measure)
        return (matrix, parameters)
    }

    @Test(arguments: measures)
    func randomMatricesAgreeWithBruteForce(measure: SimilarityParameters.Measure) throws {
        for seed in UInt64(0)..<40 {
            var generator = SeededGenerator(seed: seed)
            let (matrix, parameters) = try Self.random(measure, seed: seed, using: &generator)
            expectBruteForce(matrix, parameters, "seed \(seed), \(parameters)")
        }
    }

    @Test func thresholdsAreInclusive() throws {
        let matrix = try BinaryMatrix.rows(
            [[0, 1, 2, 3, 4], [0, 1, 2, 5, 6], [0, 1, 7, 8, 9], [0, 1, 2, 3]], columnCount: 10)
        let search = NeighbourSearch(
            parameters: SimilarityParameters(minimumEntries: 5, minimumCommon: 3, limit: 10), threads: 1)
        let lists = search.run(on: matrix)
        #expect(lists.offsets == [0, 1, 2, 2, 2])
        #expect(lists.neighbours.map(\.index) == [1, 0])
        #expect(lists.neighbours.map(\.common) == [3, 3])
        #expect(lists.neighbours.map(\.score) == [0.6, 0.6])
    }

    @Test(arguments: measures)
    func equalScoresGoByRow(measure: SimilarityParameters.Measure) throws {
        // Every row holds the same columns, so that all scores are equal, and more rows than fit the surplus of a list.
        let matrix = try BinaryMatrix.rows(
            [[UInt32]](repeating: [0, 1, 2], count: 600), columnCount: 3)
        let parameters = SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: 7, measure: measure)
        let lists = NeighbourSearch(parameters: parameters, threads: 2).run(on: matrix)
        for row in [0, 3, 7, 8, 599] {
            let all = (0..<UInt32(600)).filter { Int($0) != row }
            // Every row has the first seven others as its best sources: those are in all lists, the others in none.
            let expected = measure.cut == .source ? all.prefix(7) : row < 7 ? all[...] : row == 7 ? all[..<7] : []
            #expect(lists.list(of: row).map(\.index) == Array(expected))
        }
    }

    @Test func cosinesThatAreEqualOnlyAsFractionsAreTies() throws {
        // 1/√4 and 2/√16, 3/√36 … of a source of 60: each c² / n is 1/4, but 0.5 is not what all quotients round to.
        var rows: [[UInt32]] = [Array(0..<60)]
        var spare: UInt32 = 60
        for common in [9, 3, 7, 1, 5, 8, 2, 6, 4] as [UInt32] {
            let others = 4 * common * common - common
            rows.append(Array(0..<common) + Array(spare..<spare + others))
            spare += others
        }
        let matrix = try BinaryMatrix.rows(rows, columnCount: Int(spare))
        let parameters = SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: 9)
        let lists = NeighbourSearch(parameters: parameters, threads: 1).run(on: matrix)
        #expect(lists.list(of: 0).map(\.index) == Array(1...9))
        expectBruteForce(matrix, parameters, "equal fractions")
    }

    @Test(arguments: measures)
    func limitsFromNothingToMoreThanThereAre(measure: SimilarityParameters.Measure) throws {
        let matrix = try BinaryMatrix.random(rowCount: 90, columnCount: 60, density: 0.3, seed: 5)
        for limit in [0, 1, 2, 89, 90, 5000] {
            let parameters = SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: limit, measure: measure)
            expectBruteForce(matrix, parameters, "limit \(limit)")
        }
    }

    @Test(arguments: measures)
    func smallestMatrices(measure: SimilarityParameters.Measure) throws {
        let parameters = SimilarityParameters(minimumEntries: 0, minimumCommon: 1, limit: 5, measure: measure)
        let matrices: [BinaryMatrix] = [
            try .rows([], columnCount: 0),
            try .rows([[]], columnCount: 0),
            try .rows([[0, 1, 2]], columnCount: 3),
            try .rows([[0], [0], [0]], columnCount: 1),
            try .rows([[], [], [0, 1], []], columnCount: 2),
            try .rows([Array(0..<90), Array(0..<90), [], [3]], columnCount: 90),
        ]
        for (number, matrix) in matrices.enumerated() { expectBruteForce(matrix, parameters, "matrix \(number)") }
    }

    @Test func aCheckerboardHasEveryOtherRowAsItsNeighbours() throws {
        let rows = (0..<20).map { row in stride(from: UInt32(row % 2), to: 30, by: 2).map { $0 } }
        let matrix = try BinaryMatrix.rows(rows, columnCount: 30)
        let parameters = SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: 20)
        let lists = NeighbourSearch(parameters: parameters, threads: 2).run(on: matrix)
        for row in 0..<20 {
            let expected = stride(from: row % 2, to: 20, by: 2).filter { $0 != row }
            #expect(lists.list(of: row).map { Int($0.index) } == expected)
            #expect(lists.list(of: row).allSatisfy { $0.score == 1 && $0.common == 15 })
        }
    }

    @Test(arguments: measures)
    func countsThatOverflowNarrowCounters(measure: SimilarityParameters.Measure) throws {
        // Rows that nest, of sizes around what 8 and 16 bits hold.
        let sizes: [UInt32] = [254, 255, 256, 257, 65_535, 65_536, 65_540]
        let matrix = try BinaryMatrix.rows(sizes.map { Array(0..<$0) }, columnCount: 65_540)
        for minimumCommon in [1, 256, 65_536] {
            let parameters = SimilarityParameters(
                minimumEntries: 5, minimumCommon: minimumCommon, limit: 20, measure: measure)
            expectBruteForce(matrix, parameters, "at least \(minimumCommon) in common")
        }
    }

    @Test(arguments: measures)
    func severalBlocksOfRows(measure: SimilarityParameters.Measure) throws {
        let matrix = try BinaryMatrix.random(rowCount: 9_000, columnCount: 40, density: 0.1, seed: 9)
        let parameters = SimilarityParameters(minimumEntries: 2, minimumCommon: 2, limit: 15, measure: measure)
        let lists = NeighbourSearch(parameters: parameters, threads: 2).run(on: matrix)
        if measure.cut == .source {
            let sample = stride(from: 0, to: 9_000, by: 1_500).map { $0 }
            #expect(
                sample.map { Array(lists.list(of: $0)) }
                    == BruteForce.neighbours(of: matrix, parameters, ofRows: sample))
        }
        for path in ProcessorPath.supported {
            #expect(lists == NeighbourSearch(parameters: parameters, threads: 7, path: path).run(on: matrix))
        }
    }
}
