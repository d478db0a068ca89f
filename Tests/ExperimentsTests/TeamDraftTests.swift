import Recommendation
import TestSupport
import Testing

@testable import Experiments

/// Interleaved lists have every element once, and treat both lists alike.
@Suite struct TeamDraftTests {
    @Test(arguments: 0..<100)
    func everythingOnceInEachListsOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let first = Array((0..<20).shuffled(using: &generator).prefix(Int.random(in: 0...20, using: &generator)))
        let second = Array((0..<20).shuffled(using: &generator).prefix(Int.random(in: 0...20, using: &generator)))
        let draft = TeamDraft(first, second) { Bool.random(using: &generator) }
        let elements = draft.picks.map(\.element)
        #expect(Set(elements) == Set(first).union(second))
        #expect(elements.count == Set(elements).count)
        for (team, list) in [(PlanItem.Team.first, first), (.second, second)] {
            let picked = draft.picks.filter { $0.team == team }.map(\.element)
            #expect(picked == list.filter { picked.contains($0) })
        }
        // While both lists have something left, neither is ahead by more than one pick.
        let shared = min(first.count, second.count) - Set(first).intersection(second).count
        for length in 0...max(0, shared) {
            let count = draft.picks.prefix(length).count { $0.team == .first }
            #expect(abs(2 * count - min(length, elements.count)) <= 1)
        }
        let limited = TeamDraft(first, second, limit: 3) { true }
        #expect(limited.picks.count == min(3, elements.count))
    }

    /// A member who clicks at random prefers neither list.
    @Test func clicksAtRandomPreferNeither() {
        var generator = SeededGenerator(seed: 7)
        var votes = InterleavingVotes()
        for _ in 0..<4000 {
            let draft = TeamDraft(Array(0..<30), Array(10..<40), limit: 10) { Bool.random(using: &generator) }
            let clicked = draft.picks.filter { _ in Int.random(in: 0..<5, using: &generator) == 0 }
            votes.add((clicked.count { $0.team == .first }, clicked.count { $0.team == .second }))
        }
        #expect(abs(votes.secondPart - 0.5) < 0.03)
        #expect(votes.pValue > 0.01)
        #expect(votes.first + votes.second + votes.neither == 4000)
    }
}
