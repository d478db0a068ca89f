import Model
import Recommendation
import TestSupport
import Testing

@Suite("Recommending")
struct RecommenderTests {
    private func model(
        _ seed: UInt64, groupCount: Int = 60, relations: [Relation] = RelationTable.standard.requiredRelations
    )
        throws
        -> ModelVersion
    {
        let encoded = try SampleModel.model(groupCount: groupCount, limit: 12, relations: relations, seed: seed)
        return try ModelVersion(ByteRegion(copying: encoded.fileBytes))
    }

    /// Returns the result that the documentation of `similar` promises, with a dictionary.
    private func bruteForce(_ model: ModelVersion, _ group: UInt32, _ table: RelationTable, hidden: Set<UInt32>)
        -> [(group: UInt32, score: Double)]
    {
        guard !hidden.contains(group) else { return [] }
        var scores: [UInt32: Double] = [:]
        for facts in table where facts.weight > 0 {
            let factor = facts.weight / model.meanBestScore(of: facts.relation)
            for neighbour in model.neighbours(of: Int(group), by: facts.relation) {
                scores[neighbour.index, default: 0] += factor * Double(neighbour.score)
            }
        }
        let shown = scores.filter { !hidden.contains($0.key) }.map { (group: $0.key, score: $0.value) }
        return shown.sorted { $0.score != $1.score ? $0.score > $1.score : $0.group < $1.group }
    }

    @Test("sums, order and limit equal brute force", arguments: 0..<20)
    func againstBruteForce(number: UInt64) throws {
        let model = try model(number)
        var generator = SeededGenerator(seed: number)
        for group in 0..<UInt32(60) {
            let table = RelationTable.standard.weighted([
                .photos: [0, 0.3, 1].randomElement(using: &generator) ?? 1,
                .members: [0, 0.7, 1].randomElement(using: &generator) ?? 1,
            ])
            let hidden = Set((0..<UInt32(60)).filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
            let limit = [0, 1, 3, 10, 1000, Int.max].randomElement(using: &generator) ?? 0
            let visible = VisibleModel(model, SiteDecisions(hidden: hidden, curated: nil))
            let found = Recommender(model: visible, relations: table).similar(to: group, limit: limit)
            let expected = bruteForce(model, group, table, hidden: hidden).prefix(limit)
            #expect(found.map(\.group) == expected.map(\.group))
            #expect(found.map(\.score) == expected.map(\.score))
            checkReasons(found, of: group, model, table)
        }
    }

    /// Checks that reasons sum to the score, name the group and stand in their order.
    private func checkReasons(
        _ suggestions: [Suggestion], of group: UInt32, _ model: ModelVersion, _ table: RelationTable
    ) {
        for suggestion in suggestions {
            let sum = suggestion.reasons.reduce(0) { $0 + $1.contribution }
            #expect(abs(sum - suggestion.score) <= 1e-12 * suggestion.score)
            for reason in suggestion.reasons {
                #expect(reason.seed == group && (table[reason.relation]?.weight ?? 0) > 0)
                let list = model.neighbours(of: Int(group), by: reason.relation)
                #expect(list.contains { $0.index == suggestion.group && $0.common == reason.common })
            }
            let contributions = suggestion.reasons.map(\.contribution)
            #expect(contributions == contributions.sorted(by: >))
        }
    }

    @Test("equal scores are in ascending order of the index")
    func ties() throws {
        let groups = SampleModel.groups(9)
        let neighbours = [7, 3, 5, 1].map { Neighbour(index: UInt32($0), common: 3, score: 0.5) }
        let table = NeighbourTable(offsets: [0] + [Int](repeating: 4, count: 9), neighbours: neighbours)
        let encoded = try EncodedModel(groups: groups, tables: [.members: table])
        let recommender = Recommender(
            model: VisibleModel(try ModelVersion(ByteRegion(copying: encoded.fileBytes))))
        #expect(recommender.similar(to: 0, limit: 10).map(\.group) == [1, 3, 5, 7])
        #expect(recommender.similar(to: 0, limit: 2).map(\.group) == [1, 3])
        #expect(recommender.similar(to: 0, limit: 10).allSatisfy { $0.score == 1 })
        #expect(recommender.similar(to: 1, limit: 10).isEmpty)
    }

    @Test("nothing is similar to a group that the model does not have", arguments: [60, .max])
    func unknownGroup(group: UInt32) throws {
        #expect(Recommender(model: VisibleModel(try model(3))).similar(to: group, limit: 100).isEmpty)
    }

    @Test("a relation of weight 0, or without neighbours, does not count")
    func weights() throws {
        let model = try model(4)
        for relation in RelationTable.standard.requiredRelations {
            let recommender = Recommender(
                model: VisibleModel(model), relations: .standard.weighted([relation: 1]))
            for group in 0..<60 {
                let list = recommender.similar(to: UInt32(group), limit: 1000)
                #expect(list.allSatisfy { $0.reasons.allSatisfy { $0.relation == relation } })
                #expect(Set(list.map(\.group)) == Set(model.neighbours(of: group, by: relation).map(\.index)))
            }
        }
        let onlyMembers = VisibleModel(try self.model(4, relations: [.members]))
        let both = Recommender(model: onlyMembers).similar(to: 1, limit: 20)
        let one = Recommender(model: onlyMembers, relations: .standard.weighted([.members: 1])).similar(
            to: 1, limit: 20)
        #expect(both == one && !both.isEmpty)
        let none = Recommender(model: onlyMembers, relations: .standard.weighted([:])).similar(to: 1, limit: 9)
        #expect(none.isEmpty)
    }
}
