import Basics
import Similarity
import TestSupport
import Testing

@testable import Evaluation

@Suite("The paired difference of two settings")
struct PairedDifferenceTests {
    @Test("has the standard error that the variances and the covariance give", arguments: 0..<50 as Range<UInt64>)
    func direct(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 5...200, using: &generator)
        let others = (0..<count).map { _ in Double.random(in: 0...1, using: &generator) }
        let values = others.map { $0 + .random(in: -0.1...0.15, using: &generator) }
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(count) }
        func covariance(_ one: [Double], _ other: [Double]) -> Double {
            (mean(zip(one, other).map { $0 * $1 }) - mean(one) * mean(other)) * Double(count) / Double(count - 1)
        }
        let variance = covariance(values, values) + covariance(others, others) - 2 * covariance(values, others)
        let found = PairedDifference(values, others)
        #expect(abs(found.mean - (mean(values) - mean(others))) < 1e-12)
        #expect(abs(found.standardError - (variance / Double(count)).squareRoot()) < 1e-9)
        let opposite = PairedDifference(others, values)
        #expect(!(found.isBeyondChance && opposite.isBeyondChance) && opposite.standardError == found.standardError)
    }

    @Test("is beyond chance above twice its error, and never with one member or none")
    func chance() {
        // The mean is 2 and the error 1.
        let bound = PairedDifference([3, 1], [0, 0])
        #expect(bound.mean == 2 && bound.standardError == 1 && !bound.isBeyondChance)
        #expect(PairedDifference([3.1, 1.1], [0, 0]).isBeyondChance)
        #expect(!PairedDifference([1], [0]).isBeyondChance && !PairedDifference([], []).isBeyondChance)
        #expect(!PairedDifference([0.5, 0.25], [0.5, 0.25]).isBeyondChance)
    }

    @Test("of an earlier program is read from the bounds of its interval, and its formula without the exponent of k")
    func earlier() throws {
        let difference = try JSON.decoded(PairedDifference.self, from: "[0.01,0.05]".utf8)
        #expect(abs(difference.mean - 0.03) < 1e-12 && abs(difference.standardError - 0.04 / 3.92) < 1e-12)
        let again = try JSON.decoded(PairedDifference.self, from: JSON.encoded(difference))
        #expect(again == difference)
        let formula = try JSON.encoded(ModifiedCosine.standard)
        // As before there was an exponent.
        #expect(!String(decoding: formula, as: UTF8.self).contains("keptExponent"))
        #expect(try JSON.decoded(ModifiedCosine.self, from: formula) == .standard)
    }
}
