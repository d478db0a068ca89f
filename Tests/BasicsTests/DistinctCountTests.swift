import Basics
import Foundation
import TestSupport
import Testing

@Suite("An estimate of how many different things there are")
struct DistinctCountTests {
    @Test("is near the truth, however often each was added and in however many parts", arguments: 0..<10)
    func estimate(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for (count, tolerance) in [(0, 0), (1, 0), (10, 2), (100, 15), (1000, 130), (30_000, 4500)] {
            let hashes = (0..<count).map { _ in generator.next() as UInt64 }
            var (whole, parts) = (DistinctCount(), [DistinctCount(), DistinctCount(), DistinctCount()])
            for (index, hash) in (hashes + hashes).enumerated() {
                whole.add(hash: hash)
                parts[index % 3].add(hash: hash)
            }
            #expect(abs(whole.estimate - count) <= tolerance, "\(whole.estimate) of \(count)")
            var sum = DistinctCount()
            for part in parts { sum.add(part) }
            #expect(sum == whole)
            #expect(try JSONDecoder().decode(DistinctCount.self, from: JSONEncoder().encode(sum)) == sum)
        }
    }
}
