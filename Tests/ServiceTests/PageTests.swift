import CatalogStore
import Changes
import Experiments
import Foundation
import HTTP
import Model
import Recommendation
import SQLite
@testable import Service
import Synchronization
import TestSupport
import Testing

@Suite("Pages for operators")
struct PageTests {
    let bearers: Bearers
    let members: MemberCatalog
    let lines = Lines()

    init() throws {
        bearers = try Bearers()
        members = try MemberCatalog()
    }

    func daemon(mark: String = "", _ configure: (inout Daemon.Configuration) -> Void = { _ in }) throws
        -> Daemon
    {
        var configuration = Daemon.Configuration(
            .catalog(FakeStore(try Community.version("v1", mark: mark)), path: members.path), log: lines.log)
        configuration.hasPages = true
        configuration.live.access = bearers.policy()
        configuration.now = { Bearers.now }
        configure(&configuration)
        let daemon = try Daemon(configuration)
        // The version is loaded soon after the start.
        while try get(daemon, "/readyz").status != 200 {}
        return daemon
    }

    private func client(_ daemon: Daemon) throws -> SocketClient { try #require(SocketClient(port: daemon.port)) }

    func get(_ daemon: Daemon, _ path: String, _ headers: [String] = []) throws -> SocketClient.Response {
        try #require(try client(daemon).request("GET", path, headers: headers))
    }

    func post(_ daemon: Daemon, _ path: String, _ form: String, _ headers: [String] = []) throws
        -> SocketClient.Response
    {
        try #require(try client(daemon).request("POST", path, headers: headers, form: form))
    }

    /// Signs in, and returns the header field with the session's cookie.
    func signIn(_ daemon: Daemon, _ role: Role = .admin, to path: String = "/admin") throws -> (
        cookie: String?, response: SocketClient.Response
    ) {
        let token = try #require(try bearers.field("olga", role).split(separator: " ").last)
        let response = try post(daemon, "/admin/sign-in", "to=\(path)&token=\(token)")
        let cookie = response.headers["set-cookie"].map { "Cookie: \($0.prefix { $0 != ";" })" }
        return (cookie, response)
    }

    func secret(in page: String) throws -> String {
        let mark = "name=\"secret\" value=\""
        let start = try #require(page.range(of: mark))
        return String(page[start.upperBound...].prefix { $0 != "\"" })
    }

    @Test("An admin token opens a session, which ends with the key; a page never shows the token")
    func session() async throws {
        let daemon = try daemon { $0.pollInterval = .milliseconds(10) }
        defer { daemon.stop() }
        let asked = try get(daemon, "/admin/groups/alps?x=1")
        #expect(asked.status == 303)
        #expect(asked.headers["location"] == "/admin/sign-in?to=%2Fadmin%2Fgroups%2Falps%3Fx%3D1")
        let (cookie, response) = try signIn(daemon, to: "%2Fadmin%2Fversions")
        #expect(response.status == 303 && response.headers["location"] == "/admin/versions")
        let set = try #require(response.headers["set-cookie"])
        for part in ["HttpOnly", "Secure", "SameSite=Strict", "Path=/admin"] { #expect(set.contains(part)) }
        let field = try #require(cookie)
        let page = try get(daemon, "/admin/groups/alps", [field])
        #expect(page.status == 200 && page.text.contains("<bdi>Alps</bdi>"))
        let token = try #require(try bearers.field("olga", .admin).split(separator: ".").last)
        #expect(!page.text.contains(token) && !lines.raw.contains { $0.contains(token) })
        try bearers.replaceKeys()
        #expect(try await eventually { try get(daemon, "/admin", [field]).status == 303 })
    }

    @Test("Other tokens open nothing, and signing out ends a session on the daemon")
    func others() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        for role in [Role.member, .service] {
            let (cookie, response) = try signIn(daemon, role)
            #expect(
                cookie == nil && response.headers["location"]?.hasPrefix("/admin/sign-in?to=%2Fadmin&failed=") == true)
        }
        #expect(try post(daemon, "/admin/sign-in", "token=nonsense").headers["set-cookie"] == nil)
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        #expect(try post(daemon, "/admin/sign-out", "secret=\(secret)", [field]).status == 303)
        #expect(try get(daemon, "/admin", [field]).status == 303)
        // A bearer's header field opens the API, not the pages, and a session does not open the API.
        let bearer = try bearers.field("olga", .admin)
        #expect(try get(daemon, "/admin", [bearer]).status == 303)
        #expect(try get(daemon, "/v1/admin/model", [bearer]).status == 200)
        let (name, token) = ("Cookie: coterie-session=", bearer.dropFirst("Authorization: Bearer ".count))
        #expect(try get(daemon, "/admin", [name + token]).status == 303)
        let session = try #require(try signIn(daemon).cookie).dropFirst(name.count)
        #expect(try get(daemon, "/admin", [name + session]).status == 200)
        #expect(try get(daemon, "/v1/admin/model", ["Authorization: Bearer \(session)"]).status == 401)
        #expect(try get(daemon, "/admin", [name + session.dropLast(3)]).status == 303)
    }

