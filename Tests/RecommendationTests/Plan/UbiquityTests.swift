import Model
import TestSupport
import Testing

@testable import Recommendation

/// A community of 400 members: 200 are in group 0, 199 in group 1, and all others are small.
///
/// Groups 0 and 1 have everybody's neighbours. The others are two separate communities, of groups 2 to 21 and 22 to 41.
@Suite("Groups of most members")
struct UbiquityTests {
    private static let sizes: [UInt32] = [200, 199] + [UInt32](repeating: 60, count: 40)

    private func planner(memberCount: Int? = 400) throws -> Planner {
        let everybody = (2..<42).map { (index: $0, common: 55) }
        let lists = (0..<42).map { group -> [(index: Int, common: Int)] in
            guard group > 1 else { return everybody + [(1 - group, 100)] }
            let first = group < 22 ? 2 : 22
            let near = (first..<first + 20).filter { $0 != group }.map { (index: $0, common: 40 - abs($0 - group)) }
            return near + [(0, 58), (1, 57)]
        }
        var configuration = PlanConfiguration.ofAnyAge
        configuration.filters.ceiling = .infinity
        configuration.memberCount = memberCount
        return Planner(
            model: try PlanFixture.model(lists, sizes: Self.sizes), configuration: configuration,
            key: RotationKey(1, 2))
    }

    private func request(_ joined: [Int]) -> PlanRequest {
        PlanRequest(profile: PlanFixture.profile(joined), atMilliseconds: PlanFixture.instant)
    }

    private struct Told: Equatable {
        var interests: Set<UInt32>
        var seeds: Set<UInt32>
    }

    private func told(_ joined: [Int], _ planner: Planner) -> Told {
        let plan = planner.plan(request(joined))
        let reasons = planner.reasons(for: plan.items, of: request(joined).profile)
        return Told(
            interests: Set(plan.interests.flatMap(\.groups)), seeds: Set(reasons.flatMap(\.self).map(\.seed)))
    }

    @Test("A group of half of the members is no interest and no reason, and brings no candidate")
    func telling() throws {
        let planner = try planner()
        #expect(told([0, 5, 6], planner) == Told(interests: [5, 6], seeds: [5, 6]))
        // A member less, and the group counts as any other.
        #expect(told([1, 5, 6], planner) == Told(interests: [1, 5, 6], seeds: [1, 5, 6]))
        // Apart from the group itself, the list is the one without it.
        let with = planner.plan(request([0, 5, 6])).items
        let without = planner.plan(request([5, 6])).items.filter { $0.group != 0 }
        #expect(Set(with.map(\.group)) == Set(without.map(\.group)))
        #expect(with.filter { $0.origin == .personal }.allSatisfy { $0.group < 22 })
        #expect(planner.standing(of: 0, request([0, 5, 6])).standing == .joined)
    }

    @Test("A community without a known size, or of fewer than 200 members, has no such group", arguments: [nil, 199])
    func smallCommunity(memberCount: Int?) throws {
        let planner = try planner(memberCount: memberCount)
        #expect(told([0, 5, 6], planner) == Told(interests: [0, 5, 6], seeds: [0, 5, 6]))
        #expect(try told([0, 1, 5], self.planner(memberCount: 200)) == Told(interests: [5], seeds: [5]))
    }

    @Test("It may be recommended, and a member of nothing else is a newcomer")
    func recommended() throws {
        let planner = try planner()
        let item = try #require(planner.plan(request([5, 6])).items.first { $0.group == 0 })
        #expect(item.origin == .personal && item.score > 0)
        let newcomer = planner.plan(request([0])).items
        #expect(newcomer.allSatisfy { $0.origin == .popular } && newcomer.count == 41)
    }

    @Test("Joining, leaving or dismissing it moves no other group of a list")
    func changes() throws {
        let planner = try planner()
        let (before, after) = (request([5, 6]), request([0, 5, 6]))
        let items = planner.plan(before).items
        func patched(_ items: [PlanItem], _ before: PlanRequest, _ after: PlanRequest) -> [UInt32] {
            planner.patched(
                items, madeAt: Array(1...items.count), by: ProfileChanges(from: before.profile, to: after.profile),
                for: after
            ).map(\.group)
        }
        let others = items.map(\.group).filter { $0 != 0 }
        #expect(patched(items, before, after) == others)
        #expect(patched(items.filter { $0.group != 0 }, after, before) == others)
        var dismissing = before
        dismissing.profile.dismissals = [.init(group: 0, atMilliseconds: PlanFixture.instant)]
        #expect(patched(items, before, dismissing) == others)
        #expect(planner.plan(dismissing).items.map(\.group) == others)
    }

    @Test("The trace says how many joined groups are of most members; the number of members comes from the version")
    func trace() throws {
        var notes: [PlanStage: String] = [:]
        _ = try planner().plan(request([0, 5, 6])) { notes[$0.stage] = $0.note }
        #expect(notes[.profile] == "1 of most members")
        var report = Manifest.RelationReport(
            relation: .members, measure: "cosine", measureParameters: [:], minimumEntries: 1, minimumCommon: 1,
            limit: 1, entries: 1, entriesOfPrivateGroups: 0, entriesOfPrivatePhotos: 0, groupsCounted: 1,
            groupsBelowMinimum: 0, groupsWithNeighbours: 1, neighbours: 1, path: "")
        report.columns = 400
        let manifest = Manifest(
            version: try VersionName("v1"), createdAtMilliseconds: 1,
            catalog: .init(schemaVersion: 1, changeCount: 1), groups: .init(included: 1, leftOutPrivate: 0),
            relations: [report], steps: [], sections: [])
        #expect(PlanConfiguration().weighted(by: manifest).memberCount == 400)
    }
}
