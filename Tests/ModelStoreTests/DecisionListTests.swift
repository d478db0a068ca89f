import Basics
import Changes
import Foundation
import Model
import ModelStore
import Redis
import TestSupport
import Testing

@Suite("The list of decisions")
struct DecisionListTests {
    private static let day: Int64 = 86_400_000
    /// A time in the middle of a week since 1970.
    private static let now = 2_900 * 7 * day + 3 * day

    private func decision(
        _ action: NotedDecision.Action, _ name: String, _ thing: NotedDecision.Thing = .group, daysAgo: Int64 = 0
    ) -> NotedDecision {
        NotedDecision(action, thing, name, by: "ann", atMilliseconds: Self.now - daysAgo * Self.day)
    }

    @Test("Has all decisions of a year, the newest first, in pages", arguments: StoreUnderTest.Kind.available)
    func order(kind: StoreUnderTest.Kind) throws {
        let test = try StoreUnderTest(kind)
        let list = try #require(DecisionList(test.store))
        defer { withExtendedLifetime(test) {} }
        #expect(try list.decisions(at: Self.now).isEmpty)
        for (days, name) in [(366, "gone"), (364, "old"), (20, "a"), (20, "b \"quoted\"\n"), (1, "c"), (0, "d")] {
            try list.add(decision(.hide, name, daysAgo: Int64(days)))
        }
        func names(_ id: String? = nil, limit: Int = 10, daysLater: Int64 = 0) throws -> [String] {
            try list.decisions(before: id, limit: limit, at: Self.now + daysLater * Self.day).map(\.name)
        }
        #expect(try names() == ["d", "c", "b \"quoted\"\n", "a", "old"])
        #expect(try names(limit: 3) == ["d", "c", "b \"quoted\"\n"])
        let third = try #require(try list.decisions(limit: 3, at: Self.now).last)
        #expect(third.by == "ann" && third.atMilliseconds == Self.now - 20 * Self.day)
        #expect(try names(third.id) == ["a", "old"])
        // What comes later moves nothing.
        try list.add(decision(.hide, "e"))
        #expect(try names(third.id) == ["a", "old"] && names(limit: 1) == ["e"])
        // A year after a decision it is not listed any more.
        #expect(try names(daysLater: 1).last == "a" && names(daysLater: 364) == ["e", "d"])
        #expect(try names(daysLater: 365).isEmpty)
    }

    @Test("Tells things of the same name apart, and knows both names", arguments: StoreUnderTest.Kind.available)
    func things(kind: StoreUnderTest.Kind) throws {
        let test = try StoreUnderTest(kind)
        let list = try #require(DecisionList(test.store))
        defer { withExtendedLifetime(test) {} }
        try list.add(decision(.hide, "same"))
        try list.add(decision(.serve, "same", .version))
        var renaming = decision(.rename, "old \u{e9}")
        renaming.after = "same"
        try list.add(renaming)
        func actions(_ name: String, _ thing: NotedDecision.Thing) throws -> [NotedDecision.Action] {
            try list.decisions(about: (thing, name), at: Self.now).map(\.action)
        }
        #expect(try actions("same", .group) == [.rename, .hide])
        #expect(try actions("same", .version) == [.serve] && actions("old \u{e9}", .group) == [.rename])
        #expect(
            try actions("sam", .group).isEmpty && actions("same", .member).isEmpty && actions("ann", .group).isEmpty)
        let pair = RemovalChange(.user("ann", ofGroup: "same", table: "memberships"), atMilliseconds: 1)
        let noted = NotedDecision(
            .removal(pair), on: SiteState(), by: "ol\u{7}ga\n", atMilliseconds: Self.now, digest: { "digest-\($0)" })
        try list.add(try #require(noted))
        #expect(try actions("digest-ann", .member) == [.removeFrom] && actions("ann", .member).isEmpty)
        #expect(try actions("same", .group) == [.removeFrom, .rename, .hide])
        #expect(try list.decisions(limit: 1, at: Self.now).map(\.by) == ["olga"], "no control characters")
    }

