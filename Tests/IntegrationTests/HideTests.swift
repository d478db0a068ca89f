import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Hidden groups on the command line and in a daemon", .aFewAtATime)
struct HideTests {
    private struct Hidden: Decodable {
        struct Row: Decodable {
            var groupId: String
            var hiddenAtMilliseconds: Int64
        }
        var groups: [Row]
    }

    private static let group = "macro-mondays"
    /// A member of it, and a photo that is in no pool.
    private static let (user, photo) = ("laura-100", "51788458157")

    private func hidden(_ workspace: Workspace) async throws -> [String] {
        try await workspace.succeed("hide", "--list", "--json").json(Hidden.self).groups.map(\.groupId)
    }

    @Test("A hidden group is in no answer, before and after a recompute and an import, until it is unhidden")
    func everywhere() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let before = try await workspace.succeed("export", "neighbours", "--by", "members").text
        let commands = [
            ["similar", "closer-than-life", "--limit", "200"], ["similar", "closer-than-life", "--by", "members"],
            ["recommend", Self.user, "--limit", "300"], ["trending", "--limit", "300"],
            ["photo", Self.photo, "--limit", "300"],
        ]
        func answers() async throws -> String {
            var text = ""
            for command in commands { text += try await workspace.succeed(command + ["--json"]).text }
            return text
        }
        #expect(try await answers().contains(Self.group))
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { !$0.degraded }
        #expect(try daemon.get("/v1/groups/closer-than-life/similar").text.contains(Self.group))
        try await workspace.succeed("hide", Self.group)
        #expect(try await hidden(workspace) == [Self.group])
        #expect(try await !answers().contains(Self.group))
        // The daemon checks regularly whether others have changed the catalog.
        let isGone = await RunningDaemon.poll {
            (try? daemon.get("/v1/groups/closer-than-life/similar").text.contains(Self.group)) == false
        }
        #expect(isGone)
        #expect(try daemon.get("/v1/groups/\(Self.group)/similar").status == 404)
        let similar = try await workspace.run("similar", Self.group)
        #expect(similar.exitCode == CommandRun.ExitCode.badData && similar.errors.contains("is hidden"))
        #expect(try await workspace.succeed("explain", Self.user, Self.group).text.contains("hidden"))
        #expect(try await workspace.succeed("why", "closer-than-life", Self.group).text.contains("hidden since"))

        let files = try workspace.write("group_id,visibility\n\(Self.group),public\n", to: "groups.csv")
        try await workspace.succeed("import", "groups", files)
        let run = try await workspace.succeed("recompute")
        #expect(run.errors.contains("1 hidden left out"))
        #expect(try await hidden(workspace) == [Self.group])
        #expect(try await !workspace.succeed("export", "neighbours", "--by", "members").text.contains(Self.group))
        #expect(try await !answers().contains(Self.group))

        try await workspace.succeed("hide", Self.group, "--undo")
        #expect(try await workspace.succeed("hide", "--list").text.contains("no group is hidden"))
        try await workspace.succeed("recompute")
        #expect(try await workspace.succeed("export", "neighbours", "--by", "members").text == before)
    }

    @Test(
        "Hiding and curating while Redis is away are kept, listed, and sent later",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func awayServer() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let server = try #require(workspace.server)
        server.stop()
        for words in [
            ["hide", "feathers"], ["hide", "faces"], ["hide", "faces", "--undo"], ["curate", "add", "faces"],
        ] {
            let run = try await workspace.start(words).wait()
            #expect(run.exitCode == CommandRun.ExitCode.tryLater, "\(run.testDescription)")
            #expect(run.errors.contains("the decision is kept in"), "\(run.testDescription)")
        }
        #expect(try await hidden(workspace) == ["feathers"])
        #expect(try await workspace.succeed("curate", "list").text.contains("faces"))
        try server.start()
        try await workspace.succeed("apply")
        #expect(try workspace.database().integer("SELECT count(*) FROM hidden_groups") == 1)
        #expect(try workspace.database().integer("SELECT count(*) FROM curated_groups") == 1)
        #expect(try await workspace.succeed("hide", "--list").errors.isEmpty)
    }

    @Test("Hiding refuses unknown groups, and changes nothing")
    func mistakes() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        for (arguments, code, hint) in [
            (["macro-monday"], CommandRun.ExitCode.badData, "\"macro-mondays\""),
            (["macro-mondays", "--undo"], CommandRun.ExitCode.badData, "hide --list"),
            ([], CommandRun.ExitCode.usage, "which group"), (["a", "--list"], CommandRun.ExitCode.usage, "no group"),
            (["--list", "--undo"], CommandRun.ExitCode.usage, "needs the id"),
        ] {
            let run = try await workspace.start(["hide"] + arguments).wait()
            #expect(run.exitCode == code && run.errors.contains(hint), "\(run.testDescription)")
        }
        #expect(try await hidden(workspace).isEmpty)
    }

    @Test("Tables show ids of up to 36 characters whole, and cut longer ones")
    func longIds() async throws {
        let workspace = try Workspace()
        let ids = [36, 37].map { String(repeating: "x", count: $0) }
        try Data("group_id\n\(ids[0])\n\(ids[1])\n".utf8)
            .write(to: URL(fileURLWithPath: workspace.path("groups.csv")))
        try await workspace.succeed("import", "groups", "groups.csv")
        #expect(try await workspace.succeed("hide", ids[0]).text.contains("\n\(ids[0])  "))
        #expect(try await workspace.succeed("hide", ids[1]).text.contains("\n\(ids[0].dropLast())…  "))
    }
}

@Suite("Lists for many users", .aFewAtATime)
struct ManyUsersTests {
    @Test("An unknown user is named, the others get their lists, and the exit code is 65")
    func unknownUser() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let users = try workspace.write("laura-100\nlaura-101\nlaura-99999\nlaura-100\n", to: "users.txt")
        let run = try await workspace.run("recommend", "--users", users, "--json")
        #expect(run.exitCode == CommandRun.ExitCode.badData)
        #expect(run.lines.count == 1 && run.lines.allSatisfy { $0.contains(#""userId":"laura-100""#) })
        for text in ["\"laura-101\"", "\"laura-99999\"", "2 of 3 users are unknown"] {
            #expect(run.errors.contains(text), "\(run.testDescription)")
        }
    }

    @Test(
        "The users come from a pipe as well as from a file",
        arguments: [
            "printf 'laura-100\\r\\nrebecca-2r5\\n' | \"$0\" recommend --json --limit 1 --users -",
            "(printf laura-100; sleep .1; echo; echo rebecca-2r5) | \"$0\" "
                + "recommend --json --limit 1 --users /dev/stdin",
            "\"$0\" recommend --json --limit 1 --users <(printf 'laura-100\\n\\nrebecca-2r5')",
        ])
    func pipes(script: String) async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let run = try await RunningCommand(
            "/bin/bash", ["-c", script, Checkout.program], environment: workspace.environment, input: nil,
            in: workspace.folder
        ).wait()
        #expect(run.exitCode == 0, "\(run.testDescription)")
        #expect(run.lines.count == 2 && run.lines[0].contains("laura-100") && run.lines[1].contains("rebecca-2r5"))
        let bad = try await workspace.run("recommend", "--users", workspace.folder)
        #expect(
            bad.exitCode == CommandRun.ExitCode.badData && bad.errors.contains("cannot read"), "\(bad.testDescription)")
    }
}
