import Foundation
import SQLite
import TestSupport
import Testing

/// What `Jobs/keep-release` kept of earlier programs.
@Suite("Files of earlier releases", .aFewAtATime)
struct UpgradeTests {
    private static let folder = "\(Checkout.root)/Tests/IntegrationTests/Releases"

    /// The names of the releases.
    private static var releases: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".tar.gz") }.map { String($0.dropLast(7)) }.sorted()
    }

    /// The site of a release in a workspace, whose catalog and store it is.
    private func site(_ release: String) async throws -> Workspace {
        let workspace = try Workspace()
        let run = try await RunningCommand(
            "/bin/tar", ["-xzf", "\(Self.folder)/\(release).tar.gz", "--strip-components=1"],
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        return workspace
    }

    @Test("There are some") func some() { #expect(!Self.releases.isEmpty) }

    @Test("A catalog opens, is migrated if need be, and is whole", arguments: releases)
    func catalog(release: String) async throws {
        let workspace = try await site(release)
        // Importing migrates.
        let more = try workspace.write("group_id\ng7\n", to: "more.csv")
        try await workspace.succeed("import", "groups", more)
        #expect(try await workspace.succeed("hide", "--list").text.contains("g6"))
        #expect(try await workspace.succeed("curate", "list").text.contains("g5"))
        #expect(try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog) == ["catalog-1"])
        try await workspace.succeed("recompute")
        let check = try await workspace.run("check", "--quiet")
        #expect(!check.text.contains("bad      catalog") && !check.text.contains("bad      store"), "\(check.text)")
    }

    @Test("A version is read, or it is said that a recompute is needed", arguments: releases)
    func version(release: String) async throws {
        let workspace = try await site(release)
        let run = try await workspace.run("similar", "g1", "--by", "members", "--json")
        guard run.exitCode == CommandRun.ExitCode.success else {
            #expect(run.exitCode == CommandRun.ExitCode.badData && run.errors.contains("recompute"))
            return
        }
        let expected = try Data(contentsOf: URL(fileURLWithPath: workspace.path("expected/similar.json")))
        let (now, then) = (
            try run.json(Answers.Similar.self), try JSONDecoder().decode(Answers.Similar.self, from: expected)
        )
        #expect(now.neighbours.map(\.groupId) == then.neighbours.map(\.groupId))
        #expect(now.neighbours.map(\.score) == then.neighbours.map(\.score))
    }

    @Test("A session goes on with its list, or gets a new one", arguments: releases)
    func session(release: String) async throws {
        let workspace = try await site(release)
        // It was used just now.
        try Database(path: workspace.catalog + "-sessions", mode: .readWrite).execute(
            "UPDATE sessions SET used_at = 1000 * unixepoch()")
        // Versions of an earlier format of members are not read.
        try await workspace.succeed("recompute")
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { _ in true }
        let now: Answers.Suggestions = try daemon.answer("/v1/users/u1/recommendations?session=kept")
        let then = try JSONDecoder().decode(
            Answers.Suggestions.self,
            from: Data(contentsOf: URL(fileURLWithPath: workspace.path("expected/list.json"))))
        #expect(now.rows.map(\.groupId) == then.rows.map(\.groupId))
        #expect(!daemon.command.errors.contains("damaged"))
    }

    @Test(
        "What a journal holds reaches the catalog, or it is said what to do with it",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"), arguments: releases)
    func journal(release: String) async throws {
        let workspace = try await site(release)
        let redis = try TemporaryRedis()
        let journal = workspace.path("journal.sqlite")
        let check = try await workspace.run("check", "--quiet", "--store", redis.url, "--journal", journal)
        if check.text.contains("is a journal of an earlier program") {
            #expect(check.text.contains("let that program run"))
            return
        }
        try await workspace.succeed("recompute", "--store", redis.url)
        let daemon = try await RunningDaemon(
            workspace, "--store", redis.url, "--journal", journal,
            settings: ["COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache")])
        let isThere = await RunningDaemon.poll {
            (try? daemon.get("/v1/users/u3/interactions").text.contains("journal-1")) == true
                && (try? daemon.get("/metrics").text.contains("\ncoterie_outbox_changes 0\n")) == true
        }
        #expect(isThere, "\(daemon.command.errors)")
        try await workspace.succeed("recompute", "--store", redis.url)
        let interactions = try CatalogContent.texts("SELECT id FROM interactions ORDER BY id", workspace.catalog)
        #expect(interactions == ["catalog-1", "journal-1"])
        #expect(try await workspace.succeed("hide", "--list").text.contains("g3"))
    }

    @Test("A backup comes back with what its journal holds", arguments: releases)
    func backup(release: String) async throws {
        let workspace = try await site(release)
        let other = try Workspace()
        try await other.succeed("restore", workspace.path("backup.tar"))
        let interactions = try CatalogContent.texts("SELECT id FROM interactions ORDER BY id", other.catalog)
        #expect(interactions == ["catalog-1", "journal-1"])
        #expect(try await other.succeed("hide", "--list").text.contains("g3"))
        try await other.succeed("recompute")
    }

    @Test("A catalog of the first schema is migrated by a command that writes, and others say so")
    func firstSchema() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        // As the first program made it: what later migrations added is gone.
        try Database(path: workspace.catalog, mode: .readWrite).execute(
            """
            DROP TABLE curated_groups; DROP TABLE interactions; DROP TABLE hidden_groups; DROP TABLE journals;
            DROP TABLE unreadable_changes; DROP TABLE forgotten_members; DROP TABLE tuning_notes; DROP TABLE exposures;
            DROP INDEX groups_private; DROP INDEX memberships_by_user; ALTER TABLE users DROP COLUMN listed;
            ALTER TABLE users DROP COLUMN interests_stamp;
            CREATE INDEX memberships_by_user ON memberships (user_key, group_key);
            DELETE FROM catalog_state WHERE name <> 'changes';
            ALTER TABLE photos DROP COLUMN width; ALTER TABLE photos DROP COLUMN height;
            PRAGMA user_version = 1
            """)
        let reading = try await workspace.run("similar", "macro-mondays")
        #expect(reading.exitCode == CommandRun.ExitCode.badData)
        let hidden = try await workspace.run("hide", "--list")
        #expect(hidden.exitCode == CommandRun.ExitCode.badData && hidden.errors.contains("is of an older program"))
        // It can be backed up before anything is migrated.
        try await workspace.succeed("backup", "before.tar")
        let other = try Workspace()
        try await other.succeed("restore", workspace.path("before.tar"))
        try await workspace.succeed("import", "groups", Checkout.sample("groups"))
        for site in [workspace, other] {
            try await site.succeed("recompute")
            #expect(try await site.succeed("check").text.contains("good     catalog"))
        }
        #expect(try await other.export(by: "members") == workspace.export(by: "members"))
    }
}
