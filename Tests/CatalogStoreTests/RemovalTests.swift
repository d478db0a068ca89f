import Basics
import CatalogStore
import Changes
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("Removing what is named one by one, and forgetting members")
struct RemovalTests {
    private func community() throws -> CatalogUnderTest {
        let test = try CatalogUnderTest()
        try test.importing(.photos, "photo_id,user_id\np,ann\nq,ann\nr,bob\n")
        try test.importing(
            .memberships, "group_id,user_id,joined_at\ng,ann,500000001\nh,ann,500000002\ng,bob,500000003\n")
        try test.importing(.pools, "group_id,photo_id\ng,p\ng,r\nh,q\n")
        let catalog = try Catalog(path: test.path, mode: .recording)
        let join = InteractionRecord(id: "1", .join, groupID: "g", atMilliseconds: 9_000)
        try catalog.take([
            .member(MemberChange(ofUser: "ann", .record([join]))),
            .site(SiteChange(ofGroup: "h", .hide, atMilliseconds: 1)),
        ])
        return test
    }

    private func count(_ table: String, _ test: CatalogUnderTest) throws -> Int {
        Int(try test.lines("SELECT count(*) FROM \(table)")[0]) ?? -1
    }

    @Test("Each kind goes with what names it, and nothing else does; what is unknown is named")
    func kinds() throws {
        let test = try community()
        func remove(_ kind: ImportKind, _ rows: [String]...) throws -> RemovalSummary {
            try test.catalog.removal.remove(kind, rows)
        }
        let entry = try remove(.pools, ["g", "p"], ["g", "q"], ["nowhere", "p"], ["g", "p"])
        #expect(entry.removed == 1 && entry.unknown == ["g q", "nowhere p"] && entry.others.isEmpty)
        #expect(entry.repeatedCount == 1)
        #expect(try test.content(.pools) == ["g|r|~", "h|q|~"])
        let photo = try remove(.photos, ["q"])
        #expect(photo.removed == 1 && photo.others == ["pools": 1])
        let group = try remove(.groups, ["h"])
        #expect(group.removed == 1 && group.others == ["memberships": 1, "hidden_groups": 1])
        let user = try remove(.users, ["ann"])
        #expect(user.removed == 1 && user.others == ["memberships": 1, "interactions": 1, "photos": 1])
        #expect(try test.content(.memberships) == ["g|bob|500000003"])
        #expect(try test.content(.photos) == ["p|~|0|~|~|~|~|~|~|~", "r|bob|0|~|~|~|~|~|~|~"])
        #expect(try remove(.memberships, ["g", "bob"]).removed == 1)
        #expect(try count("interactions", test) == 0 && count("hidden_groups", test) == 0)
        // The removed user comes back with the next import.
        try test.importing(.users, "user_id\nann\n")
        #expect(try test.content(.users) == ["ann|~|~|~", "bob|~|~|~"])
    }

    @Test("Files of any dialect name what goes; a bad one changes nothing")
    func files() throws {
        let test = try community()
        let changes = try test.catalog.facts.changeCount()
        let good = try test.file(Array("joined_at;user_id;group_id\n1;ann;h\n".utf8))
        let bad = try test.file(Array("group_id,user_id\ng,bob,x\n".utf8))
        func remove(_ files: [String]) throws -> RemovalSummary {
            let rows = try NamedRows.rows(of: .memberships, .standard, inFiles: files)
            return try test.catalog.removal.remove(.memberships, [["g", "ann"]] + rows)
        }
        let error = try #require(catalogError { _ = try remove([good, bad]) })
        #expect(error.code == .badData && error.message.contains("line 2"), "\(error)")
        #expect(try count("memberships", test) == 3 && test.catalog.facts.changeCount() == changes)
        #expect(try remove([good]).removed == 2)
        #expect(try test.content(.memberships) == ["g|bob|500000003"])
    }

    /// Applies changes with the given stamps, and returns the number of parts left out.
    private func applyLate(
        _ changes: [(stamp: Int64, user: String, record: InteractionRecord)], _ catalog: Catalog
    ) throws -> Int {
        var leftOut = 0
        for (stamp, user, record) in changes {
            leftOut += try catalog.take([.member(MemberChange(ofUser: user, .record([record])))], stamp: stamp)
        }
        return leftOut
    }

