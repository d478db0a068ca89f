import Basics
@testable import CatalogStore
import RecordReading
import SQLite
import Testing

@Suite("The parts of a catalog")
struct FactsTests {
    @Test("Facts are read; a statement that writes is a mistake that ends the program")
    func reading() async throws {
        let facts = try Catalog(path: "", mode: .writing).facts
        #expect(try facts.database.integer("SELECT count(*) FROM groups WHERE group_key > ?", 0) == 0)
        await #expect(processExitsWith: .failure) {
            let facts = try Catalog(path: "", mode: .writing).facts
            // Without the write, the process ends well.
            _ = try facts.database.prepare("SELECT 1 FROM groups")
            _ = try? facts.database.prepare("DELETE FROM groups")
        }
    }

    @Test("Whether a group is public is known of each id; a group of unknown visibility is not")
    func publicGroups() throws {
        let catalog = try Catalog(path: "", mode: .writing)
        try catalog.database.execute("INSERT INTO groups (group_id, visibility) VALUES ('a', 0), ('s', 1), ('u', 2)")
        let found = try ["a", "s", "u", "none"].map { try catalog.facts.isPublic(group: $0) }
        #expect(found == [true, false, false, nil])
    }

    @Test("Findings are told in the order of their kinds, and then of the columns")
    func findings() {
        let findings = ImportFindings()
        findings.note(.repeatedHeaders, 2)
        findings.note(.unreadableValues, of: "last_active_at", first: "f, line 3")
        findings.note(.unreadableValues, of: "created_at", first: "f, line 4")
        findings.note(.unreadableValues, of: "created_at", first: "f, line 5")
        findings.note(.keptEscapes, 0)
        let all = findings.all(in: ImportKind.groups.columns)
        #expect(all.map(\.kind) == [.unreadableValues, .unreadableValues, .repeatedHeaders])
        #expect(all.map(\.count) == [2, 1, 2])
        #expect(all[0].message.hasPrefix("2 created_at could not be read and are unknown"))
        #expect(all[0].message.hasSuffix("the first is f, line 4"))
        #expect(all[2].message == "2 repeated headers were passed over")
    }
}
