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
                // Few different values, so that there are ties.
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

    /// Every mean computed afresh from the items, every time.
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

    @Test("groups of two communities are two interests, the larger first, with their shares")
    func communities() throws {
        let model = try PlanFixture.communities([20, 20], neighbours: 19)
        let interests = Interest.interests(of: [1, 2, 25, 26, 27], in: VisibleModel(model), .init())
        #expect(interests.map(\.groups) == [[25, 26, 27], [1, 2]])
        #expect(interests.map(\.share) == [0.6, 0.4])
        #expect(interests.map(\.central) == [26, 1])
    }

    @Test("with ten groups or more, groups similar to no other become one mixed interest; a single one does not")
    func mixed() throws {
        let model = try PlanFixture.communities([8] + [Int](repeating: 1, count: 4), neighbours: 7)
        let nine = Interest.interests(of: Array(0..<8) + [8], in: VisibleModel(model), .init())
        #expect(nine.map(\.groups) == [Array(0..<8), [8]] && nine.allSatisfy { !$0.isMixed })
        let ten = Interest.interests(of: Array(0..<10), in: VisibleModel(model), .init())
        #expect(ten.map(\.groups) == [Array(0..<8), [8, 9]] && ten.map(\.isMixed) == [false, true])
        #expect(ten[1].name(in: VisibleModel(model)) == "mixed")
        #expect(Interest.interests(of: [], in: VisibleModel(model), .init()).isEmpty)
    }

    @Test("a group that is slightly similar to an interest belongs to it, not to the mixed one")
    func attached() throws {
        // 0 to 7 are alike; 8 is hardly like one of them, 9 and 10 like nothing.
        var lists = (0..<8).map { group in (0..<8).filter { $0 != group }.map { (index: $0, common: 40) } }
        lists += [[(3, 5)], [], []]
        let model = try PlanFixture.model(lists)
        let interests = Interest.interests(of: Array(0..<11), in: VisibleModel(model), .init())
        #expect(interests.map(\.groups) == [Array(0..<9), [9, 10]])
        let visible = VisibleModel(model)
        #expect(interests.map { $0.weight(in: visible, RelationTable.standard.factors(in: visible)) } == [9, 0])
        let onlyPhotos = RelationTable.standard.weighted([.photos: 1]).factors(in: visible)
        #expect(interests.map { $0.weight(in: visible, onlyPhotos) } == [0, 0])
    }
}
