import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Cold start")
struct ColdStartTests {
    @Test("sources take turns by weight, and no group occurs twice")
    func sources() {
        let cold = ColdStart(sources: [
            .init(.topic, weight: 2, groups: [1, 2, 3, 4]), .init(.trending, weight: 1, groups: [2, 9, 8, 7]),
        ])
        var turns = InterleavedSources(cold)
        var list: [(group: UInt32, origin: PlanItem.Origin)] = []
        while let next = turns.next(where: { group, _ in group != 8 }) { list.append(next) }
        #expect(list.map(\.group) == [1, 2, 3, 4, 9, 7])
        #expect(list.map(\.origin) == [.topic, .trending, .topic, .topic, .trending, .trending])
    }

    @Test("a new member sees groups about stated interests, valid curated groups in their order, and trending groups")
    func origins() throws {
        let groups = (0..<40).map { group in
            GroupFacts(id: String(format: group), topics: group < 6 ? ["Birds"] : group < 9 ? ["film"] : [])
        }
        let sizes = (0..<40).map { UInt32(10 + $0) }
        let seconds = PlanFixture.instant / 1000
        let signals = GroupSignals(
            trending: [.init(group: 20, score: 5), .init(group: 21, score: 4)],
            curated: [
                .init(group: 30, position: 1), .init(group: 31, position: 2, startsAt: seconds + 1),
                .init(group: 32, position: 3, expiresAt: seconds), .init(group: 33, position: 4),
            ])
        let bytes = try EncodedModel(groups: groups, sizes: [.members: sizes], tables: [:], signals: signals).fileBytes
        var configuration = PlanConfiguration()
        configuration.omitted = [.rotation]
        let planner = Planner(
            model: try ModelVersion(ByteRegion(copying: bytes)), configuration: configuration, key: RotationKey(0, 0))
        func list(_ topics: [String]) -> [PlanItem] {
            planner.plan(
                PlanRequest(profile: MemberProfile(userID: "new", topics: topics), atMilliseconds: PlanFixture.instant)
            ).items
        }
        let items = list(["birds"])
        func of(_ origin: PlanItem.Origin) -> [UInt32] { items.filter { $0.origin == origin }.map(\.group) }
        #expect(of(.topic) == [5, 4, 3, 2, 1, 0] && of(.curated) == [30, 33] && of(.trending) == [20, 21])
        #expect(Set(items.prefix(5).map(\.origin)) == [.topic, .curated, .trending])
        #expect(items.count == 40)
        #expect(list(["nothing such"]).first?.origin == .curated)
    }

    /// Returns the two lists in turns; some groups are in both.
    private func blend(_ personal: [PlanItem], _ others: [PlanItem], share: Double, limit: Int) -> [PlanItem] {
        let ranks = GroupPositions(personal.map(\.group))
        var rest = others[...]
        return Blend.blend(personal, share: share, limit: limit) { rest.popFirst().map { ($0, ranks[$0.group]) } }
    }

    @Test("the fewer groups a member has joined, the less of the list is personal")
    func blend() {
        let personal = (0..<40).map { PlanItem(group: $0, score: 1, interest: 0, origin: .personal) }
        let others = (30..<80).map { PlanItem(group: $0, score: 0, interest: nil, origin: .trending) }
        var before = -1
        for groups in [0, 1, 3, 6, 10, 30] {
            let share = Knowledge.personalShare(groups: groups, half: 3)
            let list = blend(personal, others, share: share, limit: 20)
            let count = list.count { $0.origin == .personal }
            #expect(Set(list.map(\.group)).count == 20 && count > before)
            #expect(abs(Double(count) - share * 20) <= 1)
            before = count
        }
        #expect(before == 20)
        #expect(blend([], others, share: 0.9, limit: 5) == Array(others.prefix(5)))
        #expect(blend(personal, [], share: 0, limit: 5) == Array(personal.prefix(5)))
    }

