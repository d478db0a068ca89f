import Glibc
import Model
import TestSupport
import Testing

@testable import Recommendation

/// The fast stages against the plainest implementation of each.
@Suite("Stages against their definitions")
struct ReferenceTests {
    /// Returns random candidates, many with equal scores.
    private func candidates(_ count: Int, _ generator: inout SeededGenerator) -> [Candidate] {
        let steps = Int.random(in: 1...400, using: &generator)
        return (0..<count).map { group in
            let score = Double(Int.random(in: 1...steps, using: &generator)) * 0.37
            return Candidate(group: UInt32(group), score: score, interest: group % 3)
        }.shuffled(using: &generator)
    }

    @Test("ranking and cutting candidates equals sorting", arguments: 0..<60 as Range<UInt64>)
    func ranking(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let given = candidates(Int.random(in: 0...900, using: &generator), &generator)
        let expected = given.sorted(by: Candidate.precedes).map(\.group)
        var sorted = given
        Ranking.sort(&sorted)
        #expect(sorted.map(\.group) == expected)
        let limit = Int.random(in: 1...300, using: &generator)
        var kept = given
        Ranking.keepBest(limit, of: &kept)
        #expect(kept.sorted(by: Candidate.precedes).map(\.group) == Array(expected.prefix(limit)))
    }

    @Test("the best scores, and few more, reach the bound that their histogram tells", arguments: -15..<16)
    func histogram(exponent: Int) {
        var generator = SeededGenerator(seed: UInt64(exponent + 15))
        let scores = (0..<3000).map { _ in
            pow(2, Double(exponent)) * exp(-Double.random(in: 0...8, using: &generator))
        }
        var histogram = ScoreHistogram()
        for score in scores { histogram.add(score) }
        #expect(histogram.count == scores.count)
        for limit in [1, 10, 400, 3000, 3001] {
            let least = histogram.leastScore(ofBest: limit)
            let passed = scores.count { $0 >= least }
            #expect(passed >= min(limit, scores.count))
            // A range holds 1/32 of a power of two at most, except the first, far below all usual scores.
            let bound = scores.sorted(by: >)[min(limit, scores.count) - 1]
            if limit <= scores.count, bound > 0x1p-23 { #expect(least > bound * 0.96) }
        }
        // The ends of the table are 0, the least and the greatest number, and infinity.
        var extremes = ScoreHistogram()
        for score in [0, .leastNonzeroMagnitude, 1, .greatestFiniteMagnitude, .infinity] { extremes.add(score) }
        #expect(extremes.count == 5)
        #expect(extremes.leastScore(ofBest: 2) > 1 && extremes.leastScore(ofBest: 3) <= 1)
        #expect(extremes.leastScore(ofBest: 5) == 0)
    }

    @Test(
        "the next group is the best of its interest, with the score lowered by similarity to the chosen ones",
        arguments: 0..<30 as Range<UInt64>)
    func selection(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let encoded = try SampleModel.model(groupCount: 120, limit: 25, seed: seed)
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        let pool = candidates(120, &generator).sorted(by: Candidate.precedes)
        let similarities = PairSimilarities(among: pool.map(\.group), in: VisibleModel(model))
        let weights = [5.0, 3, 2]
        let configuration = PlanConfiguration.Selection()
        let shares = InterestShares(weights, best: pool.first, leastWorth: configuration.leastWorth)
        let choices = Selection(configuration: configuration).order(pool, similarities, shares)
        let order = choices.map(\.position)
        #expect(order.sorted() == Array(0..<120))
        // A candidate is good enough if it is not far worse than the best would be in as small an interest.
        let leastScores = weights.map { weight in
            configuration.leastWorth * pool[0].adjusted * min(1, weight / weights[pool[0].interest])
        }
        var (sum, bestSum) = (0.0, 0.0)
        for step in order.indices {
            let rest = Array(0..<120).filter { !order[..<step].contains($0) }
            let due = rest.filter { index in
                let interest = pool[index].interest
                let taken = order[..<step].count { pool[$0].interest == interest }
                let best = rest.filter { pool[$0].interest == interest }.map { pool[$0].adjusted }.max() ?? 0
                return weights[interest] * Double(step + 1) / 10 - Double(taken) >= 1 - 1e-9
                    && best >= leastScores[interest]
            }
            let mayGo = due.isEmpty ? rest : due
            func worth(_ index: Int) -> Double {
                order[..<step].reduce(pool[index].adjusted) {
                    $0 * (1 - configuration.lambda * Double(similarities[$1, index]))
                }
            }
            bestSum += pool[step].adjusted
            let varied = mayGo.max { (worth($0), $1) < (worth($1), $0) } ?? -1
            func costs(_ index: Int, moreThan limit: Double) -> Bool {
                sum + pool[index].adjusted < (1 - limit) * bestSum
            }
            let best = mayGo.min() ?? -1
            if !costs(varied, moreThan: configuration.lossLimit) {
                #expect(order[step] == varied)
            } else {
                #expect(order[step] == (costs(best, moreThan: configuration.quotaLossLimit) ? rest.min() : best))
            }
            sum += pool[order[step]].adjusted
            let free = rest.max { (worth($0), $1) < (worth($1), $0) }
            let cause: Selection.Choice.Cause =
                order[step] == rest.min() ? .score : !due.isEmpty && order[step] != free ? .share : .variety
            #expect(choices[step].cause == cause)
        }
    }

    @Test("similarities are those of the stored pairs", arguments: 0..<10 as Range<UInt64>)
    func similarities(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let encoded = try SampleModel.model(groupCount: 400, limit: 25, seed: seed)
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        let groups = Array((0..<400 as Range<UInt32>).shuffled(using: &generator).prefix(60)).sorted()
        let among = PairSimilarities(among: groups, in: VisibleModel(model))
        for (first, group) in groups.enumerated() {
            for (second, other) in groups.enumerated() {
                var greatest = 0.0
                for relation in RelationTable.standard.requiredRelations {
                    for (one, another) in [(group, other), (other, group)] {
                        for neighbour in model.neighbours(of: Int(one), by: relation)
                        where neighbour.index == another {
                            greatest = max(greatest, model.cosine(of: neighbour, to: Int(one), by: relation))
                        }
                    }
                }
                #expect(abs(Double(among[first, second]) - min(1, greatest)) < 1e-6)
            }
        }
    }

    @Test("a table of positions has the first position of every group in the list, and no other group")
    func positions() {
        var generator = SeededGenerator(seed: 3)
        for count in [0, 1, 5, 300, 5000] {
            let groups = (0..<count).map { _ in UInt32.random(in: 0...4000, using: &generator) }
            let expected = Dictionary(zip(groups, groups.indices)) { first, _ in first }
            let positions = GroupPositions(groups)
            for group in 0...4000 as ClosedRange<UInt32> { #expect(positions[group] == expected[group]) }
        }
    }
}
