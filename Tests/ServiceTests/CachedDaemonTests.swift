import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("A daemon with an answer cache")
struct CachedDaemonTests {
    /// Two daemons on one catalog, one of them with a cache, and another process that changes the catalog.
    private final class Pair {
        let members: MemberCatalog
        let store: FakeStore
        let time: Time
        let daemons: [(router: Router, follower: VersionFollower, cache: AnswerCache?)]
        let sources: [JournalSource]
        var generator: SeededGenerator
        private var count = 0

        /// A clock that the test sets.
        final class Time: Sendable {
            private let milliseconds = Atomic<Int64>(61_000_000)
            var now: Int64 { milliseconds.load(ordering: .relaxed) }
            func pass(milliseconds: Int64) { self.milliseconds.wrappingAdd(milliseconds, ordering: .relaxed) }
        }

        init(seed: UInt64) throws {
            members = try MemberCatalog()
            store = FakeStore(try Community.version("v2", mark: "New "), try Community.version("v1"))
            let (members, store, time) = (members, store, Time())
            self.time = time
            sources = try (0..<2).map { _ in try members.source() }
            daemons = try sources.enumerated().map { number, source in
                var routes = try members.routes(store)
                routes.community = source
                routes.sessions = try SessionFile(path: "\(members.path)-sessions\(number)")
                routes.cacheBytes = number == 0 ? 20_000 : 0
                routes.clock = { time.now }
                return routes.parts()
            }
            generator = SeededGenerator(seed: seed)
        }

        private static let lists = ["", "?limit=2", "?session=a", "?session=b&limit=1"]
        private static let others = [
            "/v1/groups/alps/similar", "/v1/groups/birds/similar?by=members", "/v1/trending?limit=1", "/v1/trending",
        ]

        /// Asks both daemons the same, and expects the same answer.
        ///
        /// - Parameter user: whose list to ask for; nil for anything.
        func read(_ user: String? = nil) throws {
            let lists = (user.map { [$0] } ?? ["ann", "bob"]).flatMap { user in
                Self.lists.map { "/v1/users/\(user)/recommendations\($0)" }
            }
            guard let target = (user == nil ? lists + Self.others : lists).randomElement(using: &generator) else {
                return
            }
            let headers = Bool.random(using: &generator) ? ["Accept-Encoding: gzip"] : []
            let answers = try daemons.map { try $0.router.answer(target, headers: headers) }
            #expect(answers[0].status == answers[1].status && answers[0].body == answers[1].body, "\(target)")
        }

        /// A member sends an interaction, with requests before and after it.
        func interact() throws {
            count += 1
            let kinds = ["join", "leave", "dismiss", "undismiss", "impression", "click"]
            guard let user = ["ann", "bob"].randomElement(using: &generator),
                let kind = kinds.randomElement(using: &generator),
                let group = Community.groups.randomElement(using: &generator)
            else { return }
            for _ in 0..<3 { try read(user) }
            let body = #"{"interactions":[{"id":"\#(count)","kind":"\#(kind)","groupId":"\#(group.id)"}]}"#
            // Of both daemons; of changes through the other one, the first hears when it looks.
            let number = Int.random(in: 0..<2, using: &generator)
            let answer = try daemons[number].router.answer(
                "/v1/users/\(user)/interactions", method: "POST", headers: ["Content-Type: application/json"],
                body: Array(body.utf8))
            #expect(answer.status == 200 || answer.status == 404, "\(answer.text)")
            if number == 1 { lookForChanges() }
            for _ in 0..<3 { try read(user) }
        }

        /// A member forgets everything, which ends the member's sessions as well.
        func forget() throws {
            guard let user = ["ann", "bob"].randomElement(using: &generator) else { return }
            for daemon in daemons {
                _ = try daemon.router.answer("/v1/users/\(user)/interactions", method: "DELETE")
            }
            lookForChanges()
        }

        /// Another process hides or shows a group, or changes memberships.
        func changeCatalog() throws {
            let database = try Database(path: members.path, mode: .readWrite)
            let group = Int.random(in: 1...5, using: &generator)
            let change = [
                "UPDATE groups SET visibility = 1 - visibility WHERE group_key = \(group)",
                "INSERT OR IGNORE INTO memberships (group_key, user_key) VALUES (\(group), 2)",
                "DELETE FROM memberships WHERE group_key = \(group)",
            ].randomElement(using: &generator)
            try database.execute("\(change ?? ""); UPDATE catalog_state SET value = value + 1 WHERE name = 'changes'")
            lookForChanges()
        }

        /// The site hides a group, or shows it again.
        func hide() throws {
            guard let group = Community.groups.randomElement(using: &generator) else { return }
            let action: SiteChange.Action = Bool.random(using: &generator) ? .hide : .unhide
            _ = try sources[0].apply(
                .site(SiteChange(ofGroup: group.id, action, atMilliseconds: time.now)))
            sources[1].noteOutsideChanges()
            for _ in 0..<3 { try read() }
        }

        func switchVersion() throws {
            try store.makeCurrent(VersionName(["v1", "v2"].randomElement(using: &generator) ?? "v1"))
            for daemon in daemons { daemon.follower.poll() }
        }

