import Changes
import Foundation
import Model
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Favourites and follows that members tell of over HTTP, in the catalog")
struct TellingTests {
    private let test: CatalogUnderTest
    private var catalog: Catalog { test.catalog }

    init() throws {
        test = try CatalogUnderTest()
        try test.importing(.photos, "photo_id,visibility\np,public\nq,public\nsecret,private\n")
        try test.importing(.users, "user_id\nann\nbob\ncat\n")
        try test.importing(.favourites, "user_id,photo_id,added_at\nann,q,1700000005\n")
    }

    private func tell(_ kind: Interaction.Kind, _ subject: String, of user: String = "ann", at seconds: Int64) throws {
        let record = InteractionRecord(
            id: "\(kind) \(subject) \(seconds)", kind, subjectID: subject, atMilliseconds: seconds * 1000)
        try catalog.take([.member(MemberChange(ofUser: user, .record([record])))])
    }

    @Test("The latest event of a pair counts, whether a file or the member told of it, in whatever order they come")
    func latest() throws {
        let before = try catalog.facts.changeCount()
        try tell(.favourite, "p", at: 1_700_000_010)
        #expect(try catalog.facts.changeCount() > before)
        #expect(try test.content(.favourites) == ["ann|p|1700000010", "ann|q|1700000005"])
        // An earlier event changes nothing, a later one does.
        try tell(.unfavourite, "p", at: 1_700_000_009)
        try tell(.unfavourite, "q", at: 1_700_000_004)
        #expect(try test.content(.favourites) == ["ann|p|1700000010", "ann|q|1700000005"])
        try tell(.unfavourite, "q", at: 1_700_000_006)
        try tell(.follow, "bob", at: 1_700_000_010)
        try tell(.unfollow, "bob", at: 1_700_000_020)
        try tell(.follow, "cat", at: 1_700_000_020)
        let told = (try test.content(.favourites), try test.content(.follows))
        #expect(told.0 == ["ann|p|1700000010"] && told.1 == ["ann|cat|1700000020"])
        // Files of the night before do not undo it, but a later time in a file does.
        try test.importing(.favourites, "user_id,photo_id,added_at\nann,q,1700000005\n") {
            $0.replaces = true
            $0.allowsShrinking = true
        }
        try test.importing(.follows, "user_id,followed_id\nann,bob\n")
        #expect(try test.content(.favourites) == told.0 && test.content(.follows) == told.1)
        try test.importing(.favourites, "user_id,photo_id,added_at\nann,q,1700000007\n")
        #expect(try test.content(.favourites) == told.0 + ["ann|q|1700000007"])
        let examination = try CatalogExamination(of: catalog.facts)
        #expect(examination.dangling.isEmpty && examination.damage.isEmpty)
    }

    @Test("A time in a file that is still to come does not win over what the member does")
    func future() throws {
        let now = Int64(Date().timeIntervalSince1970)
        func files() throws {
            try test.importing(.favourites, "user_id,photo_id,added_at\nann,q,2150-01-01\nbob,q,2150-01-01\n") {
                $0.replaces = true
            }
            try test.importing(.follows, "user_id,followed_id,since\nann,bob,2150-01-01\n") { $0.replaces = true }
            try test.importing(.memberships, "group_id,user_id,joined_at\ng,ann,2150-01-01\ng,bob,2150-01-01\n")
        }
        try files()
        let group = InteractionRecord(id: "l", .leave, groupID: "g", atMilliseconds: now * 1000)
        try catalog.take([.member(MemberChange(ofUser: "ann", .record([group])))])
        try tell(.unfavourite, "q", at: now)
        try tell(.favourite, "q", of: "bob", at: now)
        try tell(.unfollow, "bob", at: now)
        for _ in 0..<2 {
            // The member's own event tells the time; without one, it is not known.
            #expect(try test.content(.favourites) == ["bob|q|\(now)"])
            #expect(try test.content(.follows) == [])
            #expect(try test.content(.memberships) == ["g|bob|~"])
            try files()
        }
    }

    @Test("Tables settle as the catalog does", arguments: [nil, 5, 6, 7, 11] as [Int64?])
    func tables(time: Int64?) {
        let before = TableEntry(column: 3, time: time)
        func settled(_ hasJoined: Bool) -> TableEntry? {
            SettledMembership(column: 3, hasJoined: hasJoined, seconds: 6, latestSeconds: 10).settle(before)
        }
        #expect(settled(true)?.time == (time == 7 ? 7 : 6))
        #expect(settled(false)?.time == (time == 7 ? 7 : nil))
    }

