import Model
import TestSupport
import Testing

@testable import Recommendation

/// Seasonal factors of invented years.
@Suite("Seasons")
struct SeasonTests {
    /// Returns an activity with some joins each month and no photos.
    private func joins(_ counts: [UInt32]) -> MonthlyActivity {
        MonthlyActivity(joins: counts, photos: [UInt32](repeating: 0, count: counts.count))
    }

    private func photos(_ counts: [UInt32]) -> MonthlyActivity {
        MonthlyActivity(joins: [UInt32](repeating: 0, count: counts.count), photos: counts)
    }

    /// Returns counts at a level that may grow, times a factor in December.
    private func months(_ count: Int, level: Double, growth: Double = 1, december: Double = 1) -> [UInt32] {
        var level = level
        return (0..<count).map { month in
            level *= growth
            return UInt32((level * (month % 12 == 11 ? december : 1)).rounded())
        }
    }

    private func factors(_ group: MonthlyActivity, _ community: MonthlyActivity, firstMonth: Int = 0) throws -> [UInt8]
    {
        try #require(SeasonalIndex(community: community, firstMonth: firstMonth)).factors(of: group).percent
    }

    @Test("centred means cover twelve months, with half of the two outermost")
    func means() {
        #expect(SeasonalIndex.centredMeans([UInt32](repeating: 7, count: 24)) == [Double](repeating: 7, count: 12))
        var counts = [UInt32](repeating: 0, count: 24)
        counts[0] = 12
        counts[6] = 12
        #expect(
            SeasonalIndex.centredMeans(counts) == [1.5] + [Double](repeating: 1, count: 5)
                + [1, 0, 0, 0, 0, 0].enumerated().map { $0.offset == 0 ? 0.5 : 0 })
        #expect(SeasonalIndex.centredMeans([1, 2]).isEmpty)
    }

    @Test("factors are the documented ratio, shrunk towards 1, or the ratio without the best year if that is less")
    func ratio() {
        #expect(SeasonalIndex.factor([]) == 1)
        #expect(SeasonalIndex.factor([(seen: 20, expected: 0)]) == 2)
        #expect(SeasonalIndex.factor([(seen: 0, expected: 20)]) == 0.5)
        // All years give 68/44 for 48 events where 24 are expected; without the best year it is 36/32 for 16 and 12.
        #expect(SeasonalIndex.factor([(seen: 32, expected: 12), (seen: 16, expected: 12)]) == 36.0 / 32)
        #expect(SeasonalIndex.factor([(seen: 100, expected: 12), (seen: 4, expected: 12)]) == 1)
    }

    @Test("fewer than two years make no season", arguments: [0, 1, 12, 23])
    func tooShort(count: Int) {
        #expect(SeasonalIndex(community: joins(months(count, level: 1000)), firstMonth: 0) == nil)
    }

    @Test(
        "a group that is busy every December rises in December and nowhere else", arguments: [24, 36, 60], [0, 5, 11])
    func december(count: Int, shift: Int) throws {
        let community = months(count, level: 10_000)
        let group = months(count, level: 100, december: 4)
        for (mine, all) in [(joins(group), joins(community)), (photos(group), photos(community))] {
            let factors = try factors(mine, all, firstMonth: shift)
            let peak = (11 + shift) % 12
            #expect(factors[peak] == 200)
            for month in 0..<12 where month != peak { #expect((75...90).contains(factors[month])) }
        }
    }

    @Test("the community's season and growth, and the group's growth, make no season", arguments: [24, 36, 48])
    func normalized(count: Int) throws {
        let community = months(count, level: 20_000, growth: 1.03, december: 2)
        for growth in [1.0, 1.03, 1.06] {
            let factors = try factors(joins(months(count, level: 300, growth: growth, december: 2)), joins(community))
            #expect(factors.allSatisfy { (88...112).contains($0) }, "\(factors)")
        }
    }

    @Test("one burst in three years is no season, one every year is")
    func burst() throws {
        let community = joins(months(48, level: 10_000))
        var group = months(48, level: 100)
        group[11 + 12] = 900
        #expect(try factors(joins(group), community)[11] <= 100)
        group[11] = 500
        group[11 + 24] = 500
        #expect(try factors(joins(group), community)[11] == 200)
    }

    @Test("little evidence gives a factor near 1, none gives 1")
    func thin() throws {
        let community = joins(months(36, level: 1000))
        var group = [UInt32](repeating: 0, count: 36)
        #expect(try factors(joins(group), community) == [UInt8](repeating: 100, count: 12))
        group[11] = 1
        group[23] = 1
        #expect(try factors(joins(group), community).allSatisfy { (80...125).contains($0) })
        // In a community without photos, no photos of a group are expected, and its factors stay moderate.
        #expect(try factors(photos(group), community).allSatisfy { (50...200).contains($0) })
    }

    @Test("factors stay within their bounds", arguments: 0..<20)
    func bounds(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func random(_ most: UInt32) -> [UInt32] {
            (0..<40).map { _ in .random(in: 0...most, using: &generator) }
        }
        let group = MonthlyActivity(joins: random(400), photos: random(3))
        let others = MonthlyActivity(joins: random(4000), photos: random(300))
        let community = MonthlyActivity(
            joins: zip(group.joins, others.joins).map(+), photos: zip(group.photos, others.photos).map(+))
        let factors = try factors(group, community, firstMonth: Int(seed) % 12)
        #expect(factors.count == 12 && factors.allSatisfy { SeasonalFactors.bounds.contains($0) })
    }
}
