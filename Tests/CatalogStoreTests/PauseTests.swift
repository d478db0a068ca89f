import Changes
import Model
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Pauses of members' lists in the catalog")
struct PauseTests {
    private let test: CatalogUnderTest
    private var catalog: Catalog { test.catalog }

    init() throws {
        test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\nowls\n")
        try test.importing(.users, "user_id\nann\nbob\n")
    }

    private func tell(
        _ kind: Interaction.Kind, of user: String = "ann", at seconds: Int64, for length: Int? = nil
    ) throws {
        let record = InteractionRecord(
            id: "\(kind) \(seconds)", kind, subjectID: "", atMilliseconds: seconds * 1000, seconds: length)
        try catalog.take([.member(MemberChange(ofUser: user, .record([record])))])
    }

    /// The pauses of all members, as a recompute reads them; each must be what the member's own history says.
    private func pauses() throws -> [String: Pause] {
        var found: [String: Pause] = [:]
        let snapshot = try Matrices(of: catalog.facts, threads: 1)
        let ids = try snapshot.users().ids
        try snapshot.forEachMember(impressionsSince: 0) { column, _, pause in found[ids[column]] = pause }
        for user in ["ann", "bob"] {
            var last: Pause?
            for record in try catalog.facts.history(ofUser: user, impressionsSince: 0) {
                if let pause = record.pause { last.settle(pause) }
            }
            #expect(last == found[user], "\(user)")
        }
        return found
    }

    @Test("The latest statement counts, whenever it arrives, and nothing in the catalog is missing or changed by it")
    func latest() throws {
        let before = try catalog.facts.changeCount()
        try tell(.pause, at: 1_700_000_010, for: 86_400)
        #expect(try pauses() == ["ann": Pause(atSeconds: 1_700_000_010, endSeconds: 1_700_086_410)])
        try tell(.resume, at: 1_700_000_009)
        #expect(try pauses()["ann"]?.isOn(atMilliseconds: 1_700_000_011_000) == true)
        try tell(.resume, at: 1_700_000_020)
        try tell(.pause, of: "bob", at: 1_700_000_020)
        try tell(.pause, at: 1_700_000_019)
        #expect(
            try pauses() == [
                "ann": Pause(atSeconds: 1_700_000_020, endSeconds: 0),
                "bob": Pause(atSeconds: 1_700_000_020, endSeconds: nil),
            ])
        #expect(try catalog.facts.changeCount() == before)
        let examination = try CatalogExamination(of: catalog.facts)
        #expect(examination.dangling.isEmpty && examination.damage.isEmpty)
    }

    @Test("Forgetting ends a pause, and one statement alone can be forgotten")
    func forgetting() throws {
        try tell(.pause, at: 1_700_000_010)
        try tell(.resume, at: 1_700_000_020)
        try catalog.take([.member(MemberChange(ofUser: "ann", .forget(id: "resume 1700000020")))])
        #expect(try pauses() == ["ann": Pause(atSeconds: 1_700_000_010, endSeconds: nil)])
        let without = try catalog.facts.history(
            ofUser: "ann", impressionsSince: 0, without: [.init("pause 1700000010")])
        #expect(without.isEmpty)
        try catalog.take([.member(MemberChange(ofUser: "ann", .forget(id: nil)))])
        #expect(try pauses().isEmpty)
    }

    @Test("A pause goes along with a new id, and the latest counts when two ids become one")
    func renaming() throws {
        try tell(.pause, at: 1_700_000_010)
        #expect(try catalog.rename(.users, from: "ann", to: "laura") == .renamed)
        #expect(try catalog.facts.history(ofUser: "laura", impressionsSince: 0).map(\.kind) == [.pause])
        try tell(.resume, of: "bob", at: 1_700_000_009)
        #expect(try catalog.rename(.users, from: "laura", to: "bob") == .merged)
        #expect(try pauses() == ["bob": Pause(atSeconds: 1_700_000_010, endSeconds: nil)])
    }

    @Test("A pause has its end as its last moment, exclusive, and no length goes beyond a year")
    func end() throws {
        let pause = try #require(Pause(.pause, atMilliseconds: 5_900, seconds: 86_400))
        #expect(pause == Pause(atSeconds: 5, endSeconds: 86_405))
        #expect(pause.isOn(atMilliseconds: 86_404_999) && !pause.isOn(atMilliseconds: 86_405_000))
        #expect(Pause(.pause, atMilliseconds: 0, seconds: .max)?.endSeconds == 31_536_000)
        #expect(Pause(.resume, atMilliseconds: 5_000, seconds: nil)?.isOn(atMilliseconds: 0) == false)
        let kinds = Interaction.Kind.allCases.filter { Pause($0, atMilliseconds: 0, seconds: nil) != nil }
        #expect(kinds == [.pause, .resume])
    }
}
