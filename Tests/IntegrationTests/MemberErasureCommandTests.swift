import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Forgotten members of published versions", .aFewAtATime)
struct MemberErasureCommandTests {
    private static let user = "laura-100"

    @Test("are gone from each version, and from the copies of daemons, whatever serves")
    func copies() async throws {
        for kind in StoreKind.available {
            let workspace = try Workspace(kind)
            try await workspace.importSample()
            for _ in 0..<2 { try await workspace.succeed("recompute", "--members") }
            let daemon =
                switch kind {
                case .folder: try await RunningDaemon(workspace, settings: ["COTERIE_CATALOG": "none"])
                case .redis: try await RunningDaemon.withoutCatalog(workspace, "a")
                }
            try await daemon.wait(forVersion: workspace.currentVersion())
            /// Whether a file of a published version, or of a daemon's copy of one, has the member.
            func isInFile() throws -> Bool {
                let files = try #require(FileManager.default.enumerator(atPath: workspace.folder))
                return files.compactMap { $0 as? String }.contains { path in
                    path.contains("/members")
                        && FileManager.default.contents(atPath: workspace.path(path))?
                            .range(of: Data(Self.user.utf8)) != nil
                }
            }
            #expect(try isInFile())
            try await workspace.succeed("forget", Self.user)
            let left = try await workspace.run("forget", Self.user, "--check")
            #expect(!left.text.contains("version "), "\(left.testDescription)")
            #expect(await RunningDaemon.poll { (try? isInFile()) == false })
            #expect(try daemon.get("/v1/users/sofia-002/recommendations").status == 200)
            let target = "/v1/users/\(Self.user)/recommendations?session=none"
            #expect(
                await RunningDaemon.poll {
                    guard let list = try? daemon.get(target) else { return false }
                    return list.status == 404 || list.text.contains(#""known":false"#)
                })
        }
    }

    @Test("are all there or all gone after a kill at any step, and the next applying goes on")
    func killed() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let users = try CatalogContent.texts(
            "SELECT DISTINCT user_id FROM users JOIN memberships USING (user_key) ORDER BY 1", workspace.catalog)
        var ends = (before: 0, after: 0)
        for (user, step) in zip(users, stride(from: 1, to: 200, by: 4)) {
            try await workspace.succeed("recompute", "--members", "--keep", "1")
            let run = try await workspace.run(
                "forget", user, settings: ["LD_PRELOAD": Checkout.killer, "KILLED_AT_STEP": "\(step)"])
            if run.exitCode == CommandRun.ExitCode.success { break }
            #expect(run.ending == .killed(signal: SIGKILL), "\(run.testDescription)")
            let between = try await workspace.run("forget", user, "--check")
            if between.text.contains("version ") { ends.before += 1 } else { ends.after += 1 }
            #expect(try await workspace.run("check", "--quiet").text.contains("bad ") == false)
            // If nothing was decided yet, the member is forgotten now.
            _ = try await workspace.run("forget", user)
            try await workspace.succeed("apply")
            let after = try await workspace.run("forget", user, "--check")
            #expect(!after.text.contains("version "), "\(after.testDescription)")
        }
        #expect(ends.before > 3 && ends.after > 0, "\(ends)")
    }

    @Test("leave the log of decisions in an hour, and an older catalog brings nobody back")
    func log() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        try await workspace.succeed("recompute")
        let copy = workspace.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: workspace.catalog, toPath: copy)
        for user in [Self.user, "aaron-5ri"] { try await workspace.succeed("forget", user) }
        let log = workspace.catalog + "-log"
        #expect(try CatalogContent.texts("SELECT user_id FROM changes WHERE kind > 0", log).contains(Self.user))
        let named = try await workspace.run("forget", Self.user, "--check")
        #expect(named.errors.contains("names \(Self.user)"), "\(named.testDescription)")
        try Database(path: log, mode: .readWrite).execute(
            "UPDATE changes SET recorded_at = recorded_at - 3700000 WHERE user_id = '\(Self.user)'")
        try await workspace.succeed("apply")
        for file in [log, log + "-wal"] {
            let bytes = FileManager.default.contents(atPath: file) ?? Data()
            #expect(bytes.range(of: Data(Self.user.utf8)) == nil, "\(file)")
        }
        #expect(try CatalogContent.texts("SELECT user_id FROM changes WHERE kind > 0", log) == ["aaron-5ri"])
        // Only the ledger of the store knows the first one now.
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: workspace.catalog + suffix) }
        try FileManager.default.moveItem(atPath: copy, toPath: workspace.catalog)
        try await workspace.succeed("apply")
        let users = try CatalogContent.texts("SELECT user_id FROM users", workspace.catalog)
        #expect(users.count > 9 && !users.contains(Self.user) && !users.contains("aaron-5ri"))
    }
}
