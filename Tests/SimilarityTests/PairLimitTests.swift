import Model
import TestSupport
import Testing

@testable import Similarity

@Suite("Limits of pairs by the size of a row")
struct PairLimitTests {
    private static func parameters(
        limit: Int, _ exponent: Double, _ cut: ListLimitSide = .target, minimumEntries: Int = 1
    ) -> SimilarityParameters {
        SimilarityParameters(
            minimumEntries: minimumEntries, minimumCommon: 1, limit: limit,
            measure: .modified(
                ModifiedCosine(
                    degreeDiscount: 0.5, shrinkage: 1, cut: cut, listPower: 0.5, limitExponent: exponent)))
    }

    @Test(
        "have the total of one limit for all, rise with the size, and are those of raising C",
        arguments: 0..<60 as Range<UInt64>)
    func direct(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let sizes = (0..<Int.random(in: 1...80, using: &generator)).map { _ in
            UInt32(Double.random(in: 1...20, using: &generator) * .random(in: 1...20, using: &generator))
        }
        let exponent = [0.23, 0.47, 0.31, 0.93][Int.random(in: 0..<4, using: &generator)]
        let parameters = Self.parameters(limit: .random(in: 1...100, using: &generator), exponent)
        let found = PairLimits(parameters, sizes: sizes)
        let expected = BruteForce.limits(of: sizes.map(Int.init), parameters)
        let total = sizes.count * min(parameters.limit, sizes.count - 1)
        func sum(_ limits: PairLimits) -> Int { sizes.reduce(0) { $0 + limits.limit(ofSize: Int($1)) } }
        #expect(sizes.allSatisfy { found.limit(ofSize: Int($0)) == expected[Int($0)] }, "seed \(seed)")
        #expect(sum(found) <= total)
        let greater = PairLimits(factor: found.factor * (1 + 1e-9), exponent: exponent, rows: sizes.count)
        #expect(sum(greater) > total || sum(found) == sizes.count * (sizes.count - 1))
        let limits = sizes.sorted().map { found.limit(ofSize: Int($0)) }
        #expect(limits == limits.sorted() && limits.allSatisfy { $0 >= min(1, sizes.count - 1) && $0 < sizes.count })
    }

    @Test("are one limit for all without an exponent, and do not count rows below the minimum")
    func constant() {
        let sizes: [UInt32] = [1, 5, 9, 200, 4000]
        for limit in [0, 1, 3, 4, 100] {
            let limits = PairLimits(Self.parameters(limit: limit, 0), sizes: sizes)
            #expect(sizes.allSatisfy { limits.limit(ofSize: Int($0)) == min(limit, 4) })
            #expect(PairLimits(Self.parameters(limit: limit, 0), sizes: [UInt32]()).limit(ofSize: 1) == 0)
        }
        let parameters = Self.parameters(limit: 2, 0.5, minimumEntries: 5)
        #expect(PairLimits(parameters, sizes: sizes) == PairLimits(parameters, sizes: Array(sizes.dropFirst())))
    }

    @Test("A version with a parameter that is not known has no formula")
    func unknownParameter() {
        let known = Self.parameters(limit: 30, 0.5).measure.forManifest.parameters
        func formula(_ more: [String: Double]) -> ListFormula? {
            ListFormula(
                Manifest.RelationReport(
                    relation: Relation(rawValue: "members"), measure: "modified",
                    measureParameters: known.merging(more) { $1 }, minimumEntries: 1, minimumCommon: 1, limit: 30,
                    entries: 0, entriesOfPrivateGroups: 0, entriesOfPrivatePhotos: 0, groupsCounted: 0,
                    groupsBelowMinimum: 0, groupsWithNeighbours: 0, neighbours: 0, path: "portable"))
        }
        #expect(formula([:]) != nil)
        // Another program mixed scores with coefficients of a regression, which this one cannot compute.
        #expect(formula(["b": 0.5]) == nil)
    }

    @Test(
        "give the lists of brute force, on any threads and processor, and when divided",
        arguments: 0..<12 as Range<UInt64>)
    func lists(seed: UInt64) throws {
        let matrix = try BinaryMatrix.skewed(seed: seed)
        let parameters = Self.parameters(
            limit: 2 + 3 * Int(seed), seed.isMultiple(of: 3) ? 0.23 : 0.47, seed.isMultiple(of: 2) ? .source : .target)
        let expected = BruteForce.neighbours(of: matrix, parameters)
        let found = NeighbourSearch(parameters: parameters, threads: 2).run(on: matrix)
        #expect(found.offsets == expected.offsets)
        #expect(found.neighbours.map(\.index) == expected.neighbours.map(\.index))
        for path in ProcessorPath.supported {
            #expect(NeighbourSearch(parameters: parameters, threads: 1, path: path).run(on: matrix) == found)
        }
        let prepared = PreparedSearch(matrix, parameters, threads: 1, blockRows: 64, identity: 7)
        let blocks = prepared.ranges(count: 3).map { prepared.pairs(of: $0, threads: 1, path: .portable) }
        #expect(try prepared.lists(blocks, of: matrix, threads: 2) == found)
    }
}

extension BinaryMatrix {
    /// Rows of 130 columns, from almost none to almost all.
    fileprivate static func skewed(seed: UInt64) throws -> BinaryMatrix {
        var generator = SeededGenerator(seed: seed)
        let pairs = (0..<120).flatMap { row in
            let part = Double.random(in: 0.05...0.9, using: &generator)
            return (0..<UInt32(130)).filter { _ in Double.random(in: 0..<1, using: &generator) < part * part }
                .map { (row: UInt32(row), column: $0) }
        }
        return try BinaryMatrix(rowCount: 120, columnCount: 130, pairs: pairs)
    }
}