    @Test("What daemons recorded before a removal does not bring back what was removed; what they record later does")
    func lateChanges() throws {
        let test = try community()
        let catalog = try Catalog(path: test.path, mode: .recording)
        func remove(_ kind: ImportKind, _ rows: [String]...) throws {
            _ = try catalog.removal.remove(kind, rows, stamp: 100)
        }
        try remove(.users, ["ann"], ["ghost"])
        try remove(.memberships, ["h", "bob"])
        try remove(.favourites, ["bob", "p"])
        try remove(.groups, ["g"])
        // The group, but not the member, comes back with a file.
        try test.importing(.groups, "group_id\ng\nh\n")
        func interaction(_ kind: Interaction.Kind, _ subject: String, _ id: String = "1") -> InteractionRecord {
            InteractionRecord(id: "\(kind) \(subject) \(id)", kind, subjectID: subject, atMilliseconds: 9_000)
        }
        let old: [(stamp: Int64, user: String, record: InteractionRecord)] = [
            (1, "ann", interaction(.dismiss, "h")), (2, "ghost", interaction(.join, "h")),
            (3, "bob", interaction(.join, "h")), (4, "bob", interaction(.favourite, "p")),
            (5, "bob", interaction(.click, "g")), (99, "cy", interaction(.follow, "ann")),
        ]
        #expect(try applyLate(old, catalog) == 6)
        #expect(try test.content(.users) == ["bob|~|~|~"])
        #expect(try test.content(.memberships).isEmpty && test.content(.favourites).isEmpty)
        #expect(try count("interactions", test) == 0)
        // Another pair of the same member is not concerned.
        let others = [(stamp: Int64(50), user: "bob", record: interaction(.favourite, "q"))]
        #expect(try applyLate(others, catalog) == 0)
        #expect(try test.content(.favourites).count == 1)
        #expect(try applyLate(old.map { (101, $0.user, $0.record) }, catalog) == 0)
        #expect(try test.content(.users).map { $0.prefix(3) } == ["ann", "bob", "cy|", "gho"])
        #expect(try test.content(.memberships).count == 2 && test.content(.favourites).count == 2)
        #expect(try test.content(.follows).count == 1)
    }

    @Test("A change under an old id does not bring back a member who was renamed and deleted since")
    func lateUnderOldID() throws {
        let test = try community()
        let catalog = try Catalog(path: test.path, mode: .recording)
        _ = try catalog.rename(.users, from: "ann", to: "anna")
        _ = try catalog.removal.remove(.users, [["anna"]], stamp: 100)
        let join = InteractionRecord(id: "9", .join, groupID: "h", atMilliseconds: 9_000)
        #expect(try applyLate([(1, "ann", join)], catalog) == 1)
        #expect(try test.content(.users) == ["bob|~|~|~"])
        #expect(try applyLate([(101, "ann", join)], catalog) == 0)
        #expect(try test.content(.users) == ["anna|~|~|~", "bob|~|~|~"])
    }

    @Test("So does a replacing import: what it removes comes back only with what daemons record later")
    func lateAfterReplacing() throws {
        let test = try community()
        let summary = try test.importing(.users, "user_id\nbob\n") { $0.replaces = true }
        #expect(summary.removed == 1)
        let catalog = try Catalog(path: test.path, mode: .recording)
        let join = InteractionRecord(id: "9", .join, groupID: "h", atMilliseconds: 9_000)
        #expect(try applyLate([(9_000, "ann", join)], catalog) == 1)
        #expect(try test.content(.users) == ["bob|~|~|~"])
        // A day later, whatever the clocks say.
        let later = Int64(Date().timeIntervalSince1970 * 1000) + 86_400_000
        #expect(try applyLate([(later, "ann", join)], catalog) == 0)
        #expect(try test.content(.users) == ["ann|~|~|~", "bob|~|~|~"])
    }

    @Test("The notes of removals go with a member who is forgotten; until then they are a trace")
    func notesOfForgotten() throws {
        let test = try community()
        let catalog = try Catalog(path: test.path, mode: .recording)
        for (kind, row) in [
            (ImportKind.users, ["ann"]), (.memberships, ["g", "ann"]), (.favourites, ["ann", "p"]),
            (.follows, ["bob", "ann"]), (.follows, ["ann", "bob"]), (.follows, ["bob", "cy"]), (.posts, ["g", "ann"]),
        ] { _ = try catalog.removal.remove(kind, [row], stamp: 100) }
        #expect(try catalog.facts.traces(ofMember: "ann").rows == ["noted_removals": 5])
        _ = try catalog.removal.forget(["ann"], withPhotos: false, atMilliseconds: 101)
        #expect(try catalog.facts.traces(ofMember: "ann").rows.isEmpty)
        let notes = "SELECT kind || ' ' || id || ' ' || entry_id FROM noted_removals"
        #expect(try test.lines(notes) == ["follows bob cy"])
    }

