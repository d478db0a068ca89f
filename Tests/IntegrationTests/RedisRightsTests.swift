import Foundation
import Redis
import TestSupport
import Testing

/// A store on a server that does not let its user do or see everything.
@Suite(
    "A store with few rights on its server", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct RedisRightsTests {
    private struct Answer: Decodable {
        struct Finding: Decodable {
            var subject, state, message: String
            var advice: String?
        }

        var findings: [Finding]
    }

    /// The address of a server for a user who has these rights.
    private func url(_ server: TemporaryRedis, _ rules: [String]) throws -> String {
        var connection = try RedisConnection(to: RedisAddress(server.url))
        var command = RedisCommand("ACL", "SETUSER", "coterie", "reset", "on", ">secret")
        for rule in rules { command.append(rule) }
        _ = try connection.command(command)
        return "redis://coterie:secret@127.0.0.1:\(server.port)"
    }

    /// What a check says of the server and the store, each as `STATE SUBJECT: MESSAGE`.
    private func findings(_ workspace: Workspace, _ store: String) async throws -> [Answer.Finding] {
        let run = try await workspace.start(["check", "--json"], settings: ["COTERIE_STORE": store]).wait()
        return try run.json(Answer.self).findings.filter { ["redis", "store"].contains($0.subject) }
    }

    @Test("With the rights that the documents name, all works")
    func recipe() async throws {
        let article = try String(
            contentsOfFile: Checkout.root + "/Sources/coterie/Documentation.docc/SeveralDaemons.md", encoding: .utf8)
        let line = try #require(article.firstMatch(of: /ACL SETUSER coterie on >PASSWORD (.*)\n/))
        let workspace = try Workspace(.redis)
        let store = try url(#require(workspace.server), line.output.1.split(separator: " ").map(String.init))
        let settings = ["COTERIE_STORE": store]
        try await workspace.importSample()
        // Twice: the second one removes the first version.
        for _ in 0..<2 { try await workspace.succeed(["recompute", "--keep", "1"], settings: settings) }
        let models: Answers.Models = try await workspace.succeed(["models", "--json"], settings: settings).json()
        #expect(models.versions.count == 1)
        var daemons: [RunningDaemon] = []
        for name in ["a", "b"] {
            let settings = [
                "COTERIE_STORE": store, "COTERIE_CATALOG": "none",
                "COTERIE_CACHE": workspace.path("cache-\(name)"),
            ]
            daemons.append(
                try await RunningDaemon(
                    workspace, "--journal", workspace.path("journal-\(name)"), settings: settings))
        }
        for daemon in daemons { try await daemon.wait { !$0.degraded } }
        // A list of a session, a hidden group, and what a member did.
        let path = "/v1/users/laura-100/recommendations?session=1&limit=5"
        #expect(try daemons[0].get(path).text == daemons[1].get(path).text)
        let client = try #require(SocketClient(port: daemons[0].port))
        #expect(client.request("PUT", "/v1/admin/groups/macro-mondays/hidden")?.status == 200)
        let json = #"{"interactions":[{"id":"1","kind":"dismiss","groupId":"night-walkers"}]}"#
        #expect(client.request("POST", "/v1/users/laura-100/interactions", json: json)?.status == 200)
        let isHidden = await RunningDaemon.poll {
            (try? daemons[1].get("/v1/groups/macro-mondays/similar").status) == 404
        }
        #expect(isHidden)
        let known = await RunningDaemon.poll {
            (try? daemons[1].get("/v1/users/laura-100/interactions").text.contains("night-walkers")) == true
        }
        #expect(known)
        try await workspace.succeed(["hide", "lone-trees"], settings: settings)
        try await workspace.succeed(["recompute"], settings: settings)
        try await workspace.succeed(["rollback"], settings: settings)
        // A daemon tells of itself every two seconds.
        let isComplete = try await RunningDaemon.poll {
            let status = try await workspace.succeed(["status"], settings: settings).text
            return daemons.allSatisfy { status.contains("127.0.0.1:\($0.port)") }
        }
        #expect(isComplete)
        try await workspace.succeed(["forget", "laura-100"], settings: settings)
        let found = try await findings(workspace, store)
        #expect(found.map(\.state) == ["warning", "good"], "\(found)")
        #expect(found.first?.message.contains("keeps nothing on its disk") == true, "\(found)")
    }

    @Test("Without CONFIG or INFO, a check says that it cannot tell, and claims nothing")
    func unknown() async throws {
        let workspace = try Workspace()
        let server = try TemporaryRedis("--rename-command", "CONFIG", "")
        try await workspace.publishSample(to: server.url)
        let renamed = try await findings(workspace, server.url)
        #expect(renamed.map(\.state) == ["good", "good"], "\(renamed)")
        #expect(renamed.first?.message.contains("does not tell whether it keeps its data: ERR unknown") == true)
        #expect(renamed.first?.message.contains("and keeps its data") == false)
        let store = try url(server, ["~coterie:*", "+@all", "-@dangerous", "-@admin"])
        let hidden = try await findings(workspace, store)
        #expect(hidden.map(\.state) == ["warning", "good"], "\(hidden)")
        #expect(hidden.first?.message.contains("what it evicts and whether it keeps its data: NOPERM") == true)
        // Every user may ask which version it is.
        #expect(hidden.first?.message.contains(" is version ") == true)
        #expect(hidden.first?.advice?.contains("+info +config|get") == true)
    }

    @Test("A user who may not do what a command needs is told so, and a check gives no other cause")
    func refused() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.importSample()
        let server = try #require(workspace.server)
        for rules in [["+@all", "-@dangerous"], ["~coterie:*", "+hello", "+info", "+config|get"]] {
            let store = try url(server, rules)
            let found = try await findings(workspace, store)
            #expect(found.last?.state == "bad" && found.last?.message.contains("NOPERM") == true, "\(found)")
            #expect(found.last?.advice?.contains("rights") == true, "\(found)")
            let run = try await workspace.start(["recompute"], settings: ["COTERIE_STORE": store]).wait()
            #expect(run.exitCode == CommandRun.ExitCode.tryLater && run.errors.contains("NOPERM"))
        }
        let wrong = "redis://coterie:wrong@127.0.0.1:\(server.port)"
        let found = try await findings(workspace, wrong)
        #expect(found.last?.message.contains("WRONGPASS") == true && found.last?.advice?.contains("log in") == true)
    }

    @Test("A new password is taken up without a restart, and a metric says so while it is wrong")
    func password() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let server = try #require(workspace.server)
        _ = try url(server, ["~*", "+@all"])
        var connection = try RedisConnection(to: RedisAddress(server.url))
        let file = workspace.path("password")
        func write(_ password: String) throws {
            try (password + "\n").write(toFile: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
        func change(_ rules: String...) throws {
            var command = RedisCommand("ACL", "SETUSER", "coterie")
            for rule in rules { command.append(rule) }
            _ = try connection.command(command)
            // Connections that are open stay logged in.
            _ = try connection.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        }
        try write("secret")
        let daemon = try await RunningDaemon(
            workspace, "--store-user", "coterie", "--store-password-file", file, "--journal", workspace.path("journal"),
            settings: ["COTERIE_STORE": server.url, "COTERIE_CATALOG": "none"])
        try await daemon.wait { !$0.degraded }
        #expect(try daemon.get("/metrics").text.contains("coterie_degraded 0\n"))
        try change("<secret", ">other")
        try await daemon.wait { $0.degraded && $0.reason?.contains("password") == true }
        #expect(try daemon.get("/metrics").text.contains("coterie_degraded 1\n"))
        try write("other")
        try await daemon.wait { !$0.degraded }
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("PUT", "/v1/admin/groups/macro-mondays/hidden")?.status == 200)
        #expect(await daemon.hasSent())
        // A server that takes no writes: answers are as before, and the metric says what /readyz says.
        _ = try connection.command("CONFIG", "SET", "min-replicas-to-write", "1")
        #expect(client.request("DELETE", "/v1/admin/groups/macro-mondays/hidden")?.status == 200)
        try await daemon.wait { $0.degraded }
        #expect(try daemon.get("/metrics").text.contains("coterie_degraded 1\n"))
        _ = try connection.command("CONFIG", "SET", "min-replicas-to-write", "0")
        try await daemon.wait { !$0.degraded }
    }
}
