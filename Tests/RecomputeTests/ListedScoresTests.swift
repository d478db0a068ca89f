import Foundation
import Model
import ModelStore
import Recompute
import Similarity
import TestSupport
import Testing

@Suite("Scores of listed neighbours")
struct ListedScoresTests {
    private func version(_ measure: SimilarityParameters.Measure) throws -> LoadedVersion {
        let community = try SmallCommunity.random(seed: 420)
        let outcome = try community.recompute { parameters in
            for relation in RelationTable.standard.requiredRelations { parameters[relation].measure = measure }
        }
        return try community.store.load(outcome.manifest.version)
    }

    /// Every neighbour of every list, with the sizes of the two groups.
    private func forEachNeighbour(
        of version: LoadedVersion,
        _ body: (Neighbour, _ score: Double, _ size: Double, _ otherSize: Double) -> Void
    ) {
        var count = 0
        for relation in RelationTable.standard.requiredRelations {
            let scores = ListedScores(relation, in: version.model, version.manifest)
            for group in 0..<version.model.groupCount {
                for neighbour in version.model.neighbours(of: group, by: relation) {
                    body(
                        neighbour, scores.score(of: neighbour, to: group),
                        Double(version.model.size(of: group, in: relation)),
                        Double(version.model.size(of: Int(neighbour.index), in: relation)))
                    count += 1
                }
            }
        }
        #expect(count > 100)
    }

    @Test("follow in double precision from the counts if all common entries weigh the same")
    func exact() throws {
        try forEachNeighbour(of: version(.cosine)) { neighbour, score, size, otherSize in
            #expect(score == Double(neighbour.common) / (size * otherSize).squareRoot())
        }
        let measure = ModifiedCosine(sourceExponent: 0.3, neighbourExponent: 0.6, shrinkage: 2.5, scorePower: 0.7)
        try forEachNeighbour(of: version(.modified(measure))) { neighbour, score, size, otherSize in
            let common = Double(neighbour.common)
            let exact = pow(common / (pow(size, 0.3) * pow(otherSize, 0.6)) * common / (common + 2.5), 0.7)
            #expect(abs(score - exact) <= 1e-13 * exact)
        }
    }

    @Test("are the stored ones, with the digits of single precision, if weights depend on degrees")
    func stored() throws {
        try forEachNeighbour(of: version(.modified(ModifiedCosine(degreeDiscount: 0.5)))) { neighbour, score, _, _ in
            #expect(Float(score) == neighbour.score)
            #expect(score.description == neighbour.score.description)
        }
    }
}
