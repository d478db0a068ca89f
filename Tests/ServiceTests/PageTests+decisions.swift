import Basics
import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import Synchronization
import TestSupport
import Testing

@testable import Service

/// What operators decide, on pages and over HTTP.
extension PageTests {
    private struct List: Decodable {
        struct Row: Decodable {
            var by, action, name: String
            var before, after: String?
            /// The decision as a test writes it.
            var words: [String?] { [by, action, name, before, after] }
        }
        var decisions: [Row]
        var next: String?
    }

    private func decisions(_ daemon: Daemon, _ query: String = "") throws -> List {
        let answer = try get(daemon, "/v1/admin/decisions\(query)", [try bearers.field("eve", .admin, scopes: [.look])])
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(List.self, from: Data(answer.body))
    }

    /// A daemon whose store has boards, with two versions.
    private func daemonWithBoards(_ folder: TemporaryDirectory, now: @escaping @Sendable () -> Int64) throws -> Daemon {
        let store = FakeStore(try Community.version("v0"), try Community.version("v1"))
        store.state.withLock { $0.boards = folder.path }
        return try daemon {
            $0.deployment = .catalog(store, path: members.path)
            $0.now = now
        }
    }

    @Test("Decisions are listed for a year, with name, before and after, and stand on the page of what they are about")
    func decisionPage() throws {
        let folder = try TemporaryDirectory()
        let time = Atomic(Bearers.now)
        let daemon = try daemonWithBoards(folder) { time.load(ordering: .relaxed) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        let name = "name=less-variety&setting=lambda&value=0.5&decides=joins&ends=2030-01-01"
        for (path, form) in [
            ("/admin/groups/alps/hidden", "hidden=yes"), ("/admin/groups/alps/hidden", "hidden=no"),
            ("/admin/groups/alps/hidden", "hidden=no"), ("/admin/curation", "group=alps"),
            ("/admin/versions", "version=v0&action=pin"), ("/admin/versions", "version=v0&action=serve"),
            ("/admin/experiments", name), ("/admin/experiments/less-variety/stop", "sure=yes"),
        ] {
            #expect(try post(daemon, path, "\(form)&secret=\(secret)", [field]).status == 303, "\(path) \(form)")
        }
        #expect(try post(daemon, "/admin/versions", "version=v0&action=hide&secret=\(secret)", [field]).status == 404)
        let client = try #require(SocketClient(port: daemon.port))
        let bearer = try bearers.field("otto", .admin, scopes: [.curate])
        let hiding = client.request("PUT", "/v1/admin/groups/birds/hidden", headers: [bearer])
        #expect(hiding?.status == 200)
        let list = try decisions(daemon)
        #expect(
            list.decisions.map(\.words) == [
                ["otto", "hide", "birds", "shown", "hidden"], ["olga", "stop", "less-variety", nil, nil],
                ["olga", "start", "less-variety", nil, "control, changed"], ["olga", "serve", "v0", "v1", nil],
                ["olga", "pin", "v0", nil, nil], ["olga", "curate", "alps", "not curated", "at 1"],
                ["olga", "unhide", "alps", "hidden", "shown"], ["olga", "hide", "alps", "shown", "hidden"],
            ])
        #expect(list.next == nil)
        let first = try decisions(daemon, "?limit=3")
        let rest = try decisions(daemon, "?limit=200&after=\(try #require(first.next))")
        #expect((first.decisions + rest.decisions).map(\.words) == list.decisions.map(\.words) && rest.next == nil)
        let page = try get(daemon, "/admin/decisions", [field]).text
        #expect(page.contains(#"<a href="/admin/groups/birds">"#))
        for (path, words, others) in [
            ("groups/alps", "curate", "otto"), ("versions/v1", "serve", "hide"),
            ("experiments/less-variety", "stop", "hide"),
        ] {
            let page = try get(daemon, "/admin/\(path)", [field]).text
            #expect(page.contains(">\(words)</td>") && !page.contains(">\(others)</td>"), "\(path)")
        }
        time.add(365 * 86_400_000, ordering: .relaxed)
        let later = try DecisionList(FolderStore(folder.path))?.decisions(at: time.load(ordering: .relaxed))
        #expect(later?.isEmpty == true)
    }

