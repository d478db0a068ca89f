import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Interests")
struct InterestTests {
    @Test("average linkage equals its definition on random similarities", arguments: 0..<40)
    func linkage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...14, using: &generator)
        var lists = [[(index: Int, common: Int)]](repeating: [], count: count)
        for first in 0..<count {
            for second in 0..<count where first != second && Int.random(in: 0..<3, using: &generator) == 0 {
                // There are few different values, so that ties occur.
                lists[first].append((second, Int.random(in: 1...6, using: &generator) * 8))
            }
        }
        let model = try PlanFixture.model(lists)
        let similarities = PairSimilarities(among: (0..<UInt32(count)).map { $0 }, in: VisibleModel(model))
        for first in 0..<count {
            for second in 0..<count {
                let there = lists[first].first { $0.index == second }?.common ?? 0
                let back = lists[second].first { $0.index == first }?.common ?? 0
                #expect(abs(similarities[first, second] - Float(max(there, back)) / 100) < 1e-6)
            }
        }
        #expect(AverageLinkage.clusters(similarities, stop: 0.1) == naive(similarities, stop: 0.1))
    }

    /// Clusters in the plainest way: every mean is computed afresh from the items.
    private func naive(_ similarities: PairSimilarities, stop: Double) -> [[Int]] {
        var clusters = (0..<similarities.count).map { [$0] }
        while true {
            var best: (first: Int, second: Int, mean: Double)?
            for first in clusters.indices {
                for second in clusters.indices where second > first {
                    var sum = 0.0
                    for one in clusters[first] {
                        for other in clusters[second] { sum += Double(similarities[one, other]) }
                    }
                    let mean = sum / Double(clusters[first].count * clusters[second].count)
                    if mean > (best?.mean ?? 0) + 1e-12 { best = (first, second, mean) }
                }
            }
            guard let best, best.mean >= stop - 1e-12 else { return clusters }
            clusters[best.first] = (clusters[best.first] + clusters[best.second]).sorted()
            clusters.remove(at: best.second)
        }
    }

    private func interests(_ groups: [UInt32], _ model: ModelVersion, _ relations: RelationTable = .standard)
        -> [Interest]
    {
        interests(groups, VisibleModel(model), relations)
    }

    private func interests(_ groups: [UInt32], _ model: VisibleModel, _ relations: RelationTable) -> [Interest] {
        let table = CandidateTable(
            of: Seeds(groups), model.lists(of: groups), factors: relations.factorsByIndex(in: model),
            GroupPlaces(groupCount: model.groupCount))
        return InterestClustering(in: model, relations, .init()).interests(of: groups, table, in: model)
    }

    @Test("groups of two communities are two interests, the larger first, with their shares")
    func communities() throws {
        let model = try PlanFixture.communities([20, 20], neighbours: 19)
        let interests = interests([1, 2, 25, 26, 27], model)
        #expect(interests.map(\.groups) == [[25, 26, 27], [1, 2]])
        #expect(interests.map(\.share) == [0.6, 0.4])
    }

    @Test("with ten groups or more, groups similar to no other become one mixed interest; a single one does not")
    func mixed() throws {
        let model = try PlanFixture.communities([8] + [Int](repeating: 1, count: 4), neighbours: 7)
        let nine = interests(Array(0..<8) + [8], model)
        #expect(nine.map(\.groups) == [Array(0..<8), [8]] && nine.allSatisfy { !$0.isMixed })
        let ten = interests(Array(0..<10), model)
        #expect(ten.map(\.groups) == [Array(0..<8), [8, 9]] && ten.map(\.isMixed) == [false, true])
        #expect(ten[1].name(in: VisibleModel(model)) == "mixed")
        #expect(interests([], model).isEmpty)
    }

    @Test("a single group belongs to the interest that it clearly overlaps with; a few common members are too few")
    func attached() throws {
        // Groups 0 to 7 are alike. Group 8 is large and has half of their members; 9 has hardly any; 10 and 11 have
        // none.
        let large = (0..<8).map { (index: $0, common: 50) }
        let few = (0..<8).map { (index: $0, common: 8) }
        var lists = (0..<8).map { group in (0..<8).filter { $0 != group }.map { (index: $0, common: 40) } }
        lists += [large, few, [], []]
        var sizes = [UInt32](repeating: 100, count: 12)
        sizes[8] = 100_000
        let model = try PlanFixture.model(lists, sizes: sizes)
        let interests = interests(Array(0..<12), model)
        #expect(interests.map(\.groups) == [Array(0..<9), [9, 10, 11]])
        #expect(interests.map(\.largest) == [8, 9])
        // A group without neighbours brings nothing, and does not count.
        #expect(interests.map(\.share) == [0.9, 0.1])
        let onlyPhotos = RelationTable.standard.weighted([.photos: 1])
        #expect(self.interests(Array(0..<12), model, onlyPhotos).allSatisfy { $0.share == 0 })
    }

    @Test("nine groups of one kind and one of another: two of twenty places, with or without members in both worlds")
    func nineAndOne() throws {
        for bridge in [0, 3, 8] {
            // Groups of one world have up to 40 members in common; groups of different worlds have a few.
            let lists = (0..<120).map { group in
                (0..<120).filter { $0 != group }.compactMap { other -> (index: Int, common: Int)? in
                    let isSame = (group < 60) == (other < 60)
                    return isSame || bridge > 0 ? (other, isSame ? 40 - abs(group - other) / 4 : bridge) : nil
                }
            }
            let planner = Planner(model: try PlanFixture.model(lists), key: RotationKey(1, 2))
            for seed in 0..<20 {
                let profile = PlanFixture.profile((seed..<seed + 9) + [70 + seed], user: "user-\(seed)")
                let plan = planner.plan(PlanRequest(profile: profile, atMilliseconds: PlanFixture.instant))
                #expect(plan.interests.map(\.groups.count) == [9, 1] && plan.interests.map(\.share) == [0.9, 0.1])
                let personal = plan.items.filter { $0.origin == .personal }.prefix(20)
                #expect(personal.count { $0.group >= 60 } == 2, "\(bridge), \(seed)")
                #expect(personal.allSatisfy { $0.interest == ($0.group < 60 ? 0 : 1) })
            }
        }
    }

    @Test("a name is the topic that more than half of the groups have, else the title of the largest")
    func names() throws {
        let topics = [["birds", "lakes"], ["birds"], ["lakes"], ["birds"], [], ["trains"]]
        let groups = topics.enumerated().map { number, topics in
            GroupFacts(id: String(format: number), title: number == 4 ? "" : "Group \(number)", topics: topics)
        }
        let sizes: [UInt32] = [10, 20, 40, 30, 50, 60]
        let encoded = try EncodedModel(groups: groups, sizes: [.members: sizes], tables: [:])
        let model = VisibleModel(try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
        func name(_ groups: [UInt32], largest: UInt32) -> String {
            Interest(groups: groups, share: 1, largest: largest, isMixed: false).name(in: model)
        }
        #expect(name([0, 1, 2, 3], largest: 2) == "birds")
        // Half of the groups are not most of them.
        #expect(name([0, 1, 2, 5], largest: 5) == "Group 5")
        #expect(name([0, 4], largest: 4) == "00004")
        #expect(name([0], largest: 0) == "birds")
        // Without memberships, no common members are known: each group is an interest of its own, and its largest
        // group.
        #expect(interests([0, 2], model, .standard).map(\.largest) == [0, 2])
    }
}
