import Basics
import HTTP
import Recommendation
@testable import Service
import Synchronization
import TestSupport
import Testing

/// Settings that a test changes.
final class TestSettings: SettingsSource {
    private let next = Mutex<Result<SettingsChange, Failure>?>(nil)

    /// What is given when the source is asked next.
    func give(_ result: Result<SettingsChange, Failure>) { next.withLock { $0 = result } }

    func changes(isForced: Bool) throws -> SettingsChange? {
        let given = next.withLock { next in
            defer { next = nil }
            return next
        }
        return try given?.get()
    }
}

@Suite("Settings that change while a daemon runs")
struct LiveSettingsTests {
    private let bearers: Bearers
    private let members: MemberCatalog
    private let lines = Lines()
    private let source = TestSettings()

    init() throws {
        bearers = try Bearers()
        members = try MemberCatalog()
    }

    private func daemon() throws -> Daemon {
        var configuration = Daemon.Configuration(
            .catalog(FakeStore(try Community.version("v1")), path: members.path), log: lines.log)
        configuration.live = settings()
        configuration.pollInterval = .milliseconds(10)
        configuration.settingsSource = source
        configuration.settingsPollInterval = .milliseconds(10)
        configuration.now = { Bearers.now }
        return try Daemon(configuration)
    }

    private func settings(_ change: (inout LiveSettings) -> Void = { _ in }) -> LiveSettings {
        var settings = LiveSettings()
        settings.access = bearers.policy()
        settings.rateLimits = RateLimits()
        change(&settings)
        return settings
    }

    private func get(_ daemon: Daemon, _ target: String, _ headers: [String] = []) throws -> SocketClient.Response {
        let client = try #require(SocketClient(port: daemon.port))
        return try #require(client.request("GET", target, headers: headers))
    }

    private func wait(_ what: String, until isDone: () throws -> Bool) async throws {
        #expect(try await eventually(isDone), "there was not: \(what)")
    }

    private static let similar = "/v1/groups/alps/similar"
    private static let ofAnn = "/v1/users/ann/recommendations"

    @Test("Are taken up between two requests, for everything that can change")
    func takenUp() async throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        try await wait("a version") { try get(daemon, "/readyz").status == 200 }
        #expect(try get(daemon, Self.similar).status == 401)
        let description = try get(daemon, "/openapi.json").text
        let opened = settings {
            $0.access = bearers.policy(open: [.groups])
            $0.crossOrigin = CrossOriginPolicy(origins: ["https://photos.example"])
            $0.staleAfter = .seconds(1)
            $0.logsRequests = true
        }
        source.give(.success(SettingsChange(live: opened, taken: ["access.open"], waiting: [])))
        try await wait("an open area") { try get(daemon, Self.similar).status == 200 }
        #expect(try get(daemon, "/openapi.json").text != description)
        let answer = try get(daemon, Self.similar, ["Origin: https://photos.example"])
        #expect(answer.headers["access-control-allow-origin"] == "https://photos.example")
        #expect(try get(daemon, "/readyz").text.contains(#""stale":true"#))
        #expect(await lines.have("the configuration has changed; taken up: access.open"))
        #expect(await lines.have("request"))
        // Cached answers of before are not given where a token is needed again.
        source.give(.success(SettingsChange(live: settings(), taken: ["access.open"], waiting: [])))
        try await wait("a closed area") { try get(daemon, Self.similar).status == 401 }
        // Members' lists are made in another way, after half a second at most, but sessions keep theirs.
        let ann = [try bearers.field("ann")]
        func rowCount(_ session: String) throws -> Int {
            try get(daemon, "\(Self.ofAnn)?session=\(session)", ann).text.matches(of: /"rank":/).count
        }
        #expect(try rowCount("before") > 1)
        let other = settings { $0.planning.configuration.selection.length = 1 }
        source.give(.success(SettingsChange(live: other, taken: ["lists.variety"], waiting: [])))
        var session = 0
        try await wait("another list") {
            session += 1
            return try rowCount("s\(session)") == 1
        }
    }

    @Test("That are wrong leave those before in use, and are told once and in metrics")
    func refused() async throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let admin = [try bearers.field("site", .service)]
        func metric(_ name: String) throws -> String? {
            try get(daemon, "/metrics", admin).text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
                .map { String($0.dropFirst(name.count + 1)) }
        }
        #expect(try metric("coterie_configuration_up") == "1")
        source.give(.failure(Failure(.general, "site.yaml:3:1: no")))
        try await wait("a failure") { try metric("coterie_configuration_up") == "0" }
        #expect(try metric("coterie_configuration_failures_total") == "1")
        let message = "the configuration cannot be used: site.yaml:3:1: no; the settings before stay in use"
        #expect(await lines.have(message) && lines.all.count { $0 == message } == 1)
        #expect(try get(daemon, Self.similar).status == 401)
        source.give(.success(SettingsChange(live: settings(), taken: [], waiting: ["serve.port"])))
        try await wait("a recovery") { try metric("coterie_configuration_up") == "1" }
        #expect(try metric("coterie_configuration_waiting") == "1")
        #expect(await lines.have("the configuration can be used again"))
        #expect(
            await lines.have("the configuration has changed; these need a restart, and keep their values: serve.port"))
    }
}
