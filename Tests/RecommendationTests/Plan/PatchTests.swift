import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Patches of a frozen plan")
struct PatchTests {
    private let halfLife = 7.0

    /// Returns a model of random lists, in which some pairs are stored in one direction only.
    private func model(_ seed: UInt64) throws -> ModelVersion {
        let encoded = try SampleModel.model(groupCount: 120, limit: 12, seed: seed)
        return try ModelVersion(ByteRegion(copying: encoded.fileBytes))
    }

    private func events(_ count: Int, _ generator: inout SeededGenerator) -> [Interaction] {
        (0..<count).map { number in
            Interaction(
                Interaction.Effect.allCases.randomElement(using: &generator) ?? .click,
                group: .random(in: 0..<120, using: &generator), atMilliseconds: PlanFixture.instant + Int64(number))
        }
    }

    private func patched(_ plan: Plan, by planner: Planner, from before: MemberProfile, to after: MemberProfile)
        -> [PlanItem]
    {
        let ranks = Array(1...plan.items.count)
        return planner.patched(
            plan.items, madeAt: ranks, by: ProfileChanges(from: before, to: after),
            for: PlanRequest(profile: after, atMilliseconds: PlanFixture.instant))
    }

    @Test("A group that is hidden after the list was made moves no other", arguments: 0..<30)
    func hiddenSince(seed: UInt64) throws {
        let model = try model(seed)
        var generator = SeededGenerator(seed: seed &+ 500)
        let planner = Planner(model: model, key: RotationKey(1, seed))
        let before = PlanFixture.profile((0..<10).map { _ in Int.random(in: 0..<120, using: &generator) })
        let plan = planner.plan(PlanRequest(profile: before, atMilliseconds: PlanFixture.instant))
        let after = before.replaying(
            events(8, &generator), atMilliseconds: PlanFixture.instant + 1000, halfLifeDays: halfLife)
        let changes = ProfileChanges(from: before, to: after)
        let changed = Set(changes.joined + changes.left + changes.dismissed + changes.undismissed)
        let request = PlanRequest(profile: after, atMilliseconds: PlanFixture.instant)
        let hidden = Set(plan.items.map(\.group).filter { !changed.contains($0) && $0.isMultiple(of: 5) })
        let shown = plan.items.enumerated().filter { !hidden.contains($1.group) }
        let items = planner.showing(VisibleModel(model, SiteDecisions(hidden: hidden, curated: nil)))
            .patched(shown.map(\.element), madeAt: shown.map { $0.offset + 1 }, by: changes, for: request)
        let expected = patched(plan, by: planner, from: before, to: after).filter { !hidden.contains($0.group) }
        #expect(items == expected && !hidden.isEmpty)
    }

    @Test("changed groups leave, their neighbours move within bounds, all others keep their order", arguments: 0..<30)
    func order(seed: UInt64) throws {
        let model = try model(seed)
        var generator = SeededGenerator(seed: seed)
        let planner = Planner(model: model, key: RotationKey(1, seed))
        let before = PlanFixture.profile((0..<10).map { _ in Int.random(in: 0..<120, using: &generator) })
        let plan = planner.plan(PlanRequest(profile: before, atMilliseconds: PlanFixture.instant))
        let after = before.replaying(
            events(8, &generator), atMilliseconds: PlanFixture.instant + 1000, halfLifeDays: halfLife)
        let changes = ProfileChanges(from: before, to: after)
        let patched = patched(plan, by: planner, from: before, to: after)

        let gone = Set(changes.joined + changes.dismissed)
        #expect(patched.map(\.group).sorted() == plan.items.map(\.group).filter { !gone.contains($0) }.sorted())
        let changed = Set(changes.joined + changes.left + changes.dismissed + changes.undismissed)
        func isNeighbour(_ group: UInt32) -> Bool {
            changed.contains { other in
                RelationTable.standard.requiredRelations.contains { relation in
                    model.neighbours(of: Int(group), by: relation).contains { $0.index == other }
                        || model.neighbours(of: Int(other), by: relation).contains { $0.index == group }
                }
            }
        }
        let still = plan.items.map(\.group).filter { !isNeighbour($0) && !gone.contains($0) }
        #expect(patched.map(\.group).filter { !isNeighbour($0) } == still)
        for (rank, item) in patched.enumerated() {
            guard let old = plan.items.firstIndex(of: item) else { continue }
            // A group moves by a fifth of its rank at most; other moving groups may shift it by their number.
            let others = plan.items.count { isNeighbour($0.group) } + gone.count
            let (before, now) = (Double(old + 1), Double(rank + 1))
            #expect(now <= 1.2 * before + Double(others) && 1.2 * (now + Double(others)) >= before)
        }
    }

