import Foundation
import Redis
import TestSupport
import Testing

/// A store behind one address, which leads to another server when that is promoted.
@Suite(
    "A store whose server is another one now", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct MovedServerTests {
    /// A primary, its replica, and the name that leads to the primary.
    private final class Servers {
        let primary: TemporaryRedis
        let replica: TemporaryRedis
        let name: TCPForwarder

        init() throws {
            primary = try TemporaryRedis()
            replica = try TemporaryRedis("--replicaof", "127.0.0.1", "\(primary.port)")
            name = try TCPForwarder(to: primary.port)
        }

        var url: String { "redis://127.0.0.1:\(name.port)" }

        func command(_ server: TemporaryRedis, _ words: String...) throws -> RedisReply {
            var connection = try RedisConnection(to: RedisAddress(server.url), acceptsReplica: true)
            var command = RedisCommand()
            for word in words { command.append(word) }
            return try connection.command(command)
        }

        /// Whether the replica has all that the primary has.
        func areEqual() -> Bool {
            func offset(_ server: TemporaryRedis, _ proof: String) -> Substring? {
                guard let info = try? command(server, "INFO", "replication").text, info.contains(proof) else {
                    return nil
                }
                return info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("master_repl_offset:") }
            }
            guard let has = offset(primary, "role:master") else { return false }
            return offset(replica, "master_link_status:up") == has
        }

        /// Promotes the replica; the primary becomes one that gets nothing, so that it stays as it is.
        func promote() throws {
            _ = try command(replica, "REPLICAOF", "NO", "ONE")
            _ = try command(primary, "REPLICAOF", "127.0.0.1", "1")
        }
    }

    private struct Status: Decodable {
        struct Daemon: Decodable {
            var port: Int
        }

        var daemons: [Daemon]
    }

    private static let group = "macro-mondays"

    private func daemon(_ workspace: Workspace, _ name: String, _ store: String) async throws -> RunningDaemon {
        try await RunningDaemon(
            workspace, "--journal", workspace.path("journal-\(name)"),
            settings: [
                "COTERIE_STORE": store, "COTERIE_CATALOG": "none",
                "COTERIE_CACHE": workspace.path("cache-\(name)"),
            ])
    }

    /// Publishes the sample over the name, and waits until the replica has it.
    private func site(_ servers: Servers) async throws -> Workspace {
        let workspace = try Workspace()
        try await workspace.importSample()
        try await workspace.succeed(["recompute"], settings: ["COTERIE_STORE": servers.url])
        #expect(await RunningDaemon.poll { servers.areEqual() })
        return workspace
    }

    @Test("Daemons that only read follow the server that was promoted, though their connections stay open")
    func followed() async throws {
        let servers = try Servers()
        let workspace = try await site(servers)
        var daemons: [RunningDaemon] = []
        for name in ["a", "b"] { daemons.append(try await daemon(workspace, name, servers.url)) }
        for daemon in daemons { try await daemon.wait { !$0.degraded } }
        try servers.promote()
        servers.name.move(to: servers.replica.port)
        // Another daemon knows the promoted server only.
        let other = try await daemon(workspace, "c", servers.replica.url)
        try await other.wait { !$0.degraded }
        let client = try #require(SocketClient(port: other.port))
        #expect(client.request("PUT", "/v1/admin/groups/\(Self.group)/hidden")?.status == 200)
        for daemon in daemons {
            let isHidden = await RunningDaemon.poll {
                (try? daemon.get("/v1/groups/\(Self.group)/similar").status) == 404
            }
            #expect(isHidden, "\(daemon.command.errors)")
        }
        // Versions are followed there as well, and the board is there.
        let settings = ["COTERIE_STORE": servers.replica.url]
        try await workspace.succeed(["recompute"], settings: settings)
        let models: Answers.Models = try await workspace.succeed(["models", "--json"], settings: settings).json()
        for daemon in daemons + [other] { try await daemon.wait(forVersion: try #require(models.current)) }
        let ports = (daemons + [other]).map { Int($0.port) }.sorted()
        var seen: [Int] = []
        let areAll = try await RunningDaemon.poll {
            let status: Status = try await workspace.succeed(["status", "--json"], settings: settings).json()
            seen = status.daemons.map(\.port).sorted()
            return seen == ports
        }
        #expect(areAll, "\(seen)")
    }

    @Test("As long as the name leads to a replica, daemons and commands say so")
    func said() async throws {
        let servers = try Servers()
        let workspace = try await site(servers)
        let daemon = try await daemon(workspace, "a", servers.url)
        try await daemon.wait { !$0.degraded }
        try servers.promote()
        try await daemon.wait { $0.degraded && $0.reason?.contains("is a replica") == true }
        // What it has, it goes on serving.
        #expect(try daemon.get("/v1/groups/\(Self.group)/similar").status == 200)
        let settings = ["COTERIE_STORE": servers.url]
        for command in [["status"], ["recompute"]] {
            let run = try await workspace.start(command, settings: settings).wait()
            #expect(run.exitCode == CommandRun.ExitCode.tryLater && run.errors.contains("is a replica"))
        }
        let check = try await workspace.start(["check"], settings: settings).wait()
        #expect(check.exitCode == CommandRun.ExitCode.badData)
        #expect(check.text.contains("it is a replica, to which nobody can write"), "\(check.testDescription)")
        servers.name.move(to: servers.replica.port)
        try await daemon.wait { !$0.degraded }
    }
}
