import Model
import Recommendation
import TestSupport
import Testing

@Suite("Recommending")
struct RecommenderTests {
    private func model(_ seed: UInt64, groupCount: Int = 60, relations: [Relation] = RelationTable.standard.relations)
        throws
        -> ModelVersion
    {
        let encoded = try SampleModel.model(groupCount: groupCount, limit: 12, relations: relations, seed: seed)
        return try ModelVersion(ByteRegion(copying: encoded.fileBytes))
    }

    /// What the documentation of `suggest` says, with a dictionary.
    private func bruteForce(
        _ model: ModelVersion, _ seeds: [Seed], _ table: RelationTable, limit: Int, isAllowed: (UInt32) -> Bool
    ) -> [(group: UInt32, score: Double)] {
        var scores: [UInt32: Double] = [:]
        for seed in seeds.sorted(by: { $0.group < $1.group }) {
            for facts in table where facts.weight > 0 {
                let relation = facts.relation
                let factor = facts.weight / model.meanBestScore(of: relation)
                for neighbour in model.neighbours(of: Int(seed.group), by: relation) {
                    scores[neighbour.index, default: 0] += seed.weight * factor * Double(neighbour.score)
                }
            }
        }
        let allowed = scores.filter { isAllowed($0.key) }.map { (group: $0.key, score: $0.value) }
        return Array(allowed.sorted { $0.score != $1.score ? $0.score > $1.score : $0.group < $1.group }.prefix(limit))
    }

    @Test("sums, order and limit equal brute force", arguments: 0..<20)
    func againstBruteForce(number: UInt64) throws {
        let model = try model(number)
        var generator = SeededGenerator(seed: number)
        for _ in 0..<30 {
            let seeds = (0..<60).shuffled(using: &generator).prefix(.random(in: 0...8, using: &generator)).map {
                Seed(group: UInt32($0), weight: .random(in: 0.01...2, using: &generator))
            }
            let table = RelationTable.standard.weighted([
                .photos: [0, 0.3, 1].randomElement(using: &generator) ?? 1,
                .members: [0, 0.7, 1].randomElement(using: &generator) ?? 1,
            ])
            let banned = Set((0..<UInt32(60)).filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
            let limit = [0, 1, 3, 10, 1000, Int.max].randomElement(using: &generator) ?? 0
            let recommender = Recommender(model: model, relations: table)
            let found = recommender.suggest(seeds: Array(seeds), limit: limit) { !banned.contains($0) }
            let expected = bruteForce(model, Array(seeds), table, limit: limit) { !banned.contains($0) }
            #expect(found.map(\.group) == expected.map(\.group))
            #expect(found.map(\.score) == expected.map(\.score))
            checkReasons(found, of: Array(seeds), model, table)
        }
    }

    /// Reasons sum to the score, name seeds only, and stand in their order.
    private func checkReasons(
        _ suggestions: [Suggestion], of seeds: [Seed], _ model: ModelVersion, _ table: RelationTable
    ) {
        for suggestion in suggestions {
            let sum = suggestion.reasons.reduce(0) { $0 + $1.contribution }
            #expect(abs(sum - suggestion.score) <= 1e-12 * suggestion.score)
            for reason in suggestion.reasons {
                #expect(seeds.contains { $0.group == reason.seed } && (table[reason.relation]?.weight ?? 0) > 0)
                let list = model.neighbours(of: Int(reason.seed), by: reason.relation)
                #expect(list.contains { $0.index == suggestion.group && $0.common == reason.common })
            }
            let contributions = suggestion.reasons.map(\.contribution)
            #expect(contributions == contributions.sorted(by: >))
        }
    }

    @Test("the order of the seeds does not matter, bit for bit", arguments: 0..<10)
    func seedOrder(number: UInt64) throws {
        let recommender = Recommender(model: try model(number))
        var generator = SeededGenerator(seed: number)
        // Some groups speak twice, with different weights.
        let seeds = (0..<12).map { Seed(group: UInt32($0 % 9 * 5), weight: .random(in: 0...1, using: &generator)) }
        let first = recommender.suggest(seeds: seeds, limit: 40) { _ in true }
        #expect(!first.isEmpty)
        for _ in 0..<20 {
            let shuffled = seeds.shuffled(using: &generator)
            #expect(recommender.suggest(seeds: shuffled, limit: 40) { _ in true } == first)
        }
    }

    @Test("equal scores stand in ascending order of the index")
    func ties() throws {
        let groups = SampleModel.groups(9)
        let neighbours = [7, 3, 5, 1].map { Neighbour(index: UInt32($0), common: 3, score: 0.5) }
        let table = NeighbourTable(offsets: [0] + [Int](repeating: 4, count: 9), neighbours: neighbours)
        let encoded = try EncodedModel(groups: groups, tables: [.members: table])
        let recommender = Recommender(model: try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
        #expect(recommender.similar(to: 0, limit: 10).map(\.group) == [1, 3, 5, 7])
        #expect(recommender.similar(to: 0, limit: 2).map(\.group) == [1, 3])
        #expect(recommender.similar(to: 0, limit: 10).allSatisfy { $0.score == 1 })
        #expect(recommender.similar(to: 1, limit: 10).isEmpty)
    }

    @Test("groups that the model does not have are passed over as seeds")
    func unknownSeeds() throws {
        let recommender = Recommender(model: try model(3))
        let seeds = [Seed(group: 5), Seed(group: 9)]
        let list = recommender.suggest(seeds: seeds, limit: 100) { _ in true }
        let more = seeds + [Seed(group: 60), Seed(group: .max)]
        #expect(!list.isEmpty && recommender.suggest(seeds: more, limit: 100) { _ in true } == list)
    }

    @Test("a relation of weight 0, or without neighbours, has no say")
    func weights() throws {
        let model = try model(4)
        for relation in RelationTable.standard.relations {
            let recommender = Recommender(model: model, relations: .standard.weighted([relation: 1]))
            for group in 0..<60 {
                let list = recommender.similar(to: UInt32(group), limit: 1000)
                #expect(list.allSatisfy { $0.reasons.allSatisfy { $0.relation == relation } })
                #expect(Set(list.map(\.group)) == Set(model.neighbours(of: group, by: relation).map(\.index)))
            }
        }
        let onlyMembers = try self.model(4, relations: [.members])
        let both = Recommender(model: onlyMembers).similar(to: 1, limit: 20)
        let one = Recommender(model: onlyMembers, relations: .standard.weighted([.members: 1])).similar(
            to: 1, limit: 20)
        #expect(both == one && !both.isEmpty)
        let none = Recommender(model: onlyMembers, relations: .standard.weighted([:])).similar(to: 1, limit: 9)
        #expect(none.isEmpty)
    }
}