    @Test("Leaves room for other decisions than removals, and says when a week is full")
    func room() throws {
        let subject = try StoreUnderTest(.folder)
        let list = try #require(DecisionList(subject.store))
        let long = String(repeating: "x", count: 40_000)
        var count = 0
        #expect(throws: Failure.self) {
            while count < 100 {
                try list.add(decision(.remove, long, .photo))
                count += 1
            }
        }
        #expect((12...13).contains(count))
        try list.add(decision(.hide, "alps"))
        // A line that was cut hides no other one.
        let path = subject.directory.path + "/store/decisions/2900"
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data("\n{\"atMilliseconds\":17".utf8))
        try file.close()
        try list.add(decision(.unhide, "alps"))
        #expect(try list.decisions(limit: 2, at: Self.now).map(\.action) == [.unhide, .hide])
    }

    @Test("A page that the last weeks fill reads no older ones")
    func lastWeeks() throws {
        let subject = try StoreUnderTest(.folder)
        let list = try #require(DecisionList(subject.store))
        for days in [20, 10, 0] { try list.add(decision(.hide, "alps", daysAgo: Int64(days))) }
        // Too long to be read.
        try Data(count: 1 << 21).write(to: URL(filePath: subject.directory.path + "/store/decisions/2890"))
        #expect(try list.decisions(limit: 3, at: Self.now).count == 3)
        #expect(try list.decisions(about: (.group, "alps"), limit: 2, at: Self.now).count == 2)
        #expect(throws: Failure.self) { try list.decisions(limit: 4, at: Self.now) }
    }

    @Test("Names no member, whatever is decided about one")
    func members() throws {
        let ledger = Ledger(key: Array(repeating: 7, count: Ledger.keyByteCount))
        let changes: [Change] = [
            .removal(RemovalChange(.member("ann", withPhotos: true), atMilliseconds: 1)),
            .removal(RemovalChange(.account("ann"), atMilliseconds: 1)),
            .removal(RemovalChange(.user("ann", ofGroup: "alps", table: "memberships"), atMilliseconds: 1)),
            .renaming(RenamingChange(.user, from: "guest", to: "ann", atMilliseconds: 1)),
        ]
        let digest = ledger.digest(of: "ann").text
        for change in changes {
            let noted = try #require(
                NotedDecision(change, on: SiteState(), by: "olga", atMilliseconds: 1) { ledger.digest(of: $0).text })
            let json = String(decoding: try JSON.encoded(noted), as: UTF8.self)
            #expect(json.contains(digest) && !json.contains("ann") && !json.contains("guest"), "\(json)")
        }
        let own = Change.member(MemberChange(ofUser: "ann", .forget(id: nil)))
        #expect(NotedDecision(own, on: SiteState(), by: "olga", atMilliseconds: 1) { $0 } == nil)
    }

    @Test("Says what was so before and after, and lists nothing that changes nothing")
    func states() {
        func noted(_ action: SiteChange.Action, _ state: SiteState) -> [String?]? {
            let change = Change.site(SiteChange(ofGroup: "alps", action, atMilliseconds: 1))
            return NotedDecision(change, on: state, by: "olga", atMilliseconds: 1) { $0 }
                .map { [$0.before, $0.after] }
        }
        let hidden = SiteState(hidden: [HiddenGroup(id: "alps", hiddenAtMilliseconds: 1)])
        #expect(noted(.hide, SiteState()) == ["shown", "hidden"] && noted(.unhide, hidden) == ["hidden", "shown"])
        #expect(noted(.hide, hidden) == nil && noted(.uncurate, hidden) == nil)
        let curated = SiteState(curations: [
            Curation(groupID: "birds", isShown: true, position: 1),
            Curation(groupID: "alps", isShown: true, position: 2),
        ])
        let dated = SiteChange.Action.curate(position: 1, startsAt: nil, expiresAt: 1_798_675_200)
        #expect(noted(dated, curated) == ["at 2", "at 1 until 2026-12-31T00:00:00Z"])
        #expect(noted(.uncurate, curated) == ["at 2", "not curated"])
        #expect(noted(.curate(position: 2, startsAt: nil, expiresAt: nil), curated) == nil)
    }

    @Test("Stays a year on a server", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func expiry() throws {
        let subject = try StoreUnderTest(.redis)
        try #require(DecisionList(subject.store)).add(decision(.hide, "alps"))
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        let seconds = try connection.command(RedisCommand("TTL", "coterie:decision:2900"))
        #expect((31_622_300...31_622_400).contains { seconds == .integer($0) })
    }
}