    @Test("A forgotten member leaves no trace, and no import, interaction or journal brings them back")
    func forgetting() throws {
        let test = try community()
        let catalog = try Catalog(path: test.path, mode: .recording)
        let (summary, isErased) = try catalog.removal.forget(["ann", "ghost"], withPhotos: false, atMilliseconds: 77)
        #expect(summary.removed == 1 && summary.others == ["memberships": 2, "interactions": 1, "photos": 2])
        #expect(summary.unknown == ["ghost"])
        #expect(isErased)
        func traces(_ id: String) throws -> MemberTraces { try catalog.facts.traces(ofMember: id) }
        let ann = try traces("ann")
        #expect(ann.rows.isEmpty && ann.forgottenAt == 77)
        #expect(try traces("bob").rows == ["users": 1, "photos": 1, "memberships": 1])
        #expect(try ["ann", "ghost", "bob"].map(catalog.facts.isForgotten(user:)) == [true, true, false])

        let users = try test.importing(.users, "user_id,name\nann,A\nghost,G\nbob,B\n")
        #expect(users.forgotten == 2 && users.written == 1)
        let pairs = try test.importing(
            .memberships,
            "group_id,user_id,joined_at\ng,ann,500000005\nh,bob,500000006\nh,ghost,500000007\nh,ann,\ng,new,500000001\n"
        ) { $0.batchRows = 2 }
        #expect(pairs.forgotten == 3 && pairs.written == 2 && pairs.unchanged == 0)
        try test.importing(.photos, "photo_id,user_id\np,ann\nz,ghost\n")
        #expect(try test.content(.photos).allSatisfy { $0.hasPrefix("r|bob") || $0.contains("|~|0") })
        let join = InteractionRecord(id: "2", .join, groupID: "g", atMilliseconds: 99_000)
        for action in [MemberChange.Action.record([join]), .state(interests: ["owls"]), .forget(id: nil)] {
            try catalog.take([.member(MemberChange(ofUser: "ann", action))])
        }
        #expect(try test.content(.memberships) == ["g|bob|500000003", "g|new|500000001", "h|bob|500000006"])
        #expect(try traces("ann").rows.isEmpty)

        let readmitted = try test.importing(.memberships, "group_id,user_id\ng,ann\n") { $0.readmits = true }
        #expect(readmitted.forgotten == 0 && readmitted.written == 1)
        #expect(try !catalog.facts.isForgotten(user: "ann") && catalog.facts.isForgotten(user: "ghost"))
        let again = try catalog.removal.readmit(["ghost", "bob"], atMilliseconds: 9_000)
        #expect(again.removed == 1 && again.unknown == ["bob"])
    }

    @Test("Only the member is forgotten: a group of the same id is imported")
    func sameID() throws {
        let test = try community()
        let catalog = try Catalog(path: test.path, mode: .recording)
        _ = try catalog.removal.forget(["ann"], withPhotos: false, atMilliseconds: 1)
        let pairs = try test.importing(.memberships, "group_id,user_id\nann,bob\nann,ann\n")
        #expect(pairs.written == 1 && pairs.forgotten == 1)
        #expect(try test.content(.memberships).contains("ann|bob|~"))
    }

    @Test("With photos these go too, and their places in pools")
    func photos() throws {
        let test = try community()
        let catalog = try Catalog(path: test.path, mode: .recording)
        let (summary, _) = try catalog.removal.forget(["ann"], withPhotos: true, atMilliseconds: 1)
        #expect(summary.others == ["photos": 2, "pools": 2, "memberships": 2, "interactions": 1])
        #expect(try test.content(.photos) == ["r|bob|0|~|~|~|~|~|~|~"])
        #expect(try test.content(.pools) == ["g|r|~"])
    }

    @Test("A replacing import of users does not count the forgotten among what it keeps")
    func replacing() throws {
        let test = try community()
        let catalog = try Catalog(path: test.path, mode: .recording)
        _ = try catalog.removal.forget(["ann"], withPhotos: false, atMilliseconds: 1)
        let summary = try test.importing(.users, "user_id\nann\nbob\n") { $0.replaces = true }
        #expect(summary.removed == 0 && summary.forgotten == 1)
        #expect(try test.content(.users) == ["bob|~|~|~"])
    }
}