        /// Seconds, about as long as a session lasts that is not used, or so many hours that every session ends.
        func passTime() {
            let milliseconds: Int64 =
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: 50 * 3_600_000
                case 1...2: SessionLife.inactivityMilliseconds - Int64.random(in: -60_000...180_000, using: &generator)
                default: Int64.random(in: 0...20_000, using: &generator)
                }
            time.pass(milliseconds: milliseconds)
        }

        private func lookForChanges() {
            for source in sources { source.noteOutsideChanges() }
        }
    }

    @Test("It answers like a daemon without a cache, whatever happens in whatever order", arguments: 0..<6)
    func sameAnswers(seed: UInt64) throws {
        let pair = try Pair(seed: seed)
        for _ in 0..<400 {
            switch Int.random(in: 0..<30, using: &pair.generator) {
            case 0..<20: try pair.read()
            case 20..<24: try pair.interact()
            case 24: try pair.forget()
            case 25: try pair.changeCatalog()
            case 26: try pair.switchVersion()
            case 27: try pair.hide()
            default: pair.passTime()
            }
        }
        #expect(try hits(pair.daemons[0].cache) > 0)
    }

    /// How many answers came from a cache.
    private func hits(_ cache: AnswerCache?) throws -> Int {
        var text = MetricsText()
        try #require(cache).write(to: &text)
        let name = "coterie_answer_cache_hits_total "
        let line = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
        return try #require(line.flatMap { Int($0.dropFirst(name.utf8.count)) })
    }

    @Test("A session without an id lasts half an hour after an answer from the cache, and no longer")
    func sessionUse() throws {
        let members = try MemberCatalog()
        let time = Pair.Time()
        var routes = try members.routes()
        routes.sessions = try SessionFile(path: members.path + "-sessions")
        routes.cacheBytes = 1 << 20
        routes.clock = { time.now }
        let (router, _, cache) = routes.parts()
        func bucket(_ query: String = "") throws -> Int {
            struct List: Decodable { var bucket: Int }
            let answer = try router.answer("/v1/users/bob/recommendations\(query)")
            return try JSONDecoder().decode(List.self, from: Data(answer.body)).bucket
        }
        // A minute or two before the member's next bucket, in which a new session has another list.
        let first = try bucket("?session=0")
        while try bucket("?session=\(time.now)") == first { time.pass(milliseconds: 60_000) }
        time.pass(milliseconds: -120_000)
        #expect(try bucket() == first)
        for _ in 0..<40 {
            // Every fourth answer has expired; the others come from the cache.
            time.pass(milliseconds: 19_000)
            #expect(try bucket() == first)
        }
        for idle in [SessionLife.inactivityMilliseconds - 1, SessionLife.inactivityMilliseconds - 59_000] {
            time.pass(milliseconds: idle)
            #expect(try bucket() == first)
            // Another page of the same list, made anew; then one from the cache.
            #expect(try bucket("?limit=2") == first)
            time.pass(milliseconds: 59_999)
            #expect(try bucket() == first)
        }
        time.pass(milliseconds: SessionLife.inactivityMilliseconds)
        #expect(try bucket() > first)
        #expect(try hits(cache) > 30)
    }

    @Test("A daemon notices by itself what another process changed in the catalog")
    func outsideChanges() async throws {
        let members = try MemberCatalog()
        var configuration = Daemon.Configuration(
            .catalog(FakeStore(try Community.version("v1")), path: members.path), log: Lines().log)
        configuration.changePollInterval = .milliseconds(10)
        configuration.pollInterval = .milliseconds(10)
        // The clock stands still, so that no answer expires.
        configuration.now = { 61_000_000 }
        let daemon = try Daemon(configuration)
        defer { daemon.stop() }
        func showsBirds() throws -> Bool? {
            // On a new connection, because an idle one may be closed.
            let answer = try #require(SocketClient(port: daemon.port)?.request("GET", "/v1/trending"))
            return answer.status == 200 ? answer.text.contains("birds") : nil
        }
        #expect(try await eventually { try showsBirds() == true })
        try Database(path: members.path, mode: .readWrite).execute(
            """
            UPDATE groups SET visibility = 1 WHERE group_id = 'birds';
            UPDATE catalog_state SET value = value + 1 WHERE name = 'changes';
            """)
        #expect(try await eventually { try showsBirds() == false })
    }

    @Test("A late commit invalidates cached answers even if its request gave up")
    func lateCommit() async throws {
        let members = try MemberCatalog()
        var routes = try members.routes()
        routes.community = try JournalSource(catalog: members.path, patience: .milliseconds(1))
        routes.sessions = try SessionFile(path: members.path + "-sessions")
        routes.cacheBytes = 1 << 20
        let router = routes.router()
        func lists() throws -> Bool {
            try router.answer("/v1/users/ann/recommendations").text.contains(#""groupId":"birds","title":"#)
        }
        #expect(try lists())
        // Another process holds the journal for longer than a request waits.
        let blocker = try Database(path: Catalog.journalPath(beside: members.path), mode: .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        let body = #"{"interactions":[{"id":"1","kind":"dismiss","groupId":"birds"}]}"#
        let answer = try router.answer(
            "/v1/users/ann/interactions", method: "POST", headers: ["Content-Type: application/json"],
            body: Array(body.utf8))
        #expect(answer.status == 503)
        #expect(try lists())
        try blocker.execute("ROLLBACK")
        #expect(try await eventually { try !lists() })
    }
}
