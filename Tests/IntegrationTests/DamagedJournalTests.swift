import Foundation
import Redis
import SQLite
import TestSupport
import Testing

@Suite(
    "Journals with a damaged change", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct DamagedJournalTests {
    private let workspace: Workspace
    private let target = "/v1/users/somebody/interactions"

    init() throws { workspace = try Workspace(.redis) }

    private func click(_ daemon: RunningDaemon, _ id: Int) throws {
        let json = #"{"interactions":[{"id":"\#(id)","kind":"click","groupId":"macro-mondays"}]}"#
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("POST", target, json: json)?.status == 200)
    }

    private func knows(_ daemon: RunningDaemon, _ ids: ClosedRange<Int>) -> Bool {
        guard let text = try? daemon.get(target).text else { return false }
        return ids.allSatisfy { text.contains(#""id":"\#($0)""#) }
    }

    /// Flips a bit of a change in the file of a daemon that is stopped, and returns the journal's name.
    private func damage(_ name: String, sequence: Int) throws -> String {
        let path = workspace.path("journal-\(name)")
        let origin: String
        let body: [UInt8]
        do {
            let database = try Database(path: path, mode: .readWrite)
            let row = try database.prepare("SELECT origin, body FROM changes WHERE sequence = \(sequence)")
            #expect(try row.step())
            (origin, body) = (row.text(0), row.bytes(1))
            row.reset()
            #expect(try database.emptyLog())
        }
        var file = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(file.range(of: Data(body)))
        file[place.lowerBound + 40] ^= 4
        try file.write(to: URL(fileURLWithPath: path))
        return origin
    }

    private func flush() throws {
        let server = try #require(workspace.server)
        var connection = try RedisConnection(to: RedisAddress(server.url))
        guard case .array(let names) = try connection.command("SMEMBERS", "coterie:journals") else { return }
        for name in names { _ = try connection.command("DEL", "coterie:journal:\(name.text ?? "")") }
        _ = try connection.command("DEL", "coterie:journals")
    }

    @Test(
        "A journal that is removed under its daemon, or its log alone, takes no changes until the daemon starts again",
        arguments: [["", "-wal", "-shm"], ["-wal"]])
    func removed(endings: [String]) async throws {
        try await workspace.publishSample()
        let daemon = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await daemon.wait { !$0.degraded }
        try click(daemon, 1)
        #expect(await daemon.hasSent())
        for ending in endings {
            try FileManager.default.removeItem(atPath: workspace.path("journal-a\(ending)"))
        }
        let json = #"{"interactions":[{"id":"2","kind":"click","groupId":"macro-mondays"}]}"#
        let client = try #require(SocketClient(port: daemon.port))
        let refused = try #require(client.request("POST", target, json: json))
        #expect(refused.status == 503 && refused.text.contains("was removed, replaced or emptied"), "\(refused.text)")
        try await daemon.wait { $0.degraded && $0.reason?.contains("was removed, replaced or emptied") == true }
        #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
        let again = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await again.wait { !$0.degraded }
        try click(again, 2)
        #expect(await RunningDaemon.poll { knows(again, 1...2) })
    }

    @Test(
        "It is fetched again from its stream, and from another daemon if there is no stream", arguments: [false, true])
    func fetched(isStreamLost: Bool) async throws {
        try await workspace.publishSample()
        let first = try await RunningDaemon.withoutCatalog(workspace, "a")
        let other = try await RunningDaemon.withoutCatalog(workspace, "b")
        for daemon in [first, other] { try await daemon.wait { !$0.degraded } }
        for id in 1...3 { try click(first, id) }
        #expect(await RunningDaemon.poll { knows(other, 1...3) })
        _ = await first.end()
        let origin = try damage("a", sequence: 2)
        if isStreamLost { try flush() }
        let again = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await again.wait { !$0.degraded }
        #expect(await RunningDaemon.poll { knows(again, 1...3) })
        #expect(await again.logs("change 2 of the journal \(origin) was damaged here, and is fetched again"))
    }

    @Test("If nobody has it, later ones wait, which is said everywhere, until --skip-missing gives it up")
    func givenUp() async throws {
        try await workspace.publishSample()
        let first = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await first.wait { !$0.degraded }
        for id in 1...3 { try click(first, id) }
        #expect(await first.hasSent())
        _ = await first.end()
        let origin = try damage("a", sequence: 2)
        try flush()
        let name = "change 2 of the journal \(origin)"
        let stopped = try await workspace.succeed(["status", "--journal", workspace.path("journal-a")]).text
        #expect(stopped.contains("\(name) is damaged"), "\(stopped)")
        let check = try await workspace.start(["check", "--journal", workspace.path("journal-a")], settings: [:]).wait()
        #expect(check.text.contains("\(name) is damaged") && check.text.contains("--skip-missing"), "\(check.text)")
        let waiting = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await waiting.wait { $0.reason?.contains("\(name) is damaged here and in no stream") == true }
        #expect(try waiting.get("/metrics").text.contains("coterie_degraded 1\n"))
        let isReported = await RunningDaemon.poll { () async in
            (try? await workspace.succeed(["status"]).text.contains("\(name) is damaged here")) == true
        }
        #expect(isReported)
        // Nothing after it is sent, and new changes are.
        try click(waiting, 4)
        let other = try await RunningDaemon.withoutCatalog(workspace, "b")
        #expect(await RunningDaemon.poll { knows(other, 4...4) })
        #expect(!knows(other, 3...3))
        _ = await waiting.end()
        let skipping = try await RunningDaemon(
            workspace, "--journal", workspace.path("journal-a"), "--skip-missing",
            settings: [
                "COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache-a"),
            ])
        try await skipping.wait { !$0.degraded }
        #expect(await RunningDaemon.poll { knows(other, 3...4) && knows(other, 1...1) })
        #expect(await skipping.logs("\(name) was damaged here and in no stream, and is given up"))
        try await workspace.succeed("recompute")
        let kept = try CatalogContent.texts("SELECT id FROM interactions ORDER BY id", workspace.catalog)
        #expect(kept == ["1", "3", "4"])
    }

}
