import Foundation
import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Fatigue and dismissals")
struct FeedbackTests {
    private let day: Int64 = 86_400_000

    @Test("impressions lower a group by the formula, and it recovers with time")
    func fatigue() throws {
        let model = try PlanFixture.communities([50], neighbours: 49)
        for impressions in [1.0, 24, 100] {
            var candidates = [Candidate(group: 3, score: 2, interest: 0)]
            let sunk = Damping(configuration: .init()).apply(
                to: &candidates, exposures: [.init(group: 3, impressions: impressions)], dismissals: [],
                atMilliseconds: 0, in: VisibleModel(model), .standard)
            #expect(sunk == 1 && abs(candidates[0].adjusted - 2 / (1 + impressions / 24)) < 1e-12)
        }
        let base = PlanFixture.profile(10..<12)
        let shown = (0..<30).map {
            Interaction(.impression, group: 13, atMilliseconds: PlanFixture.instant + $0 * 1000)
        }
        var configuration = PlanConfiguration()
        configuration.omitted = [.rotation]
        let planner = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
        func place(daysLater: Int64, _ interactions: [Interaction]) -> Int? {
            let instant = PlanFixture.instant + daysLater * day
            let profile = base.replaying(interactions, atMilliseconds: instant, halfLifeDays: 7)
            return planner.plan(PlanRequest(profile: profile, atMilliseconds: instant)).items.firstIndex {
                $0.group == 13
            }
        }
        let untouched = try #require(place(daysLater: 0, []))
        let tired = try #require(place(daysLater: 1, shown))
        #expect(tired > untouched)
        // Two groups have the same score: the least remainder of an impression would decide between them.
        #expect(place(daysLater: 3650, shown) == untouched)
        let click = Interaction(.click, group: 13, atMilliseconds: PlanFixture.instant + 60_000)
        #expect(place(daysLater: 1, shown + [click]) == untouched)
    }

    @Test("a dismissed group is absent until undismissed; its neighbours are lowered, less every week")
    func dismissal() throws {
        let model = try PlanFixture.communities([50], neighbours: 49)
        let neighbour = Candidate(group: 14, score: 1, interest: 0)
        var adjusted: [Double] = []
        for weeks in 0...8 {
            var candidates = [neighbour]
            _ = Damping(configuration: .init()).apply(
                to: &candidates, exposures: [], dismissals: [.init(group: 13, atMilliseconds: 0)],
                atMilliseconds: Int64(weeks) * 7 * day, in: VisibleModel(model), .standard)
            adjusted.append(candidates[0].adjusted)
        }
        #expect(abs(adjusted[0] - 0.5) < 1e-9)
        #expect(abs(adjusted[2] - 0.75) < 1e-9)
        #expect(zip(adjusted, adjusted.dropFirst()).allSatisfy { $0 < $1 } && adjusted[8] > 0.96)
        let planner = Planner(model: model, key: RotationKey(0, 0))
        let base = PlanFixture.profile(10..<12)
        let dismiss = Interaction(.dismiss, group: 13, atMilliseconds: PlanFixture.instant)
        let undo = Interaction(.undismiss, group: 13, atMilliseconds: PlanFixture.instant + 1)
        func shows(_ interactions: [Interaction], yearsLater: Int64 = 0) -> Bool {
            let instant = PlanFixture.instant + 2 + yearsLater * 365 * day
            let profile = base.replaying(interactions, atMilliseconds: instant, halfLifeDays: 7)
            let items = planner.plan(PlanRequest(profile: profile, atMilliseconds: instant)).items
            return items.contains { $0.group == 13 }
        }
        #expect(shows([]) && !shows([dismiss]) && !shows([dismiss], yearsLater: 3) && shows([dismiss, undo]))
    }

    @Test("of contradictory events the latest counts, in any order of arrival", arguments: 0..<50)
    func replay(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let base = MemberProfile(
            userID: "u",
            joined: [
                .init(group: 1, atMilliseconds: 500_000), .init(group: 2), .init(group: 3, atMilliseconds: 50_000),
            ])
        var times = Array(1...1000).shuffled(using: &generator).map { $0 * 1000 }
        let events = (0..<30).map { _ in
            Interaction(
                [.join, .leave, .dismiss, .undismiss].randomElement(using: &generator) ?? .join,
                group: .random(in: 1...4, using: &generator), atMilliseconds: Int64(times.removeLast()))
        }
        let profile = base.replaying(events, atMilliseconds: 2_000_000, halfLifeDays: 7)
        let shuffled = events.shuffled(using: &generator)
        #expect(base.replaying(shuffled, atMilliseconds: 2_000_000, halfLifeDays: 7) == profile)
        for group: UInt32 in 1...4 {
            let known = base.joined.first { $0.group == group }
            let last = events.filter { $0.group == group && ($0.effect == .join || $0.effect == .leave) }
                .max { $0.atMilliseconds < $1.atMilliseconds }
            let isNewer = last.map { $0.atMilliseconds > known?.atMilliseconds ?? .min } ?? false
            let expected = isNewer ? last?.effect == .join : known != nil
            #expect(profile.joined.contains { $0.group == group } == expected)
            let word = events.filter { $0.group == group && ($0.effect == .dismiss || $0.effect == .undismiss) }
                .max { $0.atMilliseconds < $1.atMilliseconds }
            #expect(profile.dismissals.contains { $0.group == group } == (word?.effect == .dismiss))
        }
    }
    @Test("Of events in one second the one that arrived later counts, and a click ends the impressions before it")
    func arrival() {
        let base = MemberProfile(
            userID: "u", joined: [.init(group: 1, atMilliseconds: 5000), .init(group: 2, atMilliseconds: 5000)])
        func profile(_ events: Interaction...) -> MemberProfile {
            base.replaying(events, atMilliseconds: 9000, halfLifeDays: 7)
        }
        func event(_ effect: Interaction.Effect, _ group: UInt32, at milliseconds: Int64) -> Interaction {
            Interaction(effect, group: group, atMilliseconds: milliseconds)
        }
        // Times within a second do not tell which came first.
        #expect(profile(event(.join, 3, at: 7900), event(.leave, 3, at: 7100)).joined == base.joined)
        #expect(profile(event(.leave, 1, at: 5000), event(.leave, 2, at: 4999)).joined.map(\.group) == [2])
        let (shown, clicked) = (event(.impression, 4, at: 6000), event(.click, 4, at: 1000))
        #expect(profile(shown, clicked).exposures.isEmpty && profile(clicked, shown).exposures.count == 1)
    }

    @Test("A state keeps what ended, so that earlier events that come later change nothing")
    func ends() {
        var state = MemberState()
        func replay(_ effect: Interaction.Effect, at seconds: Int64) -> MemberState {
            state.replay(
                [Interaction(effect, group: 1, atMilliseconds: seconds * 1000)], atMilliseconds: 9000, halfLifeDays: 7)
            return state
        }
        #expect(replay(.leave, at: 5).memberships == [1: PairState(holds: false, seconds: 5)])
        #expect(!replay(.join, at: 4).profile(ofUser: "u").joined.contains { $0.group == 1 })
        #expect(replay(.undismiss, at: 5).dismissals == [1: PairState(holds: false, seconds: 5)])
        #expect(replay(.dismiss, at: 4).profile(ofUser: "u").dismissals.isEmpty)
        state.state(["birds"], stamp: 7)
        state.state(["snow"], stamp: 6)
        #expect(state.topics == ["birds"])
    }
}
