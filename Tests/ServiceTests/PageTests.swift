import Foundation
import HTTP
@testable import Service
import TestSupport
import Testing

@Suite("Pages for operators")
struct PageTests {
    private let bearers: Bearers
    private let members: MemberCatalog
    private let lines = Lines()

    init() throws {
        bearers = try Bearers()
        members = try MemberCatalog()
    }

    private func daemon(mark: String = "", _ configure: (inout Daemon.Configuration) -> Void = { _ in }) throws
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

    private func get(_ daemon: Daemon, _ path: String, _ headers: [String] = []) throws -> SocketClient.Response {
        try #require(try client(daemon).request("GET", path, headers: headers))
    }

    private func post(_ daemon: Daemon, _ path: String, _ form: String, _ headers: [String] = []) throws
        -> SocketClient.Response
    {
        try #require(try client(daemon).request("POST", path, headers: headers, form: form))
    }

    /// Signs in, and returns the header field with the session's cookie.
    private func signIn(_ daemon: Daemon, _ role: Role = .admin, to path: String = "/admin") throws -> (
        cookie: String?, response: SocketClient.Response
    ) {
        let token = try #require(try bearers.field("olga", role).split(separator: " ").last)
        let response = try post(daemon, "/admin/sign-in", "to=\(path)&token=\(token)")
        let cookie = response.headers["set-cookie"].map { "Cookie: \($0.prefix { $0 != ";" })" }
        return (cookie, response)
    }

    private func secret(in page: String) throws -> String {
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
        for _ in 0..<3000 where try get(daemon, "/admin", [field]).status == 200 {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try get(daemon, "/admin", [field]).status == 303)
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
        // A bearer's header field opens the API, not the pages.
        #expect(try get(daemon, "/admin", [try bearers.field("olga", .admin)]).status == 303)
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
        #expect(try !get(daemon, "/admin/groups/alps", [field]).text.contains("nobody is shown it"))
        let done = try post(daemon, path, "hidden=yes&secret=\(secret)", [field, "Sec-Fetch-Site: same-origin"])
        #expect(done.status == 303 && done.headers["location"] == "/admin/groups/alps")
        #expect(try get(daemon, "/admin/groups/alps", [field]).text.contains("nobody is shown it"))
        #expect(lines.all.contains("pages: olga hid the group alps"))
        _ = try post(daemon, path, "hidden=no&secret=\(secret)", [field])
        #expect(try !get(daemon, "/admin/groups/alps", [field]).text.contains("nobody is shown it"))
    }

    @Test("No text of the community becomes markup, and no page runs what is not the daemon's own")
    func injection() throws {
        let daemon = try daemon(mark: "\"><script>alert('x')</script>") { $0.live.access = AccessPolicy() }
        defer { daemon.stop() }
        let paths = [
            "/admin", "/admin/groups", "/admin/groups/alps", "/admin/groups/cats%20%F0%9F%90%88",
            "/admin/groups/%3Cscript%3E", "/admin/members/%22%3E%3Cscript%3E", "/admin/search?q=%3Cscript%3E",
            "/admin/members/ann?group=%3Cscript%3E", "/admin/versions", "/admin/curation", "/admin/experiments",
            "/admin/sign-in?failed=%3Cscript%3E&to=%22%3E%3Cscript%3E",
        ]
        for path in paths {
            let page = try get(daemon, path, ["Host: localhost"])
            #expect(!page.text.contains("<script>"), "\(path)")
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

    @Test("The history keeps an hour's answers, and at most a week")
    func history() {
        let history = RequestHistory()
        let hour = RequestHistory.stepMilliseconds
        func reading(_ at: Int64, fast: UInt64, slow: UInt64, failures: UInt64) -> RequestHistory.Reading {
            // All but the slow ones took at most a tenth of a millisecond.
            let bounds = Histogram.boundsNanoseconds.count
            return RequestHistory.Reading(
                atMilliseconds: at, cumulative: Array(repeating: fast, count: bounds) + [fast + slow],
                failures: failures)
        }
        #expect(history.hours.isEmpty)
        history.add(reading(0, fast: 0, slow: 0, failures: 0))
        history.add(reading(hour / 2, fast: 50, slow: 0, failures: 0))
        history.add(reading(hour, fast: 99, slow: 1, failures: 1))
        history.add(reading(hour + 1, fast: 99, slow: 3, failures: 1))
        #expect(
            history.hours == [
                .init(endMilliseconds: hour, answers: 100, failures: 1, slowestMicroseconds: 100),
                .init(endMilliseconds: hour + 1, answers: 2, failures: 0, slowestMicroseconds: nil),
            ])
        for index in 2..<400 { history.add(reading(hour * Int64(index), fast: 99, slow: 3, failures: 1)) }
        #expect(history.hours.count == 7 * 24 && history.hours.last?.endMilliseconds == hour * 399)
    }

    @Test("A text in a path is one segment, whatever it has in it")
    func segments() {
        #expect(HTML.segment("a/b?c#d%e é") == "a%2Fb%3Fc%23d%25e%20%C3%A9")
        #expect(HTML.segment("..") == "%2E%2E" && HTML.segment("a..b") == "a..b")
        let html: HTML = "<p title=\"\("\"&'<>\u{0}")\">\(3)\(nil as HTML?)</p>"
        #expect(html.text == "<p title=\"&quot;&amp;&#39;&lt;&gt;\u{FFFD}\">3</p>")
    }
}
