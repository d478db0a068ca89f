import Recommendation
import Testing

@testable import Experiments

/// Figures that others published for the same questions.
@Suite struct PublishedFigures {
    private func isClose(_ value: Double, _ expected: Double, within part: Double) -> Bool {
        abs(value - expected) <= part * abs(expected)
    }

    @Test func sampleRatios() {
        #expect(isClose(SampleRatio.pValue(counts: [600, 400], weights: [1, 1]), 2.54e-10, within: 2e-3))
        #expect(isClose(SampleRatio.pValue(counts: [44_000, 45_000], weights: [0.5, 0.5]), 0.0008, within: 0.01))
        #expect(SampleRatio.pValue(counts: [500, 250], weights: [2, 1]) == 1)
    }

    @Test func welchIntervals() throws {
        let first = ArmMean(SampleSums(count: 3407, sum: 1396.87, squares: 52377.9767))
        let second = ArmMean(SampleSums(count: 3461, sum: 2422.7, squares: 134698.29))
        let absolute = try #require(Effect(absolute: first, second))
        #expect(isClose(absolute.difference, 0.29, within: 1e-9))
        #expect(isClose(absolute.interval().lower, 0.04538, within: 1e-4))
        #expect(isClose(absolute.interval().upper, 0.53462, within: 1e-5))
        #expect(isClose(absolute.pValue, 0.02016, within: 1e-4))
        let relative = try #require(Effect(relative: first, second))
        #expect(isClose(relative.difference, 0.70732, within: 1e-5))
        #expect(isClose(relative.interval().lower, -0.03526, within: 1e-4))
        #expect(isClose(relative.interval().upper, 1.44989, within: 1e-5))
        #expect(isClose(relative.pValue, 0.06191, within: 1e-4))
    }

    @Test func adjustedEffects() throws {
        let first = PairedSums(
            SampleSums(count: 3001, sum: 300, squares: 600), SampleSums(count: 3001, sum: 210, squares: 415),
            products: -20)
        let second = PairedSums(
            SampleSums(count: 3000, sum: 222, squares: 555), SampleSums(count: 3000, sum: 120, squares: 405),
            products: -10)
        let relative = try #require(Effect(adjustedRelative: first, second))
        #expect(isClose(relative.difference, -0.281707154, within: 1e-8))
        #expect(isClose(relative.pValue, 0.003732549, within: 1e-6))
        let absolute = try #require(Effect(adjustedAbsolute: first, second))
        #expect(isClose(absolute.difference, relative.difference * 300 / 3001, within: 1e-12))
    }

    @Test func sequentialSampleRatios() {
        var test = SequentialSampleRatio(weights: [0.4, 0.4, 0.2])
        let rows = [[20, 17, 9], [18, 21, 8], [4, 6, 4], [18, 19, 11]]
        let any = [-7.0282014, -11.9478477, -15.4714020, -19.9648452]
        let given = [-4.0776406, -8.2659469, -11.6107435, -15.7810312]
        for (row, (any, given)) in zip(rows, zip(any, given)) {
            test.add(row)
            #expect(abs(test.logLikelihoodOfAny - any) < 1e-7)
            #expect(abs(test.logLikelihoodOfGiven - given) < 1e-7)
            #expect(!test.isAlarm)
        }
        for _ in 0..<20 { test.add([40, 20, 20]) }
        #expect(test.isAlarm)
    }

    @Test(arguments: [("seed", "a", 505), ("seed", "b", 2696), ("foo", "ab", 2575), ("foo", "def", 2019)])
    func buckets(seed: String, id: String, index: UInt32) {
        #expect(MemberBucket(seed: seed, memberID: id).index == index)
    }

    @Test func teamDrafts() {
        for coin in [true, false] {
            let draft = TeamDraft([1, 2], [2, 3]) { coin }
            #expect(draft.picks.map(\.element) == (coin ? [1, 2, 3] : [2, 1, 3]))
            #expect(draft.picks.map(\.team) == (coin ? [.first, .second, .second] : [.second, .first, .second]))
        }
    }
}
