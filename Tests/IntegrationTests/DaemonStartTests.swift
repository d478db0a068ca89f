import Foundation
import TestSupport
import Testing

@Suite("The start of a daemon", .aFewAtATime)
struct DaemonStartTests {
    private static let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    private static let canBeNobody = geteuid() == 0 && FileManager.default.isExecutableFile(atPath: nobody[0])

    @Test("Before the first import, it takes the catalog up when it comes", arguments: StoreKind.available)
    func beforeTheCatalog(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        try FileManager.default.moveItem(atPath: workspace.catalog, toPath: workspace.path("later.sqlite"))
        let elsewhere = ["COTERIE_CATALOG": workspace.path("later.sqlite")]
        let daemon = try await RunningDaemon(workspace)
        let lacking = try await daemon.wait { $0.degraded && $0.missing.contains("photos") }
        #expect(lacking.reason?.contains("there is no catalog at \(workspace.catalog)") == true, "\(lacking)")
        #expect(try daemon.get("/v1/groups/macro-mondays/similar").status == 200)
        // The daemon reports every two seconds.
        var check: CommandRun?
        _ = try await eventually {
            check = try await workspace.run("check", settings: elsewhere)
            return check?.text.contains("there is no catalog at \(workspace.catalog): the daemon") == true
        }
        let warning = check?.text.split(separator: "\n").first { $0.contains("the daemon reads it as soon as") }
        #expect(warning?.hasPrefix("warning") == true, "\(check?.testDescription ?? "")")
        // What the catalog hides meanwhile is hidden once it is there.
        try await workspace.succeed(["hide", "macro-mondays"], settings: elsewhere)
        let groups = try workspace.write("group_id\tvisibility\nnight-walkers\tprivate\n", to: "groups.tsv")
        try await workspace.succeed(["import", "groups", groups], settings: elsewhere)
        // The store has the private groups of an import: whoever has no catalog reads them there.
        #expect(await RunningDaemon.poll { (try? daemon.get("/v1/groups/night-walkers/similar").status) == 404 })
        try FileManager.default.moveItem(atPath: workspace.path("later.sqlite"), toPath: workspace.catalog)
        try await daemon.wait { !$0.degraded && $0.missing.isEmpty }
        for group in ["macro-mondays", "night-walkers"] {
            #expect(try daemon.get("/v1/groups/\(group)/similar").status == 404)
        }
        #expect(try daemon.get("/v1/users/laura-100/recommendations").status == 200)
        let client = try #require(SocketClient(port: daemon.port))
        let json = #"{"interactions":[{"id":"1","kind":"dismiss","groupId":"feathers"}]}"#
        #expect(client.request("POST", "/v1/users/laura-100/interactions", json: json)?.status == 200)
        let end = await daemon.end()
        #expect(end.exitCode == CommandRun.ExitCode.success)
        #expect(end.errors.contains("reading the catalog \(workspace.catalog)"))
        // The daemon starts with all that next time.
        let next = try await RunningDaemon(workspace)
        try await next.wait { !$0.degraded && $0.missing.isEmpty }
        #expect(try next.get("/v1/users/laura-100/interactions").text.contains("feathers"))
    }

    @Test("Before the very first import, it takes up the catalog that the import makes")
    func beforeTheFirstImport() async throws {
        let workspace = try Workspace()
        let daemon = try await RunningDaemon(workspace)
        let metrics = "/metrics"
        #expect(try daemon.get(metrics).text.contains("\ncoterie_catalog_up 0\n"))
        for kind in SampleCommunity.kinds { try await workspace.succeed("import", kind, Checkout.sample(kind)) }
        try await workspace.succeed("recompute")
        try await daemon.wait { !$0.degraded && $0.missing.isEmpty }
        #expect(try daemon.get(metrics).text.contains("\ncoterie_catalog_up 1\n"))
        #expect(try daemon.get("/v1/users/laura-100/recommendations").text.contains(#""known":true"#))
    }

    @Test("With --catalog none it is complete without one", arguments: StoreKind.available)
    func noCatalog(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        try await workspace.succeed("recompute", "--members")
        let daemon = try await RunningDaemon(workspace, "--catalog", "none")
        let readiness = try await daemon.wait { $0.status == "ready" && !$0.degraded }
        #expect(readiness.missing.contains("photos"))
        #expect(try daemon.get("/v1/users/laura-100/recommendations").status == 200)
        #expect(try !daemon.get("/metrics").text.contains("coterie_catalog_up"))
        #expect(!daemon.command.errors.contains("no catalog"), "\(daemon.command.errors)")
        let check = try await workspace.run("check", "--catalog", "none")
        #expect(check.text.contains("there is none, as --catalog none says"), "\(check.testDescription)")
    }

