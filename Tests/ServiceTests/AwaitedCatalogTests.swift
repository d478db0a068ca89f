import Basics
import Foundation
import ModelStore
@testable import Service
import Synchronization
import TestSupport
import Testing

@Suite("A catalog that comes after the daemon")
struct AwaitedCatalogTests {
    private let members: MemberCatalog
    private let store: FakeStore
    private let lines = Lines()

    init() throws {
        members = try MemberCatalog()
        store = FakeStore(try Community.version("v1"))
    }

    /// What a daemon finds when it looks for its catalog.
    private final class Place: Sendable {
        let found = Mutex<Result<Deployment?, Failure>>(.success(nil))
    }

    private func daemon(_ place: Place) throws -> Daemon {
        var configuration = Daemon.Configuration(.versionsOnly(store), log: lines.log)
        configuration.awaited = AwaitedCatalog(path: "late.sqlite") { try place.found.withLock { $0 }.get() }
        configuration.pollInterval = .milliseconds(10)
        configuration.hasPages = true
        return try Daemon(configuration)
    }

    private func get(_ daemon: Daemon, _ path: String) throws -> SocketClient.Response {
        let client = try #require(SocketClient(port: daemon.port))
        return try #require(client.request("GET", path))
    }

    private func wait(for daemon: Daemon, until isDone: (String) -> Bool) async throws {
        var text = ""
        let isThere = try await eventually {
            text = try get(daemon, "/readyz").text
            return isDone(text)
        }
        #expect(isThere, "\(text)")
    }

    @Test("Is read as soon as it is there; until then the daemon says what it lacks")
    func appears() async throws {
        let place = Place()
        let daemon = try daemon(place)
        defer { daemon.stop() }
        try await wait(for: daemon) { $0.contains(#""status":"ready""#) }
        let lacking = try get(daemon, "/readyz").text
        #expect(lacking.contains(#""degraded":true"#) && lacking.contains("there is no catalog at late.sqlite"))
        #expect(lacking.contains(#""missing":["memberships","photos"]"#))
        #expect(try get(daemon, "/metrics").text.contains("\ncoterie_catalog_up 0\n"))
        #expect(await eventually { lines.all.contains { $0.contains("there is no catalog at late.sqlite") } })
        #expect(try get(daemon, "/v1/users/ann/recommendations").status == 501)
        #expect(try get(daemon, "/v1/groups/birds/similar").text.contains("alps"))
        // A catalog that cannot be opened yet, such as one that is being copied, is tried again.
        place.found.withLock { $0 = .failure(Failure(.general, "late.sqlite is no catalog")) }
        try await wait(for: daemon) { $0.contains("late.sqlite cannot be read yet: late.sqlite is no catalog") }
        let path = members.path + "-nowhere"
        place.found.withLock { [store] in $0 = .success(.catalog(store, path: path)) }
        try await wait(for: daemon) { $0.contains("there is no catalog at \(path)") }
        try members.execute("UPDATE groups SET visibility = 1 WHERE group_id = 'alps'")
        place.found.withLock { [store, members] in $0 = .success(.catalog(store, path: members.path)) }
        try await wait(for: daemon) { $0.contains(#""degraded":false"#) && $0.contains(#""missing":[]"#) }
        #expect(await lines.have("reading the catalog late.sqlite"))
        // What is private in the catalog is gone, also from answers that were given before.
        #expect(try !get(daemon, "/v1/groups/birds/similar").text.contains("alps"))
        #expect(try get(daemon, "/v1/users/bob/recommendations").status == 200)
        let client = try #require(SocketClient(port: daemon.port))
        let json = #"{"interactions":[{"id":"1","kind":"join","groupId":"birds"}]}"#
        #expect(client.request("POST", "/v1/users/ann/interactions", json: json)?.status == 200)
        #expect(try members.count("SELECT count(*) FROM interactions") == 1)
        // The counts of requests go on.
        let metrics = try get(daemon, "/metrics").text
        #expect(metrics.contains("\ncoterie_catalog_up 1\n") && metrics.contains(#"status="501"#))
        // Changes of others are noticed from now on.
        try members.execute(
            """
            UPDATE groups SET visibility = 0 WHERE group_id = 'alps';
            UPDATE catalog_state SET value = value + 1 WHERE name = 'changes'
            """)
        try await wait(for: daemon) { _ in
            (try? get(daemon, "/v1/groups/birds/similar").text.contains("alps")) == true
        }
    }

    @Test("Does not come while the daemon stops")
    func stopping() async throws {
        for _ in 0..<20 {
            let place = Place()
            let daemon = try daemon(place)
            try await wait(for: daemon) { $0.contains(#""status":"ready""#) }
            place.found.withLock { [store, members] in $0 = .success(.catalog(store, path: members.path)) }
            daemon.stop()
        }
        #expect(lines.all.filter { $0 == "stopped" }.count == 20)
    }
}
