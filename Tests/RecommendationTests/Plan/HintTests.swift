import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Groups that favourites and follows point to")
struct HintTests {
    /// Two communities of ten groups, 0–9 and 10–19, with five neighbours each.
    private func planner(
        weight: Double = 1, hiding hidden: [UInt32] = [], change: (inout PlanConfiguration) -> Void = { _ in }
    ) throws -> Planner {
        let model = try PlanFixture.communities([10, 10], neighbours: 5)
        var configuration = PlanConfiguration.ofAnyAge
        configuration.evidence = EvidenceKind.allCases.map { .init($0, weight: weight, unit: 1) }
        configuration.omitted = [.coldStart, .rotation]
        change(&configuration)
        return Planner(model: model, configuration: configuration, key: RotationKey(1, 1))
            .showing(VisibleModel(model, SiteDecisions(hidden: Set(hidden), curated: nil)))
    }

    private func profile(_ joined: [Int], _ hints: [GroupHint]) -> MemberProfile {
        var profile = PlanFixture.profile(joined)
        profile.hints = hints
        return profile
    }

    private func plan(_ planner: Planner, _ profile: MemberProfile) -> Plan {
        planner.plan(PlanRequest(profile: profile, atMilliseconds: PlanFixture.instant))
    }

    @Test("The groups of photos are those of a count by hand, the best twenty", arguments: 0..<20 as Range<UInt64>)
    func photos(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let sizes = (0..<60).map { _ in UInt32.random(in: 1...500, using: &generator) }
        let photos = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
            (0..<60 as Range<UInt32>).filter { _ in Int.random(in: 0..<12, using: &generator) == 0 }
        }
        let found = HintFormula.hints(ofPhotosIn: photos, groupCount: 60) { sizes[Int($0)] }
        var (units, counts) = ([UInt32: UInt32](), [UInt32: UInt32]())
        for groups in photos {
            for group in groups {
                units[group, default: 0] += HintFormula.units(ofPhotoIn: groups.count, of: 60)
                counts[group, default: 0] += 1
            }
        }
        func score(_ group: UInt32) -> Double {
            Double(units[group] ?? 0) / Double(sizes[Int(group)]).squareRoot()
        }
        let best = units.keys.sorted { (score($0), $1) > (score($1), $0) }.prefix(HintFormula.groupLimit).sorted()
        #expect(found.map(\.group) == best)
        #expect(found.allSatisfy { $0.units == units[$0.group] && $0.count == counts[$0.group] })
        #expect(found.allSatisfy { $0.kind == .favourites })
        #expect(found == HintFormula.hints(ofPhotosIn: photos.reversed(), groupCount: 60) { sizes[Int($0)] })
    }

    @Test("Two followed members in a group are not enough: one of them might be recognised")
    func follows() {
        let members: [[UInt32]] = [[1, 2], [1, 3], [1, 2], [4]]
        let found = HintFormula.hints(ofMembersIn: members) { _ in 10 }
        #expect(found == [GroupHint(.follows, group: 1, units: 24, count: 3)])
    }

    @Test("A member without groups gets the groups, then their neighbours, in named interests, with reasons")
    func withoutGroups() throws {
        let planner = try planner { $0.omitted.insert(.diversity) }
        let profile = profile(
            [], [2, 3, 14].map { GroupHint(.favourites, group: $0, units: $0 == 14 ? 10 : 80, count: 4) })
        let plan = plan(planner, profile)
        #expect(Set(plan.items.prefix(2).map(\.group)) == [2, 3])
        #expect(plan.items.count > 10 && plan.items.allSatisfy { $0.origin == .personal && $0.interest != nil })
        #expect(plan.interests.map(\.groups) == [[2, 3], [14]])
        let told = planner.hints(for: plan.items, of: profile)
        for (item, hint) in zip(plan.items, told) {
            #expect((hint != nil) == [2, 3, 14].contains(item.group))
            if let hint { #expect(hint.counts.map(\.count) == [4]) }
        }
        let reasons = planner.reasons(for: plan.items, of: profile)
        for (item, reasons) in zip(plan.items, reasons) where ![2, 3, 14].contains(item.group) {
            #expect(abs(reasons.reduce(0) { $0 + $1.contribution } - item.score) < 1e-9)
            #expect(reasons.allSatisfy { [2, 3, 14].contains($0.seed) })
        }
    }

    @Test("Beside joined groups the scores add up, and the groups have an interest of their own")
    func withGroups() throws {
        let planner = try planner()
        let before = plan(planner, profile([1, 5], []))
        let profile = profile([1, 5], [3, 12].map { GroupHint(.favourites, group: $0, units: 50, count: 2) })
        let after = plan(planner, profile)
        func score(_ group: UInt32, _ plan: Plan) -> Double { plan.items.first { $0.group == group }?.score ?? 0 }
        #expect(abs(score(3, after) - score(3, before) - 50) < 1e-9 && abs(score(12, after) - 50) < 1e-9)
        #expect(score(4, after) == score(4, before))
        let last = try #require(after.interests.last)
        #expect(last.groups == [3, 12] && last.share > 0)
        #expect(abs(after.interests.reduce(0) { $0 + $1.share } - 1) < 1e-9)
        #expect(after.items.first { $0.group == 12 }?.interest == after.interests.count - 1)
    }

    @Test("Joined, dismissed and hidden groups are no hints; without a weight nothing changes")
    func leftOut() throws {
        let hints = (0..<20 as Range<UInt32>).map { GroupHint(.favourites, group: $0, units: 50, count: 1) }
        var member = profile([1, 5], hints)
        member.dismissals = [.init(group: 7, atMilliseconds: 0)]
        let planner = try planner(hiding: [9])
        #expect(planner.hints(of: member).map(\.group) == (0..<20).filter { ![1, 5, 7, 9].contains($0) })
        #expect(Set(plan(planner, member).items.map(\.group)).isDisjoint(with: [1, 5, 7, 9]))
        let without = try self.planner(weight: 0)
        #expect(plan(without, profile([1, 5], hints)) == plan(without, profile([1, 5], [])))
    }

    @Test("What happens later keeps the hints")
    func replay() {
        let hint = GroupHint(.follows, group: 3, units: 8, count: 3)
        let later = profile([], [hint]).replaying(
            [Interaction(.join, group: 4, atMilliseconds: 5)], atMilliseconds: 9, halfLifeDays: 7)
        #expect(later.hints == [hint] && later.joined.map(\.group) == [4])
    }
}
