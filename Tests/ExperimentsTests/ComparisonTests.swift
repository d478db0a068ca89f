import TestSupport
import Testing

@testable import Experiments

/// Comparisons of arms: identities that must hold, and edge cases.
@Suite struct ComparisonTests {
    /// A ratio whose denominator is 1 for everybody is a mean.
    @Test func ratioOfOnesIsTheMean() {
        var generator = SeededGenerator(seed: 1)
        var (sums, pairs) = (SampleSums(), PairedSums())
        for _ in 0..<500 {
            let value = Double(Int.random(in: 0...5, using: &generator))
            sums.add(value)
            pairs.add(value, 1)
        }
        let (mean, ratio) = (ArmMean(sums), ArmMean(ratioOf: pairs))
        #expect(abs(mean.value - ratio.value) < 1e-12)
        #expect(abs(mean.variance - ratio.variance) < 1e-12)
    }

    /// The delta method agrees with the spread of the ratio over many samples.
    @Test func ratioVarianceIsThatOfManySamples() {
        var generator = SeededGenerator(seed: 2)
        var (ratios, told) = (SampleSums(), SampleSums())
        for _ in 0..<2000 {
            var pairs = PairedSums()
            for _ in 0..<200 {
                let lists = Int.random(in: 1...6, using: &generator)
                let taste = Double.random(in: 0...0.6, using: &generator)
                let clicks = (0..<lists).count { _ in Double.random(in: 0..<1, using: &generator) < taste }
                pairs.add(Double(clicks), Double(lists))
            }
            let mean = ArmMean(ratioOf: pairs)
            ratios.add(mean.value)
            told.add(mean.variance)
        }
        #expect(abs(told.mean / ratios.variance - 1) < 0.1)
    }

    @Test func adjustingByWhatDoesNotVaryChangesNothing() throws {
        var arms = [PairedSums(), PairedSums()]
        for index in 0..<100 { arms[index % 2].add(Double(index % 7), 3) }
        let adjusted = try #require(Effect(adjustedAbsolute: arms[0], arms[1]))
        let plain = try #require(Effect(absolute: ArmMean(arms[0].measure), ArmMean(arms[1].measure)))
        #expect(adjusted == plain)
    }

    /// If the weeks before explain nine tenths of the variance, a tenth is left.
    @Test func adjustingNarrowsIntervals() throws {
        var generator = SeededGenerator(seed: 3)
        var arms = [PairedSums(), PairedSums()]
        for index in 0..<4000 {
            let before = Double.random(in: -3...3, using: &generator)
            arms[index % 2].add(before + Double.random(in: -1...1, using: &generator), before)
        }
        let adjusted = try #require(Effect(adjustedAbsolute: arms[0], arms[1]))
        let plain = try #require(Effect(absolute: ArmMean(arms[0].measure), ArmMean(arms[1].measure)))
        let part = (adjusted.standardError / plain.standardError) * (adjusted.standardError / plain.standardError)
        #expect(abs(part - 0.1) < 0.01)
    }

    @Test func tooFewMembersTellNothing() {
        let one = ArmMean(SampleSums(count: 1, sum: 1, squares: 1))
        let many = ArmMean(SampleSums(count: 9, sum: 3, squares: 3))
        let same = ArmMean(SampleSums(count: 4, sum: 4, squares: 4))
        #expect(Effect(absolute: one, many) == nil)
        #expect(Effect(absolute: same, same) == nil)
        #expect(Effect(relative: ArmMean(SampleSums()), many) == nil)
        #expect(ArmMean(ratioOf: PairedSums()).value == 0)
        #expect(SampleRatio.pValue(counts: [0, 0], weights: [1, 1]) == 1)
    }

    @Test func holmMultipliesInRisingOrder() {
        #expect(Holm.adjusted([]) == [])
        #expect(Holm.adjusted([0.01, 0.04, 0.03]) == [0.03, 0.06, 0.06])
        #expect(Holm.adjusted([0.5, 0.9]) == [1, 1])
    }

    /// The rule of thumb for a power of 80% is 16 σ² ÷ δ² members an arm.
    @Test func sampleSizes() {
        let size = SampleSize(toFind: 0.02, ofMean: 1, variance: 4)
        #expect(abs(Double(size.memberCount) / (2 * 15.7 * 4 / 0.0004) - 1) < 0.001)
        let unequal = SampleSize(toFind: 0.02, ofMean: 1, variance: 4, firstPart: 0.1)
        #expect(unequal.memberCount > size.memberCount * 2)
        #expect(SampleSize(toFind: 1e-300, ofMean: 1, variance: 1).memberCount == .max)
    }

    /// Anytime-valid intervals are wider than those for one look, and shrink towards nothing.
    @Test func alwaysValidIntervals() throws {
        var before = Double.infinity
        for count in [100, 1000, 10_000, 1_000_000] {
            let sums = SampleSums(count: count, sum: Double(count), squares: Double(count) * 2)
            let effect = try #require(Effect(absolute: ArmMean(sums), ArmMean(sums)))
            let width = effect.alwaysValidInterval().upper
            #expect(width > effect.interval().upper)
            #expect(width < before)
            before = width
        }
    }
}
