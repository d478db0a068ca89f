import Basics
import CatalogStore
import FoundationEssentials
import Model
import ModelStore
import Recompute
import Similarity
import TestSupport
import Testing

@Suite("The gate between a new version and the current one")
struct GateTests {
    /// 40 groups of 6 members each, half of whom are in the next group, too.
    private func ring() -> String {
        var lines = "group_id,user_id\n"
        for group in 0..<40 {
            for member in 0..<6 { lines += "g\(group),u\((group * 3 + member) % 120)\n" }
        }
        return lines
    }

    private func community() throws -> SmallCommunity {
        let community = try SmallCommunity()
        try community.importing(.memberships, ring())
        return community
    }

    private func objections(_ body: () throws(Failure) -> Void) -> [String] {
        do throws(Failure) { try body() } catch {
            guard error.code == .refused, let start = error.message.firstRange(of: "too much: ")?.upperBound,
                let end = error.message.firstRange(of: ". Look at it")?.lowerBound
            else { return [] }
            return error.message[start..<end].components(separatedBy: "; ")
        }
        return []
    }

    @Test("lets through what hardly changed, and says how much did")
    func small() throws {
        let community = try community()
        #expect(try community.recompute().comparison == nil)
        try community.importing(.memberships, "group_id,user_id\ng1,newcomer\ng2,newcomer\n")
        let outcome = try community.recompute()
        #expect(outcome.isPublished && outcome.manifest.objections == nil)
        let members = try #require(outcome.comparison?.relations.first { $0.relation == .members })
        #expect(try #require(members.overlapAt10) > 0.9)
        #expect(outcome.steps.map(\.name).contains("compare versions"))
    }

    @Test("keeps the current version when many groups are gone; the new one is there to be looked at")
    func lostGroups() throws {
        let community = try community()
        let first = try community.recompute().manifest.version
        try hide(0..<8, in: community)
        let found = objections { () throws(Failure) in try community.recompute() }
        #expect(found.contains("8 of 40 groups are gone (at most 10%)"))
        #expect(found.contains("48 of 240 entries of memberships are gone (at most 10%)"))
        let versions = try community.store.versions()
        #expect(versions.count == 2 && versions[1].objections == found)
        #expect(try community.store.current() == first)
        let forced = try community.recompute { $0.isForced = true }
        #expect(forced.isPublished && forced.manifest.objections == nil)
        #expect(try community.store.current() == forced.manifest.version)
    }

    @Test("a share at its limit is let through, one beyond it is not", arguments: [(0.2, true), (0.199, false)])
    func limits(lost: Double, isPublished: Bool) throws {
        let community = try community()
        try community.recompute()
        try hide(0..<8, in: community)
        let found = objections { () throws(Failure) in
            try community.recompute { $0.gate = GateLimits(lost: lost, emptied: 1, overlap: 0, drift: 9) }
        }
        #expect(found.isEmpty == isPublished)
    }

    @Test("judges neighbours and scores only when the formula is the same")
    func otherFormula() throws {
        let community = try community()
        try community.recompute()
        let strict = GateLimits(lost: 0, emptied: 1, overlap: 1, drift: 0)
        try community.importing(.memberships, "group_id,user_id\ng1,u60\ng2,u66\n")
        let found = objections { () throws(Failure) in try community.recompute { $0.gate = strict } }
        #expect(found.contains { $0.hasPrefix("only ") } && found.contains { $0.hasPrefix("scores ") })
        let changed = try community.recompute {
            $0.gate = strict
            $0[.members].measure = .cosine
        }
        #expect(changed.isPublished)
    }

    @Test("says how many groups lost all their neighbours")
    func emptied() throws {
        let community = try community()
        // Ten pairs of groups, far from the ring, and each with a member of its own.
        let pairs = (0..<10).map { "p\($0),x\($0)\nq\($0),x\($0)\n" }.joined()
        try community.importing(.memberships, "group_id,user_id\n" + pairs)
        try community.recompute()
        try hide((0..<4).map { "q\($0)" }, in: community)
        let found = objections { () throws(Failure) in
            try community.recompute { $0.gate = GateLimits(emptied: 0.05) }
        }
        #expect(found == ["4 of 56 groups have no neighbours by members any more (at most 5%)"])
    }

    @Test("a dry run warns of what a recompute would be refused for, and changes nothing")
    func dryRun() throws {
        let community = try community()
        let first = try community.recompute().manifest.version
        try hide(0..<8, in: community)
        let observer = RecordingObserver()
        let outcome = try community.recompute(observer: observer) { $0.isDryRun = true }
        #expect(outcome.comparison?.groupsLost == 8 && !outcome.isPublished)
        #expect(observer.warnings.contains("a recompute would be refused: 8 of 40 groups are gone (at most 10%)"))
        #expect(try community.store.versions().map(\.version) == [first])
    }

    @Test("few of anything are not judged")
    func few() throws {
        let community = try SmallCommunity()
        try community.importing(.memberships, "group_id,user_id\na,u\nb,u\nc,u\nd,u\n")
        try community.recompute()
        try community.importing(.groups, "group_id,visibility\na,private\nb,private\nc,\nd,\n")
        #expect(try community.recompute().isPublished)
    }

    private func hide(_ groups: Range<Int>, in community: SmallCommunity) throws {
        try hide(groups.map { "g\($0)" }, in: community)
    }

    /// Makes groups private by a file that has all groups.
    private func hide(_ ids: [String], in community: SmallCommunity) throws {
        let hidden = Set(ids)
        let rows = try Facts(path: community.catalogPath).groups().map { group in
            "\(group.id),\(hidden.contains(group.id) ? .private : group.visibility)\n"
        }
        try community.importing(.groups, "group_id,visibility\n" + rows.joined())
    }
}