    @Test("Signals of scripts that rotate logs do not end it")
    func signals() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        for signal in [SIGUSR1, SIGUSR2] {
            daemon.command.send(signal)
            // A signal that ended the process would have ended it before it answers.
            #expect(try daemon.get("/healthz").status == 200)
        }
        let end = await daemon.end()
        #expect(end.exitCode == CommandRun.ExitCode.success, "\(end.testDescription)")
    }

    /// Starts a daemon as nobody, with its state and caches in the workspace.
    private func daemonOfNobody(_ workspace: Workspace, _ options: String...) throws -> RunningCommand {
        let words = Array(Self.nobody.dropFirst()) + [Checkout.program, "serve", "--port", "0"] + options
        return try RunningCommand(
            Self.nobody[0], words, environment: workspace.environment, input: nil, in: workspace.folder)
    }

    private func give(_ path: String, to user: uid_t) throws {
        try FileManager.default.setAttributes([.ownerAccountID: NSNumber(value: user)], ofItemAtPath: path)
    }

    private func owner(_ path: String) throws -> uid_t? {
        (try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? NSNumber)?.uint32Value
    }

    /// A workspace of nobody, with a published sample.
    private func workspaceOfNobody() async throws -> Workspace {
        let workspace = try Workspace()
        try await workspace.publishSample()
        for name in try FileManager.default.subpathsOfDirectory(atPath: workspace.folder) {
            try give(workspace.path(name), to: 65534)
        }
        try give(workspace.folder, to: 65534)
        return workspace
    }

    @Test(
        "What commands write to a store is open to whom its folder is, whatever the mask of the shell",
        arguments: [0o755, 0o770, 0o700])
    func masked(folder: Int) async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let files = FileManager.default
        try files.createDirectory(atPath: workspace.store + "/versions", withIntermediateDirectories: true)
        // A folder that an earlier command made with the mask.
        for (path, mode) in [(workspace.store, folder), (workspace.store + "/versions", 0o700)] {
            try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        for words in [
            ["recompute", "--members"], ["hide", "macro-mondays"], ["forget", "laura-100"], ["models", "pin", ""],
        ] {
            let words = words.last == "" ? words.dropLast() + [try await workspace.currentVersion()] : words
            let run = try await RunningCommand(
                "/bin/sh", ["-c", "umask 077; exec \"$0\" \"$@\"", Checkout.program] + words,
                environment: workspace.environment, input: nil, in: workspace.folder
            ).wait()
            #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        }
        let paths = try files.subpathsOfDirectory(atPath: workspace.store).sorted()
        #expect(["current", "decisions", "ledger", "pins", "site.json", "versions"].allSatisfy(paths.contains))
        for path in paths {
            let attributes = try files.attributesOfItem(atPath: "\(workspace.store)/\(path)")
            let mode = try #require(attributes[.posixPermissions] as? Int) & 0o777
            if attributes[.type] as? FileAttributeType == .typeDirectory {
                #expect(mode == folder, "\(path)")
            } else if path == "ledger" || path.contains("/members") {
                // These are for the owner, and for a group that may write to the folder.
                #expect(mode == (folder == 0o770 ? 0o440 : 0o400), "\(path)")
            } else {
                #expect(mode & 0o044 == folder & 0o044 && mode & 0o022 & ~folder == 0, "\(path)")
            }
        }
    }

    @Test("As root, it leaves files that the service's user can open", .enabled(if: canBeNobody, "it takes root"))
    func asRoot() async throws {
        let workspace = try await workspaceOfNobody()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { $0.status == "ready" && !$0.degraded }
        #expect(try daemon.get("/v1/users/laura-100/recommendations").status == 200)
        for suffix in ["", "-sessions", "-sessions-wal", "-sessions-shm"] {
            #expect(try owner(workspace.catalog + suffix) == 65534, "\(suffix)")
        }
        _ = await daemon.end()
        #expect(try owner(workspace.catalog + "-sessions") == 65534)
    }

    @Test(
        "Root's file of sessions makes it degraded until it is given back; root's journal is refused with what to do",
        .enabled(if: canBeNobody, "it takes root"))
    func filesOfRoot() async throws {
        let workspace = try await workspaceOfNobody()
        let sessions = try workspace.write("", to: "catalog.sqlite-sessions")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sessions)
        let command = try daemonOfNobody(workspace)
        defer { command.send(SIGKILL) }
        var port: UInt16?
        _ = await RunningDaemon.poll {
            let match = command.errors.firstMatch(of: #/"listening at port ([0-9]+) /#)
            port = match.flatMap { UInt16($0.output.1) }
            return port != nil || !command.isRunning
        }
        let listening = try #require(port, "\(command.errors)")
        func readiness() -> String { SocketClient(port: listening)?.request("GET", "/readyz")?.text ?? "" }
        let advice = #"run \"chown nobody \#(sessions)\""#
        #expect(await RunningDaemon.poll { readiness().contains(advice) }, "\(readiness())")
        #expect(readiness().contains(#""degraded":true"#), "\(readiness())")
        #expect(readiness().contains("belongs to root:root and has mode 0600"), "\(readiness())")
        let client = try #require(SocketClient(port: listening))
        #expect(client.request("GET", "/v1/users/laura-100/recommendations")?.status == 200)
        try give(sessions, to: 65534)
        #expect(await RunningDaemon.poll { readiness().contains(#""degraded":false"#) }, "\(readiness())")

        let journal = try workspace.write("", to: "journal.sqlite")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: journal)
        let refused = try await daemonOfNobody(workspace, "--store", "redis://127.0.0.1:1", "--journal", journal).wait()
        #expect(refused.exitCode == 1, "\(refused.testDescription)")
        #expect(refused.errors.contains("may not write to \(journal), which belongs to root:root and has mode 0600"))
        #expect(refused.errors.contains("chown nobody \(journal)"), "\(refused.testDescription)")
    }
}
