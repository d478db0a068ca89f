import Changes
import Model
import SQLite
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Curation")
struct CurationTests {
    private func filled() throws -> CatalogUnderTest {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,visibility\na,public\nb,public\nc,public\ns,private\n")
        return test
    }

    /// Applies a decision, and returns whether the catalog has the group.
    @discardableResult
    private func curate(
        _ id: String, _ test: CatalogUnderTest, position: Int? = nil, startsAt: Int64? = nil, expiresAt: Int64? = nil
    ) throws -> Bool {
        let action = SiteChange.Action.curate(position: position, startsAt: startsAt, expiresAt: expiresAt)
        return try test.catalog.take([.site(SiteChange(ofGroup: id, action, atMilliseconds: 0))]) == 0
    }

    private func uncurate(_ id: String, _ test: CatalogUnderTest) throws -> Bool {
        try test.catalog.take([.site(SiteChange(ofGroup: id, .uncurate, atMilliseconds: 0))]) == 0
    }

    private func order(_ test: CatalogUnderTest) throws -> [String] {
        let curations = try test.catalog.facts.curations()
        #expect(curations.map(\.position) == Array(1..<(curations.count + 1)))
        return curations.map(\.groupID)
    }

    @Test("groups are added at the end or at a position, moved and removed; positions have no gaps")
    func order() throws {
        let test = try filled()
        #expect(try order(test).isEmpty)
        for id in ["a", "b"] { try curate(id, test) }
        try curate("c", test, position: 1)
        #expect(try order(test) == ["c", "a", "b"])
        try curate("c", test, position: 2)
        #expect(try order(test) == ["a", "c", "b"])
        try curate("a", test, position: 99)
        #expect(try order(test) == ["c", "b", "a"])
        let before = try test.catalog.facts.changeCount()
        try curate("a", test, position: 3)
        #expect(try order(test) == ["c", "b", "a"] && test.catalog.facts.changeCount() == before)
        for _ in 0..<2 { #expect(try uncurate("b", test) && order(test) == ["c", "a"]) }
        #expect(try !curate("none", test) && !uncurate("none", test))
    }

    @Test("groups are valid from their start up to their expiry")
    func validity() throws {
        let test = try filled()
        try curate("a", test, startsAt: 10, expiresAt: 20)
        try curate("b", test)
        func valid(_ instant: Int64) throws -> [String] {
            try test.catalog.facts.curations().filter { $0.isValid(at: instant) }.map { "\($0.position) \($0.groupID)" }
        }
        #expect(try valid(9) == ["2 b"])
        #expect(try valid(10) == ["1 a", "2 b"] && valid(19) == valid(10))
        #expect(try valid(20) == ["2 b"])
        #expect(try test.catalog.facts.curations().map(\.startsAt) == [10, nil])
        try curate("c", test, startsAt: 5, expiresAt: 5)
        #expect(try order(test) == ["a", "b"])
    }

    @Test("a private group is not curated, and one that becomes private is not shown")
    func privacy() throws {
        let test = try filled()
        #expect(try curate("s", test) && order(test).isEmpty)
        try curate("a", test)
        try test.importing(.groups, "group_id,visibility\na,private\n")
        #expect(try test.catalog.facts.curations().map { $0.isShown || $0.isValid(at: 0) } == [false])
    }

    @Test("curating changes the catalog, and removing a group removes its curation")
    func changes() throws {
        let test = try filled()
        let before = try test.catalog.facts.changeCount()
        try curate("a", test)
        #expect(try test.catalog.facts.changeCount() > before)
        try test.importing(.groups, "group_id\nb\nc\n") { $0.replaces = true }
        #expect(try test.catalog.facts.curations().isEmpty)
        #expect(try test.lines("SELECT count(*) FROM curated_groups") == ["0"])
    }
}
