import Basics
@testable import CatalogStore
import Changes
import FoundationEssentials
import Model
import SQLite
import Similarity
import TestSupport
import Testing

@Suite("Hidden groups")
struct HiddenGroupTests {
    private let test: CatalogUnderTest
    private var catalog: Catalog { test.catalog }

    /// Creates a catalog with the groups a, b and c, and a private one.
    init() throws {
        test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,visibility\na,public\nb,public\nc,public\nsecret,private\n")
    }

    /// Applies a decision, and returns whether the catalog has the group.
    @discardableResult
    private func change(_ action: SiteChange.Action, _ group: String, at milliseconds: Int64 = 5) throws -> Bool {
        try catalog.take([.site(SiteChange(ofGroup: group, action, atMilliseconds: milliseconds))]) == 0
    }

    private func ids() throws -> [String] { try catalog.facts.hiddenGroups().map(\.id) }

    @Test("Hiding a group again keeps its time, and unhiding shows it again")
    func hiding() throws {
        let before = try catalog.facts.changeCount()
        #expect(try change(.hide, "b", at: 7) && change(.hide, "b", at: 8) && change(.hide, "secret"))
        #expect(try !change(.hide, "none") && !change(.unhide, "none"))
        #expect(try change(.unhide, "a"))
        #expect(try catalog.facts.hiddenGroups().first == HiddenGroup(id: "b", hiddenAtMilliseconds: 7))
        #expect(try catalog.facts.changeCount() == before + 2)
        #expect(try catalog.facts.unshownGroupIDs() == ["b", "secret"])
        #expect(try catalog.facts.groups().filter(\.isShown).map(\.id) == ["a", "c"])
        #expect(try change(.unhide, "b") && change(.unhide, "secret"))
        #expect(try ids().isEmpty && catalog.facts.unshownGroupIDs() == ["secret"])
    }

    @Test("A group stays hidden when an import leaves it out or has it again")
    func imports() throws {
        try change(.hide, "b")
        try test.importing(.groups, "group_id,visibility\nb,public\n")
        #expect(try ids() == ["b"])
        try test.importing(.groups, "group_id\na\nc\nsecret\n") { $0.replaces = true }
        try test.importing(.groups, "group_id\na\nb\nc\n") { $0.replaces = true }
        #expect(try ids() == ["b"])
        #expect(try catalog.facts.groups().map(\.id) == ["a", "b", "c"])
    }

    @Test("A hidden group is not shown as a curated one, and matrices leave it out")
    func use() throws {
        try test.importing(.memberships, "group_id,user_id\na,u\nb,u\nb,v\nc,v\n")
        try change(.curate(position: nil, startsAt: nil, expiresAt: nil), "b")
        try change(.hide, "b")
        #expect(try !#require(try catalog.facts.curations().first).isValid(at: 0))
        let reading = try Matrices(of: catalog.facts, threads: 1).matrix(.memberships) { _ in }
        #expect(reading.matrix.rowCount == 2 && reading.matrix.entryCount == 2)
        let group = try #require(try catalog.facts.group(withID: "a"))
        #expect(try OverlapReport(of: group, in: .memberships, of: catalog.facts, minimumCommon: 1).overlaps.isEmpty)
    }

    @Test(
        "Interactions keep their groups when one is hidden, and those with the hidden one are left out")
    func feedback() throws {
        let clicks = ["a", "b", "c"].map { InteractionRecord(id: $0, .click, groupID: $0, atMilliseconds: 1) }
        try catalog.take([.member(MemberChange(ofUser: "u", .record(clicks)))])
        func rows() throws -> [Int] {
            var rows: [Int] = []
            try Matrices(of: catalog.facts, threads: 1).forEachMember(impressionsSince: 0) {
                _, interactions, _ in
                rows += interactions.map { Int($0.group) }
            }
            return rows
        }
        #expect(try rows() == [0, 1, 2])
        try change(.hide, "b")
        // Group c is now the second row of the matrices.
        #expect(try rows() == [0, 1])
    }

    @Test("A join policy that nothing writes is damage, and no open group")
    func unknownJoinPolicy() throws {
        let database = try Database(path: test.path, mode: .readWrite)
        try database.execute("UPDATE groups SET join_policy = 7 WHERE group_id = 'b'")
        #expect(try catalog.facts.group(withID: "a")?.joinPolicy == .open)
        let error = #expect(throws: Failure.self) { try catalog.facts.group(withID: "b") }
        #expect(error?.code == .badData && error?.message.contains("group b has the join policy 7") == true)
        #expect(throws: Failure.self) { try catalog.facts.groups() }
    }
}
