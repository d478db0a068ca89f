import Basics
import HTTP
@testable import Service
import TestSupport
import Testing

@Suite("A daemon's keys")
struct DaemonAccessTests {
    private let bearers: Bearers
    private let members: MemberCatalog
    private let lines = Lines()

    init() throws {
        bearers = try Bearers()
        members = try MemberCatalog()
    }

    private func daemon(_ configure: (inout Daemon.Configuration) -> Void = { _ in }) throws -> Daemon {
        var configuration = Daemon.Configuration(
            .catalog(FakeStore(try Community.version("v1")), path: members.path), log: lines.log)
        configuration.live.access = bearers.policy()
        configuration.pollInterval = .milliseconds(10)
        configuration.now = { Bearers.now }
        configure(&configuration)
        return try Daemon(configuration)
    }

    private func status(_ daemon: Daemon, _ target: String, _ headers: [String]) throws -> Int {
        let client = try #require(SocketClient(port: daemon.port))
        return try #require(client.request("GET", target, headers: headers)).status
    }

    private static let ofAnn = "/v1/users/ann/recommendations"

    /// Polls until the status is the expected one, because the daemon polls its store and key file.
    private func wait(for daemon: Daemon, _ headers: [String], until wanted: Int) async throws {
        #expect(
            try await eventually { try status(daemon, Self.ofAnn, headers) == wanted }, "the daemon did not get there")
    }

    @Test("Keys can be added and removed while the daemon runs")
    func rotation() async throws {
        let daemon = try daemon { $0.live.rateLimits = RateLimits() }
        defer { daemon.stop() }
        let old = [try bearers.field("ann")]
        try await wait(for: daemon, old, until: 200)
        _ = try bearers.file.addKey(id: "second")
        let new = [try bearers.field("ann")]
        try await wait(for: daemon, new, until: 200)
        #expect(try status(daemon, Self.ofAnn, old) == 200)
        try bearers.replaceKeys()
        let latest = [try bearers.field("ann")]
        try await wait(for: daemon, latest, until: 200)
        #expect(try status(daemon, Self.ofAnn, old) == 401)
        #expect(try status(daemon, Self.ofAnn, new) == 401)
        #expect(await lines.have("the keys have changed; tokens of these are accepted now: second, first"))
        let secrets = try (old + new + latest).map { try #require($0.split(separator: ".").last) }
        for line in lines.raw {
            for secret in secrets { #expect(!line.contains(secret)) }
        }
    }

    @Test("With keys it listens on any address and logs what is open; without, on loopback only")
    func announcements() throws {
        let daemon = try daemon {
            $0.server.address = "0.0.0.0"
            $0.live.access = bearers.policy(open: [.trending, .groups])
        }
        daemon.stop()
        #expect(lines.all[1] == "tokens are asked for, but not for groups, trending")
        #expect(throws: Failure.self) {
            try self.daemon {
                $0.server.address = "0.0.0.0"
                $0.live.access = AccessPolicy()
            }
        }
        try self.daemon { $0.live.access = AccessPolicy() }.stop()
        #expect(lines.all.contains("no keys: everything is open to every process of this machine, and to no other"))
    }

    @Test("Refusals are logged with their reason, up to a limit")
    func refusals() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let client = try #require(SocketClient(port: daemon.port))
        for number in 0..<200 {
            let answer = client.request("GET", "\(Self.ofAnn)?secret=s3cret", headers: ["X-Request-Id: r\(number)"])
            #expect(answer?.status == 401)
        }
        let refusals = lines.raw.filter { $0.contains(#""message":"refused""#) }
        #expect((1..<200).contains(refusals.count))
        let first = try #require(refusals.first)
        for part in [
            #""level":"warning""#, #""reason":"token_missing""#, #""requestId":"r0""#, #""method":"GET""#,
            #""path":"/v1/users/ann/recommendations""#,
        ] {
            #expect(first.contains(part))
        }
        #expect(!lines.raw.contains { $0.contains("s3cret") })
    }

    @Test("Connections beyond the limit are answered with a problem")
    func connections() throws {
        let daemon = try daemon {
            $0.server.threadCount = 1
            $0.server.connectionLimit = 1
        }
        defer { daemon.stop() }
        let first = try #require(SocketClient(port: daemon.port))
        #expect(first.request("GET", "/healthz")?.status == 200)
        first.send("GET /healthz HTTP/1.1\r\n")
        let second = try #require(SocketClient(port: daemon.port))
        let answer = try #require(second.request("GET", "/healthz"))
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "1")
        #expect(try ProblemBody(answer).type == "urn:coterie:problem:temporarily-unavailable")
        first.send("Host: localhost\r\n\r\n")
        #expect(first.receive()?.status == 200)
    }
}