    @Test("A form and an Undo are refused once a colleague has changed what they were drawn from, and say who did")
    func outdatedForms() throws {
        let folder = try TemporaryDirectory()
        let time = Atomic(Bearers.now)
        let daemon = try daemonWithBoards(folder) { time.load(ordering: .relaxed) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        let client = try #require(SocketClient(port: daemon.port))
        let ben = try bearers.field("ben", .admin, scopes: [.curate])
        func page(_ path: String) throws -> String { try get(daemon, "/admin/\(path)", [field]).text }
        /// What the first form of a page was drawn from.
        func seen(_ path: String) throws -> String {
            let found = try #require(try page(path).firstMatch(of: #/name="seen" value="([^"]+)"/#))
            return "seen=\(HTML.segment(String(found.output.1)))"
        }
        func send(_ path: String, _ form: String) throws -> SocketClient.Response {
            try post(daemon, "/admin/\(path)", "secret=\(secret)&\(form)", [field])
        }
        #expect(try send("groups/alps/hidden", "hidden=yes&\(try seen("groups/alps"))").status == 303)
        let undo = "hidden=no&\(try seen("groups/alps"))"
        time.add(30_000, ordering: .relaxed)
        for method in ["DELETE", "PUT"] {
            #expect(client.request(method, "/v1/admin/groups/alps/hidden", headers: [ben])?.status == 200)
        }
        let refused = try send("groups/alps/hidden", undo)
        #expect(refused.status == 409)
        #expect(refused.text.contains("<p>Ben changed this at 16:57 on 1970-01-01: the group is hidden now.</p>"))
        #expect(refused.text.contains("<a href=\"/admin/groups/alps\">To the page as it is now</a>"))
        #expect(try page("groups/alps").contains("An administrator hid it"))
        #expect(try send("groups/alps/hidden", "hidden=no&\(try seen("groups/alps"))").status == 303)

        #expect(try send("curation", "group=birds").status == 303 && send("curation", "group=alps").status == 303)
        let drawn = try page("curation")
        // What takes a move back has no dates.
        #expect(drawn.contains("data-done=\"Moved.\" data-undo=\"group=birds&amp;position=1\""))
        let removal = try #require(drawn.firstMatch(of: #/data-done="Removed." data-undo="(group=birds[^"]*)"/#))
        #expect(try send("curation", "group=birds&remove=yes&\(try seen("curation"))").status == 303)
        let body = #"{"position":1,"expiresAtMilliseconds":1798761599000}"#
        #expect(client.request("PUT", "/v1/admin/curation/birds", headers: [ben], json: body)?.status == 200)
        let late = try send("curation", String(removal.output.1).replacing("&amp;", with: "&"))
        #expect(late.status == 409)
        #expect(late.text.contains("Ben changed this at 16:57 on 1970-01-01: the group is at 1 until 2026-12-31T23:59"))
        // The colleague decides about another group, which moves this one.
        #expect(client.request("DELETE", "/v1/admin/curation/birds", headers: [ben])?.status == 200)
        let moved = try send("curation", "group=alps&from=&until=&seen=at%202")
        #expect(moved.status == 409)
        #expect(moved.text.contains("This has changed since the page was drawn: the group is at 1 now."))
        // An end in the past is taken, and said.
        #expect(try !page("curation").contains("data-note"))
        #expect(try send("curation", "group=alps&from=&until=1970-01-01T00:01&\(try seen("curation"))").status == 303)
        #expect(try page("curation").contains("<span data-note>over already, so nobody sees it</span>"))
    }

    @Test("A forgotten member is a digest in the list, and on the page of who has the id")
    func forgottenInDecisions() throws {
        let folder = try TemporaryDirectory()
        let daemon = try daemonWithBoards(folder) { Bearers.now }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        let client = try #require(SocketClient(port: daemon.port))
        let bearer = try bearers.field("otto", .admin)
        #expect(client.request("DELETE", "/v1/groups/alps/memberships/ann", headers: [bearer])?.status == 200)
        // The decision about a group that is gone leads to a page.
        #expect(client.request("DELETE", "/v1/groups/secret", headers: [bearer])?.status == 200)
        let gone = try get(daemon, "/admin/groups/secret", [field])
        #expect(gone.status == 200 && gone.text.contains("It was removed, or has another id now."))
        let form = "id=bob&photos=remove&secret=\(secret)"
        #expect(try post(daemon, "/admin/members/bob/forget", form, [field]).status == 303)
        let key = try #require(try members.source().ledgerKey())
        func digest(_ id: String) -> String { Ledger(key: key).digest(of: id).text }
        #expect(
            try decisions(daemon).decisions.map(\.words) == [
                ["olga", "forget", digest("bob"), nil, "with photos"], ["otto", "remove", "secret", nil, nil],
                ["otto", "remove-from", "alps", "memberships: \(digest("ann"))", nil],
            ])
        let page = try get(daemon, "/admin/decisions", [field]).text
        #expect(page.contains(digest("bob")) && !page.contains("bob") && !page.contains("ann"))
        for entry in try FolderStore(folder.path).board(of: .decisions)?.reports() ?? [] {
            let text = String(decoding: entry, as: UTF8.self)
            #expect(!text.contains("bob") && !text.contains("ann"))
        }
    }

