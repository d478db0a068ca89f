import Basics
import Foundation
import HTTP
import Model
import ModelStore
import Recommendation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("The daemon")
struct DaemonTests {
    private let members: MemberCatalog

    init() throws {
        members = try MemberCatalog()
        try Database(path: members.path, mode: .readWrite).execute(
            """
            INSERT INTO users (user_key, user_id) VALUES (3, 'zoë q');
            INSERT INTO memberships (group_key, user_key) VALUES (1, 3), (4, 3);
            INSERT INTO photos (photo_key, photo_id, user_key, tags) VALUES (1, 'p1', 3, ''), (2, 'p2', 3, 'Snow');
            INSERT INTO pools (group_key, photo_key) VALUES (4, 1);
            """)
    }

    /// A daemon at a free port that polls often.
    private func daemon(
        _ store: FakeStore, _ lines: Lines = Lines(), configure: (inout Daemon.Configuration) -> Void = { _ in }
    ) throws -> Daemon {
        var configuration = Daemon.Configuration(
            .catalog(store, path: members.path), log: lines.log)
        configuration.pollInterval = .milliseconds(10)
        configuration.now = { 61_000_000 }
        configure(&configuration)
        return try Daemon(configuration)
    }

    private func get(_ daemon: Daemon, _ target: String) throws -> SocketClient.Response {
        let client = try #require(SocketClient(port: daemon.port))
        return try #require(client.request("GET", target))
    }

    /// Polls until the answer is the expected one; the test fails if it never is.
    private func wait(for daemon: Daemon, until isDone: (SocketClient.Response) -> Bool) async throws {
        #expect(try await eventually { isDone(try get(daemon, "/readyz")) }, "the daemon did not get there")
    }

    @Test("A daemon started without a version serves the first one that is published")
    func firstVersion() async throws {
        let store = FakeStore()
        let daemon = try daemon(store)
        defer { daemon.stop() }
        #expect(try get(daemon, "/healthz").status == 200)
        #expect(try get(daemon, "/v1/groups/alps/similar").status == 503)
        store.add(try Community.version("v1"))
        try store.makeCurrent(VersionName("v1"))
        try await wait(for: daemon) { $0.status == 200 }
        #expect(try get(daemon, "/v1/groups/alps/similar").status == 200)
    }

    @Test("Without the store it reports that, keeps serving, and recovers by itself")
    func storeAway() async throws {
        struct Readiness: Decodable {
            struct Store: Decodable { var reachable: Bool }
            var degraded: Bool
            var reason: String?
            var store: Store
        }
        let store = FakeStore(try Community.version("v1"))
        let daemon = try daemon(store)
        defer { daemon.stop() }
        try await wait(for: daemon) { $0.status == 200 }
        let before = try get(daemon, "/v1/users/ann/recommendations")
        store.state.withLock { $0.failure = Failure(.unavailable, "memory is \"away\"") }
        try await wait(for: daemon) { $0.text.contains("\"degraded\":true") }
        let ready = try get(daemon, "/readyz")
        let readiness = try JSONDecoder().decode(Readiness.self, from: Data(ready.body))
        #expect(ready.status == 200)
        #expect(readiness.degraded)
        #expect(readiness.reason == "memory is \"away\"")
        #expect(!readiness.store.reachable)
        let marked = before.text.replacing("\"degraded\":false", with: "\"degraded\":true")
        #expect(try get(daemon, "/v1/users/ann/recommendations").text == marked && marked != before.text)
        store.state.withLock { $0.failure = nil }
        try await wait(for: daemon) { $0.text.contains("\"degraded\":false") }
    }

