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
        let list = cold.list(limit: 10) { group, _ in group != 8 }
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
        let planner = Planner(model: try ModelVersion(ByteRegion(copying: bytes)), key: RotationKey(0, 0))
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

    @Test("the fewer groups a member has joined, the less of the list is personal")
    func blend() {
        let personal = (0..<40).map { PlanItem(group: $0, score: 1, interest: 0, origin: .personal) }
        let others = (30..<80).map { PlanItem(group: $0, score: 0, interest: nil, origin: .trending) }
        var before = -1
        for groups in [0, 1, 3, 6, 10, 30] {
            let share = Knowledge.personalShare(groups: groups, half: 3)
            let list = Blend.blend(personal, others, share: share, limit: 20)
            let count = list.count { $0.origin == .personal }
            #expect(Set(list.map(\.group)).count == 20 && count > before)
            #expect(abs(Double(count) - share * 20) <= 1)
            before = count
        }
        #expect(before == 20)
        #expect(Blend.blend([], others, share: 0.9, limit: 5) == Array(others.prefix(5)))
        #expect(Blend.blend(personal, [], share: 0, limit: 5) == Array(personal.prefix(5)))
    }

    @Test("the other groups never have more turns than the documented bound")
    func turns() {
        let others = (100..<160).map { PlanItem(group: $0, score: 0, interest: nil, origin: .trending) }
        for personalCount in [0, 1, 2, 5, 17, 19, 20, 21, 60] {
            let personal = (0..<UInt32(personalCount)).map {
                PlanItem(group: $0, score: 1, interest: 0, origin: .personal)
            }
            for groups in 0...40 {
                let share = Knowledge.personalShare(groups: groups, half: 3)
                let turns = Blend.turnsOfOthers(personalCount: personalCount, share: share, limit: 20)
                let list = Blend.blend(personal, others, share: share, limit: 20)
                #expect(Blend.blend(personal, Array(others.prefix(turns)), share: share, limit: 20) == list)
            }
        }
    }

    @Test("a member of no group sees popular groups, the largest first")
    func popular() throws {
        let model = try ModelVersion(ByteRegion(copying: SampleModel.model(groupCount: 50, limit: 5).fileBytes))
        let plan = Planner(model: model, configuration: .ofAnyAge, key: RotationKey(0, 0)).plan(
            PlanRequest(profile: MemberProfile(userID: "new"), atMilliseconds: PlanFixture.instant))
        let popular = plan.items.filter { $0.origin == .popular }
        let sizes = popular.map { model.size(of: Int($0.group), in: .members) }
        #expect(plan.items.count == 50 && popular.count > 20 && plan.items.allSatisfy { $0.score == 0 })
        #expect(sizes == sizes.sorted(by: >))
    }
}