    @Test("Decisions wait for a store that is away, and are listed when it is back")
    func waitingDecisions() throws {
        let (folder, lines) = (try TemporaryDirectory(), Lines())
        let store = FakeStore(try Community.version("v1"))
        // A file where the folder of the board would be.
        store.state.withLock { $0.boards = folder.path + "/file" }
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        let notes = DecisionNotes(store, log: lines.log)
        for group in ["alps", "birds"] {
            notes.note(NotedDecision(.hide, .group, group, by: "olga", atMilliseconds: Bearers.now))
        }
        // The second operator did not wait for the store.
        #expect(lines.all.count { $0.hasPrefix("a decision is not on the list: ") } == 1)
        func metrics(_ notes: DecisionNotes) -> [String] {
            var text = MetricsText()
            notes.write(to: &text)
            return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        #expect(metrics(notes).contains("coterie_decisions_waiting 2"))
        #expect(metrics(notes).contains("coterie_decisions_lost_total 0"))
        let full = DecisionNotes(store, log: lines.log)
        for _ in 0...10_000 {
            full.note(NotedDecision(.hide, .group, "alps", by: "olga", atMilliseconds: Bearers.now))
        }
        #expect(metrics(full).contains("coterie_decisions_waiting 10000"))
        #expect(metrics(full).contains("coterie_decisions_lost_total 1"))
        try FileManager.default.removeItem(atPath: folder.path + "/file")
        notes.send()
        #expect(try DecisionList(store)?.decisions(at: Bearers.now).map(\.name) == ["birds", "alps"])
        notes.send()
        #expect(try DecisionList(store)?.decisions(at: Bearers.now).count == 2)
        #expect(metrics(notes).contains("coterie_decisions_waiting 0"))
    }

    @Test("A list of decisions that cannot be read is the store's fault, on its page as well")
    func unreadableDecisions() throws {
        let folder = try TemporaryDirectory()
        let daemon = try daemonWithBoards(folder) { Bearers.now }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        // A file where the folder of the list would be.
        try Data().write(to: URL(fileURLWithPath: folder.path + "/decisions"))
        for (path, header) in [
            ("/v1/admin/decisions", try bearers.field("eve", .admin, scopes: [.look])), ("/admin/decisions", field),
        ] {
            let answer = try get(daemon, path, [header])
            #expect(answer.status == 503, "\(path)")
            #expect(answer.text.contains("The list of decisions cannot be read"), "\(answer.text)")
        }
    }

    @Test("The page of data says for each kind what is there and what to do, and names nobody")
    func data() throws {
        try members.execute(
            """
            UPDATE memberships SET joined_at = \(Bearers.now / 1000 - 3 * 86_400);
            INSERT INTO users (user_key, user_id) VALUES (3, 'null');
            """)
        WorkLog("import memberships", beside: members.path) { Bearers.now - 10 * 86_400_000 }
            .end(
                "memberships: 5 rows, 4 new or changed, 1,002 rejected, in 1 s",
                notes: ["the first 1,000 rejected lines: 'bad rows.csv' b.tsv; reasons: bad-rows-reasons.tsv"])
        WorkLog("import groups", beside: members.path) { Bearers.now - 7_200_000 }.end("groups: away", hasFailed: true)
        let daemon = try daemon { $0.live.access = AccessPolicy() }
        defer { daemon.stop() }
        let page = try get(daemon, "/admin/data", ["Host: localhost"]).text
        let rows = page.split(separator: "<tr ").map(String.init)
        func row(_ kind: String) throws -> String { try #require(rows.first { $0.contains(">\(kind)</td>") }) }
        let memberships = try row("memberships")
        for part in [">1</td>", ">3 days</td>", ">10 days ago</td>", ">1,002</td>", "is old"] {
            #expect(memberships.contains(part), "\(part)")
        }
        #expect(memberships.contains("coterie import memberships &#39;bad rows.csv&#39; b.tsv"))
        #expect(try row("groups").contains("the last import failed: coterie import groups FILE"))
        #expect(try row("pools").contains("coterie import pools"))
        let users = try row("users")
        #expect(users.contains("an id that looks like no value: 1") && users.contains("coterie delete user ID"))
        #expect(!page.contains("null"))
        let store = FakeStore(try Community.version("v1"))
        let bare = try self.daemon {
            $0.deployment = .versionsOnly(store)
            $0.live.access = AccessPolicy()
        }
        defer { bare.stop() }
        #expect(try get(bare, "/admin/data", ["Host: localhost"]).text.contains("This daemon has no catalog"))
    }

    @Test("One request counts a catalog at a time, and others get the count before meanwhile")
    func counting() throws {
        let cache = PageCache()
        let facts = try Facts(path: members.path)
        let made = CatalogCount(statistics: try CatalogStatistics(of: facts), doubts: [], atMilliseconds: 1)
        /// The time of the count that another thread gets while one counts; nil for none.
        func during(at instant: Int64) throws -> Int64? {
            let seen = Mutex<Int64?>(nil)
            _ = try cache.count(at: instant) { () throws(Problem) in
                let other = try? WorkThread {
                    let count = try? cache.count(at: instant) { () throws(Problem) in nil }
                    seen.withLock { $0 = count?.atMilliseconds }
                }
                other?.join()
                return made
            }
            return seen.withLock { $0 }
        }
        #expect(try during(at: 1) == nil)
        #expect(try during(at: 600_001) == 1)
    }
}