    @Test("A session is open on every daemon with the same keys, until it is ended on one of them, or eight hours long")
    func sharedSession() async throws {
        let folder = try TemporaryDirectory()
        let time = Atomic(Bearers.now)
        let daemons = try (0..<2).map { _ in
            let store = FakeStore(try Community.version("v1"))
            store.state.withLock { $0.boards = folder.path }
            return try daemon {
                $0.deployment = .versionsOnly(store)
                $0.now = { time.load(ordering: .relaxed) }
                $0.pollInterval = .milliseconds(10)
            }
        }
        defer { for daemon in daemons { daemon.stop() } }
        let token = try #require(try bearers.field("olga", .admin, seconds: 86_400).split(separator: " ").last)
        func opened() throws -> String {
            let set = try post(daemons[0], "/admin/sign-in", "to=/admin&token=\(token)").headers["set-cookie"]
            return "Cookie: \(try #require(set).prefix { $0 != ";" })"
        }
        func states(_ field: String) throws -> [Int] { try daemons.map { try get($0, "/admin", [field]).status } }
        let (field, other) = (try opened(), try opened())
        #expect(try states(field) == [200, 200] && field != other)
        // A form of one daemon's page can be sent to the other.
        let secret = try secret(in: try get(daemons[0], "/admin", [field]).text)
        #expect(try post(daemons[1], "/admin/sign-out", "secret=\(secret)", [field]).status == 303)
        for _ in 0..<3000 where try states(field) != [303, 303] { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try states(field) == [303, 303])
        #expect(try states(other) == [200, 200])
        time.add(8 * 3_600_000, ordering: .relaxed)
        #expect(try states(other) == [303, 303])
    }

