import Foundation
import TestSupport
import Testing

/// A rollback to a version that has groups which are not public any more.
@Suite("Groups that are not public any more, after a rollback", .aFewAtATime)
struct RollbackPrivacyTests {
    private static let noCatalog = ["COTERIE_CATALOG": "none"]
    /// A group that turns private, one that is removed, and one that is renamed.
    private static let (turned, removed, renamed) = ("macro-mondays", "after-dark", "night-walkers")

    /// A store whose current version is older than the one without these groups.
    private func rolledBack(_ kind: StoreKind) async throws -> Workspace {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        try await workspace.succeed("recompute", "--members")
        let file = try workspace.write("group_id,visibility\n\(Self.turned),private\n", to: "private.csv")
        try await workspace.succeed("import", "groups", file)
        try await workspace.succeed("delete", "group", Self.removed)
        try await workspace.succeed("rename", "group", Self.renamed, "nightly-walkers")
        try await workspace.succeed("recompute", "--members")
        try await workspace.succeed("rollback")
        return workspace
    }

    private func daemon(_ workspace: Workspace) async throws -> RunningDaemon {
        let daemon =
            workspace.server == nil
            ? try await RunningDaemon(workspace, settings: Self.noCatalog)
            : try await RunningDaemon.withoutCatalog(workspace, "a")
        try await daemon.wait(forVersion: workspace.currentVersion())
        return daemon
    }

    private func checkAbsence(_ daemon: RunningDaemon) throws {
        for group in [Self.turned, Self.removed, Self.renamed] {
            #expect(try daemon.get("/v1/groups/\(group)/similar").status == 404, "\(group)")
        }
        let list = try daemon.get("/v1/users/laura-100/recommendations?limit=200").text
        let similar = try daemon.get("/v1/groups/closer-than-life/similar?limit=200").text
        #expect(list.contains(#""origin":"personal""#) && similar.contains(#""rank":100"#))
        for group in [Self.turned, Self.removed, Self.renamed] {
            #expect(!list.contains("\"\(group)\"") && !similar.contains("\"\(group)\""), "\(group)")
        }
    }

    @Test(
        "leave daemons without a catalog after an import alone, and come back after another",
        arguments: StoreKind.available)
    func imported(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        try await workspace.succeed("recompute", "--members")
        let daemon = try await daemon(workspace)
        func status() -> Int? { try? daemon.get("/v1/groups/\(Self.turned)/similar").status }
        #expect(status() == 200)
        for (visibility, expected) in [("private", 404), ("public", 200)] {
            let file = try workspace.write("group_id,visibility\n\(Self.turned),\(visibility)\n", to: "turned.csv")
            try await workspace.succeed("import", "groups", file)
            #expect(await RunningDaemon.poll { status() == expected }, "\(visibility)")
        }
    }

    @Test("An import into another catalog withdraws nothing from the store, and says so")
    func otherCatalog() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let before = workspace.content(of: "models/site.json")
        let file = try workspace.write("group_id,visibility\nnew,public\n", to: "groups.csv")
        let run = try await workspace.run("import", "groups", file, "--catalog", workspace.path("other.sqlite"))
        #expect(run.exitCode == CommandRun.ExitCode.success && run.errors.contains("another catalog"))
        #expect(workspace.content(of: "models/site.json") == before)
    }

    @Test("are on no daemon without a catalog, and in no answer of a command", arguments: StoreKind.available)
    func absence(kind: StoreKind) async throws {
        let workspace = try await rolledBack(kind)
        try checkAbsence(try await daemon(workspace))
        for settings in [[:], Self.noCatalog] {
            let similar = try await workspace.start(["similar", Self.turned], settings: settings).wait()
            #expect(similar.exitCode == CommandRun.ExitCode.badData && similar.errors.contains("is private"))
            let gone = try await workspace.start(["similar", Self.removed], settings: settings).wait()
            #expect(gone.exitCode == CommandRun.ExitCode.badData && gone.errors.contains("there is no group"))
            let all = try await workspace.start(
                ["export", "neighbours", "--by", "members"], settings: settings
            ).wait().text
            #expect(all.contains("closer-than-life"))
            let named = Set(all.split { $0 == "\t" || $0 == "\n" })
            #expect(named.isDisjoint(with: [Self.turned[...], Self.removed[...], Self.renamed[...]]))
        }
        let why = try await workspace.succeed("why", "closer-than-life", Self.turned).text
        #expect(why.contains("\(Self.turned) is private since the version was made") && !why.contains("hidden"))
        // Public again: a recompute says so.
        let back = try workspace.write("group_id,visibility\n\(Self.turned),public\n", to: "public.csv")
        try await workspace.succeed("import", "groups", back)
        try await workspace.succeed("recompute", "--members")
        try await workspace.succeed("rollback")
        let daemon = try await daemon(workspace)
        #expect(try daemon.get("/v1/groups/\(Self.removed)/similar").status == 404)
    }

    @Test(
        "cannot be curated, and stay away while Redis is gone",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func withoutRedis() async throws {
        let workspace = try await rolledBack(.redis)
        let daemon = try await daemon(workspace)
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("PUT", "/v1/admin/curation/\(Self.turned)", json: "{}")?.status == 409)
        #expect(client.request("PUT", "/v1/admin/curation/\(Self.removed)", json: "{}")?.status == 404)
        #expect(client.request("PUT", "/v1/admin/curation/closer-than-life", json: "{}")?.status == 200)
        _ = await daemon.end()
        try #require(workspace.server).stop()
        let again = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await again.wait { !$0.modelVersion.isEmpty }
        try checkAbsence(again)
    }

    @Test("stay away although the new version is refused", arguments: StoreKind.available)
    func refused(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        try await workspace.succeed("recompute", "--members")
        let daemon = try await daemon(workspace)
        #expect(try daemon.get("/v1/groups/\(Self.turned)/similar").status == 200)
        let file = try workspace.write("group_id,visibility\n\(Self.turned),private\n", to: "private.csv")
        try await workspace.succeed("import", "groups", file)
        let refused = try await workspace.run("recompute", "--max-lost", "0", "--members")
        #expect(refused.exitCode == CommandRun.ExitCode.badData)
        #expect(await RunningDaemon.poll { (try? daemon.get("/v1/groups/\(Self.turned)/similar").status) == 404 })
    }
}
