import Model
import TestSupport
import Testing

@testable import ModelStore

/// Compact values: lossless for what is written, harmless for whatever is read.
@Suite("Compact values")
struct CodingTests {
    @Test("keep every neighbour exactly", arguments: 0..<20)
    func neighbours(seed: UInt64) {
        let table = SampleModel.table(groupCount: 200, limit: 100, seed: seed)
        for group in 0..<200 {
            let list = Array(table.neighbours[table.offsets[group]..<table.offsets[group + 1]])
            #expect(decoded(encoded(list)) == list)
        }
    }

    @Test("keep extreme numbers")
    func extremes() {
        let scores: [Float] = [.greatestFiniteMagnitude, 1, 1, .leastNormalMagnitude, .leastNonzeroMagnitude, 0, 0]
        let list = scores.enumerated().map { rank, score in
            Neighbour(index: rank.isMultiple(of: 2) ? 0 : .max, common: rank % 3 == 0 ? .max : 0, score: score)
        }
        #expect(decoded(encoded(list)) == list)
        #expect(decoded([]) == [])
    }

    @Test("are refused for ascending and for negative scores", arguments: [[0.5, 0.75], [-1], [Float.nan], [-0.0]])
    func badScores(scores: [Float]) {
        #expect(encoded(scores.map { Neighbour(index: 1, common: 1, score: $0) }) == nil)
    }

    @Test("have the documented bytes")
    func format() {
        let list = [Neighbour(index: 300, common: 5, score: 0.5), Neighbour(index: 0, common: 128, score: 0.25)]
        // 0x7F800000 − 0x3F000000 = 0x40800000, and 0x3F000000 − 0x3E800000 = 0x800000.
        #expect(encoded(list) == [0xAC, 0x02, 5, 0x80, 0x80, 0x80, 0x84, 0x04, 0, 0x80, 0x01, 0x80, 0x80, 0x80, 0x04])
    }

    @Test("never crash the reader, whatever their bytes", arguments: 0..<10)
    func fuzz(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let table = SampleModel.table(groupCount: 50, limit: 20, seed: seed, isFull: true)
        let valid = try #require(encoded(Array(table.neighbours[0..<20])))
        for _ in 0..<5000 {
            var bytes = valid
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    .random(in: 0...255, using: &generator)
                }
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            default: bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if let list = decoded(bytes) {
                #expect(zip(list, list.dropFirst()).allSatisfy { $0.score.bitPattern >= $1.score.bitPattern })
                #expect(list.allSatisfy { $0.score >= 0 })
            }
        }
    }

    @Test("are refused when they end within a number or have more than 32 bits")
    func badNumbers() {
        for bytes: [UInt8] in [
            [0x80], [1, 1], [1, 1, 0xFF], [0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0, 0],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0, 0, 0],
        ] {
            #expect(decoded(bytes) == nil, "\(bytes)")
        }
        // A score below zero: a difference greater than the pattern before.
        #expect(decoded([1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]) == nil)
    }

    @Test("are in buckets by the CRC-32 of zlib", arguments: [("", 0), ("123456789", 0xCBF4_3926), ("a", 0xE8B7_BE43)])
    func checksums(text: String, checksum: Int) {
        #expect(RedisLayout.bucket(ofUser: text.utf8Span.span, of: 1 << 32) == checksum)
    }

    private func encoded(_ list: [Neighbour]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var ceiling = NeighbourListCoding.firstCeiling
        return list.allSatisfy { NeighbourListCoding.append($0, ceiling: &ceiling, to: &bytes) } ? bytes : nil
    }

    private func decoded(_ bytes: [UInt8]?) -> [Neighbour]? {
        var list: [Neighbour] = []
        guard let bytes, NeighbourListCoding.decode(bytes.span, appendingTo: &list) else { return nil }
        return list
    }
}
