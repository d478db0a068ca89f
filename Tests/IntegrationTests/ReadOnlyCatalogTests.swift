import Foundation
import SQLite
import TestSupport
import Testing

@Suite("A catalog in a folder that may not be written to", .aFewAtATime)
struct ReadOnlyCatalogTests {
    /// Root may write everywhere: then the commands run as nobody.
    private static let prefix =
        geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    private static let canRun = prefix.allSatisfy {
        !$0.hasPrefix("/") || FileManager.default.isExecutableFile(atPath: $0)
    }

    /// A workspace with a published sample, whose catalog is in a frozen folder.
    private func frozen() async throws -> (workspace: Workspace, catalog: String) {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let folder = workspace.path("frozen")
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try files.moveItem(atPath: workspace.catalog, toPath: folder + "/catalog.sqlite")
        for name in ["", "/models", "/home"] {
            let path = workspace.folder + name
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        }
        let store = try #require(files.enumerator(atPath: workspace.path("models")))
        for case let name as String in store {
            try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: workspace.path("models/" + name))
        }
        try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder + "/catalog.sqlite")
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
        return (workspace, folder + "/catalog.sqlite")
    }

    private func run(_ workspace: Workspace, _ catalog: String, _ words: [String]) async throws -> CommandRun {
        let all = Self.prefix + words
        let settings = ["COTERIE_CATALOG": catalog, "HOME": workspace.path("home")]
        return try await RunningCommand(
            all[0], Array(all.dropFirst()), environment: workspace.environment.merging(settings) { $1 }, input: nil,
            in: workspace.folder
        ).wait()
    }

    @Test(
        "is read by every command that only reads", .enabled(if: canRun, "setpriv is not installed"),
        arguments: [
            ["why", "macro-mondays", "after-dark"], ["recommend", "laura-100"],
            ["explain", "laura-100", "macro-mondays"],
            ["hide", "--list"], ["curate", "list"], ["recompute"], ["similar", "macro-mondays", "--by", "members"],
        ])
    func reading(command: [String]) async throws {
        let (workspace, catalog) = try await frozen()
        defer {
            try? FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: workspace.path("frozen"))
        }
        let run = try await run(workspace, catalog, [Checkout.program] + command)
        #expect(run.exitCode == 0, "\(run.testDescription)")
        let beside = try FileManager.default.contentsOfDirectory(atPath: workspace.path("frozen"))
        #expect(beside == ["catalog.sqlite"])
        let write = try await self.run(workspace, catalog, [Checkout.program, "hide", "macro-mondays"])
        #expect(write.exitCode == 1 && write.errors.contains("may not write to it"), "\(write.testDescription)")
    }

    @Test("is served; what members do is refused", .enabled(if: canRun, "setpriv is not installed"))
    func serving() async throws {
        let (workspace, catalog) = try await frozen()
        defer {
            try? FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: workspace.path("frozen"))
        }
        let script = """
            "$0" serve --port 0 2>serve.log &
            trap "kill $!" EXIT
            until grep -q 'listening at port' serve.log; do kill -0 $! || { cat serve.log; exit 1; }; sleep .05; done
            url=http://127.0.0.1:$(grep -o 'listening at port [0-9]*' serve.log | grep -o '[0-9]*')
            curl --silent --retry 20 --retry-delay 1 --retry-all-errors --fail $url/readyz
            curl --silent --fail "$url/v1/users/laura-100/recommendations?limit=3"
            curl --silent -w '%{http_code}' -H 'Content-Type: application/json' $url/v1/users/laura-100/interactions \\
                -d '{"interactions":[{"id":"1","kind":"join","groupId":"macro-mondays"}]}'
            cat serve.log
            """
        let run = try await run(workspace, catalog, ["/bin/bash", "-c", script, Checkout.program])
        #expect(run.exitCode == 0, "\(run.testDescription)")
        let texts = [
            #""status":"ready""#, #""degraded":false"#, #""missing":["recording"]"#, #""userId":"laura-100""#,
            "can only be read", "503",
        ]
        for text in texts {
            #expect(run.text.contains(text), "\(text): \(run.testDescription)")
        }
    }

    @Test(
        "shows what a writer has in its log, also through a link in a folder that may not be written to",
        .enabled(if: canRun, "setpriv is not installed"))
    func linked() async throws {
        let (workspace, catalog) = try await frozen()
        let (target, links, files) = (workspace.path("frozen"), workspace.path("links"), FileManager.default)
        try files.createDirectory(atPath: links, withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: links + "/catalog.sqlite", withDestinationPath: catalog)
        defer {
            for path in [target, links] { try? files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path) }
        }
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: target)
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: catalog)
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: links)
        // Has hidden a group, and goes on for as long as this process does: its log is not in the file yet.
        let writer = try Database(path: catalog, mode: .readWrite)
        try writer.execute(
            """
            INSERT INTO hidden_groups SELECT group_key, 1, 1 FROM groups WHERE group_id = 'macro-mondays';
            UPDATE catalog_state SET value = value + 1 WHERE name = 'changes'
            """)
        for path in [catalog, links + "/catalog.sqlite"] {
            let list = try await run(workspace, path, [Checkout.program, "hide", "--list"])
            #expect(list.exitCode == 0 && list.text.contains("macro-mondays"), "\(list.testDescription)")
            let similar = try await run(workspace, path, [Checkout.program, "similar", "macro-mondays"])
            #expect(similar.exitCode == 65 && similar.errors.contains("hidden"), "\(similar.testDescription)")
        }
        withExtendedLifetime(writer) {}
    }

    /// Starts a daemon of a user who may only read, and returns it with its port.
    private func serving(_ workspace: Workspace, _ catalog: String) async throws -> (RunningCommand, port: UInt16) {
        let words = Self.prefix + [Checkout.program, "serve", "--port", "0"]
        let settings = ["COTERIE_CATALOG": catalog, "HOME": workspace.path("home")]
        let command = try RunningCommand(
            words[0], Array(words.dropFirst()), environment: workspace.environment.merging(settings) { $1 }, input: nil,
            in: workspace.folder)
        var port: UInt16?
        _ = await RunningDaemon.poll {
            let match = command.errors.firstMatch(of: #/"listening at port ([0-9]+) /#)
            port = match.flatMap { UInt16($0.output.1) }
            return port != nil || !command.isRunning
        }
        return (command, try #require(port, "\(command.errors)"))
    }

    @Test(
        "shows what another user writes while it is served, with and without a log at the start",
        .enabled(if: canRun, "setpriv is not installed"))
    func changesOfOthers() async throws {
        let (workspace, catalog) = try await frozen()
        let (folder, files) = (workspace.path("frozen"), FileManager.default)
        defer { try? files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder) }
        let (command, port) = try await serving(workspace, catalog)
        defer { command.send(SIGKILL) }
        func status(_ group: String) -> Int? {
            SocketClient(port: port)?.request("GET", "/v1/groups/\(group)/similar")?.status
        }
        for group in ["macro-mondays", "night-walkers"] {
            #expect(await RunningDaemon.poll { status(group) == 200 })
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: catalog)
            try await workspace.succeed(["hide", group], settings: ["COTERIE_CATALOG": catalog])
            #expect(await RunningDaemon.poll { status(group) == 404 }, "\(command.errors)")
        }
    }

    @Test(
        "is told at /readyz and in metrics if only the folder may not be written to",
        .enabled(if: canRun, "setpriv is not installed"))
    func folderAlone() async throws {
        let (workspace, catalog) = try await frozen()
        let folder = workspace.path("frozen")
        let files = FileManager.default
        defer { try? files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder) }
        try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: catalog)
        let (command, daemon) = try await serving(workspace, catalog)
        defer { command.send(SIGKILL) }
        func get(_ target: String) -> String { SocketClient(port: daemon)?.request("GET", target)?.text ?? "" }
        let isTold = await RunningDaemon.poll { get("/readyz").contains("ReadWritePaths=") }
        #expect(isTold, "\(get("/readyz"))")
        #expect(get("/readyz").contains(#""degraded":true"#))
        #expect(get("/metrics").contains("coterie_recording_up 0\n"))
        let json = #"{"interactions":[{"id":"1","kind":"join","groupId":"macro-mondays"}]}"#
        func post() -> Int? {
            SocketClient(port: daemon)?.request("POST", "/v1/users/laura-100/interactions", json: json)?.status
        }
        #expect(post() == 503)
        try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        let isOver = await RunningDaemon.poll { get("/readyz").contains(#""degraded":false"#) }
        #expect(isOver, "\(get("/readyz"))")
        #expect(post() == 200)
    }

    @Test(
        "with a log that must be recovered is refused with what to do", .enabled(if: canRun, "setpriv is not installed")
    )
    func logLeft() async throws {
        let (workspace, catalog) = try await frozen()
        let folder = workspace.path("frozen")
        let files = FileManager.default
        defer { try? files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder) }
        try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: catalog)
        // A writer that is killed leaves its log.
        let script = """
            python3 - "$0" <<'END' || exit 0
            import os, sqlite3, sys
            catalog = sqlite3.connect(sys.argv[1])
            catalog.execute("UPDATE catalog_state SET value = value + 1 WHERE name = 'changes'")
            catalog.commit()
            os.kill(os.getpid(), 9)
            END
            """
        _ = try await self.run(workspace, catalog, ["/bin/bash", "-c", script, catalog])
        try #require(files.fileExists(atPath: catalog + "-wal"))
        try files.removeItem(atPath: catalog + "-shm")
        for path in [catalog, catalog + "-wal"] {
            try? files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        }
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
        let run = try await run(workspace, catalog, [Checkout.program, "hide", "--list"])
        #expect(run.exitCode == 1 && run.errors.contains("-wal, that must be recovered"), "\(run.testDescription)")
    }
}
