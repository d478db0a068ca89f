import Changes
import Model
import SQLite
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Interactions in the catalog")
struct InteractionTests {
    private let test: CatalogUnderTest
    private let catalog: Catalog

    /// Creates a catalog with the groups a, b and c, and a private one.
    init() throws {
        test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,visibility\na,public\nb,public\nc,public\nsecret,private\n")
        catalog = try Catalog(path: test.path, mode: .recording)
    }

    private func record(_ interactions: [InteractionRecord], of user: String = "u") throws {
        try catalog.take([.member(MemberChange(ofUser: user, .record(interactions)))])
    }

    @Test("Interactions are kept once, in order, with all their fields, however often they are sent")
    func exactlyOnce() throws {
        let sent = [
            InteractionRecord(
                id: "1", .impression, groupID: "a", atMilliseconds: 5, recommendationID: "r", position: 3,
                variant: "x"),
            InteractionRecord(id: "2", .click, groupID: "b", atMilliseconds: 4),
        ]
        try record(sent + [sent[0]])
        try record(sent)
        // Ids are unique per member, and the first with an id counts.
        try record([sent[0]], of: "v")
        try record([InteractionRecord(id: "1", .join, groupID: "b", atMilliseconds: 9)], of: "v")
        #expect(try catalog.facts.history(ofUser: "v", impressionsSince: 5) == [sent[0]])
        #expect(try catalog.facts.member(withID: "v")?.memberships == [])
        #expect(try catalog.facts.history(ofUser: "nobody", impressionsSince: 5) == [])
        #expect(try catalog.facts.history(ofUser: "u", impressionsSince: 6) == [sent[1]])
        #expect(try catalog.facts.history(ofUser: "u", impressionsSince: 5) == sent)
        for (since, count) in [(5, 2), (6, 1)] {
            var counts: [Int] = []
            try Matrices(of: catalog.facts, threads: 1).forEachMember(impressionsSince: Int64(since)) {
                _, found, _ in
                counts.append(found.count)
            }
            // The first member is u. The second is v, with a recorded impression only.
            #expect(counts == (count == 2 ? [2, 1] : [1]))
        }
    }

    @Test(
        "The latest of imported and recorded joins and leaves decides, in whatever order they come", arguments: 0..<40)
    func latestEventWins(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // The state of the pair by the rule, in its simplest form.
        var latest: (seconds: Int64, isMember: Bool) = (.min, false)
        var imports: Int64?
        for number in 0..<8 {
            let seconds = Int64.random(in: 500_000_001...500_000_006, using: &generator)
            if Int.random(in: 0..<3, using: &generator) == 0 {
                try test.importing(.memberships, "group_id,user_id,joined_at\na,u,\(seconds)\n")
                imports = seconds
            } else {
                let isMember = Bool.random(using: &generator)
                try record([
                    InteractionRecord(
                        id: "\(number)", isMember ? .join : .leave, groupID: "a", atMilliseconds: seconds * 1000)
                ])
                if seconds >= latest.seconds { latest = (seconds, isMember) }
            }
            // At equal times, the member's event counts. A later import overwrites an earlier one.
            let expected = imports.map { $0 > latest.seconds ? true : latest.isMember } ?? latest.isMember
            if imports == nil {
                #expect(try isMember == expected, "\(number)")
            }
            // The same files are imported again, as sites do every night.
            if let imports {
                try test.importing(.memberships, "group_id,user_id,joined_at\na,u,\(imports)\n")
                #expect(try isMember == expected, "\(number)")
            }
        }
    }

    private var isMember: Bool {
        get throws { try catalog.facts.member(withID: "u")?.memberships.isEmpty == false }
    }

