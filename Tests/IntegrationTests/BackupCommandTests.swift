import Basics
import CatalogStore
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Backup and restore", .aFewAtATime)
struct BackupCommandTests {
    /// Another machine: a workspace of its own, and the catalog that was restored there.
    private func restore(_ backup: String, _ options: String...) async throws -> Workspace {
        let other = try Workspace()
        try await other.succeed(["restore", backup] + options)
        return other
    }

    /// The ids of all interactions in a catalog.
    private func interactions(_ workspace: Workspace) throws -> Set<String> {
        Set(try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog))
    }

    @Test("has one moment, with all that was acknowledged before, while members, imports and recomputes write")
    func whileEverythingWrites() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        let port = daemon.port
        let clicks = Repetition { number in
            let json = #"{"interactions":[{"id":"c\#(number)","kind":"join","groupId":"macro-mondays"}]}"#
            let answer = SocketClient(port: port)?.request(
                "POST", "/v1/users/writer-\(number)/interactions", json: json)
            return answer?.status == 200 ? nil : answer?.text ?? "no answer"
        }
        let imports = Repetition.imports(into: workspace)
        let recomputes = Repetition { _ in Repetition.run(workspace, "recompute", "--force") }
        let writers = [clicks, imports, recomputes]
        for round in 0..<3 {
            let before = writers.map(\.count)
            #expect(await RunningDaemon.poll { zip(writers, before).allSatisfy { $0.count > $1 } })
            let (clicked, imported) = (clicks.count, imports.count)
            let backup = workspace.path("backup-\(round).tar")
            try await workspace.succeed("backup", backup)
            let other = try await restore(backup)
            let ids = try interactions(other)
            #expect((0..<clicked).allSatisfy { ids.contains("c\($0)") }, "something acknowledged is missing")
            let users = try CatalogContent.texts(
                "SELECT user_id FROM users WHERE user_id LIKE 'imported-%'", other.catalog)
            // An import is one transaction: all of its rows, or none.
            #expect(users.count >= 50 * imported && users.count.isMultiple(of: 50))
            // Each join is a membership in the same transaction.
            #expect(
                try other.database().integer(
                    """
                    SELECT count(*) FROM interactions
                    WHERE NOT EXISTS (SELECT 1 FROM memberships WHERE memberships.user_key = interactions.user_key)
                    """) == 0)
        }
        for writer in writers { writer.stop() }
        for writer in writers { #expect(writer.failures.prefix(3).joined(separator: "\n") == "") }
    }

    @Test("brings a whole site back on another machine: the same lists, decisions and answers")
    func anotherMachine() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("hide", "night-walkers")
        try await workspace.succeed("curate", "add", "lone-trees", "--position", "1")
        try await workspace.succeed("backup", "today.tar")
        let other = try await restore(workspace.path("today.tar"))
        #expect(try CatalogContent.differences(workspace.catalog, other.catalog) == 0)
        try await workspace.succeed("recompute")
        try await other.succeed("recompute")
        #expect(try await other.export(by: "members") == workspace.export(by: "members"))
        for command in [
            ["hide", "--list"], ["curate", "list"], ["recommend", "laura-100", "--at", "2026-11-01T12:00:00Z"],
        ] {
            #expect(try await other.succeed(command).text == workspace.succeed(command).text)
        }
    }

    @Test("No command writes its output over the catalog")
    func overCatalog() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        for words in [
            ["backup", "--replace"], ["export", "member", "laura-100", "--output"],
            ["export", "neighbours", "--by", "members", "--output"], ["export", "recommendations", "--output"],
            ["forget", "--ledger"],
        ] {
            let run = try await workspace.start(words + [workspace.catalog]).wait()
            #expect(run.exitCode == CommandRun.ExitCode.usage, "\(run.errors)")
            #expect(run.errors.contains("belongs to the database"), "\(run.errors)")
        }
        // A database that is no input of the command is safe, too.
        let other = try workspace.write("SQLite format 3\0 and more", to: "other.sqlite")
        for words in [
            ["export", "member", "laura-100", "--output"], ["forget", "--ledger"], ["backup", "--replace"],
        ] {
            let run = try await workspace.start(words + [other]).wait()
            #expect(run.exitCode == CommandRun.ExitCode.usage && run.errors.contains("database"), "\(run.errors)")
        }
        // Metrics that cannot be written are only a warning.
        _ = try await workspace.run("recompute", "--metrics", workspace.catalog)
        try await workspace.succeed("stats")
    }

    @Test("A catalog behind a link is replaced where it is, and the link stays")
    func behindLink() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("backup", "today.tar")
        let (files, real) = (FileManager.default, workspace.path("disk/catalog.sqlite"))
        try files.createDirectory(atPath: workspace.path("disk"), withIntermediateDirectories: true)
        try files.moveItem(atPath: workspace.catalog, toPath: real)
        try files.createSymbolicLink(atPath: workspace.catalog, withDestinationPath: real)
        try await workspace.succeed("delete", "group", "macro-mondays")
        try await workspace.succeed("restore", "today.tar", "--replace", "--removed-too")
        #expect(try files.destinationOfSymbolicLink(atPath: workspace.catalog) == real)
        #expect(try await workspace.succeed("stats", "--catalog", real).text == workspace.succeed("stats").text)
        try await workspace.succeed("similar", "macro-mondays", "--catalog", real)
    }

    @Test("is read packed by gzip; what cannot be read is named, and not taken for damage")
    func packed() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        try await workspace.succeed("backup", "today.tar")
        let gzip = try await RunningCommand(
            "/bin/sh", ["-c", "gzip -k today.tar; tr a-z b-za < today.tar > secret.tar"],
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        try #require(gzip.exitCode == CommandRun.ExitCode.success, "\(gzip.testDescription)")
        let other = try await restore(workspace.path("today.tar.gz"))
        #expect(try CatalogContent.differences(workspace.catalog, other.catalog) == 0)
        let secret = try await workspace.run("restore", "secret.tar", "--verify")
        #expect(secret.exitCode == 65 && secret.errors.contains("unpack it first"), "\(secret.testDescription)")
        let made = unsafe mkfifo(workspace.path("pipe"), 0o600)
        try #require(made == 0)
        let pipe = try await workspace.run("restore", "pipe", "--verify")
        #expect(pipe.exitCode == CommandRun.ExitCode.general, "\(pipe.testDescription)")
        #expect(pipe.errors.contains("it is a pipe: put an ordinary file there"), "\(pipe.testDescription)")
    }

    @Test("refuses to overwrite, unless it is told to; and never what a daemon has open")
    func refusing() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("backup", "today.tar")
        let again = try await workspace.run("backup", "today.tar")
        #expect(again.exitCode == CommandRun.ExitCode.general && again.errors.contains("--replace"))
        try await workspace.succeed("backup", "today.tar", "--replace")
        let refused = try await workspace.run("restore", "today.tar")
        #expect(refused.exitCode == CommandRun.ExitCode.general && refused.errors.contains("--replace"))
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: workspace.currentVersion())
        let used = try await workspace.run("restore", "today.tar", "--replace")
        #expect(used.exitCode == CommandRun.ExitCode.tryLater && used.errors.contains("stop the daemons"))
        #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
        try await workspace.succeed("curate", "add", "lone-trees")
        try await workspace.succeed("hide", "night-walkers")
        try await workspace.succeed("delete", "group", "macro-mondays")
        let restored = try await workspace.succeed("restore", "today.tar", "--replace").text
        #expect(
            restored.contains("1 groups are hidden") && restored.contains("1 groups had been removed"), "\(restored)")
        #expect(try await workspace.succeed("hide", "--list").text.contains("night-walkers"))
        // The journal beside the catalog has what was decided since.
        #expect(try await workspace.succeed("curate", "list").text.contains("lone-trees"))
        try await workspace.succeed("recompute")
        for group in ["night-walkers", "macro-mondays"] {
            #expect(try await workspace.run("similar", group).exitCode == CommandRun.ExitCode.badData)
        }
        let verified = try await workspace.succeed("restore", "today.tar", "--verify")
        #expect(verified.text.contains("catalog.sqlite"))
    }

    @Test("A restore that is killed leaves what was there, or all of the backup")
    func killed() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        try await workspace.succeed("backup", "today.tar")
        let marker = try workspace.write("group_id\nmarker\n", to: "marker.csv")
        try await workspace.succeed("import", "groups", marker)
        func hasMarker() throws -> Bool {
            try Facts(path: workspace.catalog).group(withID: "marker") != nil
        }
        var ends = (before: 0, after: 0)
        // About fifty steps: calls that rename, remove, shorten or synchronize a file.
        for step in stride(from: 1, to: 200, by: 4) {
            let run = try await workspace.run(
                "restore", "today.tar", "--replace",
                settings: ["LD_PRELOAD": Checkout.killer, "KILLED_AT_STEP": "\(step)"])
            if run.exitCode == CommandRun.ExitCode.success { break }
            #expect(run.ending == .killed(signal: SIGKILL), "\(run.testDescription)")
            if try hasMarker() { ends.before += 1 } else { ends.after += 1 }
            #expect(try await workspace.run("check", "--quiet").text.contains("bad      catalog") == false)
            if try !hasMarker() { try await workspace.succeed("import", "groups", marker) }
        }
        #expect(ends.before > 3 && ends.after > 0)
    }

    @Test(
        "of a store in Redis has what members did on any daemon, in whichever of three places it is",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func shared() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        // The journal of the second is that of another machine, which the backup cannot reach.
        let daemons = [
            try await RunningDaemon.withoutCatalog(workspace, "a"),
            try await RunningDaemon.withoutCatalog(workspace, "b"),
        ]
        for daemon in daemons { try await daemon.wait(forVersion: version) }
        let ports = daemons.map(\.port)
        let writers = ports.enumerated().map { place, port in
            Repetition { number in
                let id = "\(place)-\(number)"
                let json = #"{"interactions":[{"id":"\#(id)","kind":"dismiss","groupId":"macro-mondays"}]}"#
                let answer = SocketClient(port: port)?.request(
                    "POST", "/v1/users/laura-100/interactions", json: json)
                return answer?.status == 200 ? nil : answer?.text ?? "no answer"
            }
        }
        // Changes go from journals to the catalog all the while, and are pruned.
        let recomputes = Repetition { _ in Repetition.run(workspace, "recompute", "--keep", "1", "--force") }
        for round in 0..<3 {
            let before = (writers + [recomputes]).map(\.count)
            #expect(await RunningDaemon.poll { zip(writers + [recomputes], before).allSatisfy { $0.count > $1 } })
            let counts = writers.map(\.count)
            // What the second daemon acknowledged is in the backup if it has been sent.
            #expect(
                await RunningDaemon.poll {
                    (try? daemons[0].get("/v1/users/laura-100/interactions?limit=1&after=1-\(counts[1] - 1)").status)
                        == 200 || (try? interactions(workspace))?.contains("1-\(counts[1] - 1)") == true
                })
            let backup = workspace.path("backup-\(round).tar")
            try await workspace.succeed("backup", backup, "--journal", workspace.path("journal-a"))
            let other = try Workspace()
            try await other.succeed("restore", backup, "--journals", other.path("journals"))
            let ids = try interactions(other)
            for (place, count) in counts.enumerated() {
                #expect((0..<count).allSatisfy { ids.contains("\(place)-\($0)") }, "daemon \(place)")
            }
            #expect(FileManager.default.fileExists(atPath: other.path("journals/journal-a")))
        }
        for writer in writers + [recomputes] { writer.stop() }
        for writer in writers + [recomputes] { #expect(writer.failures.prefix(3).joined(separator: "\n") == "") }
        workspace.server?.stop()
        let unreachable = try await workspace.run("backup", "more.tar", "--journal", workspace.path("journal-a"))
        #expect(unreachable.exitCode == CommandRun.ExitCode.tryLater)
        try await workspace.succeed("backup", "more.tar", "--journal", workspace.path("journal-a"), "--without-redis")
    }

    @Test(
        "With --removed-too, what was removed stays, though the streams have the removals",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func removedToo() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let backup = workspace.path("backup.tar")
        try await workspace.succeed("backup", backup)
        try await workspace.succeed("delete", "user", "laura-100")
        try await workspace.succeed("delete", "group", "night-walkers")
        try await workspace.succeed("forget", "ilse-qdw")
        try await workspace.succeed("restore", backup, "--replace", "--removed-too")
        try await workspace.succeed("recompute", "--force")
        let catalog = try workspace.database(workspace.catalog)
        for (table, id, count) in [
            ("user", "laura-100", 1), ("group", "night-walkers", 1), ("user", "ilse-qdw", 0),
        ] {
            let rows = try catalog.integer("SELECT count(*) FROM \(table)s WHERE \(table)_id = '\(id)'")
            #expect(rows == Int64(count), "\(id)")
        }
    }

    @Test("A look into a backup removes the copies that a killed command left; those of a running one stay")
    func scratchFolders() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        try await workspace.succeed("backup", "today.tar")
        let scratch = workspace.path("scratch")
        for name in ["dead", "running"] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch)/coterie-scratch-\(name)", withIntermediateDirectories: true)
            _ = try workspace.write("", to: "scratch/coterie-scratch-\(name)/lock")
        }
        let running = try OpenFile("\(scratch)/coterie-scratch-running/lock", for: .rewriting)
        let run = try await workspace.run(
            "forget", "laura-100", "--check", "--backup", "today.tar", settings: ["TMPDIR": scratch])
        #expect(run.text.contains("backup, "), "\(run.testDescription)")
        #expect(try FileTree.names(in: scratch) == ["coterie-scratch-running"])
        try running.append([1])
    }

    @Test("Into a folder: named by the time, the oldest are removed, and other or damaged files stay")
    func folder() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let folder = workspace.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try await workspace.succeed("backup", "\(folder)/first.tar")
        let older = ["coterie-20250101T000000Z.tar", "coterie-20250102T000000Z.tar", "coterie-2024.tar", "notes"]
        for name in older {
            try FileManager.default.copyItem(atPath: "\(folder)/first.tar", toPath: "\(folder)/\(name)")
        }
        let damaged = try workspace.write("", to: "backups/coterie-20250103T000000Z.tar")
        let run = try await workspace.succeed("backup", "--folder", folder, "--keep", "2")
        #expect(run.errors.contains("removed \(folder)/\(older[0])"), "\(run.errors)")
        #expect(run.errors.contains("did not count: \(damaged) cannot be used"), "\(run.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 6 && Set(names).isSuperset(of: older.dropFirst()), "\(names)")
        let new = try #require(
            names.first { $0.hasPrefix("coterie-20") && !older.contains($0) && !damaged.hasSuffix($0) })
        #expect(new.wholeMatch(of: /coterie-20[0-9]{6}T[0-9]{6}Z\.tar/) != nil && run.text.contains(new))
        try await workspace.succeed("restore", "\(folder)/\(new)", "--verify")
        let neither = try await workspace.run("backup")
        #expect(neither.exitCode == CommandRun.ExitCode.usage && neither.errors.contains("--folder"))
    }
}
