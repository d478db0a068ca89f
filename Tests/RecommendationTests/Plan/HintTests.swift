import Foundation
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

    @Test("Own photos count 8 ln(1 + n) in the groups with the most", arguments: 0..<20 as Range<UInt64>)
    func ownPhotos(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let photos = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
            (0..<40 as Range<UInt32>).filter { _ in Int.random(in: 0..<12, using: &generator) == 0 }
        }
        let counts = Dictionary(photos.joined().map { ($0, 1) }, uniquingKeysWith: +)
        let best = counts.keys.sorted { (counts[$0] ?? 0, $1) > (counts[$1] ?? 0, $0) }.prefix(20).sorted()
        let found = HintFormula.hints(ofOwnPhotosIn: photos)
        #expect(found.map(\.group) == best && found.allSatisfy { $0.kind == .photos })
        #expect(found.allSatisfy { Int($0.count) == counts[$0.group] })
        #expect(found.allSatisfy { abs(Double($0.units) - 8 * log(1 + Double($0.count))) <= 0.5 })
    }

    @Test("A joined group counts more if the member posts there, and no other group comes in for it")
    func activity() throws {
        let planner = try planner()
        let posts = [
            GroupHint(.photos, group: 10, units: 24, count: 19), GroupHint(.photos, group: 5, units: 24, count: 19),
            GroupHint(.photos, group: 15, units: 24, count: 19),
        ]
        let quiet = plan(planner, profile([0, 10], []))
        let active = plan(planner, profile([0, 10], posts))
        #expect(Set(quiet.items.map(\.group)) == Set(active.items.map(\.group)))
        // With unit 1 the factors are 1 and 1 + 24, relative to their mean of 13.
        for item in active.items {
            let before = try #require(quiet.items.first { $0.group == item.group })
            let factor = item.group < 10 ? 1.0 / 13 : 25.0 / 13
            #expect(abs(item.score - factor * before.score) < 1e-9 * before.score)
        }
        let reasons = planner.reasons(for: active.items, of: profile([0, 10], posts))
        for (item, reasons) in zip(active.items, reasons) {
            #expect(abs(reasons.reduce(0) { $0 + $1.contribution } - item.score) < 1e-9)
        }
        let weightless = try self.planner(weight: 0)
        #expect(plan(weightless, profile([0, 10], posts)) == plan(weightless, profile([0, 10], [])))
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

    @Test("In a frozen list, groups that are pointed to since rise before lower scores, and undoing restores the list")
    func patches() throws {
        let planner = try planner()
        let before = profile([1, 5], [GroupHint(.favourites, group: 3, units: 1, count: 1)])
        let items = plan(planner, before).items
        func patched(_ hints: [GroupHint]) -> [PlanItem] {
            let after = profile([1, 5], hints)
            return planner.patched(
                items, madeAt: Array(1...items.count), by: ProfileChanges(from: before, to: after),
                for: PlanRequest(profile: after, atMilliseconds: PlanFixture.instant))
        }
        #expect(patched(before.hints) == items)
        let last = try #require(items.last).group
        let new = [last, 15].map { GroupHint(.favourites, group: $0, units: 50, count: 1) }
        let risen = patched(before.hints + new)
        // The two take turns with the groups that were there, which keep their order.
        #expect(Set([risen[0].group, risen[2].group]) == [last, 15])
        #expect(
            risen.map(\.group).filter { ![last, 15].contains($0) } == items.map(\.group).filter { $0 != last })
        #expect(risen.allSatisfy { $0.origin == .personal } && Set(risen.map(\.group)).count == risen.count)
        // The group that nothing points to any more sinks, but stays.
        let sunk = patched([])
        func rank(_ items: [PlanItem]) -> Int { items.firstIndex { $0.group == 3 } ?? -1 }
        #expect(rank(sunk) >= rank(items) && Set(sunk.map(\.group)) == Set(items.map(\.group)))
    }

    @Test("Follows since a version add to what it says; fewer than three of them say nothing new", arguments: 0..<20)
    func followsSince(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let hints = (0..<6 as Range<UInt32>).map { group in
            GroupHint(.follows, group: group * 2, units: 24 + 8 * group, count: 3 + group)
        }
        let favourite = GroupHint(.favourites, group: 1, units: 9, count: 2)
        let changes = (0..<9).map { _ in
            (
                adds: Int.random(in: 0..<3, using: &generator) > 0,
                groups: (0..<12 as Range<UInt32>).filter { _ in Bool.random(using: &generator) }
            )
        }
        var counts = Dictionary(uniqueKeysWithValues: hints.map { ($0.group, Int($0.count)) })
        for change in changes { for group in change.groups { counts[group, default: 0] += change.adds ? 1 : -1 } }
        let expected = counts.filter { $0.value >= 3 }.sorted { $0.key < $1.key }.map {
            GroupHint(.follows, group: $0.key, units: UInt32(8 * $0.value), count: UInt32($0.value))
        }
        #expect(HintFormula.hints([favourite] + hints, after: changes) { _ in 10 } == [favourite] + expected)
    }

    @Test("What happens later keeps the hints")
    func replay() {
        let hint = GroupHint(.follows, group: 3, units: 8, count: 3)
        let later = profile([], [hint]).replaying(
            [Interaction(.join, group: 4, atMilliseconds: 5)], atMilliseconds: 9, halfLifeDays: 7)
        #expect(later.hints == [hint] && later.joined.map(\.group) == [4])
    }
}