    @Test("a join or a dismissal keeps nine tenths of the order, and moves no group far", arguments: 0..<30)
    func littleMoves(seed: UInt64) throws {
        // Every group is a neighbour of every other, so that as many as possible move.
        let model = try PlanFixture.communities([160], neighbours: 159)
        let planner = Planner(model: model, key: RotationKey(1, seed))
        let first = Int(seed) * 4
        let before = PlanFixture.profile(first..<first + 6, user: "user-\(seed)")
        let plan = planner.plan(PlanRequest(profile: before, atMilliseconds: PlanFixture.instant))
        for position in [0, 9, 40] {
            for kind in [Interaction.Effect.join, .dismiss] {
                let event = Interaction(
                    kind, group: plan.items[position].group, atMilliseconds: PlanFixture.instant + 1)
                let after = before.replaying(
                    [event], atMilliseconds: PlanFixture.instant + 2, halfLifeDays: halfLife)
                let now = patched(plan, by: planner, from: before, to: after).map(\.group)
                let ranks = Dictionary(uniqueKeysWithValues: zip(now, 0...))
                let moved = plan.items.prefix(100).compactMap { ranks[$0.group] }
                var inOrder = 0
                for (index, rank) in moved.enumerated() { inOrder += moved[(index + 1)...].count { $0 > rank } }
                let pairs = Double(moved.count * (moved.count - 1) / 2)
                #expect(2 * Double(inOrder) / pairs - 1 >= 0.9)
                for (old, item) in plan.items.prefix(100).enumerated() {
                    if let rank = ranks[item.group] { #expect(abs(rank - old) <= 20) }
                }
            }
        }
    }

    @Test("neighbours of a dismissed group are lowered, those of a joined one raised", arguments: [14, 20, 30, 50])
    func directions(position: Int) throws {
        let model = try PlanFixture.communities([200], neighbours: 100)
        let planner = Planner(model: model, key: RotationKey(1, 2))
        let before = PlanFixture.profile(90..<94)
        let plan = planner.plan(PlanRequest(profile: before, atMilliseconds: PlanFixture.instant))
        let changed = plan.items[position].group
        func meanPlace(_ kind: Interaction.Effect?) -> Double {
            let events = kind.map { [Interaction($0, group: changed, atMilliseconds: PlanFixture.instant + 1)] } ?? []
            let after = before.replaying(events, atMilliseconds: PlanFixture.instant + 2, halfLifeDays: halfLife)
            // The place of the changed group itself does not count.
            let groups = patched(plan, by: planner, from: before, to: after).map(\.group).filter { $0 != changed }
            let near = groups.indices.filter { abs(Int(groups[$0]) - Int(changed)) <= 3 }
            return near.reduce(0) { $0 + Double($1) } / Double(near.count)
        }
        #expect(meanPlace(.dismiss) > meanPlace(nil) && meanPlace(.join) < meanPlace(nil))
    }

    @Test("undoing everything restores the list", arguments: 0..<30)
    func undo(seed: UInt64) throws {
        let model = try model(seed)
        var generator = SeededGenerator(seed: seed &+ 100)
        let planner = Planner(model: model, key: RotationKey(1, seed))
        let before = PlanFixture.profile((0..<10).map { _ in Int.random(in: 0..<120, using: &generator) })
        let plan = planner.plan(PlanRequest(profile: before, atMilliseconds: PlanFixture.instant))
        var log: [Interaction] = []
        for event in events(10, &generator) {
            let state = before.replaying(log, atMilliseconds: event.atMilliseconds, halfLifeDays: halfLife)
            let isJoined = state.joined.contains { $0.group == event.group }
            let isDismissed = state.dismissals.contains { $0.group == event.group }
            // Only changes that can be undone are made.
            let effective: Set<Interaction.Effect> = [isJoined ? .leave : .join, isDismissed ? .undismiss : .dismiss]
            if effective.contains(event.effect) { log.append(event) }
        }
        let opposite: [Interaction.Effect: Interaction.Effect] = [
            .join: .leave, .leave: .join, .dismiss: .undismiss, .undismiss: .dismiss,
        ]
        let undone =
            log
            + log.reversed().enumerated().compactMap { number, event in
                opposite[event.effect].map {
                    Interaction($0, group: event.group, atMilliseconds: PlanFixture.instant + 1000 + Int64(number))
                }
            }
        let after = before.replaying(undone, atMilliseconds: PlanFixture.instant + 5000, halfLifeDays: halfLife)
        #expect(patched(plan, by: planner, from: before, to: after) == plan.items)
        let middle = before.replaying(log, atMilliseconds: PlanFixture.instant + 500, halfLifeDays: halfLife)
        #expect(log.isEmpty || ProfileChanges(from: before, to: middle) != ProfileChanges(from: before, to: before))
    }
}