    @Test("What a journal acknowledged is kept, but for photos and members that are gone")
    func replayed() throws {
        let records = [
            InteractionRecord(id: "1", .favourite, subjectID: "secret", atMilliseconds: 5000),
            InteractionRecord(id: "2", .favourite, subjectID: "gone", atMilliseconds: 5000),
            InteractionRecord(id: "3", .follow, subjectID: "nobody", atMilliseconds: 5000),
            InteractionRecord(id: "4", .follow, subjectID: "bob", atMilliseconds: 5000),
            InteractionRecord(id: "5", .follow, subjectID: "cat", atMilliseconds: 5000),
        ]
        _ = try catalog.removal.forget(["cat"], withPhotos: false, atMilliseconds: 1)
        #expect(try catalog.take([.member(MemberChange(ofUser: "ann", .record(records)))]) == 3)
        // Sending the same again changes nothing, and they are no history of groups.
        #expect(try catalog.take([.member(MemberChange(ofUser: "ann", .record([records[3]])))]) == 0)
        #expect(try test.interactionIDs(of: "ann") == ["1", "4"])
        #expect(try catalog.facts.history(ofUser: "ann", impressionsSince: 0).isEmpty)
        #expect(try test.content(.favourites) == ["ann|q|1700000005", "ann|secret|5"])
        #expect(try test.content(.follows) == ["ann|bob|5"])
    }

    @Test("To forget interactions keeps what they say; a deletion of the pair, the photo or the member does not")
    func removal() throws {
        for (kind, subject) in [(Interaction.Kind.favourite, "p"), (.follow, "bob"), (.follow, "cat")] {
            try tell(kind, subject, at: 1_700_000_010)
        }
        try catalog.take([.member(MemberChange(ofUser: "ann", .forget(id: nil)))])
        #expect(try test.content(.favourites).count == 2 && test.content(.follows).count == 2)
        try tell(.favourite, "p", at: 1_700_000_020)
        try tell(.follow, "bob", at: 1_700_000_020)
        try tell(.follow, "ann", of: "bob", at: 1_700_000_020)
        _ = try catalog.removal.remove(.follows, [["ann", "bob"]])
        // The recorded follow does not come back with the next file.
        try test.importing(.follows, "user_id,followed_id\ncat,ann\n")
        #expect(try test.content(.follows) == ["ann|cat|1700000010", "bob|ann|1700000020", "cat|ann|~"])
        _ = try catalog.removal.remove(.photos, [["p"]])
        _ = try catalog.removal.forget(["bob"], withPhotos: false, atMilliseconds: 1)
        #expect(try catalog.facts.traces(ofMember: "bob").rows.isEmpty)
        // The favourite is gone with its photo, what bob followed with bob, and ann's follow of bob with both.
        #expect(
            try test.lines("SELECT id, is_forgotten FROM interactions JOIN users USING (user_key)").count == 1)
        #expect(try test.interactionIDs(of: "ann").isEmpty)
        #expect(try test.content(.follows) == ["ann|cat|1700000010", "cat|ann|~"])
        let examination = try CatalogExamination(of: catalog.facts)
        #expect(examination.dangling.isEmpty && examination.damage.isEmpty)
    }

    @Test("Under another id, a member likes and follows the same, and is followed by the same")
    func renaming() throws {
        try tell(.follow, "bob", at: 1_700_000_010)
        try tell(.follow, "guest", of: "cat", at: 1)
        try test.importing(.users, "user_id\nguest\n")
        try tell(.follow, "guest", of: "cat", at: 1_700_000_010)
        try tell(.follow, "ann", of: "guest", at: 1_700_000_010)
        try tell(.favourite, "p", of: "guest", at: 1_700_000_010)
        #expect(try catalog.rename(.users, from: "guest", to: "ann") == .merged)
        #expect(try test.content(.follows) == ["ann|bob|1700000010", "cat|ann|1700000010"])
        #expect(try test.content(.favourites) == ["ann|p|1700000010", "ann|q|1700000005"])
        // A change under the old id counts for the new one, on either side.
        try tell(.unfollow, "guest", of: "cat", at: 1_700_000_020)
        #expect(try test.content(.follows) == ["ann|bob|1700000010"])
        try test.importing(.follows, "user_id,followed_id\nbob,cat\n")
        #expect(try test.content(.follows) == ["ann|bob|1700000010", "bob|cat|~"])
    }
}