    @Test(
        "Signing in leads to these pages only",
        arguments: [
            "https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2Fadminevil", "%2Fadmin%5C..", "%2Fadmin%0D%0AX%3A1",
        ])
    func openRedirect(_ target: String) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        #expect(try signIn(daemon, to: target).response.headers["location"] == "/admin")
    }

    @Test("A form changes something only with the session's secret, and not from another site")
    func forgery() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let path = "/admin/groups/alps/hidden"
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        #expect(try post(daemon, path, "hidden=yes", [field]).status == 403)
        #expect(try post(daemon, path, "hidden=yes&secret=other", [field]).status == 403)
        #expect(try post(daemon, path, "hidden=yes&secret=\(secret)").status == 303)
        #expect(
            try post(daemon, path, "hidden=yes&secret=\(secret)", [field, "Sec-Fetch-Site: cross-site"]).status == 403)
        for origin in ["null", "https://evil.example", "http://localhost.evil.example"] {
            let foreign = [field, "Origin: \(origin)"]
            #expect(try post(daemon, path, "hidden=yes&secret=\(secret)", foreign).status == 403, "\(origin)")
        }
        #expect(try !get(daemon, "/admin/groups/alps", [field]).text.contains("nobody is shown it"))
        let done = try post(daemon, path, "hidden=yes&secret=\(secret)", [field, "Sec-Fetch-Site: same-origin"])
        #expect(done.status == 303 && done.headers["location"] == "/admin/groups/alps")
        #expect(try get(daemon, "/admin/groups/alps", [field]).text.contains("nobody is shown it"))
        #expect(lines.all.contains("pages: olga hid the group alps"))
        let own = [field, "Host: pages.example", "Origin: https://pages.example"]
        #expect(try post(daemon, path, "hidden=no&secret=\(secret)", own).status == 303)
        #expect(try !get(daemon, "/admin/groups/alps", [field]).text.contains("nobody is shown it"))
        // Only the catalog can show a group again that is private by now.
        try members.execute(
            """
            UPDATE groups SET visibility = 1 WHERE group_id = 'alps';
            UPDATE catalog_state SET value = value + 1 WHERE name = 'changes';
            """)
        let page = try get(daemon, "/admin/groups/alps", [field]).text
        #expect(page.contains("It is private, so nobody is shown it") && !page.contains("Show again"))
    }

    @Test("No text of the community becomes markup, and no page runs what is not the daemon's own")
    func injection() throws {
        let mark = "\"><script>alert('x')</script>"
        var register = ExperimentRegister()
        let arms = [ExperimentDefinition.Arm(mark), ExperimentDefinition.Arm("other", settings: [mark: 1])]
        let definition = ExperimentDefinition(
            mark, arms: arms, plan: ExperimentPlan(decides: .joins, memberCount: 10, effect: 0.1))
        #expect(register.start(definition, atMilliseconds: Bearers.now) == nil)
        let store = FakeStore(try Community.version("v0"), try Community.version("v1", mark: mark))
        #expect(try store.setExperiments(register.encoded, replacing: nil))
        WorkLog("import \(mark)", beside: members.path) { 0 }.end(mark, notes: [mark])
        try members.execute(
            "INSERT INTO curated_groups (group_key, position) SELECT group_key, 1 FROM groups WHERE group_id = 'alps'")
        let daemon = try daemon {
            $0.deployment = .catalog(store, path: members.path)
            $0.live.access = AccessPolicy()
        }
        defer { daemon.stop() }
        let paths = [
            "/admin", "/admin/groups", "/admin/groups/alps", "/admin/groups/cats%20%F0%9F%90%88",
            "/admin/groups/%3Cscript%3E", "/admin/members/%22%3E%3Cscript%3E", "/admin/search?q=%3Cscript%3E",
            "/admin/members/ann?group=%3Cscript%3E", "/admin/versions", "/admin/curation", "/admin/experiments",
            "/admin/jobs", "/admin/map", "/admin/data", "/admin/decisions?after=%3Cscript%3E", "/admin/versions/v0",
            "/admin/versions/v0?member=%3Cscript%3E",
            "/admin/experiments/\(HTML.segment(mark))", "/admin/experiments/%3Cscript%3E", "/admin/photos/%3Cscript%3E",
            "/admin/sign-in?failed=%3Cscript%3E&to=%22%3E%3Cscript%3E",
        ]
        for path in paths {
            let page = try get(daemon, path, ["Host: localhost"])
            #expect(!page.text.contains("<script>"), "\(path)")
            #expect(!page.text.contains("HTML(") && !page.text.contains("&lt;ol"), "\(path)")
            #expect(page.headers["content-type"] == "text/html; charset=utf-8", "\(path)")
            #expect(!page.text.contains("&lt;p") && !page.text.contains("&lt;li"), "\(path)")
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"))
            #expect(page.headers["cache-control"] == "no-store")
        }
    }

    @Test(
        "Without keys the pages answer only to this machine's own names",
        arguments: [
            ("localhost:80", 200), ("127.0.0.1:8080", 200), ("[::1]:8080", 200), ("[::1]", 200), ("evil.example", 403),
            ("localhost.evil.example:80", 403), ("127.0.0.1.evil.example", 403),
        ])
    func rebinding(_ host: String, _ status: Int) throws {
        let daemon = try daemon { $0.live.access = AccessPolicy() }
        defer { daemon.stop() }
        let client = try client(daemon)
        client.send("GET /admin HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(try #require(client.receive()).status == status)
    }

    @Test(
        "No form changes anything without the session's secret",
        arguments: [
            ("/admin/curation", "group=alps"), ("/admin/versions", "version=v1&action=pin"),
            ("/admin/experiments", "name=a&setting=lambda&value=0.5&decides=joins&ends=2030-01-01"),
            ("/admin/experiments/a/stop", "sure=yes"), ("/admin/members/ann/forget", "id=ann"),
            ("/admin/groups/alps/hidden", "hidden=yes"),
        ])
    func everyForm(_ path: String, _ form: String) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        #expect(try post(daemon, path, form, [field]).status == 403)
        #expect(try post(daemon, path, form + "&secret=", [field]).status == 403)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        #expect(
            try post(daemon, path, form + "&secret=\(secret)", [field, "Sec-Fetch-Site: same-site"]).status == 403)
        // Another session's secret.
        let other = try #require(try signIn(daemon).cookie)
        #expect(try post(daemon, path, form + "&secret=\(secret)", [other]).status == 403)
        #expect(!lines.all.contains { $0.hasPrefix("pages: olga") })
    }

    @Test("A curated group keeps its dates when it is moved, and an undone removal has them again")
    func curation() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        func send(_ form: String) throws -> Int {
            try post(daemon, "/admin/curation", "secret=\(secret)&\(form)", [field]).status
        }
        func rows() throws -> String {
            try Catalog.applyLog(of: members.path)
            let database = try Database(path: members.path, mode: .readOnly)
            return try database.text(
                """
                SELECT group_concat(group_id || ' ' || coalesce(starts_at, '-') || ' ' || coalesce(expires_at, '-'), '; ')
                FROM (SELECT * FROM curated_groups JOIN groups USING (group_key) ORDER BY position)
                """) ?? ""
        }
        #expect(try send("group=alps") == 303)
        #expect(try send("group=birds") == 303)
        #expect(try send("group=alps&from=2026-12-01T00:00&until=2026-12-24T18:30:30") == 303)
        let dates = "alps 1796083200 1798137030"
        #expect(try rows() == "\(dates); birds - -")
        #expect(try send("group=alps&position=2") == 303)
        #expect(try rows() == "birds - -; \(dates)")
        let page = try get(daemon, "/admin/curation", [field]).text
        // An end at 23:59:59 can be changed to a full minute.
        #expect(page.contains("type=\"datetime-local\" step=\"1\" name=\"until\""))
        #expect(page.contains("from 2026-12-01T00:00:00") && page.contains("<ol class=\"preview\"><li>"))
        #expect(try send("group=alps&remove=yes") == 303)
        #expect(try rows() == "birds - -")
        let undo = try #require(page.firstMatch(of: #/data-done="Removed." data-undo="(group=alps[^"]*)"/#)).output.1
        #expect(try send(String(undo).replacing("&amp;", with: "&")) == 303)
        #expect(try rows() == "birds - -; \(dates)")
        for wrong in ["from=tomorrow&until=", "from=2026-12-02T00:00&until=2026-12-01T00:00"] {
            #expect(try send("group=alps&\(wrong)") == 400)
        }
        #expect(try rows() == "birds - -; \(dates)")
        #expect(try send("group=secret") != 303 && send("group=nobody") == 404)
    }

    @Test("A comparison of versions shows the lists of members, and of the one who is asked for")
    func lists() throws {
        let store = FakeStore(try Community.version("v0"), try Community.version("v1"))
        let daemon = try daemon { $0.deployment = .catalog(store, path: members.path) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let page = try get(daemon, "/admin/versions/v0", [field]).text
        #expect(page.contains("/admin/members/ann") && page.contains("/admin/members/bob"))
        let one = try get(daemon, "/admin/versions/v0?member=bob", [field]).text
        #expect(!one.contains("/admin/members/ann") && one.contains("/admin/members/bob"))
        #expect(lines.all.contains("pages: olga compared the lists of the member bob"))
    }

    @Test("A member's page shows the stages of the list, and the page of jobs what ran")
    func traceAndJobs() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let page = try get(daemon, "/admin/members/ann", [field]).text
        for stage in PlanStage.allCases where stage != .boosts && stage != .popularity && stage != .season {
            #expect(page.contains(">\(stage.rawValue)</td>"), "\(stage)")
        }
        #expect(page.contains("Interactions, the newest first"))
        #expect(try get(daemon, "/admin/jobs", [field]).text.contains("Jobs of the catalog: none."))
        let log = WorkLog("import groups", beside: members.path) { Bearers.now }
        log.advance(to: "reading", done: 1, total: 4)
        let running = try get(daemon, "/admin/jobs", [field]).text
        #expect(running.contains("data-refresh") && running.contains("reading, 25%"))
        let overview = try get(daemon, "/admin", [field]).text
        #expect(overview.contains("import groups: reading") && overview.contains("Answers since the start"))
        log.end("groups: 1 row", notes: ["rejected: groups.tsv, line 3: group_id is empty"])
        let ended = try get(daemon, "/admin/jobs", [field]).text
        #expect(!ended.contains("data-refresh") && ended.contains("line 3: group_id is empty"))
    }

    @Test("There are no pages without the option, and they are not in the description")
    func option() throws {
        let daemon = try daemon { $0.hasPages = false }
        defer { daemon.stop() }
        #expect(try get(daemon, "/admin").status == 404)
        let other = try self.daemon()
        defer { other.stop() }
        #expect(try get(other, "/openapi.json").text == get(daemon, "/openapi.json").text)
    }

    @Test("A member is forgotten only if the form repeats the id")
    func forgetting() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        let path = "/admin/members/ann/forget"
        #expect(try post(daemon, path, "secret=\(secret)&id=anna", [field]).status == 400)
        #expect(try get(daemon, "/admin/members/ann", [field]).status == 200)
        #expect(try post(daemon, path, "secret=\(secret)&id=ann", [field]).status == 303)
        #expect(try get(daemon, "/admin/members/ann", [field]).status == 404)
    }

    @Test("The total of answers has failures, and the bound that 99% of them kept")
    func total() {
        let metrics = RequestMetrics([])
        #expect(metrics.total == .init(answers: 0, failures: 0))
        for _ in 0..<98 { metrics.ended(endpoint: nil, status: .ok, nanoseconds: 90_000) }
        metrics.ended(endpoint: nil, status: .notImplemented, nanoseconds: 90_000)
        metrics.ended(endpoint: nil, status: .internalServerError, nanoseconds: 2_000_000_000)
        #expect(metrics.total == .init(answers: 100, failures: 1, slowestMicroseconds: 100))
        metrics.ended(endpoint: nil, status: .ok, nanoseconds: 900_000)
        #expect(metrics.total == .init(answers: 101, failures: 1, slowestMicroseconds: 1000))
        metrics.ended(endpoint: nil, status: .ok, nanoseconds: 2_000_000_000)
        #expect(metrics.total == .init(answers: 102, failures: 1, slowestMicroseconds: nil))
    }

    @Test("A text in a path is one segment, whatever it has in it")
    func segments() {
        #expect(HTML.segment("a/b?c#d%e é") == "a%2Fb%3Fc%23d%25e%20%C3%A9")
        #expect(HTML.segment("..") == "%2E%2E" && HTML.segment("a..b") == "a..b")
        let html: HTML = "<p title=\"\("\"&'<>\u{0}")\">\(3)\(nil as HTML?)</p>"
        #expect(html.text == "<p title=\"&quot;&amp;&#39;&lt;&gt;\u{FFFD}\">3</p>")
    }
}
