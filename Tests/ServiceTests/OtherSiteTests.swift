import HTTP
@testable import Service
import TestSupport
import Testing

@Suite("Pages of other sites and a daemon without keys")
struct OtherSiteTests {
    private static let ofAnn = "/v1/users/ann/interactions"
    private static let hidden = "/v1/admin/groups/alps/hidden"

    private let members: MemberCatalog

    init() throws { members = try MemberCatalog() }

    private func daemon(_ configure: (inout Daemon.Configuration) throws -> Void = { _ in }) throws -> Daemon {
        var configuration = Daemon.Configuration(
            .catalog(FakeStore(try Community.version("v1")), path: members.path), log: Lines().log)
        configuration.hasPages = true
        try configure(&configuration)
        let daemon = try Daemon(configuration)
        // The version is loaded soon after the start.
        while try status(daemon, "GET", "/readyz") != 200 {}
        return daemon
    }

    private func status(_ daemon: Daemon, _ method: String, _ path: String, _ headers: String...) throws -> Int {
        let client = try #require(SocketClient(port: daemon.port))
        return try #require(client.request(method, path, headers: headers)).status
    }

    @Test(
        "A request by a foreign name reads nothing and changes nothing",
        arguments: [
            ("localhost", true), ("LOCALHOST:8080", true), ("127.0.0.1:8080", true), ("127.1.2.3", true),
            ("[::1]:8080", true), ("[::1]", true), ("evil.example", false), ("evil.example:8080", false),
            ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("127.evil", false),
            ("[::1].evil.example", false), ("10.0.0.1", false), ("[::2]", false), ("", false), ("[", false),
        ])
    func host(name: String, isOwn: Bool) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        for path in [Self.ofAnn, "/v1/groups/alps/similar", "/v1/admin/model", "/metrics", "/admin"] {
            #expect(try status(daemon, "GET", path, "Host: \(name)") == (isOwn ? 200 : 403), "\(path)")
        }
        #expect(try status(daemon, "PUT", Self.hidden, "Host: \(name)") == (isOwn ? 200 : 403))
        #expect(try members.count("SELECT count(*) FROM hidden_groups") == (isOwn ? 1 : 0))
    }

    @Test("A request of HTTP/1.0 without a name is answered: browsers send none")
    func withoutName() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let client = try #require(SocketClient(port: daemon.port))
        client.send("GET \(Self.ofAnn) HTTP/1.0\r\n\r\n")
        #expect(client.receive()?.status == 200)
    }

    @Test(
        "A page of another site changes nothing",
        arguments: [
            ("http://localhost:3000", true), ("http://127.0.0.1", true), ("https://[::1]:9", true),
            ("https://photos.example", true), ("https://evil.example", false), ("null", false), ("", false),
            ("http://localhost.evil.example", false), ("https://photos.example.evil.example", false),
        ])
    func origin(_ origin: String, isTaken: Bool) throws {
        let daemon = try daemon { $0.live.crossOrigin = CrossOriginPolicy(origins: ["https://photos.example"]) }
        defer { daemon.stop() }
        #expect(try status(daemon, "PUT", Self.hidden, "Origin: \(origin)") == (isTaken ? 200 : 403))
        #expect(try members.count("SELECT count(*) FROM hidden_groups") == (isTaken ? 1 : 0))
        // Browsers do not show such an answer to the page.
        #expect(try status(daemon, "GET", Self.ofAnn, "Origin: \(origin)") == 200)
    }

    @Test("With keys a proxy may pass on any name and origin: the token decides")
    func withKeys() throws {
        let bearers = try Bearers()
        let daemon = try daemon {
            $0.live.access = bearers.policy()
            $0.now = { Bearers.now }
        }
        defer { daemon.stop() }
        let admin = try bearers.field("olga", .admin)
        let foreign = ["Host: groups.example", "Origin: https://groups.example"]
        #expect(try status(daemon, "PUT", Self.hidden, foreign[0], foreign[1]) == 401)
        #expect(try status(daemon, "PUT", Self.hidden, foreign[0], foreign[1], admin) == 200)
    }
}
