import Changes
import Foundation
import Model
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Removals as changes")
struct RemovalChangeTests {
    private func community() throws -> (CatalogUnderTest, Catalog) {
        let test = try CatalogUnderTest()
        try test.importing(.photos, "photo_id,user_id\np,ann\nq,ann\nr,bob\n")
        try test.importing(
            .memberships, "group_id,user_id,joined_at\ng,ann,500000001\nh,ann,500000002\ng,bob,500000003\n")
        try test.importing(.pools, "group_id,photo_id\ng,p\ng,r\nh,q\n")
        return (test, try Catalog(path: test.path, mode: .recording))
    }

    private static let subjects: [RemovalChange.Subject] = [
        .pooled("p", ofGroup: "g", table: "pools"), .user("bob", ofGroup: "g", table: "memberships"), .photo("q"),
        .group("h"), .account("bob"), .member("ann", withPhotos: true),
    ]

    @Test("Each removes what it names, once")
    func subjects() throws {
        let (test, catalog) = try community()
        for subject in Self.subjects {
            let change = Change.removal(RemovalChange(subject, atMilliseconds: 5_000))
            #expect(try catalog.take([change], stamp: 5) == 0)
            #expect(try catalog.take([change], stamp: 5) == (change.forgottenUserID == nil ? 1 : 0))
        }
        #expect(try test.content(.memberships).isEmpty)
        #expect(try test.content(.photos) == ["r|~|0|~|~|~|~|~|~|~"])
        #expect(try test.content(.pools) == ["g|r|~"])
        #expect(try catalog.facts.ledger().times(of: "ann") == Ledger.Times(forgotten: 5_000))
        // Neither a journal nor an import brings the member back.
        let join = InteractionRecord(id: "1", .join, groupID: "g", atMilliseconds: 9_000)
        try catalog.take([.member(MemberChange(ofUser: "ann", .record([join])))], stamp: 9)
        try test.importing(.memberships, "group_id,user_id\ng,ann\n")
        #expect(try catalog.facts.traces(ofMember: "ann").rows.isEmpty)
    }

    @Test("A membership stays removed, though its join was recorded, until another join")
    func recordedJoin() throws {
        let (test, catalog) = try community()
        func join(_ id: String, at milliseconds: Int64) throws {
            let join = InteractionRecord(id: id, .join, groupID: "g", atMilliseconds: milliseconds)
            try catalog.take([.member(MemberChange(ofUser: "cy", .record([join])))])
        }
        try join("1", at: 4_000)
        let change = RemovalChange(.user("cy", ofGroup: "g", table: "memberships"), atMilliseconds: 5_000)
        #expect(try catalog.take([.removal(change)], stamp: 5_000) == 0)
        #expect(try catalog.facts.traces(ofMember: "cy").rows == ["users": 1, "noted_removals": 1])
        // An import applies recorded joins again.
        try test.importing(.memberships, "group_id,user_id,joined_at\nh,bob,500000009\n")
        #expect(try catalog.facts.member(withID: "cy")?.memberships.isEmpty == true)
        try join("2", at: 6_000)
        #expect(try catalog.facts.member(withID: "cy")?.memberships.map(\.groupID) == ["g"])
    }

    @Test("Changes of one transaction apply in their order, whatever was removed before")
    func order() throws {
        let (test, catalog) = try community()
        defer { withExtendedLifetime(test) {} }
        let join = InteractionRecord(id: "1", .join, groupID: "h", atMilliseconds: 1)
        let changes: [Change] = [
            .member(MemberChange(ofUser: "bob", .record([join]))),
            .removal(RemovalChange(.member("bob", withPhotos: false), atMilliseconds: 2)),
            .member(MemberChange(ofUser: "bob", .record([join]))),
            .removal(RemovalChange(.group("h"), atMilliseconds: 3)),
            .member(MemberChange(ofUser: "ann", .record([join]))),
        ]
        #expect(try catalog.take(changes) == 1)
        #expect(try test.content(.memberships) == ["g|ann|500000001"])
        #expect(try test.lines("SELECT count(*) FROM interactions") == ["0"])
    }

    @Test("Who is readmitted is not removed by a forgetting that comes later and is older")
    func readmittedBefore() throws {
        let (test, catalog) = try community()
        defer { withExtendedLifetime(test) {} }
        let forgetting = Change.removal(RemovalChange(.member("ann", withPhotos: false), atMilliseconds: 5_000))
        // The clock of this machine is behind that of the daemon.
        let waiting = [BytewiseString("ann"): Int64(5_000)]
        #expect(try catalog.removal.readmit(["ann"], atMilliseconds: 4_000).unknown == ["ann"])
        #expect(try catalog.removal.readmit(["ann"], atMilliseconds: 4_000, waiting: waiting).removed == 1)
        func apply(_ number: Int64, _ change: Change) throws {
            _ = try catalog.ingest.apply(journaled: [
                JournaledChange(origin: "a", sequence: number, stampMilliseconds: 5_000 * number, change: change)
            ])
        }
        try apply(1, forgetting)
        #expect(try catalog.facts.member(withID: "ann") != nil && !catalog.facts.isForgotten(user: "ann"))
        try apply(2, .removal(RemovalChange(.member("ann", withPhotos: false), atMilliseconds: 10_000)))
        #expect(try catalog.facts.member(withID: "ann") == nil && catalog.facts.isForgotten(user: "ann"))
    }

    @Test("What was applied is not applied again, so that it can be undone")
    func appliedAlready() throws {
        let (test, catalog) = try community()
        defer { withExtendedLifetime(test) {} }
        let changes = ["ann", "bob"].enumerated().map { index, id in
            JournaledChange(
                origin: "a", sequence: Int64(index) + 1, stampMilliseconds: 1,
                change: .removal(RemovalChange(.member(id, withPhotos: false), atMilliseconds: 1)))
        }
        #expect(try catalog.ingest.apply(journaled: changes).applied == 2)
        #expect(try catalog.removal.readmit(["ann"], atMilliseconds: 9_000).removed == 1)
        #expect(try catalog.ingest.apply(journaled: changes).repeated == 2)
        #expect(try !catalog.facts.isForgotten(user: "ann") && catalog.facts.isForgotten(user: "bob"))
    }

    @Test("Removals in one transaction do what they do in several", arguments: 0..<30)
    func together(seed: UInt64) throws {
        let ((one, alone), (other, together)) = (try community(), try community())
        var random = SeededGenerator(seed: seed)
        let join = InteractionRecord(id: "1", .join, groupID: "h", atMilliseconds: 1)
        let rename = RenamingChange(.user, from: "ann", to: "anna", atMilliseconds: 4)
        let changes: [Change] = (0..<12).map { _ in
            switch Int.random(in: 0..<9, using: &random) {
            case 0: .member(MemberChange(ofUser: "bob", .record([join])))
            case 1: .renaming(rename)
            default:
                .removal(RemovalChange(Self.subjects.randomElement(using: &random)!, atMilliseconds: 5_000))
            }
        }
        let leftOut = try changes.reduce(0) { try $0 + alone.take([$1], stamp: 5) }
        // A row that is named twice in one go is there when it is named again.
        #expect(try together.take(changes, stamp: 5) <= leftOut)
        for table in [ImportKind.users, .groups, .photos, .memberships, .pools] {
            #expect(try one.content(table) == other.content(table))
        }
        #expect(
            try alone.facts.ledger().times == together.facts.ledger().times
                || alone.facts.ledger().key != together.facts.ledger().key)
    }
}