    @Test("a group of both lists comes once, where it comes first; a shorter blend is a prefix", arguments: 0..<20)
    func groupsOfBoth(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        func items(_ origin: PlanItem.Origin) -> [PlanItem] {
            let count = Int.random(in: 0...30, using: &generator)
            return (0..<30 as Range<UInt32>).shuffled(using: &generator).prefix(count).map {
                PlanItem(group: $0, score: 1, interest: nil, origin: origin)
            }
        }
        let (personal, others) = (items(.personal), items(.topic))
        let share = Double.random(in: 0...1, using: &generator)
        let whole = blend(personal, others, share: share, limit: 100)
        #expect(Set(whole.map(\.group)).count == whole.count)
        #expect(Set(whole.map(\.group)) == Set((personal + others).map(\.group)))
        for limit in 0...whole.count {
            #expect(blend(personal, others, share: share, limit: limit) == Array(whole.prefix(limit)))
        }
    }

    @Test("a member of no group sees popular groups, the largest first")
    func popular() throws {
        let model = try ModelVersion(ByteRegion(copying: SampleModel.model(groupCount: 50, limit: 5).fileBytes))
        var configuration = PlanConfiguration.ofAnyAge
        configuration.omitted = [.rotation]
        let plan = Planner(model: model, configuration: configuration, key: RotationKey(0, 0)).plan(
            PlanRequest(profile: MemberProfile(userID: "new"), atMilliseconds: PlanFixture.instant))
        let popular = plan.items.filter { $0.origin == .popular }
        let sizes = popular.map { model.size(of: Int($0.group), in: .members) }
        #expect(plan.items.count == 50 && popular.count > 20 && plan.items.allSatisfy { $0.score == 0 })
        #expect(sizes == sizes.sorted(by: >))
    }

    @Test("what fills up a list changes with the bucket, and stays within it; curated groups keep their order")
    func freshness() throws {
        // Groups 0 to 2 have few neighbours, 3 to 42 are about birds, 50 to 109 trend, 110 to 112 are curated; all have
        // sizes.
        let groups = (0..<200).map { group in
            GroupFacts(id: String(format: group), topics: (3..<43).contains(group) ? ["birds"] : [])
        }
        let sizes = (0..<200).map { UInt32(1000 / (1 + $0)) + 100 }
        var table = NeighbourTable(offsets: [0], neighbours: [])
        for group in 0..<200 {
            if group < 3 {
                table.neighbours += (0..<18).map {
                    Neighbour(index: UInt32(150 + $0), common: 40, score: 1 - 0.01 * Float($0))
                }
            }
            table.offsets.append(table.neighbours.count)
        }
        let trending = (50..<110).map { TrendingGroup(group: UInt32($0), score: 9 - 0.1 * Float($0 - 50)) }
        func planner(trending: [TrendingGroup], curated: [UInt32]) throws -> Planner {
            let picks = curated.enumerated().map { CuratedGroup(group: $1, position: UInt32($0)) }
            let bytes = try EncodedModel(
                groups: groups, sizes: [.members: sizes], tables: [.members: table],
                signals: GroupSignals(trending: trending, curated: picks)
            ).fileBytes
            return Planner(
                model: try ModelVersion(ByteRegion(copying: bytes)), configuration: .ofAnyAge, key: RotationKey(5, 6))
        }
        let plain = try planner(trending: [], curated: [])
        let rich = try planner(trending: trending, curated: [112, 110, 111])
        for (planner, joined, topics) in [
            (plain, [], []), (plain, [0], []), (plain, [0, 1, 2], []), (plain, [], ["birds"]), (rich, [], []),
            (rich, [0], ["birds"]),
        ] as [(Planner, [Int], [String])] {
            var frozenCount = 0
            for member in 0..<100 {
                var profile = PlanFixture.profile(joined, user: "user-\(member)")
                profile.topics = topics
                func list(_ hours: Double) -> [UInt32] {
                    let instant = PlanFixture.instant + Int64(hours * 3_600_000)
                    return planner.plan(PlanRequest(profile: profile, atMilliseconds: instant)).items.map(\.group)
                }
                let lists = (0..<6).map { list(6 * Double($0)) }
                if Set(lists.map { Set($0.prefix(20)) }).count == 1 { frozenCount += 1 }
                let now = lists[0]
                #expect(Set(now).count == now.count)
                if member < 5 {
                    // Half an hour later it is the same list or that of the next bucket.
                    #expect([now, lists[1]].contains(list(0.5)))
                    let picks = now.filter { (110...112).contains($0) }
                    if planner.model.curated.count == 3 { #expect(picks == [112, 110, 111]) }
                }
            }
            #expect(frozenCount <= 5, "\(joined), \(topics)")
        }
    }
}
