import Basics
import Changes
import Foundation
import Model
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Times of an import that deserve a look")
struct ImportedTimesTests {
    /// Returns the messages of the findings of a kind.
    private func messages(_ summary: ImportSummary, _ kind: String) -> [String] {
        summary.findings.filter { $0.kind.rawValue == kind }.map(\.message)
    }

    /// Noon of 1 June 2025.
    private let now: Int64 = 1_748_779_200

    @Test("Times more than five minutes ahead are unknown, counted by column with the first, and refused by --strict")
    func future() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,last_active_at\na,2024\n")
        let text = "group_id,created_at,last_active_at\na,\(now + 300),\(now + 301)\nb,,2150\n"
        let groups = try test.importing(.groups, text) { $0.presentSeconds = now }
        #expect(
            messages(groups, "futureTimes")
                == [
                    "2 last_active_at are more than five minutes ahead of this machine's clock, and unknown (--strict "
                        + "refuses that): see whether a zone (--timezone) or a clock is wrong; the first is "
                        + "\(test.directory.path)/file2.csv, line 2: last_active_at \"\(now + 301)\" is ahead of this "
                        + "machine's clock"
                ])
        #expect(groups.findings.map(\.count) == [2] && groups.rows == 2 && groups.rejected == 0)
        // The earlier value stays, as for one that cannot be read.
        #expect(try test.content(.groups).map { $0.split(separator: "|").last } == ["1704067200", "~"])
        let strict = catalogError {
            try test.importing(.groups, text) { ($0.presentSeconds, $0.isStrict) = (now, true) }
        }
        #expect(strict?.message.contains("line 2: last_active_at") == true, "\(String(describing: strict))")
        // By the real clock too; an update reads the row a second time, and counts it once.
        for _ in 0..<2 {
            let photos = try test.importing(.photos, "photo_id,taken_at,uploaded_at\np,2150,2150\nq,2024,\n")
            #expect(photos.findings.map(\.count) == [1, 1] && messages(photos, "futureTimes").count == 2)
        }
        // A post needs its time, which tells it from others.
        let posts = try test.importing(.posts, "group_id,user_id,posted_at\na,u,2150\na,u,2024\n")
        #expect(
            posts.rejected == 1 && posts.examples.first?.reason.hasSuffix("is ahead of this machine's clock") == true)
    }

    @Test("A refused time never comes true: its row has no time whenever it comes again; a row with another is new")
    func refused() throws {
        let test = try CatalogUnderTest()
        let row = "group_id,user_id,joined_at\ng,u,\(now + 32_220)\ng,v,\(now - 60)\n"
        let first = try test.importing(.memberships, row) { $0.presentSeconds = now }
        #expect(first.findings.map(\.kind) == [.futureTimes] && first.written == 2)
        let leave = InteractionRecord(id: "1", .leave, groupID: "g", atMilliseconds: (now + 60) * 1000)
        try Catalog(path: test.path, mode: .recording).take([.member(MemberChange(ofUser: "u", .record([leave])))])
        #expect(try test.content(.memberships) == ["g|v|\(now - 60)"])
        // Ten hours later, with the same file.
        let again = try test.importing(.memberships, row) { $0.presentSeconds = now + 36_000 }
        #expect(again.findings.map(\.kind) == [.refusedTimes] && again.findings.map(\.count) == [1])
        #expect(again.overruled == 1 && again.written == 0 && again.unchanged == 1)
        #expect(try test.content(.memberships) == ["g|v|\(now - 60)"])
        // A dry run counts the same.
        let trial = try test.importing(.memberships, row) { ($0.presentSeconds, $0.isDryRun) = (now + 36_000, true) }
        #expect(trial.overruled == 1 && trial.written == 0)
        let other = "group_id,user_id,joined_at\ng,u,\(now + 32_221)\n"
        let joined = try test.importing(.memberships, other) { $0.presentSeconds = now + 36_000 }
        #expect(joined.findings.isEmpty && joined.written == 1 && joined.overruled == 0)
        #expect(try test.content(.memberships) == ["g|u|\(now + 32_221)", "g|v|\(now - 60)"])
    }

    @Test("A refused time goes along with its group and its member: renamed, merged, removed and forgotten")
    func refusedOfRenamed() throws {
        let test = try CatalogUnderTest()
        let row = "group_id,user_id,joined_at\ng,u,\(now + 900)\n"
        try test.importing(.memberships, row, "group_id,user_id\nh,w\n") { $0.presentSeconds = now }
        let catalog = try Catalog(path: test.path, mode: .recording)
        for (old, new) in [("u", "w"), ("w", "x")] {
            try catalog.take([.renaming(RenamingChange(.user, from: old, to: new, atMilliseconds: now * 1000))])
        }
        let renamed = row.replacing("g,u", with: "g,x")
        let again = try test.importing(.memberships, renamed) { $0.presentSeconds = now + 3600 }
        #expect(again.findings.map(\.kind) == [.refusedTimes])
        #expect(try catalog.facts.traces(ofMember: "x").rows["refused_memberships"] == 1)
        _ = try catalog.removal.forget(["x"], withPhotos: false, atMilliseconds: now * 1000)
        #expect(
            try catalog.facts.traces(ofMember: "x").rows.isEmpty
                && test.lines("SELECT 1 FROM refused_memberships").isEmpty)
    }

    @Test("An examination finds the columns with times ahead, as a wrong clock lets them in, and the latest row")
    func examined() throws {
        let test = try CatalogUnderTest()
        func take(_ kind: ImportKind, _ text: String) throws {
            try test.importing(kind, text) { $0.presentSeconds = 6_000_000_000 }
        }
        try take(.groups, "group_id,created_at,last_active_at\na,2025-06-02T12:00:00Z,2150\n")
        try take(.memberships, "group_id,user_id,joined_at\na,u,2099-01-01\nb,v,2098-01-01\na,v,2025\n")
        try take(.follows, "user_id,followed_id,since\nu,v,2099-01-01\n")
        try take(.photos, "photo_id,taken_at\np,2024\n")
        let found = try CatalogExamination(of: test.catalog.facts, now: now).futureTimes
        #expect(
            found == [
                .init(table: "groups", column: "last_active_at", count: 1, ids: ["a"], latest: 5_680_281_600),
                .init(table: "follows", column: "since", count: 1, ids: ["u", "v"], latest: 4_070_908_800),
                .init(table: "memberships", column: "joined_at", count: 2, ids: ["a", "u"], latest: 4_070_908_800),
            ])
        #expect(try CatalogExamination(of: test.catalog.facts, now: 6_000_000_000).futureTimes.isEmpty)
    }

    @Test("Local times in an hour that clocks show twice or leave out are counted, with the first")
    func changes() throws {
        let test = try CatalogUnderTest()
        // Berlin in 2025: forward on 30 March at 01:00 UTC, back on 26 October at 01:00 UTC.
        let berlin = ClockZone(first: 3600, changes: [(1_743_296_400, 7200), (1_761_440_400, 3600)])
        let rows = [
            "2025-03-30 01:59:59", "2025-03-30 02:00:00", "2025-03-30 02:59:59", "2025-03-30 03:00:00",
            "2025-10-26 01:59:59", "2025-10-26 02:00:00", "2025-10-26 02:59:59", "2025-10-26 03:00:00",
            "2025-10-26 02:30:00+01", "1761438600",
        ].map { "g,u,\($0)\n" }.joined()
        let text = "group_id,user_id,posted_at\n\(rows)"
        let posts = try test.importing(.posts, text) {
            $0.zone = berlin
            $0.presentSeconds = 1_800_000_000
        }
        #expect(posts.findings.map(\.kind) == [.timesAtChange] && posts.findings.map(\.count) == [4])
        #expect(posts.findings[0].message.hasPrefix("4 times are in an hour that the clocks of --timezone show twice"))
        #expect(posts.findings[0].message.hasSuffix("file1.csv, line 3"))
        #expect(try test.importing(.posts, text).findings.isEmpty)
        let group = try test.importing(.groups, "group_id,created_at\ng,2025-10-26 02:30\n") { $0.zone = berlin }
        #expect(group.findings.map(\.kind) == [.timesAtChange])
    }
}