    @Test("A switch of versions under load neither fails nor mixes an answer")
    func switching() async throws {
        // Every title of a version begins with its name, so that a mixed answer shows.
        let store = FakeStore(try Community.version("v2", mark: "v2"), try Community.version("v1", mark: "v1"))
        let daemon = try daemon(store)
        defer { daemon.stop() }
        try await wait(for: daemon) { $0.status == 200 }
        let load = Load(port: daemon.port)
        let counts = try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for _ in 0..<3 { group.addTask { await load.run() } }
            defer { load.end() }
            for round in 0..<20 {
                let name = round.isMultiple(of: 2) ? "v2" : "v1"
                try store.makeCurrent(VersionName(name))
                try await wait(for: daemon) { $0.text.contains("\"modelVersion\":\"\(name)\"") }
            }
            load.end()
            return try await group.reduce(into: [String: Int]()) { $0.merge($1, uniquingKeysWith: +) }
        }
        #expect(counts["v1", default: 0] > 0)
        #expect(counts["v2", default: 0] > 0)
        #expect(Set(counts.keys) == ["v1", "v2"], "\(counts)")
    }

    @Test("Two daemons on one store give the same bytes")
    func sameBytes() async throws {
        let store = FakeStore(try Community.version("v1"))
        let daemons = [try daemon(store), try daemon(store)]
        defer { for daemon in daemons { daemon.stop() } }
        for daemon in daemons { try await wait(for: daemon) { $0.status == 200 } }
        for target in [
            "/readyz", "/v1/groups/alps/similar", "/v1/groups/alps/similar?by=members",
            "/v1/users/zo%C3%AB%20q/recommendations",
            "/v1/photos/p2/groups", "/v1/groups/none/similar",
        ] {
            let bodies = try daemons.map { try get($0, target).body }
            #expect(bodies[0] == bodies[1])
            #expect(!bodies[0].isEmpty)
        }
    }

    @Test(
        "Addresses that other machines can reach are refused",
        arguments: ["0.0.0.0", "::", "192.0.2.1", "localhost", ""])
    func openAddress(address: String) throws {
        let error = #expect(throws: Failure.self) {
            _ = try daemon(FakeStore()) { $0.server.address = address }
        }
        #expect(error?.code == .general)
        #expect(error?.message.contains("keys") == true)
    }

    @Test("It does not start on a taken port")
    func takenPort() throws {
        let first = try daemon(FakeStore())
        defer { first.stop() }
        let error = #expect(throws: Failure.self) { _ = try daemon(FakeStore()) { $0.server.port = first.port } }
        #expect(error?.code == .general)
        #expect(error?.message.hasPrefix("port \(first.port) of 127.0.0.1 is taken") == true)
    }

    @Test("Stopping ends the run for all who wait, now or later")
    func run() async throws {
        let lines = Lines()
        let daemon = try daemon(FakeStore(), lines)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await onOwnThread { daemon.run() } }
            group.addTask { daemon.stop() }
        }
        daemon.run()
        daemon.stop()
        #expect(SocketClient(port: daemon.port) == nil)
        #expect(lines.all.first == "listening at port \(daemon.port) of 127.0.0.1")
        #expect(lines.all.suffix(2) == ["stopping", "stopped"])
    }

    @Test("Nothing but the visibility is read of a private photo, so its answer takes as long as for an unknown one")
    func privatePhoto() async throws {
        let store = FakeStore(try Community.version("v1"))
        let daemon = try daemon(store)
        defer { daemon.stop() }
        try await wait(for: daemon) { $0.status == 200 }
        try members.execute(
            """
            UPDATE photos SET visibility = 1 WHERE photo_id = 'p1';
            ALTER TABLE pools RENAME COLUMN group_key TO missing_key;
            ALTER TABLE memberships RENAME COLUMN group_key TO missing_key;
            """)
        for path in ["groups", "groups?by=both", "similar"] {
            let known = try get(daemon, "/v1/photos/p1/\(path)")
            #expect(known.status == 404 && known.text.contains("unknown-photo"), "\(known.text)")
            let unknown = try get(daemon, "/v1/photos/p9/\(path)")
            #expect(known.text.replacing("p1", with: "p9") == unknown.text)
        }
        // The tables are needed for a public photo.
        #expect(try get(daemon, "/v1/photos/p2/groups").status == 503)
    }

    @Test("Every request is logged if the option is on")
    func requestLog() throws {
        struct Entry: Decodable, Equatable {
            var timeMilliseconds: Int64
            var level: String
            var message: String
            var requestId: String
            var method: String
            var path: String
            var status: Int
            var bodyBytes: Int
        }
        let requests = Lines()
        let daemon = try daemon(FakeStore(), requests) { $0.live.logsRequests = true }
        defer { daemon.stop() }
        let response = try get(daemon, "/healthz")
        _ = try get(daemon, "/v1/%22quoted%22?limit=5")
        let entries = try requests.raw.filter { $0.contains("\"message\":\"request\"") }
            .map { try JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
        #expect(
            entries.first
                == Entry(
                    timeMilliseconds: 61_000_000, level: "info", message: "request",
                    requestId: response.headers["x-request-id"] ?? "", method: "GET", path: "/healthz", status: 200,
                    bodyBytes: response.body.count))
        #expect(entries.last?.path == "/v1/%22quoted%22")
        #expect(entries.last?.status == 404)
        #expect(entries.count == 2)
    }

    @Test("Without members in the log, its paths have digests in place of ids, whatever these ids are")
    func digests() throws {
        let requests = Lines()
        let daemon = try daemon(FakeStore(), requests) { ($0.live.logsRequests, $0.live.logsMembers) = (true, false) }
        defer { daemon.stop() }
        let ids = ["laura-100", "groups", "laura%2D100", "x%2Fy"]
        for id in ids { _ = try get(daemon, "/v1/users/\(id)/recommendations") }
        _ = try get(daemon, "/nowhere/laura-100")
        let paths = requests.raw.filter { $0.contains("\"message\":\"request\"") }
            .compactMap { $0.firstMatch(of: /"path":"([^"]*)"/).map { String($0.1) } }
        #expect(paths.count == 5 && paths[0] == paths[2] && Set(paths).count == 4)
        #expect(
            paths.prefix(4).allSatisfy { $0.wholeMatch(of: /\/v1\/users\/~[0-9a-f]{16}\/recommendations/) != nil },
            "\(paths)")
        #expect(paths[4].wholeMatch(of: /\/~[0-9a-f]{16}\/~[0-9a-f]{16}/) != nil)
        #expect(!requests.raw.contains { $0.contains("laura") })
    }

    @Test("A malformed request is answered with a problem")
    func badRequest() throws {
        let daemon = try daemon(FakeStore())
        defer { daemon.stop() }
        let problem = try ProblemBody(get(daemon, "/v1/groups/%zz/similar"))
        #expect(problem.status == 400)
        #expect(problem.detail == "the address has the bad escape \"%zz\": write a percent sign as %25")
    }
}
