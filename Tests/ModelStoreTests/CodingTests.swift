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
            if let groups = JoinedGroupsCoding.decode(bytes.span, groupCount: 1000)?.groups {
                #expect(groups.allSatisfy { $0 < 1000 } && zip(groups, groups.dropFirst()).allSatisfy { $0 < $1 })
            }
            if let feedback = FeedbackCoding.decode(bytes.span, groupCount: 1000) {
                for groups in [feedback.dismissals.map(\.group), feedback.exposures.map(\.group)] {
                    #expect(groups.allSatisfy { $0 < 1000 } && zip(groups, groups.dropFirst()).allSatisfy { $0 < $1 })
                }
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

    @Test("keep the groups that a user joined", arguments: [[], [0], [0, 1, 2], [7, 300, 99_999], [UInt32.max - 1]])
    func joined(groups: [UInt32]) {
        var bytes: [UInt8] = []
        #expect(JoinedGroupsCoding.append(groups[...], to: &bytes))
        #expect(JoinedGroupsCoding.decode(bytes.span, groupCount: Int(UInt32.max)) == JoinedGroups(groups: groups))
        if let last = groups.last { #expect(JoinedGroupsCoding.decode(bytes.span, groupCount: Int(last)) == nil) }
        for day: UInt16 in [0, 20_000, .max - 1] {
            var bytes: [UInt8] = []
            func decoded() -> JoinedGroups? { JoinedGroupsCoding.decode(bytes.span, groupCount: Int(UInt32.max)) }
            #expect(JoinedGroupsCoding.append(groups[...], firstDay: day, to: &bytes))
            let expected = JoinedGroups(groups: groups, firstDay: groups.isEmpty ? nil : day)
            #expect(decoded() == expected)
            guard !groups.isEmpty else { continue }
            // With something behind it, and cut off.
            bytes.append(1)
            #expect(decoded() == nil)
            bytes.removeLast(2)
            #expect(decoded() != expected)
        }
    }

    @Test("keep a user's dismissals, exposures and interests")
    func feedback() {
        let feedback = PublishedMember.Feedback(
            dismissals: [
                .init(group: 0, atMilliseconds: Int64(UInt32.max) * 1000), .init(group: 300, atMilliseconds: 0),
            ],
            exposures: [.init(group: 7, impressions: 1.5)], interestBytes: Array("birds;alte Bahnhöfe ✈".utf8)[...])
        #expect(feedback.interests == ["birds", "alte Bahnhöfe ✈"])
        var telling = feedback
        telling.hints = [
            GroupHint(.favourites, group: 0, units: 200, count: 3),
            GroupHint(.favourites, group: 300, units: 1, count: 1),
            GroupHint(.follows, group: 7, units: 24, count: 3),
        ]
        var posting = telling
        posting.hints += [
            GroupHint(.photos, group: 2, units: 13, count: 4), GroupHint(.photos, group: 299, units: 6, count: 1),
        ]
        var postingUnlisted = PublishedMember.Feedback(hints: [GroupHint(.photos, group: 0, units: 6, count: 1)])
        postingUnlisted.isUnlisted = true
        var unlisted = PublishedMember.Feedback(interestBytes: [97])
        unlisted.isUnlisted = true
        for feedback in [
            feedback, telling, posting, postingUnlisted, unlisted, PublishedMember.Feedback(),
            PublishedMember.Feedback(interestBytes: [97]),
        ] {
            var bytes: [UInt8] = []
            #expect(FeedbackCoding.append(feedback, to: &bytes))
            #expect(FeedbackCoding.decode(bytes.span, groupCount: 301) == feedback)
        }
        var bytes: [UInt8] = []
        #expect(FeedbackCoding.append(feedback, to: &bytes))
        #expect(FeedbackCoding.decode(bytes.span, groupCount: 300) == nil)
        bytes.removeLast(bytes.count - 3)
        #expect(FeedbackCoding.decode(bytes.span, groupCount: 301) == nil)
        var hinted: [UInt8] = []
        #expect(FeedbackCoding.append(telling, to: &hinted))
        #expect(FeedbackCoding.decode(Array(hinted.dropLast()).span, groupCount: 301) == nil)
        // As a program wrote it that did not say who is listed.
        #expect(FeedbackCoding.decode([0, 0, 97, 0, 0, 1, 7, 24, 3].span, groupCount: 301)?.isUnlisted == false)
        var shy: [UInt8] = []
        #expect(FeedbackCoding.append(unlisted, to: &shy) && shy == [0, 0, 97, 0, 0, 0, 1])
        for last in [[0], [2], [1, 1]] as [[UInt8]] {
            #expect(FeedbackCoding.decode((shy.dropLast() + last).span, groupCount: 301) == nil)
        }
        let descending = PublishedMember.Feedback(exposures: [
            .init(group: 2, impressions: 0.001), .init(group: 2, impressions: 0.001),
        ])
        #expect(!FeedbackCoding.append(descending, to: &bytes))
    }

    @Test("of joined groups are refused unless they ascend", arguments: [[1, 1], [0, 0], [2, 1]])
    func descending(groups: [UInt32]) {
        var bytes: [UInt8] = []
        #expect(!JoinedGroupsCoding.append(groups[...], to: &bytes))
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
