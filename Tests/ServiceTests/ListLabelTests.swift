import Answers
import Model
import ModelStore
import Recommendation
import Testing

@testable import Service

@Suite("Labels of a list")
struct ListLabelTests {
    @Test("A group is labelled by the interest of its strongest reason, and none that came after the list is told")
    func labels() throws {
        let version = try Community.version("v1")
        let planner = Planner(model: version.model, key: RotationKey(0, 0))
        // Alps: birds give it more than dogs do. The list was made before dogs were joined, or after it.
        let profile = MemberProfile(userID: "ann", joined: [.init(group: 1), .init(group: 3)])
        func row(_ interests: [MemberInterest], interest: Int = 0, score: Double = 2) throws -> Recommendations.Row {
            let item = PlanItem(group: 0, score: score, interest: interest, origin: .personal, placement: .variety)
            let list = Recommendations(
                ServedVersion(version.manifest.version, degraded: false), id: "list", bucket: 0, interests: interests,
                items: [item], limit: 5, for: profile, planner)
            return try #require(list.recommendations.first)
        }
        let birds = MemberInterest(name: "Birds", share: 0.5, groupIds: ["birds"])
        let dogs = MemberInterest(name: "Dogs", share: 0.5, groupIds: ["dogs & wolves"])
        let after = try row([dogs, birds])
        #expect(after.interest == "Birds" && after.placement == .variety)
        #expect(after.reasons.first?.groupId == "birds" && after.reasons.contains { $0.groupId == "dogs & wolves" })
        let before = try row([birds])
        #expect(before.interest == "Birds" && before.reasons.allSatisfy { $0.groupId == "birds" })
        // No joined group adds to a score of 0.
        #expect(try row([birds], score: 0).interest == nil && row([birds], score: 1).interest == "Birds")
        let onlyDogs = try row([dogs])
        #expect(onlyDogs.interest == "Dogs" && onlyDogs.reasons.allSatisfy { $0.groupId == "dogs & wolves" })
    }

    @Test("A session keeps why each group stands where it stands", arguments: PlanItem.Placement.allCases)
    func placements(placement: PlanItem.Placement) {
        var ids = PackedTexts()
        ids.append("seven".utf8)
        let plan = FrozenPlan(
            recommendationID: "list", version: "v1", bucket: 0, interests: [],
            items: [PlanItem(group: 7, score: 0, interest: nil, origin: .personal, placement: placement)], joined: [],
            dismissed: [], topics: [], ids: ids)
        #expect(FrozenPlan(bytes: plan.bytes)?.items == plan.items)
    }
}
