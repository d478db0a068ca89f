import Model
import TestSupport
import Testing

@testable import ModelStore

@Suite("Values of members")
struct MemberCodingTests {
    /// 2026-11-21T00:00:00Z.
    private static let created: Int64 = 1_795_219_200
    private let coding = MemberCoding(createdAtMilliseconds: Self.created * 1000 + 999, groupCount: 301)

    private func encoded(_ member: PublishedMember) -> [UInt8]? {
        var bytes: [UInt8] = []
        return coding.append(member, to: &bytes) ? bytes : nil
    }

    private func decoded(_ bytes: some Collection<UInt8>) -> PublishedMember? { coding.decode(Array(bytes).span) }

    @Test("keep every field of every member exactly", arguments: 0..<20)
    func lossless(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let share = Double.random(in: 0...0.5, using: &generator)
            let member = SampleMembers.random(joining: share, of: 301, using: &generator)
            #expect(decoded(try #require(encoded(member))) == member)
        }
    }

    @Test("have the documented bytes")
    func format() throws {
        let created = UInt32(Self.created)
        var member = PublishedMember(
            joined: [.init(group: 300, seconds: created), .init(group: 299)].reversed(),
            left: [.init(group: 0, seconds: created - 127)])
        #expect(encoded(PublishedMember()) == [0, 0, 0, 0, 0, 0, 0])
        #expect(encoded(member) == [0, 2, 0xAB, 2, 0, 1, 1, 1, 0, 0x80, 1, 0, 0, 0, 0])
        member = PublishedMember(
            feedback: .init(
                dismissals: [.init(group: 2, atMilliseconds: Self.created * 1000 + 500)],
                undismissed: [.init(group: 3, seconds: created + 1)],
                exposures: [.init(group: 7, impressions: 1.5)], interestBytes: Array("é".utf8)[...],
                interestsStamp: 128, hints: [GroupHint(.follows, group: 7, units: 24, count: 3)]))
        member.feedback.isUnlisted = true
        // The pause begins with the version, and is for good.
        member.feedback.pause = Pause(atSeconds: Self.created, endSeconds: nil)
        let bytes: [UInt8] = [
            7, 0, 0, 1, 2, 1, 1, 3, 0x80, 0x80, 0x80, 0x80, 0x10, 1, 7, 0xDC, 0x0B, 2, 0xC3, 0xA9, 0x80, 1, 1, 0, 0, 1,
            7, 24, 3, 0,
        ]
        #expect(encoded(member) == bytes)
    }

    @Test("take about 200 bytes for 29 groups joined over 8 years")
    func size() throws {
        var generator = SeededGenerator(seed: 1)
        let coding = MemberCoding(createdAtMilliseconds: Self.created * 1000, groupCount: 100_000)
        var byteCount = 0
        for _ in 0..<1000 {
            var groups: Set<UInt32> = []
            while groups.count < 29 { groups.insert(.random(in: 0..<100_000, using: &generator)) }
            let joined = groups.sorted().map { group in
                PublishedMember.Joined(
                    group: group,
                    seconds: UInt32(Self.created) - .random(in: 0..<8 * 365 * 86_400, using: &generator))
            }
            var bytes: [UInt8] = []
            #expect(coding.append(PublishedMember(joined: joined), to: &bytes))
            byteCount += bytes.count
        }
        // With an id of 9 bytes and two lengths, 60 million memberships of 2 million members take 0.39 GB.
        #expect(170_000..<185_000 ~= byteCount)
    }

    @Test("are refused unless the groups ascend and are groups of the version")
    func badGroups() {
        for groups: [UInt32] in [[1, 1], [0, 0], [2, 1], [301], [0, .max]] {
            let ended = groups.map { PublishedMember.Ended(group: $0, seconds: 1) }
            for member in [
                PublishedMember(joined: groups.map { .init(group: $0) }), PublishedMember(left: ended),
                PublishedMember(feedback: .init(undismissed: ended)),
                PublishedMember(feedback: .init(dismissals: groups.map { .init(group: $0, atMilliseconds: 0) })),
                PublishedMember(feedback: .init(exposures: groups.map { .init(group: $0, impressions: 1) })),
                PublishedMember(
                    feedback: .init(hints: groups.map { GroupHint(.photos, group: $0, units: 1, count: 1) })),
            ] {
                #expect(encoded(member) == nil, "\(member)")
            }
        }
    }

    @Test("that are damaged never crash the reader, nor give groups that are not there", arguments: 0..<10)
    func damaged(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var refused = 0
        for _ in 0..<2000 {
            var bytes = try #require(encoded(SampleMembers.random(joining: 0.1, of: 301, using: &generator)))
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes = bytes.map { _ in .random(in: 0...255, using: &generator) }
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            default: bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            guard let member = decoded(bytes) else {
                refused += 1
                continue
            }
            let feedback = member.feedback
            for groups in [
                member.joined.map(\.group), member.left.map(\.group), feedback.dismissals.map(\.group),
                feedback.undismissed.map(\.group), feedback.exposures.map(\.group),
            ] {
                #expect(groups.allSatisfy { $0 < 301 } && zip(groups, groups.dropFirst()).allSatisfy { $0 < $1 })
            }
            #expect(feedback.hints.allSatisfy { $0.group < 301 })
        }
        #expect(refused > 500)
    }

    @Test("cut short anywhere, or with something behind, are refused or say so by having less")
    func cut() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let member = SampleMembers.random(joining: 0.1, of: 301, using: &generator)
            let bytes = try #require(encoded(member))
            for count in 0..<bytes.count {
                // A value may end before the hints.
                guard let less = decoded(bytes.prefix(count)) else { continue }
                #expect(less.feedback.hints.isEmpty && !member.feedback.hints.isEmpty)
            }
            #expect(decoded(bytes + [0]) == nil)
        }
    }
}