    @Test("Files without times, and files that replace, do not undo what members did since")
    func reimports() throws {
        let files = "group_id,user_id\na,u\nb,u\nb,v\nc,w\n"
        try test.importing(.memberships, files)
        try record([
            InteractionRecord(id: "1", .leave, groupID: "a", atMilliseconds: 1000),
            InteractionRecord(id: "2", .join, groupID: "c", atMilliseconds: 2500),
        ])
        let expected = ["b|u|~", "b|v|~", "c|u|2", "c|w|~"]
        #expect(try test.content(.memberships) == expected)
        try test.importing(.memberships, files)
        #expect(try test.content(.memberships) == expected)
        try test.importing(.memberships, files) { $0.replaces = true }
        #expect(try test.content(.memberships) == expected)
    }

    @Test("Forgetting hides one or all interactions; memberships stay")
    func forgetting() throws {
        let sent = ["1", "2", "3"].map { InteractionRecord(id: $0, .join, groupID: "a", atMilliseconds: 1) }
        try record(sent)
        try record(sent, of: "v")
        func forget(_ id: String?, of user: String = "u") throws -> [String] {
            try catalog.take([.member(MemberChange(ofUser: user, .forget(id: id)))])
            return try test.interactionIDs(of: "u")
        }
        for _ in 0..<2 { #expect(try forget("2") == ["1", "3"]) }
        #expect(try forget(nil, of: "nobody") == ["1", "3"])
        #expect(try forget(nil) == [])
        #expect(try test.interactionIDs(of: "v") == ["1", "2", "3"])
        #expect(try catalog.facts.member(withID: "nobody") == nil)
        #expect(try isMember)
    }

    @Test("A forgotten leave still wins over an older file, and over an earlier join that arrives late")
    func forgottenLeave() throws {
        try record([InteractionRecord(id: "1", .join, groupID: "a", atMilliseconds: 1000)])
        try record([InteractionRecord(id: "2", .leave, groupID: "a", atMilliseconds: 9000)])
        try catalog.take([.member(MemberChange(ofUser: "u", .forget(id: nil)))])
        #expect(try test.interactionIDs(of: "u") == [])
        try record([InteractionRecord(id: "3", .join, groupID: "a", atMilliseconds: 5000)])
        #expect(try !isMember)
        let older = "group_id,user_id,joined_at\na,u,1970-01-01T00:00:04Z\n"
        try test.importing(.memberships, older) { $0.replaces = true }
        #expect(try !isMember)
        #expect(try test.interactionIDs(of: "u") == ["3"])
        try record([InteractionRecord(id: "4", .join, groupID: "a", atMilliseconds: 10_000)])
        #expect(try isMember)
    }

    @Test("Stated interests are replaced; only what a recompute reads counts as a change")
    func statingAndCounting() throws {
        try catalog.take([.member(MemberChange(ofUser: "u", .state(interests: ["owls", "snow"])))])
        #expect(try catalog.facts.member(withID: "u")?.interests == ["owls", "snow"])
        let before = try catalog.facts.changeCount()
        try record([InteractionRecord(id: "1", .impression, groupID: "a", atMilliseconds: 1)])
        #expect(try catalog.facts.changeCount() == before)
        try record([InteractionRecord(id: "2", .join, groupID: "a", atMilliseconds: 1)])
        #expect(try catalog.facts.changeCount() > before)
        // The time of the interaction counts for trends, although no file had times.
        #expect(try WorkEstimate(.memberships, of: catalog.facts).hasDates)
        try catalog.take([.member(MemberChange(ofUser: "u", .state(interests: [])))])
        #expect(try catalog.facts.member(withID: "u")?.interests == [])
    }

    @Test("Removing groups and users removes their interactions")
    func removal() throws {
        for group in ["a", "b"] {
            try record([InteractionRecord(id: group, .click, groupID: group, atMilliseconds: 1)])
        }
        try test.importing(.groups, "group_id\nb\nc\nd\n") { $0.replaces = true }
        #expect(try test.interactionIDs(of: "u") == ["b"])
        try test.importing(.users, "user_id\nv\n") { ($0.replaces, $0.allowsShrinking) = (true, true) }
        #expect(try test.lines("SELECT count(*) FROM interactions") == ["0"])
    }
}
