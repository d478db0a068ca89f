import Model
import Recommendation
import TestSupport
import Testing

/// Trending groups: scores computed by hand, and properties that hold for any group.
@Suite("Trending")
struct TrendingTests {
    private let ranking = TrendingRanking()

    /// Returns a group with some people in the last seven days, half of them posters, and some in each week before.
    private func group(_ recent: UInt32, usually usual: [UInt32]) -> WeeklyActivity {
        let weeks = [recent] + usual
        return WeeklyActivity(joiners: weeks.map { $0 - $0 / 2 }, posters: weeks.map { $0 / 2 })
    }

    private func steady(_ people: UInt32) -> [UInt32] { [UInt32](repeating: people, count: TrendingRanking.usualWeeks) }

    @Test(
        "the score is the documented formula",
        arguments: [
            // 10 (asinh √(.04 · 9.375) − asinh √(.04 · .375)) / √1.125, computed with another program.
            (9, 0, 4.3109), (20, 10, 1.9287), (1000, 1000, 0), (1500, 1000, 1.8915), (2000, 1000, 3.2376),
            (0, 9, -4.3109),
        ] as [(UInt32, UInt32, Double)])
    func formula(recent: UInt32, usual: UInt32, expected: Double) {
        #expect(abs(ranking.score(group(recent, usually: steady(usual))) - expected) < 0.0001)
    }

    @Test("a brand-new group with a burst trends above a huge one that grows by a fifth, which does not")
    func newAgainstHuge() {
        let new = group(9, usually: steady(0))
        let huge = group(12_000, usually: steady(10_000))
        let trending = ranking.trending([huge, new])
        #expect(trending.map(\.group) == [1])
        #expect(trending[0].joiners == 5 && trending[0].posters == 4 && trending[0].usualWeek == 0)
        #expect(ranking.trending([group(20_000, usually: steady(10_000))]).count == 1)
    }

    @Test("no group trends for being large: steady ones do not, whatever their size", arguments: 0..<20)
    func steadyGroups(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let size = UInt32.random(in: 0...100_000, using: &generator)
        // Weeks differ by a tenth at most, or by one.
        func week() -> UInt32 { UInt32.random(in: size - size / 20...size + size / 20 + 1, using: &generator) }
        let activity = group(week(), usually: (0..<TrendingRanking.usualWeeks).map { _ in week() })
        #expect(ranking.trending([activity]).isEmpty)
    }

    @Test("more people now score more, more people before score less", arguments: 0..<20)
    func monotony(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let usual = (0..<TrendingRanking.usualWeeks).map { _ in UInt32.random(in: 0...500, using: &generator) }
        let recent = UInt32.random(in: 0...500, using: &generator)
        let score = ranking.score(group(recent, usually: usual))
        #expect(ranking.score(group(recent + 1, usually: usual)) > score)
        #expect(ranking.score(group(recent, usually: usual.map { $0 + 1 })) < score)
    }

    @Test("two people are too few; lists are best first, equal scores by index, and not longer than the limit")
    func list() {
        var ranking = ranking
        let groups = [2, 9, 3, 9, 0, 30].map { group($0, usually: steady(0)) }
        #expect(ranking.trending(groups).map(\.group) == [5, 1, 3, 2])
        ranking.limit = 2
        #expect(ranking.trending(groups).map(\.group) == [5, 1])
        #expect(ranking.trending([WeeklyActivity]()).isEmpty)
    }
}
