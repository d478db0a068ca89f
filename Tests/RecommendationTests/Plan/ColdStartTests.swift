import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Cold start")
struct ColdStartTests {
    @Test("sources take turns by weight; fixed groups stand at their place; nothing twice")
    func sources() {
        let cold = ColdStart(
            fixed: [1: 50],
            sources: [
                .init(.topic, weight: 2, groups: [1, 2, 3, 50, 4]), .init(.trending, weight: 1, groups: [2, 9, 8, 7]),
            ])
        let list = cold.list(limit: 10) { $0 != 8 }
        #expect(list.map(\.group) == [1, 50, 9, 2, 3, 7, 4])
        #expect(list.map(\.origin) == [.topic, .curated, .trending, .topic, .topic, .trending, .topic])
    }

    @Test("the less is known, the more of the list is not personal")
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

    @Test("a member of no group sees popular groups, the largest first")
    func popular() throws {
        let model = try ModelVersion(ByteRegion(copying: SampleModel.model(groupCount: 50, limit: 5).fileBytes))
        let plan = Planner(model: model, configuration: .ofAnyAge, key: RotationKey(0, 0)).plan(
            PlanRequest(profile: MemberProfile(userID: "new"), atMilliseconds: PlanFixture.instant))
        let sizes = plan.items.map { model.size(of: Int($0.group), in: .members) }
        #expect(plan.items.count == 50 && plan.items.allSatisfy { $0.origin == .popular && $0.score == 0 })
        #expect(sizes == sizes.sorted(by: >))
    }
}
