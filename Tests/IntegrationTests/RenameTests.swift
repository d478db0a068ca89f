import SQLite
import TestSupport
import Testing

@Suite(
    "Renaming while daemons share a store", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct RenameTests {
    private func hide(_ daemon: RunningDaemon, _ group: String, method: String = "PUT") throws -> Int {
        let client = try #require(SocketClient(port: daemon.port))
        return try #require(client.request(method, "/v1/admin/groups/\(group)/hidden")?.status)
    }

    private func status(_ daemon: RunningDaemon, _ group: String) -> Int? {
        try? daemon.get("/v1/groups/\(group)/similar").status
    }

    @Test("A guest who has just acted for the first time is renamed with what waits in the stream, and keeps the arm")
    func guest() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        _ = try workspace.write(
            "experiments: {even: {arms: {a: {}, b: {}}, ends: 2099-01-01, plan: {decides: joins}}}",
            to: "experiments.yaml")
        try await workspace.succeed("experiment", "start", "even")
        let daemons = [
            try await RunningDaemon.withoutCatalog(workspace, "a"),
            try await RunningDaemon.withoutCatalog(workspace, "b"),
        ]
        for daemon in daemons { try await daemon.wait { !$0.degraded } }
        let client = try #require(SocketClient(port: daemons[0].port))
        let join = #"{"interactions":[{"id":"1","kind":"join","groupId":"macro-mondays"}]}"#
        #expect(client.request("POST", "/v1/users/guest-77/interactions", json: join)?.status == 200)
        // What another daemon has, the stream has.
        let isSent = await RunningDaemon.poll {
            (try? daemons[1].get("/v1/users/guest-77/interactions").text.contains("macro-mondays")) == true
        }
        #expect(isSent)
        #expect(try daemons[0].get("/v1/users/guest-77/recommendations").status == 200)
        #expect(await daemons[0].hasSent())
        try await workspace.succeed("rename", "user", "guest-77", "ann")
        let joined = try workspace.database().integer(
            "SELECT count(*) FROM memberships JOIN users USING (user_key) WHERE user_id = 'ann'")
        #expect(joined == 1)
        // By their ids, guest-77 is in arm a and ann in arm b. The next version tells it to a daemon without a catalog.
        try await workspace.succeed("recompute", "--keep", "1")
        try await daemons[1].wait(forVersion: workspace.currentVersion())
        #expect(try daemons[1].get("/v1/users/ann/recommendations").status == 200)
        #expect(await daemons[1].hasSent())
        #expect(await daemons[1].end().exitCode == CommandRun.ExitCode.success)
        try await workspace.succeed("apply")
        let shown = try workspace.database().prepare(
            "SELECT user_id, arm, count(*) FROM exposures JOIN users USING (user_key) GROUP BY 1, 2")
        var found: [String] = []
        while try shown.step() { found.append("\(shown.text(0)) \(shown.text(1)) \(shown.integer(2))") }
        #expect(found == ["ann a 2"])
    }

    @Test("Daemons without the catalog know of it; a hide under the old id hides the group under the new one")
    func groups() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let daemons = [
            try await RunningDaemon.withoutCatalog(workspace, "a"),
            try await RunningDaemon.withoutCatalog(workspace, "b"),
        ]
        for daemon in daemons { try await daemon.wait { !$0.degraded } }
        try await workspace.succeed("rename", "group", "night-walkers", "night-strollers")
        try await workspace.succeed("rename", "group", "macro-mondays", "macro-days")
        for daemon in daemons {
            #expect(await RunningDaemon.poll { status(daemon, "night-walkers") == 404 })
            #expect(await RunningDaemon.poll { status(daemon, "macro-mondays") == 404 })
        }
        // A page may still have the old id.
        #expect(try hide(daemons[0], "night-walkers") == 200)
        #expect(try hide(daemons[0], "never-was") == 404)
        let hidden = { (daemon: RunningDaemon) in (try? daemon.get("/v1/admin/hidden").text) ?? "" }
        #expect(await RunningDaemon.poll { hidden(daemons[1]).contains("night-strollers") })
        try await workspace.succeed("recompute")
        for daemon in daemons {
            #expect(await RunningDaemon.poll { status(daemon, "macro-days") == 200 })
            #expect(status(daemon, "night-strollers") == 404 && status(daemon, "night-walkers") == 404)
        }
        #expect(try await workspace.succeed("hide", "--list").text.contains("night-strollers"))
        // With the version that has the new id, the old one still leads to it.
        #expect(try hide(daemons[1], "night-walkers", method: "DELETE") == 200)
        for daemon in daemons { #expect(await RunningDaemon.poll { !hidden(daemon).contains("night-strollers") }) }
        try await workspace.succeed("recompute")
        for daemon in daemons { #expect(await RunningDaemon.poll { status(daemon, "night-strollers") == 200 }) }
        #expect(try await !workspace.succeed("hide", "--list").text.contains("night"))
    }
}
