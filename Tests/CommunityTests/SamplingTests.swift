import Basics
import Testing

@testable import coterie_bench

@Suite("Random draws")
struct SamplingTests {
    @Test("Shares add up to the total, stay within the cap and follow the weights", arguments: 0..<50)
    func quotas(_ seed: Int) {
        var random = EntityRandom(seed: UInt64(seed), stream: .group, entity: 0)
        let weights = (0..<(1 + random.below(200))).map { _ in 1 / random.positiveUnit() }
        let cap = 1 + random.below(50)
        let total = random.below(weights.count * cap + 1)
        let shares = Quotas.shares(of: total, weights: weights, cap: cap).map { Int($0) }
        #expect(shares.reduce(0, +) == total)
        #expect(shares.allSatisfy { $0 <= cap })
        // Rounding moves a share by less than one either way.
        for (weight, share) in zip(weights, shares) {
            for (other, otherShare) in zip(weights, shares) where weight >= other { #expect(share >= otherShare - 1) }
        }
    }

    @Test("Items are drawn as often as their weights say")
    func choices() {
        let weights = [1.0, 2, 3, 0.5, 13.5]
        let table = ChoiceTable(buckets: [[], weights.enumerated().map { (UInt32($0.offset), $0.element) }])
        var random = EntityRandom(seed: 1, stream: .group, entity: 0)
        #expect(table.pick(bucket: 0, &random) == nil)
        #expect(table.pickEvenly(bucket: 0, &random) == nil)
        var counts = Array(repeating: 0.0, count: weights.count)
        for _ in 0..<200_000 { if let item = table.pick(bucket: 1, &random) { counts[item] += 1 } }
        for (count, weight) in zip(counts, weights) { #expect(abs(count / 10_000 - weight) < 0.1 + weight * 0.05) }
    }

    @Test("Instants stay in their interval, however short, and prefer the season and the weekend")
    func instants() throws {
        let end = try #require(CalendarDate("2026-06-01"))
        let timeline = Timeline(endDay: end)
        var random = EntityRandom(seed: 1, stream: .photo, entity: 0)
        let curve = Timeline.curve(.christmas, southern: true)
        for _ in 0..<20_000 {
            let start = random.below(Timeline.end)
            let length = 1 + random.below(min(Timeline.end - start, random.chance(500) ? 100 : Timeline.end))
            let instant = timeline.instant(curve: curve, hours: .night, from: start, to: start + length, &random)
            #expect(instant >= start && instant < start + length)
        }
        var weekend = 0
        var autumn = 0
        for _ in 0..<20_000 {
            let instant = timeline.instant(
                curve: Timeline.curve(.autumn, southern: true), hours: .online, from: 0, to: Timeline.end, &random)
            let day = CalendarDate(daysSince1970: end.daysSince1970 - Timeline.dayCount + instant / Timeline.day)
            if day.weekday >= 5 { weekend += 1 }
            if (3...5).contains(day.month) { autumn += 1 }
        }
        // If evenly spread, two days of seven would have 5714 of them, and three months of twelve 5000.
        #expect(weekend > 6200)
        #expect(autumn > 12_000, "the south has its autumn from March to May")
    }

    @Test("Numbers and coordinates are written in decimal digits")
    func writing() {
        var line = LineBuffer()
        for number in [0, 7, 10, 99, 50_000_000_001] {
            line.append(number)
            line.appendTab()
        }
        for degrees in [0, 5, -5, 100_000, -4_912_345, 17_999_999] {
            line.append(hundredThousandths: degrees)
            line.appendTab()
        }
        let expected = "0\t7\t10\t99\t50000000001\t0.00000\t0.00005\t-0.00005\t1.00000\t-49.12345\t179.99999\t"
        #expect(String(decoding: line.bytes, as: UTF8.self) == expected)
    }

    @Test("Titles become identifiers and tags in plain letters")
    func plainText() {
        #expect(PlainText.slug("★ Night in São Paulo! ★") == "night-in-sao-paulo")
        #expect(PlainText.slug("What's for Dinner") == "whats-for-dinner")
        #expect(PlainText.tag("New York") == "newyork")
        #expect(PlainText.titleCase("views from trains at SX-70 speed") == "Views from Trains at SX-70 Speed")
        #expect(
            PlainText.filling("{Place}: {subject}, {other}", ["{Place}": "Oslo", "{subject}": "cats"])
                == "Oslo: cats, {other}")
    }
}
