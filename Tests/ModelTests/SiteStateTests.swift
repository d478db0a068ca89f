import Basics
import Model
import TestSupport
import Testing

@Suite("Hidden and curated groups")
struct SiteStateTests {
    private func change(_ group: String, _ action: SiteChange.Action, at instant: Int64 = 1) -> SiteChange {
        SiteChange(ofGroup: group, action, atMilliseconds: instant)
    }

    private func curate(_ group: String, _ position: Int? = nil, from start: Int64? = nil, to end: Int64? = nil)
        -> SiteChange
    {
        change(group, .curate(position: position, startsAt: start, expiresAt: end))
    }

    private func order(_ state: SiteState) -> [String] {
        state.curations.map { "\($0.position) \($0.groupID)\($0.isShown ? "" : " hidden")" }
    }

    @Test("Hiding a group again keeps the first time, and unhiding shows it again")
    func hiding() {
        var state = SiteState(hidden: [HiddenGroup(id: "z", hiddenAtMilliseconds: 3)])
        #expect(state.apply(change("a", .hide, at: 7)) == .changed)
        #expect(state.apply(change("a", .hide, at: 8)) == .unchanged)
        #expect(state.hiddenGroups.map { "\($0.id) \($0.hiddenAtMilliseconds)" } == ["a 7", "z 3"])
        #expect(state.apply(change("a", .unhide)) == .changed && state.apply(change("a", .unhide)) == .unchanged)
        #expect(state.hiddenGroups.map(\.id) == ["z"])
    }

    @Test("Groups are curated at the end or at a position, moved and removed; positions have no gaps")
    func curation() {
        var state = SiteState(curations: [Curation(groupID: "x", isShown: true, position: 5)])
        for change in [curate("a"), curate("b"), curate("c", 1)] { #expect(state.apply(change) == .changed) }
        #expect(order(state) == ["1 c", "2 x", "3 a", "4 b"])
        #expect(state.apply(curate("c", 99)) == .changed && state.apply(curate("c")) == .unchanged)
        #expect(order(state) == ["1 x", "2 a", "3 b", "4 c"])
        #expect(
            state.apply(curate("a", 2, from: 10)) == .changed && state.apply(curate("a", 2, from: 10)) == .unchanged)
        #expect(state.apply(change("b", .uncurate)) == .changed && state.apply(change("b", .uncurate)) == .unchanged)
        #expect(order(state) == ["1 x", "2 a", "3 c"])
        let before = state
        #expect(state.apply(curate("a", from: 5, to: 5)) == .expiresBeforeStart && state == before)
    }

    @Test("A hidden group keeps its position, and is curated again when it is unhidden")
    func both() {
        var state = SiteState()
        for change in [curate("a"), curate("b"), change("a", .hide)] { #expect(state.apply(change) == .changed) }
        #expect(order(state) == ["1 a hidden", "2 b"])
        #expect(state.apply(curate("a", 2)) == .changed)
        #expect(order(state) == ["1 b", "2 a hidden"])
        #expect(state.apply(change("a", .unhide)) == .changed && order(state) == ["1 b", "2 a"])
    }

    @Test("A decision about a group does not apply to another one whose id only looks the same")
    func similarIDs() {
        let ids = ["\u{E9}lan", "e\u{301}lan"]
        var state = SiteState()
        for id in ids {
            #expect(state.apply(change(id, .hide)) == .changed && state.apply(curate(id)) == .changed)
        }
        #expect(state.hidden.count == 2 && state.curations.count == 2)
        #expect(state.apply(change(ids[1], .unhide)) == .changed && state.apply(change(ids[1], .uncurate)) == .changed)
        #expect(state.hiddenGroups.map { Array($0.id.utf8) } == [Array(ids[0].utf8)])
        #expect(state.curations.map { Array($0.groupID.utf8) } == [Array(ids[0].utf8)])
    }

    @Test("Groups that a version does not have are left out, and hidden groups are not curated")
    func inModel() throws {
        let encoded = try EncodedModel(groups: ["a", "b", "c"].map { GroupFacts(id: $0) }, tables: [:])
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        var state = SiteState()
        for change in [curate("c"), curate("gone"), curate("b"), change("b", .hide), change("gone", .hide)] {
            #expect(state.apply(change) == .changed)
        }
        let decisions = SiteDecisions(state, in: model)
        #expect(decisions.hidden == [1])
        #expect(decisions.curated == [CuratedGroup(group: 2, position: 1)])
        let visible = VisibleModel(model, decisions)
        #expect(["a", "b", "c", "gone"].map { visible.index(ofID: $0) } == [0, nil, 2, nil])
    }

    @Test("A group that is withdrawn for a reason that only another program knows is withdrawn")
    func unknownReason() throws {
        let reasons = try JSON.decoded([Concealment].self, from: Array(#"["private", "embargoed", "hidden"]"#.utf8))
        #expect(reasons == [.private, .removed, .hidden])
    }
}
