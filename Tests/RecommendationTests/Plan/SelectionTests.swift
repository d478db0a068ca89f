import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Selection")
struct SelectionTests {
    private func candidates(_ scores: [Double], _ interests: [Int]) -> [Candidate] {
        zip(scores, interests).enumerated().map { index, pair in
            Candidate(group: UInt32(index), score: pair.0, interest: pair.1)
        }
    }

    /// Returns the positions of a pool in the order of the list.
    private func order(
        _ pool: [Candidate], _ model: ModelVersion, shares: [Double],
        _ configuration: PlanConfiguration.Selection = .init(), leastWorth: Double = 0
    ) -> [Int] {
        let similarities = PairSimilarities(among: pool.map(\.group), in: VisibleModel(model))
        let shares = InterestShares(shares, best: pool.first, leastWorth: leastWorth)
        return Selection(configuration: configuration).order(pool, similarities, shares).map(\.position)
    }

    @Test("one interest and nothing similar: the order is that of the scores")
    func plain() throws {
        let model = try PlanFixture.model([[(index: Int, common: Int)]](repeating: [], count: 30))
        let pool = candidates((0..<30).map { 30 - Double($0) }, [Int](repeating: 0, count: 30))
        #expect(order(pool, model, shares: [1]) == Array(0..<30))
    }

    @Test("every prefix has at least ⌊share × length⌋ groups of each interest, however unequal the scores")
    func turns() throws {
        let model = try PlanFixture.model([[(index: Int, common: Int)]](repeating: [], count: 90))
        var configuration = PlanConfiguration.Selection()
        configuration.quotaLossLimit = 1
        for shares in [[0.8, 0.2], [0.5, 0.3, 0.2], [0.9, 0.1]] {
            let interests = (0..<90).map { $0 % shares.count }
            let pool = candidates((0..<90).map { pow2(-$0) }, interests)
            let order = order(pool, model, shares: shares, configuration)
            for length in 1...25 {
                for (interest, share) in shares.enumerated() {
                    let count = order.prefix(length).count { interests[$0] == interest }
                    // If several interests are due at once, one has to wait.
                    #expect(abs(Double(count) - share * Double(length)) < (shares.count > 2 ? 2 : 1))
                }
            }
        }
    }

    private func pow2(_ exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }

    @Test("a near-duplicate of a chosen group waits, unless that costs more than the limit")
    func repetition() throws {
        // Groups 0 and 1 are nearly the same.
        let model = try PlanFixture.model([[(1, 100)], [(0, 100)], [], []])
        let pool = candidates([1, 0.95, 0.9, 0.1], [0, 0, 0, 0])
        var configuration = PlanConfiguration.Selection()
        #expect(order(pool, model, shares: [1], configuration) == [0, 2, 1, 3])
        configuration.lossLimit = 0.02
        #expect(order(pool, model, shares: [1], configuration) == [0, 1, 2, 3])
    }

    @Test("diversity alone never costs more than the limit", arguments: 0..<20)
    func loss(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let model = try PlanFixture.communities([60], neighbours: 59)
        let scores = (0..<60).map { _ in Double.random(in: 0.1...2, using: &generator) }.sorted(by: >)
        let pool = candidates(scores, [Int](repeating: 0, count: 60))
        let configuration = PlanConfiguration.Selection()
        let order = order(pool, model, shares: [1], configuration)
        #expect(order.sorted() == Array(0..<60))
        for length in 1...60 {
            let sum = order.prefix(length).reduce(0) { $0 + scores[$1] }
            #expect(sum >= (1 - configuration.lossLimit) * scores.prefix(length).reduce(0, +) - 1e-9)
        }
    }

    @Test(
        "a smaller interest has its share of the first page, even if all its candidates have lower scores"
    )
    func pool() throws {
        // The larger interest has twice as many candidates as the pool has places.
        let configuration = PlanConfiguration.Selection()
        let large = 2 * configuration.poolSize
        let scores = [Double](repeating: 1, count: large) + [Double](repeating: 0.9, count: 40)
        let candidates = candidates(scores, [Int](repeating: 0, count: large) + [Int](repeating: 1, count: 40))
        for share in [0.1, 0.2, 0.4] {
            let shares = InterestShares(
                [1 - share, share], best: candidates.first, leastWorth: configuration.leastWorth)
            let pool = CandidatePool.positions(of: candidates, shares, configuration).map { candidates[$0] }
            #expect(pool.count == configuration.poolSize)
            let model = try PlanFixture.model([[(index: Int, common: Int)]](repeating: [], count: candidates.count))
            let order = order(pool, model, shares: shares.shares, configuration, leastWorth: configuration.leastWorth)
            #expect(Double(order.prefix(20).count { pool[$0].interest == 1 }) >= 20 * share)
        }
    }

