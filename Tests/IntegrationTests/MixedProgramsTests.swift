import Basics
import Changes
import Foundation
import Model
import Redis
import TestSupport
import Testing

/// What a newer program writes into a store or a log that an older one reads, too.
@Suite("Mixed programs on one site", .aFewAtATime)
struct MixedProgramsTests {
    /// A document of a store: the file of a folder, and the key in Redis.
    private struct Document {
        let file, key: String

        static let site = Document(file: "models/site.json", key: "coterie:site")

        static func manifest(_ version: String) -> Document {
            Document(file: "models/versions/\(version)/manifest.json", key: "coterie:\(version):manifest")
        }

        func text(in workspace: Workspace) throws -> String {
            guard let server = workspace.server else { return try #require(workspace.content(of: file)) }
            var connection = try RedisConnection(to: RedisAddress(server.url))
            return try #require(try connection.command("GET", key).text)
        }

        /// Adds a part of a name that no program knows, with the right checksum.
        func addPart(in workspace: Workspace) throws {
            let lines = try text(in: workspace).split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
            try #require(lines.count == 3 && lines[1].contains("checksum"))
            let rest = "  \"muted\" : [ \"night-walkers\" ],\n" + lines[2]
            let checksum = Checksum.text(of: Array("{\n\(rest)".utf8))
            let text = "{\n  \"checksum\" : \"\(checksum)\",\n\(rest)"
            guard let server = workspace.server else { return _ = try workspace.write(text, to: file) }
            var connection = try RedisConnection(to: RedisAddress(server.url))
            _ = try connection.command("SET", key, text)
        }
    }

    private func daemon(_ workspace: Workspace) async throws -> RunningDaemon {
        workspace.server == nil
            ? try await RunningDaemon(workspace, settings: ["COTERIE_CATALOG": "none"])
            : try await RunningDaemon.withoutCatalog(workspace, "a")
    }

    @Test(
        "A part of the site's state that a program does not know stays, is told of, and keeps nothing else from holding",
        arguments: StoreKind.available)
    func site(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        try await workspace.succeed("hide", "macro-mondays")
        try Document.site.addPart(in: workspace)
        let sentence = "has parts that need a newer program (muted): upgrade this one"
        let daemon = try await daemon(workspace)
        func isGone(_ group: String) -> Bool { (try? daemon.get("/v1/groups/\(group)/similar").status) == 404 }
        try await daemon.wait { $0.degraded && $0.reason?.contains(sentence) == true }
        #expect(isGone("macro-mondays") && !isGone("lone-trees"))
        #expect(try await workspace.run("check").text.contains(sentence))
        // The daemon reports every two seconds.
        _ = await eventually { (try? await workspace.succeed("status").text.contains(sentence)) == true }
        #expect(try await workspace.succeed("status").text.contains(sentence))
        // This program publishes what it knows, and keeps what it does not.
        let file = try workspace.write("group_id,visibility\nlone-trees,private\n", to: "private.csv")
        try await workspace.succeed("import", "groups", file)
        #expect(await RunningDaemon.poll { isGone("lone-trees") })
        try await workspace.succeed("recompute")
        let version = try await workspace.currentVersion()
        try await daemon.wait { $0.modelVersion == version && $0.reason?.contains(sentence) == true }
        #expect(isGone("lone-trees") && isGone("macro-mondays"))
        #expect(try Document.site.text(in: workspace).contains("muted"))
        try await workspace.succeed("recompute", "--force")
        try await daemon.wait { !$0.degraded }
        #expect(isGone("lone-trees") && isGone("macro-mondays"))
    }

    @Test("A part of a manifest that a program does not know is passed over", arguments: StoreKind.available)
    func manifest(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        try Document.manifest(version).addPart(in: workspace)
        let daemon = try await daemon(workspace)
        try await daemon.wait(forVersion: version)
        #expect(try daemon.get("/v1/groups/lone-trees/similar").status == 200)
        #expect(try await workspace.run("check").text.contains("version \(version): it has its checksums"))
    }

    @Test("A change that needs a newer program holds back no later decision, and every program tells of it")
    func change() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("hide", "macro-mondays")
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let texts = [
            #"{"v":1,"kind":77,"group":"night-walkers","at":1}"#, #"{"v":1,"kind":10,"group":"lone-trees","at":1}"#,
        ]
        let changes = texts.enumerated().map { place, text in
            JournaledChange(
                origin: "odd", sequence: Int64(place) + 1, stampMilliseconds: now + Int64(place),
                encoded: Array(text.utf8))
        }
        let log = try ChangeJournal(path: workspace.catalog + "-log", mode: .recording)
        #expect(try log.follow(changes, beyond: .none, at: now).count == 2)
        let sentence = "change 1 of the journal odd needs a newer program"
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { $0.degraded && $0.reason?.contains(sentence) == true }
        func statuses() throws -> [Int] {
            try ["macro-mondays", "lone-trees"].map { try daemon.get("/v1/groups/\($0)/similar").status }
        }
        #expect(try statuses() == [404, 404])
        let apply = try await workspace.run("apply")
        #expect(apply.exitCode == CommandRun.ExitCode.badData && apply.errors.contains(sentence), "\(apply.errors)")
        #expect(try await workspace.run("check").text.contains(sentence))
        #expect(try await workspace.succeed("status").text.contains(sentence))
        // A version is made without what waits, and daemons add it.
        let recompute = try await workspace.succeed("recompute")
        #expect(recompute.errors.contains(sentence), "\(recompute.errors)")
        let version = try await workspace.currentVersion()
        try await daemon.wait { $0.modelVersion == version && $0.degraded }
        #expect(try statuses() == [404, 404])
        // Given up, what follows it is applied.
        try await workspace.succeed("apply", "--skip-missing")
        try await daemon.wait { !$0.degraded }
        #expect(try statuses() == [404, 404])
    }
}
