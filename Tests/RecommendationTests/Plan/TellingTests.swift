import Foundation
import Model
import TestSupport
import Testing

@testable import Recommendation

/// A community of 400 members: all are in group 0, 199 in group 1, and all others are small.
///
/// Groups 0 and 1 have everybody's neighbours. The others are two separate communities, of groups 2 to 21 and 22 to 41.
@Suite("What a membership tells")
struct TellingTests {
    private static let sizes: [UInt32] = [400, 199] + [UInt32](repeating: 60, count: 40)

    private func planner(memberCount: Int? = 400, sizes: [UInt32] = Self.sizes) throws -> Planner {
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
            model: try PlanFixture.model(lists, sizes: sizes), configuration: configuration, key: RotationKey(1, 2))
    }

    private func request(_ joined: [Int]) -> PlanRequest {
        PlanRequest(profile: PlanFixture.profile(joined), atMilliseconds: PlanFixture.instant)
    }

    private func reasons(_ joined: [Int], _ planner: Planner) -> [(item: PlanItem, reasons: [Suggestion.Reason])] {
        let items = planner.plan(request(joined)).items.filter { $0.origin == .personal }
        return Array(zip(items, planner.reasons(for: items, of: request(joined).profile)))
    }

    @Test("A reason counts by log(N / n): the more members a group has, the less, without a step at any size")
    func formula() throws {
        var before: Double?
        for size in 1...UInt32(400) {
            let telling = try #require(try planner(sizes: [size] + Self.sizes.dropFirst()).telling)
            let ratio = telling.factor(of: 0) / telling.factor(of: 1)
            #expect(abs(ratio - log(450 / Double(size)) / log(450.0 / 199)) < 1e-9)
            #expect(ratio > 0 && telling.part(of: 0) > 0)
            if let before { #expect(ratio < before && (size == 2 || before - ratio < 0.7)) }
            before = ratio
            #expect((telling.part(of: 0) == 1) == (size <= 225))
        }
        let telling = try #require(try planner().telling)
        let all = zip(0..., Self.sizes).reduce(0) { $0 + Double($1.1) * telling.factor(of: UInt32($1.0)) }
        #expect(abs(all / Double(Self.sizes.reduce(0, +)) - 1) < 1e-9, "factors are relative to the mean")
    }

    @Test("A group of everybody is no first reason and in no other interest, and moves nothing to the top")
    func everybody() throws {
        let planner = try planner()
        let found = reasons([0, 5, 6], planner)
        #expect(found.count > 10 && found.contains { $0.reasons.contains { $0.seed == 0 } })
        for (item, reasons) in found {
            #expect(abs(item.score - reasons.reduce(0) { $0 + $1.contribution }) < 1e-9 * item.score)
            #expect(reasons.first?.seed != 0 || reasons.count == 1)
        }
        let plan = planner.plan(request([0, 5, 6]))
        #expect(plan.interests.map(\.groups) == [[5, 6], [0]])
        #expect(plan.interests[1].share < 0.1)
        #expect(found.prefix(10).allSatisfy { $0.item.group < 22 })
        #expect(planner.standing(of: 0, request([0, 5, 6])).standing == .joined)
        // If all groups tell as much, it is the first reason of every row.
        let equal = reasons([0, 5, 6], try self.planner(memberCount: nil))
        #expect(equal.contains { $0.reasons.first?.seed == 0 })
    }

    @Test("In a small club, a group of all members still is a reason")
    func smallClub() throws {
        let planner = try planner(memberCount: 20, sizes: [20, 10] + [UInt32](repeating: 5, count: 40))
        let telling = try #require(planner.telling)
        #expect(telling.factor(of: 0) > 0.4 * telling.factor(of: 2) && telling.part(of: 0) == 1)
        #expect(try self.planner(memberCount: nil).telling == nil)
    }

    @Test("It may be recommended, and a member of nothing else is nearly a newcomer")
    func recommended() throws {
        let planner = try planner()
        let item = try #require(planner.plan(request([5, 6])).items.first { $0.group == 0 })
        #expect(item.origin == .personal && item.score > 0)
        #expect(planner.personalList(request([0])) { _ in }.knownCount < 0.2)
        #expect(planner.personalList(request([5])) { _ in }.knownCount == 1)
    }

    @Test("Joining, leaving or dismissing it moves others by a place or two")
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
        func distances(_ groups: [UInt32], _ others: [UInt32]) -> [Int] {
            #expect(Set(groups) == Set(others))
            return groups.enumerated().map { place, group in abs((others.firstIndex(of: group) ?? .max) - place) }
        }
        let others = items.map(\.group).filter { $0 != 0 }
        #expect(distances(patched(items, before, after), others).allSatisfy { $0 <= 2 })
        #expect(distances(patched(items.filter { $0.group != 0 }, after, before), others).allSatisfy { $0 <= 2 })
        var dismissing = before
        dismissing.profile.dismissals = [.init(group: 0, atMilliseconds: PlanFixture.instant)]
        let slight = distances(patched(items, before, dismissing), others)
        #expect(slight.allSatisfy { $0 <= 2 })
        // Dismissing a small group moves its neighbours more.
        dismissing.profile.dismissals = [.init(group: 12, atMilliseconds: PlanFixture.instant)]
        let moved = patched(items, before, dismissing).filter { $0 != 0 }
        #expect(distances(moved, others.filter { $0 != 12 }).reduce(0, +) > slight.reduce(0, +))
    }

    @Test("The number of members comes from the version")
    func memberCount() throws {
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