    @Test("an interest of one group in ten has its share, unless its candidates are far worse", arguments: [0, 400])
    func worth(others: Int) throws {
        // Scores are sums: nine groups bring nine times as much as one. With `others`, there are more candidates than
        // places.
        let configuration = PlanConfiguration.Selection()
        let scores = (0..<60 + others).map { 9 - Double($0) / 1000 }
        for (worth, expected) in [(1.0, 2), (0.6, 2), (0.3, 0)] {
            let small = (0..<20).map { worth * (1 - Double($0) / 1000) }
            let all = (scores + small).enumerated().map { group, score in
                RawCandidate(group: UInt32(group), score: score, interest: group < scores.count ? 0 : 1)
            }
            let (count, best) = CandidatePool.best(400, shares: [0.9, 0.1], configuration) { least, take in
                for candidate in all where candidate.score >= least { take(candidate.score) { candidate } }
            }
            #expect(count == all.count)
            var candidates = best.map(Candidate.init)
            Ranking.sort(&candidates)
            let shares = InterestShares([0.9, 0.1], best: candidates.first, leastWorth: configuration.leastWorth)
            let pool = CandidatePool.positions(of: candidates, shares, configuration).map { candidates[$0] }
            let model = try PlanFixture.model(
                [[(index: Int, common: Int)]](repeating: [], count: scores.count + small.count))
            let order = order(pool, model, shares: [0.9, 0.1], configuration, leastWorth: configuration.leastWorth)
            #expect(order.prefix(20).count { pool[$0].interest == 1 } == expected)
        }
    }

    @Test("the best of all candidates are found", arguments: 0..<20)
    func bestOfAll(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let limit = Int.random(in: 1...500, using: &generator)
        let all = (0..<Int.random(in: 0...9000, using: &generator)).map { group in
            // Many scores are equal, and a few are far above the others.
            let scale = group.isMultiple(of: 16) ? Double(seed) : 1
            let score = Double(Int.random(in: 1...400, using: &generator)) * max(1, scale)
            return RawCandidate(group: UInt32(group), score: score, interest: 0)
        }
        let (count, best) = CandidatePool.best(limit, shares: [0], .init()) { least, take in
            for candidate in all where candidate.score >= least { take(candidate.score) { candidate } }
        }
        let expected = all.sorted(by: RawCandidate.precedes).prefix(limit)
        #expect(count == all.count)
        #expect(Set(best.map(\.group)) == Set(expected.map(\.group)))
        #expect(best.count == min(limit, count))
    }

    @Test("a member with two far interests, 80 and 20 percent, sees 16 ± 1 and 4 ± 1 of 20, 95 times in 100")
    func twoInterests() throws {
        let model = try PlanFixture.communities([600, 600], neighbours: 100)
        let planner = Planner(model: model, key: RotationKey(7, 8))
        var generator = SeededGenerator(seed: 1)
        var good = 0
        for member in 0..<300 {
            let total = [10, 20, 50].randomElement(using: &generator) ?? 10
            let (first, second) = (
                Int.random(in: 50..<400, using: &generator), Int.random(in: 650..<1000, using: &generator)
            )
            let groups =
                Array((first..<first + 60).shuffled(using: &generator).prefix(total * 4 / 5))
                + Array((second..<second + 60).shuffled(using: &generator).prefix(total / 5))
            let plan = planner.plan(
                PlanRequest(
                    profile: PlanFixture.profile(groups, user: "user-\(member)"), atMilliseconds: PlanFixture.instant))
            let large = plan.items.prefix(20).count { $0.group < 600 }
            if (15...17).contains(large) { good += 1 }
        }
        #expect(good >= 285)
    }
}
