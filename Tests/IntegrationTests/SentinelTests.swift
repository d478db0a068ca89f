import Foundation
import Redis
import TestSupport
import Testing

/// A store on a server with a replica, which a Sentinel promotes when the server is lost.
@Suite(
    "A store behind Sentinels", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct SentinelTests {
    /// A server, its replica and the Sentinel that watches both.
    private final class Servers {
        let primary: TemporaryRedis
        let replica: TemporaryRedis
        private let directory: TemporaryDirectory
        private let sentinel = Process()
        let sentinelPort: Int

        init() throws {
            primary = try TemporaryRedis()
            replica = try TemporaryRedis("--replicaof", "127.0.0.1", "\(primary.port)")
            directory = try TemporaryDirectory()
            sentinelPort = try TemporaryRedis.freePort()
            let settings = directory.path + "/sentinel.conf"
            try """
            port \(sentinelPort)
            bind 127.0.0.1
            dir \(directory.path)
            sentinel monitor coterie 127.0.0.1 \(primary.port) 1
            sentinel down-after-milliseconds coterie 500
            sentinel failover-timeout coterie 2000

            """.write(toFile: settings, atomically: true, encoding: .utf8)
            sentinel.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            sentinel.arguments = ["redis-server", settings, "--sentinel"]
            sentinel.standardOutput = FileHandle.nullDevice
            sentinel.standardInput = FileHandle.nullDevice
            try sentinel.run()
            try ChildWatch.begin(sentinel)
        }

        deinit {
            kill(sentinel.processIdentifier, SIGKILL)
            sentinel.waitUntilExit()
        }

        var url: String { "redis-sentinel://127.0.0.1:\(sentinelPort)/coterie" }

        /// Whether the Sentinel knows the replica, and the replica has what the primary has.
        func isReady() -> Bool {
            guard var connection = try? RedisConnection(to: RedisAddress("redis://127.0.0.1:\(sentinelPort)")),
                case .array(let replicas)? = try? connection.command("SENTINEL", "REPLICAS", "coterie"),
                !replicas.isEmpty, var copy = try? RedisConnection(to: RedisAddress(replica.url), acceptsReplica: true)
            else { return false }
            return (try? copy.command("INFO", "replication").text?.contains("master_link_status:up")) == true
        }
    }

    private func click(_ daemon: RunningDaemon, _ id: String) throws -> Bool {
        let json = #"{"interactions":[{"id":"\#(id)","kind":"click","groupId":"macro-mondays"}]}"#
        let client = try #require(SocketClient(port: daemon.port))
        return client.request("POST", "/v1/users/somebody/interactions", json: json)?.status == 200
    }

    private func outbox(_ daemon: RunningDaemon) -> String {
        guard let metrics = try? daemon.get("/metrics").text else { return "?" }
        return metrics.split(separator: "\n").filter { $0.hasPrefix("coterie_outbox_changes ") }.joined()
    }

    @Test("What daemons acknowledge while a replica is promoted arrives once, and the version is still served")
    func promotion() async throws {
        let servers = try Servers()
        let workspace = try Workspace()
        let settings = ["COTERIE_STORE": servers.url, "COTERIE_CACHE": workspace.path("cache")]
        #expect(await RunningDaemon.poll { servers.isReady() })
        try await workspace.importSample()
        func recompute() async throws {
            let run = try await workspace.run("recompute", settings: settings)
            #expect(run.exitCode == 0, "\(run.testDescription)")
        }
        try await recompute()
        var daemons: [RunningDaemon] = []
        for name in ["a", "b"] {
            daemons.append(
                try await RunningDaemon(
                    workspace, "--journal", workspace.path("journal-\(name)"),
                    settings: [
                        "COTERIE_STORE": servers.url, "COTERIE_CATALOG": "none",
                        "COTERIE_CACHE": workspace.path("cache-\(name)"),
                    ]))
        }
        for daemon in daemons { try await daemon.wait { !$0.degraded } }
        var acknowledged: Set<String> = []
        for number in 0..<40 {
            if number == 10 { servers.primary.stop() }
            if try click(daemons[number % 2], "\(number)") { acknowledged.insert("\(number)") }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(acknowledged.count == 40)
        #expect(await RunningDaemon.poll { daemons.allSatisfy { outbox($0) == "coterie_outbox_changes 0" } })
        for daemon in daemons { try await daemon.wait { !$0.degraded } }
        try await recompute()
        let kept = try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog)
        #expect(Set(kept) == acknowledged && kept.count == acknowledged.count)
    }

    @Test("A cluster is refused")
    func cluster() async throws {
        let server = try TemporaryRedis("--cluster-enabled", "yes")
        let workspace = try Workspace()
        try await workspace.importSample()
        let settings = ["COTERIE_STORE": server.url]
        let run = try await workspace.run("recompute", settings: settings)
        #expect(run.exitCode == CommandRun.ExitCode.usage, "\(run.testDescription)")
        #expect(run.errors.contains("this is a Redis Cluster"), "\(run.testDescription)")
    }
}
