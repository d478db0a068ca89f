import Foundation
import Redis
import TestSupport
import Testing

/// A Redis that takes no writes any more, because it could not save its data.
@Suite(
    "A store on a server that refuses writes after a failed save", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct RefusedWritesTests {
    private static let path = "/v1/users/laura-100/interactions"

    /// Saves, and waits until the server says how it ended.
    private func save(_ server: TemporaryRedis, succeeds: Bool) async throws {
        var connection = try RedisConnection(to: RedisAddress(server.url))
        var isSaving = false
        let isDone = await RunningDaemon.poll {
            guard let text = try? connection.command("INFO", "persistence").text else { return false }
            guard !text.contains("rdb_bgsave_in_progress:1") else { return false }
            if isSaving, text.contains("rdb_last_bgsave_status:\(succeeds ? "ok" : "err")") { return true }
            isSaving = (try? connection.command("BGSAVE")) != nil
            return false
        }
        try #require(isDone)
    }

    private func dismiss(_ group: String, _ id: Int, at daemon: RunningDaemon) throws -> Int? {
        let client = try #require(SocketClient(port: daemon.port))
        let json = #"{"interactions":[{"id":"\#(id)","kind":"dismiss","groupId":"\#(group)"}]}"#
        return client.request("POST", Self.path, json: json)?.status
    }

    @Test("Daemons say so and lose nothing, the check names the cause, and all goes on when it saves again")
    func failedSave() async throws {
        let (workspace, data) = (try Workspace(), try TemporaryDirectory())
        let server = try TemporaryRedis("--dir", data.path, "--save", "3600 1")
        let settings = ["COTERIE_STORE": server.url]
        try await workspace.publishSample(to: server.url)
        func start(_ name: String) async throws -> RunningDaemon {
            let own = ["COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path(name)]
            return try await RunningDaemon(
                workspace, "--journal", workspace.path("journal-\(name)"), settings: settings.merging(own) { $1 })
        }
        let (first, other) = (try await start("a"), try await start("b"))
        for daemon in [first, other] { try await daemon.wait { !$0.degraded } }
        // A folder in the place of the file makes every save fail, for root too.
        let place = data.path + "/dump.rdb"
        try? FileManager.default.removeItem(atPath: place)
        try FileManager.default.createDirectory(atPath: place + "/full", withIntermediateDirectories: true)
        try await save(server, succeeds: false)

        for (number, daemon) in [first, other].enumerated() {
            #expect(try dismiss("macro-mondays", number, at: daemon) == 200)
            let readiness = try await daemon.wait { $0.degraded }
            #expect(readiness.reason?.contains("cannot save to its disk") == true, "\(readiness)")
            #expect(try daemon.get("/metrics").text.contains("coterie_degraded 1\n"))
            #expect(try daemon.get("/v1/users/laura-100/recommendations?session=1").status == 200)
        }
        let check = try await workspace.start(["check", "--quiet"], settings: settings).wait()
        #expect(check.exitCode == CommandRun.ExitCode.badData)
        #expect(check.text.contains("its last save to its disk failed"), "\(check.testDescription)")
        let before: Answers.Models = try await workspace.succeed(["models", "--json"], settings: settings).json()
        let refused = try await workspace.start(["recompute"], settings: settings).wait()
        #expect(refused.exitCode != CommandRun.ExitCode.success)
        #expect(refused.errors.contains("cannot save to its disk"), "\(refused.testDescription)")
        // A daemon that is killed meanwhile, and that starts again, still has what it acknowledged.
        _ = await first.end(with: SIGKILL)
        let again = try await start("a")
        try await again.wait { !$0.modelVersion.isEmpty }
        #expect(try dismiss("night-walkers", 2, at: again) == 200)
        #expect(try again.get(Self.path).text.contains("macro-mondays"))

        try FileManager.default.removeItem(atPath: place)
        try await save(server, succeeds: true)
        for daemon in [again, other] { try await daemon.wait { !$0.degraded } }
        let isKnown = await RunningDaemon.poll {
            guard let text = try? other.get(Self.path).text else { return false }
            return text.contains("macro-mondays") && text.contains("night-walkers")
        }
        #expect(isKnown)
        let after: Answers.Models = try await workspace.succeed(["models", "--json"], settings: settings).json()
        #expect(after.current == before.current)
        try await workspace.succeed(["recompute"], settings: settings)
        // The daemons' reports of a moment ago may still tell of it.
        var last: CommandRun?
        let isHealthy = try await eventually {
            last = try await workspace.start(["check", "--quiet"], settings: settings).wait()
            return last?.text.contains("redis") == false
        }
        #expect(isHealthy, "\(last?.testDescription ?? "")")
    }
}
