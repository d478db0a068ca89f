import Basics
import Foundation
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Times of an import that deserve a look")
struct ImportedTimesTests {
    /// Returns the messages of the findings of a kind.
    private func messages(_ summary: ImportSummary, _ kind: String) -> [String] {
        summary.findings.filter { $0.kind == kind }.map(\.message)
    }

    /// Noon of 1 June 2025.
    private let now: Int64 = 1_748_779_200

    @Test("Times more than a day ahead are counted by column, with the first; others are not")
    func future() throws {
        let test = try CatalogUnderTest()
        let groups = try test.importing(
            .groups, "group_id,created_at,last_active_at\na,2025-06-02T12:00:00Z,2025-06-02T12:00:01Z\nb,,2150\n"
        ) { $0.presentSeconds = now }
        #expect(
            messages(groups, "futureTimes")
                == [
                    "2 last_active_at are more than a day in the future: see whether a clock was ahead, or another "
                        + "column was meant; the first is in \(test.directory.path)/file1.csv, line 2"
                ])
        #expect(groups.findings.map(\.count) == [2])
        let entries = "group_id,user_id,joined_at\na,u,2025\na,v,2099-01-01\n"
        let memberships = try test.importing(.memberships, entries) { $0.presentSeconds = now }
        let message = try #require(messages(memberships, "futureTimes").first)
        #expect(message.hasPrefix("1 joined_at is more than a day") && message.hasSuffix("file2.csv, line 3"))
        // By the real clock too; an update reads the row a second time, and counts it once.
        for _ in 0..<2 {
            let photos = try test.importing(.photos, "photo_id,taken_at,uploaded_at\np,2150,2150\nq,2024,\n")
            #expect(photos.findings.map(\.count) == [1, 1] && messages(photos, "futureTimes").count == 2)
        }
    }

    @Test("An examination finds the columns with such times, and the row with the latest")
    func examined() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,created_at,last_active_at\na,2025-06-02T12:00:00Z,2150\n")
        try test.importing(.memberships, "group_id,user_id,joined_at\na,u,2099-01-01\nb,v,2098-01-01\na,v,2025\n")
        try test.importing(.follows, "user_id,followed_id,since\nu,v,2099-01-01\n")
        try test.importing(.photos, "photo_id,taken_at\np,2024\n")
        let found = try test.catalog.examine(now: now).futureTimes
        #expect(
            found == [
                .init(table: "groups", column: "last_active_at", count: 1, ids: ["a"], latest: 5_680_281_600),
                .init(table: "follows", column: "since", count: 1, ids: ["u", "v"], latest: 4_070_908_800),
                .init(table: "memberships", column: "joined_at", count: 2, ids: ["a", "u"], latest: 4_070_908_800),
            ])
        #expect(try test.catalog.examine(now: 6_000_000_000).futureTimes.isEmpty)
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
        #expect(posts.findings.map(\.kind) == ["timesAtChange"] && posts.findings.map(\.count) == [4])
        #expect(posts.findings[0].message.hasPrefix("4 times are in an hour that the clocks of --timezone show twice"))
        #expect(posts.findings[0].message.hasSuffix("file1.csv, line 3"))
        #expect(try test.importing(.posts, text).findings.isEmpty)
        let group = try test.importing(.groups, "group_id,created_at\ng,2025-10-26 02:30\n") { $0.zone = berlin }
        #expect(group.findings.map(\.kind) == ["timesAtChange"])
    }
}
