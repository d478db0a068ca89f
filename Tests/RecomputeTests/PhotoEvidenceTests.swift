import Model
@testable import Recompute
import Similarity
import TestSupport
import Testing

struct PhotoEvidenceTests {
    private static func parameters(limit: Int, _ measure: SimilarityParameters.Measure) -> SimilarityParameters {
        SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: limit, measure: measure)
    }

    @Test(
        "every neighbour that was cut is below the cut, and every one that was kept is not",
        arguments: ListLimitSide.allCases
    )
    func cut(_ cut: ListLimitSide) throws {
        var cutCount = 0
        for seed in UInt64(0)..<20 {
            let matrix = try BinaryMatrix.random(rowCount: 60, columnCount: 80, density: 0.2, seed: seed)
            let limit = 1 + Int(seed)
            let measure = SimilarityParameters.Measure.modified(
                ModifiedCosine(degreeDiscount: 0.5, cut: cut, limitExponent: seed.isMultiple(of: 2) ? 0 : 0.47))
            let sizes = (0..<matrix.rowCount).map { UInt32(matrix.size(ofRow: $0)) }
            let kept = BruteForce.neighbours(of: matrix, Self.parameters(limit: limit, measure))
            let all = BruteForce.neighbours(of: matrix, Self.parameters(limit: matrix.rowCount, measure))
            let scores = CutScores(of: kept, Self.parameters(limit: limit, measure), sizes: sizes)
            for group in 0..<matrix.rowCount {
                let listed = Set(kept.list(of: group).map(\.index))
                for neighbour in all.list(of: group) {
                    let score = Double(neighbour.score)
                    if listed.contains(neighbour.index) {
                        #expect(scores.keep(neighbour.index, at: score, inListOf: UInt32(group)))
                    } else {
                        cutCount += 1
                        #expect(!scores.keep(neighbour.index, at: score * 0.999, inListOf: UInt32(group)))
                    }
                }
            }
        }
        #expect(cutCount > 1000)
    }

    /// The weights for a community of 400 groups and 600 photos.
    private func weights(pools: [[UInt32]], _ cut: ListLimitSide) throws -> Manifest.PhotoWeights? {
        let pairs = pools.enumerated().flatMap { photo, groups in groups.map { (row: $0, column: UInt32(photo)) } }
        let matrix = try BinaryMatrix(rowCount: 400, columnCount: pools.count, pairs: pairs)
        var parameters = RecomputeParameters(threads: 2)
        let relation = try #require(parameters.relations[.pool]?.relation)
        parameters[relation] = Self.parameters(limit: 20, .modified(ModifiedCosine(degreeDiscount: 1, cut: cut)))
        let table = NeighbourSearch(parameters: parameters[relation], threads: 2).run(on: matrix)
        let sizes = (0..<matrix.rowCount).map { UInt32(matrix.size(ofRow: $0)) }
        return PhotoEvidence(parameters, [relation: table], [relation: sizes], LeaveOneOutSample(matrix, threads: 2))
            .weights()
    }

    @Test("where photos are in groups by nothing but their size, size counts most", arguments: ListLimitSide.allCases)
    func chance(_ cut: ListLimitSide) throws {
        var generator = SeededGenerator(seed: 7)
        let pools = (0..<600).map { _ in
            (0..<14).map { _ in
                let uniform = Double.random(in: 0..<1, using: &generator)
                return UInt32(400 * uniform * uniform)
            }
        }
        let weights = try #require(try weights(pools: pools.map { Array(Set($0)) }, cut))
        #expect(weights.popularity >= 0.3)
    }

    @Test("where photos are in groups by their subject, size counts little", arguments: ListLimitSide.allCases)
    func subjects(_ cut: ListLimitSide) throws {
        var generator = SeededGenerator(seed: 8)
        let pools = (0..<600).map { photo in
            Array(Set((0..<6).map { _ in UInt32(10 * (photo % 40) + Int.random(in: 0..<10, using: &generator)) }))
        }
        let weights = try #require(try weights(pools: pools, cut))
        #expect(weights.popularity <= 0.1)
    }
}
