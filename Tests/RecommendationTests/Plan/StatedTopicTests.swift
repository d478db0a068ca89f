import Model
import TestSupport
import Testing

@testable import Recommendation

/// Groups about stated interests, against the plainest way to find them.
@Suite("Groups about stated topics")
struct StatedTopicTests {
    private static let groupCount = 1500
    private static let topics = ["owls", "snow", "night", "rare"]

    @Test(
        "take turns: those about most topics first, then the list's, then the largest",
        arguments: 0..<12 as Range<UInt64>)
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // The topics have 900, 750, 600 and a few groups; not all groups of the first three are considered.
        let shares = [0.6, 0.5, 0.4, 0.01]
        let topicsOfGroups = (0..<Self.groupCount).map { _ in
            zip(Self.topics, shares).filter { Double.random(in: 0..<1, using: &generator) < $1 }.map(\.0)
        }
        let facts = topicsOfGroups.enumerated().map { GroupFacts(id: String(format: $0), topics: $1) }
        let encoded = try EncodedModel(groups: facts, sizes: [:], tables: [:])
        let model = VisibleModel(try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
        let popular = (0..<UInt32(Self.groupCount)).shuffled(using: &generator)
        var popularity = [UInt32](repeating: 0, count: popular.count)
        for (position, group) in popular.enumerated() { popularity[Int(group)] = UInt32(position) }
        let list = Array((0..<UInt32(Self.groupCount)).shuffled(using: &generator).prefix(100))
        let stated = Array(Self.topics.shuffled(using: &generator).prefix(Int.random(in: 1...4, using: &generator)))
        let limit = Int.random(in: 1...400, using: &generator)
        func isAllowed(_ group: UInt32) -> Bool { !group.isMultiple(of: 7) }

        let interests = StatedInterests(
            stated + ["nothing such", stated[0]], TopicIndex(model, popular: popular), popularity: popularity)
        let groups = interests.groups(besides: GroupPositions(list), order: { $0.filter($1) }, where: isAllowed)

        func isAbout(_ group: UInt32, _ topic: String) -> Bool { topicsOfGroups[Int(group)].contains(topic) }
        let considered = stated.flatMap { topic in popular.filter { isAbout($0, topic) }.prefix(TopicIndex.considered) }
        let ranks = Dictionary(uniqueKeysWithValues: list.enumerated().map { ($1, $0) })
        let queues = stated.map { topic in
            let keyed = Set(considered + list).filter { isAbout($0, topic) }.map { group in
                (-stated.count { isAbout(group, $0) }, ranks[group] ?? .max, popularity[Int(group)], group)
            }
            return keyed.sorted { $0 < $1 }.map(\.3)
        }
        var expected: [UInt32] = []
        var told: Set<UInt32> = []
        for turn in 0..<(queues.map(\.count).max() ?? 0) {
            for queue in queues where turn < queue.count && isAllowed(queue[turn]) {
                if told.insert(queue[turn]).inserted { expected.append(queue[turn]) }
            }
        }
        #expect(Array(groups.prefix(limit)) == Array(expected.prefix(limit)))
    }

    @Test("are none for topics that no group is about")
    func none() throws {
        let encoded = try EncodedModel(groups: [GroupFacts(id: "a")], sizes: [:], tables: [:])
        let model = VisibleModel(try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
        let interests = StatedInterests(["owls", ""], TopicIndex(model, popular: [0]), popularity: [0])
        let groups = interests.groups(besides: GroupPositions([]), order: { $0.filter($1) }, where: { _ in true })
        #expect(groups.next() == nil)
    }
}
