import Foundation
import TestSupport
import Testing

@Suite("What runs on a store", .aFewAtATime)
struct StatusTests {
    private struct Status: Decodable {
        struct Lag: Decodable {
            var versionSeconds, switchSeconds, streamSeconds: Double?
        }

        struct Journal: Decodable {
            var file: String
            var daemonRuns: Bool
            var changes: Int?
            var sinceMilliseconds: Int64?
        }

        struct Daemon: Decodable {
            var port: Int
            var modelVersion: String?
            var problems: [String]
            var outboxChanges: Int?
            var streamMissing: Int?
            var sessions: Int?
            var lag: Lag
            var errorsInLastHour: Int
            var lastError: String?
        }

        var currentVersion: String?
        var currentSinceMilliseconds: Int64?
        var daemons: [Daemon]
        var journals: [Journal]
        var lastRecomputeSuccessAtSeconds: Int64?
    }

    private func status(_ workspace: Workspace) async throws -> Status {
        try await workspace.succeed(
            ["status", "--json"], settings: ["COTERIE_RECOMPUTE_METRICS": workspace.path("recompute.prom")]
        ).json()
    }

    /// Asks until the daemons say what is wanted.
    private func wait(_ workspace: Workspace, until isDone: (Status) -> Bool) async throws -> Status {
        var last = try await status(workspace)
        let isMet = try await RunningDaemon.poll {
            last = try await status(workspace)
            return isDone(last)
        }
        #expect(isMet, "\(last)")
        return last
    }

    @Test("Is shown with versions and errors, until a daemon ends", arguments: StoreKind.available)
    func daemons(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        try await workspace.succeed(
            ["recompute"], settings: ["COTERIE_RECOMPUTE_METRICS": workspace.path("recompute.prom")])
        #expect(try await status(workspace).daemons.isEmpty)
        #expect(try await status(workspace).lastRecomputeSuccessAtSeconds != nil)
        let daemon =
            kind == .redis
            ? try await RunningDaemon.withoutCatalog(workspace, "a") : try await RunningDaemon(workspace)
        let seen = try await wait(workspace) { $0.daemons.first?.modelVersion == $0.currentVersion }
        #expect(seen.currentVersion != nil && seen.daemons.map(\.port) == [Int(daemon.port)])
        #expect((seen.daemons.first?.outboxChanges == nil) == (kind == .folder))
        #expect(seen.daemons.first?.streamMissing == (kind == .folder ? nil : 0))
        #expect((seen.daemons.first?.lag.streamSeconds == nil) == (kind == .folder))
        // It took up what was current already.
        #expect(seen.daemons.first?.lag.versionSeconds == 0 && seen.daemons.first?.lag.switchSeconds == nil)
        #expect(seen.currentSinceMilliseconds != nil)
        _ = try daemon.get("/v1/users/laura-100/recommendations?limit=1")
        _ = try await wait(workspace) { $0.daemons.first?.sessions == 1 }
        try await workspace.succeed(
            ["recompute"], settings: ["COTERIE_RECOMPUTE_METRICS": workspace.path("recompute.prom")])
        let switched = try await wait(workspace) { $0.daemons.first?.lag.switchSeconds != nil }
        #expect(switched.daemons.first.map { $0.lag.versionSeconds == 0 } == true)
        // Without keys, a daemon warns when it starts.
        #expect(seen.daemons.first.map { $0.errorsInLastHour >= 1 } == true)
        #expect(seen.daemons.first?.lastError != nil)
        let screen = try await workspace.succeed("status").text
        #expect(screen.contains("the current one") && screen.contains("127.0.0.1:\(daemon.port)"), "\(screen)")
        _ = await daemon.end()
        #expect(try await status(workspace).daemons.isEmpty)
        #expect(try await workspace.succeed("status").text.contains("no daemon runs on this store"))
    }

    @Test(
        "A journal tells what waits in it, also when its daemon does not run",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func journals() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        let server = try #require(workspace.server)
        let daemon = try await RunningDaemon(
            workspace, "--journal", workspace.path("journal-1.sqlite"),
            settings: ["COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache")])
        try await daemon.wait(forVersion: version)
        let running = try await wait(workspace) { $0.journals.first?.daemonRuns == true }
        #expect(running.journals.map(\.changes) == [0])
        // While the server does not answer, what is recorded stays in the journal.
        server.pause()
        let json = #"{"interactions":[{"id":"1","kind":"dismiss","groupId":"macro-mondays"}]}"#
        let client = SocketClient(port: daemon.port)
        #expect(client?.request("POST", "/v1/users/laura-100/interactions", json: json)?.status == 200)
        _ = await daemon.end(with: SIGKILL)
        server.resume()
        let left = try await status(workspace)
        #expect(left.journals.map { $0.file.hasSuffix("/journal-1.sqlite") } == [true])
        #expect(left.journals.first?.changes == 1 && left.journals.first?.sinceMilliseconds != nil)
    }
}
