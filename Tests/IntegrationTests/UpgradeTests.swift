import Foundation
import SQLite
import TestSupport
import Testing

/// A site of the one earlier program whose backups are restored, as `Jobs/keep-release` kept it.
///
/// Its folder has the site, `folder.tar` is a backup of it, and `shared.tar` one of the site beside Redis. There, the
/// catalog lacks what a daemon's journal has (`journal-1`), and what only the streams have (`other-1`).
@Suite("A site of an earlier release", .aFewAtATime)
struct UpgradeTests {
    private static let archive = "\(Checkout.root)/Tests/IntegrationTests/Releases/2026-11-27.tar.gz"
    private static let recorded = (1...4).map { "catalog-\($0)" }

    /// The site in a workspace, whose catalog and store it is.
    private func site() async throws -> Workspace {
        let workspace = try Workspace()
        let run = try await RunningCommand(
            "/bin/tar", ["-xzf", Self.archive, "--strip-components=1"], environment: workspace.environment, input: nil,
            in: workspace.folder
        ).wait()
        try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        return workspace
    }

    /// Restores a backup of the site, and checks what it brings back.
    private func restore(_ name: String, into workspace: Workspace, interactions: [String], hidden: [String])
        async throws
    {
        let site = try await site()
        let backup = site.path(name)
        #expect(try await workspace.succeed("restore", backup, "--verify").text.contains("catalog.sqlite"))
        try await workspace.succeed("restore", backup)
        #expect(
            try CatalogContent.texts("SELECT id FROM interactions ORDER BY id", workspace.catalog) == interactions)
        let groups = try await workspace.succeed("hide", "--list").text
        #expect(hidden.allSatisfy { groups.contains($0) })
        #expect(try await workspace.succeed("curate", "list").text.contains("g5"))
        let forgotten = try await workspace.succeed("forget", "u9", "--check").text
        #expect(forgotten.contains("forgotten, and kept from coming back"), "\(forgotten)")
        #expect(try await workspace.succeed("experiment", "list").text.contains("kept"))
        try await workspace.succeed("recompute")
        let check = try await workspace.run("check", "--quiet")
        #expect(!check.text.contains("bad      catalog") && !check.text.contains("bad      store"), "\(check.text)")
        let similar = try await workspace.succeed("similar", "g1", "--by", "members", "--json")
        #expect(try !similar.json(Answers.Similar.self).neighbours.isEmpty)
        try await workspace.succeed("recommend", "u1")
    }

    @Test("A backup of a site in a folder is restored with what members and the site did, and the site goes on")
    func folder() async throws {
        let workspace = try Workspace()
        try await restore("folder.tar", into: workspace, interactions: Self.recorded, hidden: ["g6"])
        // A backup that this program makes of it is restored as well.
        try await workspace.succeed("backup", "again.tar")
        let other = try Workspace()
        try await other.succeed("restore", workspace.path("again.tar"))
        #expect(try CatalogContent.differences(workspace.catalog, other.catalog) == 0)
    }

    @Test(
        "A backup of a site beside Redis is restored with the changes of its journal and of the streams",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func shared() async throws {
        try await restore(
            "shared.tar", into: Workspace(.redis), interactions: Self.recorded + ["journal-1", "other-1"],
            hidden: ["g3", "g6"])
    }

    @Test("Its files are refused by every command, with the way to bring them over; that way works")
    func refusal() async throws {
        let workspace = try await site()
        let more = try workspace.write("group_id\ng7\n", to: "more.csv")
        let schema = try workspace.database().integer("PRAGMA user_version")
        for command in [
            ["hide", "--list"], ["curate", "list"], ["import", "groups", more], ["recompute"], ["backup", "new.tar"],
            ["serve", "--port", "0"],
        ] {
            let run = try await workspace.start(command).wait()
            #expect(run.exitCode != CommandRun.ExitCode.success, "\(run.testDescription)")
            #expect(run.errors.contains("a catalog of an older program"), "\(run.testDescription)")
            #expect(run.errors.contains("coterie restore BACKUP --replace"), "\(run.testDescription)")
        }
        #expect(try workspace.database().integer("PRAGMA user_version") == schema)
        let similar = try await workspace.run("similar", "g1", "--by", "members")
        #expect(similar.exitCode == CommandRun.ExitCode.badData)
        #expect(similar.errors.contains("a model version of an older program") && similar.errors.contains("recompute"))

        try await workspace.succeed("restore", "folder.tar", "--replace")
        try await workspace.succeed("recompute")
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { !$0.degraded }
        let list: Answers.Suggestions = try daemon.answer("/v1/users/u1/recommendations?session=kept")
        #expect(try await list.modelVersion == workspace.currentVersion())
        #expect(await daemon.logs("the file is begun anew"), "\(daemon.command.errors)")
    }
}
