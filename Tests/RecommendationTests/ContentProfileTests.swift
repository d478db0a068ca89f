import Glibc
import Recommendation
import Testing

@Suite("Content profiles")
struct ContentProfileTests {
    private func profile(_ measure: ContentProfile.Measure, minimum: Int = 3, limit: Int = 9) -> ContentProfile {
        // Of 1000 photos, all have term 0, few term 1, and 200 term 2.
        ContentProfile(
            totals: [1000, 20, 200], photoCount: 1000, measure: measure, minimumPhotos: minimum, limit: limit)
    }

    private func weights(
        _ profile: ContentProfile, _ counts: KeyValuePairs<Int, Int>, of photoCount: Int
    ) -> [(term: Int, weight: Float)] {
        profile.weights(counts.map { (term: $0.key, photos: $0.value) }, of: photoCount)
    }

    @Test("weigh terms by the documented divergence, scaled to length 1")
    func divergence() {
        // Of 15 photos, all have term 0, 10 term 1 and 6 term 2. With 5 more photos, the shares are .5 and .3.
        let weights = self.weights(profile(.divergence), [0: 15, 1: 10, 2: 6], of: 15)
        let (first, second) = (0.5 * log((10.0 / 15) / 0.02), 0.3 * log((6.0 / 15) / 0.2))
        let length = (first * first + second * second).squareRoot()
        #expect(weights.map(\.term) == [1, 2])
        #expect(weights.map(\.weight) == [Float(first / length), Float(second / length)])
    }

    @Test("weigh locations by the documented excess, which one photo among many hardly changes")
    func excess() {
        let weights = self.weights(profile(.excess), [1: 10, 2: 3, 0: 2], of: 15)
        #expect(weights.map(\.term) == [1])
        #expect(weights.map(\.weight) == [Float(0.5 * (1 - 0.02 / (10.0 / 15)))])
        let all = self.weights(profile(.excess), [1: 995], of: 995)
        #expect(all.count == 1 && all[0].weight > 0.95 && all[0].weight < 1)
    }

    @Test("leave out terms of too few photos, terms that are not more frequent than usual, and terms beyond the limit")
    func cuts() {
        #expect(weights(profile(.divergence), [1: 2], of: 2).isEmpty)
        #expect(weights(profile(.divergence, minimum: 2), [1: 2], of: 2).count == 1)
        #expect(weights(profile(.divergence), [0: 50, 2: 10], of: 50).isEmpty)
        #expect(weights(profile(.divergence, limit: 1), [2: 10, 1: 10], of: 10).map(\.term) == [1])
        #expect(weights(profile(.divergence), [:], of: 0).isEmpty)
    }

    @Test("keep the length of all terms: those that were cut still count")
    func thin() {
        let profile = ContentProfile(
            totals: [UInt32](repeating: 10, count: 20), photoCount: 10_000, measure: .divergence, minimumPhotos: 3,
            limit: 9)
        let weights = profile.weights((0..<20).map { (term: $0, photos: $0 == 0 ? 3 : 1) }, of: 22)
        #expect(weights.count == 1 && weights[0].weight < 0.7)
    }
}
