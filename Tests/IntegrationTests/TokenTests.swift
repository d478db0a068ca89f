import Foundation
import TestSupport
import Testing

@Suite("Tokens from the command line", .aFewAtATime)
struct TokenTests {
    private func token(_ workspace: Workspace, _ options: String...) async throws -> String {
        let run = try await workspace.succeed(["token"] + options, settings: ["COTERIE_KEYS": "keys.json"])
        #expect(run.lines.count == 1)
        return String(try #require(run.lines.first))
    }

    /// The status of a request with a token.
    private func status(_ daemon: RunningDaemon, _ target: String, _ token: String?) throws -> Int {
        try daemon.get(target, headers: token.map { ["Authorization: Bearer \($0)"] } ?? []).status
    }

    @Test("A daemon accepts them for their bearers, and for nobody else")
    func daemon() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        #expect(try await workspace.succeed("token", "--new-key", "--keys", "keys.json").text.contains("first key"))
        let mode = try FileManager.default.attributesOfItem(atPath: workspace.path("keys.json"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let member = try await token(workspace, "--user", "laura-100")
        let service = try await token(workspace, "--service", "--expires", "7d")
        let admin = try await token(workspace, "--admin")
        let site = try await token(workspace, "--service", "--scope", "lists")
        let stranger = try await token(workspace, "--service", "--audience", "another")
        let daemon = try await RunningDaemon(workspace, "--keys", "keys.json")
        try await daemon.wait { $0.status == "ready" }
        let own = "/v1/users/laura-100/recommendations"
        #expect(try status(daemon, own, nil) == 401)
        #expect(try status(daemon, own, String(member.dropLast(4)) + "AAAA") == 401)
        #expect(try status(daemon, own, member) == 200)
        #expect(try status(daemon, own, service) == 403)
        #expect(try status(daemon, own, site) == 200)
        #expect(try status(daemon, "/v1/users/ilse-qdw/recommendations", member) != 200)
        let groups = "/v1/groups/beach-days/similar"
        #expect(try status(daemon, groups, nil) == 401)
        #expect(try status(daemon, groups, stranger) == 401)
        #expect(try status(daemon, groups, service) == 200)
        #expect(try status(daemon, "/v1/admin/model", member) == 403)
        #expect(try status(daemon, "/v1/admin/model", admin) == 200)
    }

    @Test("On SIGHUP a daemon reads its keys again and goes on; without keys it goes on, too")
    func reload() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        for (options, message) in [("keys.json", "reloading the keys"), ("", "reloading the settings")] {
            let daemon = try await RunningDaemon(
                workspace, settings: options.isEmpty ? [:] : ["COTERIE_KEYS": options])
            for count in 1...3 {
                daemon.command.send(SIGHUP)
                let isDone = await RunningDaemon.poll {
                    daemon.command.errors.split(separator: "\n").count { $0.contains(message) } == count
                }
                #expect(isDone, "\(daemon.command.errors)")
            }
            // A file that is wrong now is refused each time, and the keys stay.
            if !options.isEmpty {
                _ = try workspace.write("{}", to: "keys.json")
                daemon.command.send(SIGHUP)
                #expect(await RunningDaemon.poll { daemon.command.errors.contains("the keys before stay in use") })
            }
            #expect(try daemon.get("/healthz").status == 200)
            #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
        }
    }

    @Test("Tokens that no daemon would accept are not made")
    func mistakes() async throws {
        let workspace = try Workspace()
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        for (arguments, code, hint) in [
            (["--user", ""], CommandRun.ExitCode.badData, "sub"),
            (["--user", "x", "--admin"], CommandRun.ExitCode.usage, "one of"),
            ([], CommandRun.ExitCode.usage, "one of"),
            (["--admin", "--expires", "2 weeks"], CommandRun.ExitCode.usage, "expires"),
            (["--admin", "--scope", "lists"], CommandRun.ExitCode.usage, "look, members, curate, operate"),
            (["--service", "--name", "ann"], CommandRun.ExitCode.usage, "--admin"),
            (["--user", "ann", "--scope", "look"], CommandRun.ExitCode.usage, "--service and --admin"),
            (["--service", "--scope", "mail"], CommandRun.ExitCode.usage, "lists"),
            (["--admin", "--expires", "0s"], CommandRun.ExitCode.usage, "from 1s to 366d"),
            (["--admin", "--expires", "367d"], CommandRun.ExitCode.usage, "from 1s to 366d"),
            (["--admin", "--keys", "none.json"], CommandRun.ExitCode.general, "none.json"),
        ] {
            let run = try await workspace.start(["token"] + arguments, settings: ["COTERIE_KEYS": "keys.json"]).wait()
            #expect(run.exitCode == code, "\(run.testDescription)")
            #expect(run.errors.contains(hint), "\(run.testDescription)")
            #expect(run.output.isEmpty)
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: workspace.path("keys.json"))
        let open = try await workspace.run("token", "--admin", "--keys", "keys.json")
        #expect(open.exitCode == CommandRun.ExitCode.badData && open.errors.contains("chmod 600"))
    }
}
