import Foundation
import TestSupport
import Testing

@Suite("Configuration files", .aFewAtATime)
struct ConfigTests {
    /// A setting as `coterie config list --json` has it.
    private struct Facts: Decodable {
        var key: String
        var variable: String
        var option: String
        var defaultValue: String?
        var isLive: Bool
        var commands: [String]
    }

    /// A setting as `coterie config show --json` has it.
    private struct Value: Decodable {
        var key: String
        var values: [String]
        var origin: String
    }

    private func shown(
        _ workspace: Workspace, _ arguments: [String], settings: [String: String] = [:]
    ) async throws -> [String: Value] {
        let run = try await workspace.succeed(["config", "show", "--json"] + arguments, settings: settings)
        let values: [Value] = try run.json()
        return Dictionary(uniqueKeysWithValues: values.map { ($0.key, $0) })
    }

    @Test("Each value is shown with where it comes from, and no password")
    func origins() async throws {
        let workspace = try Workspace()
        _ = try workspace.write("serve:\n  port: 9001\n  threads: 3\nlists: {variety: 0.5}\n", to: "site.yaml")
        _ = try workspace.write("serve: {port: 9002}\n", to: "site.staging.yaml")
        let values = try await shown(
            workspace, ["--config", "site.yaml", "--environment", "staging"],
            settings: ["COTERIE_VARIETY": "2", "COTERIE_STORE": "redis://anna:geheim@host/1"])
        func expect(_ key: String, _ value: String, from origin: String) {
            #expect(values[key]?.values == [value], "\(key)")
            #expect(values[key]?.origin == origin, "\(key)")
        }
        expect("serve.port", "9002", from: "site.staging.yaml:1:15")
        expect("serve.threads", "3", from: "site.yaml:3:12")
        expect("lists.variety", "2", from: "COTERIE_VARIETY")
        expect("serve.staleAfter", "14d", from: "default")
        expect("store.location", "redis://…@host/1", from: "COTERIE_STORE")
        #expect(values["store.passwordFile"]?.values == [])
        let ofServe = try await shown(
            workspace, ["--config", "site.yaml", "--", "serve", "--port", "9003"])
        #expect(ofServe["serve.port"]?.origin == "--port" && ofServe["serve.port"]?.values == ["9003"])
        #expect(ofServe["recompute.keep"] == nil)
    }

    @Test("A file with a mistake stops every command that reads it, with exit code 65 and the place")
    func mistakes() async throws {
        let workspace = try Workspace()
        for (text, message) in [
            ("serve: {prot: 1}", "site.yaml:1:9: there is no setting serve.prot: did you mean serve.port?"),
            ("recompute:\n  keep: 0\n", "site.yaml:2:9: recompute.keep must be a whole number from 1 to 1000"),
            ("a: &b 1", "site.yaml:1:4: an anchor"),
            ("access:\n  open: [grups]\n", "groups, photos, trending, map, metrics"),
            ("store: {location: redis://:geheim@host}", "store.passwordFile"),
        ] {
            _ = try workspace.write(text, to: "site.yaml")
            let check = try await workspace.run("config", "check", "site.yaml")
            #expect(check.exitCode == CommandRun.ExitCode.badData, "\(check.testDescription)")
            #expect(check.errors.contains(message), "\(check.testDescription)")
            #expect(!check.errors.contains("geheim"))
        }
        let models = try await workspace.run("models", settings: ["COTERIE_CONFIG": "site.yaml"])
        #expect(models.exitCode == CommandRun.ExitCode.badData, "\(models.testDescription)")
        let missing = try await workspace.run("models", "--config", "nowhere.yaml")
        #expect(missing.exitCode == CommandRun.ExitCode.badData && missing.errors.contains("nowhere.yaml"))
        let environment = try await workspace.run("models", "--environment", "x/y", "--config", "site.yaml")
        #expect(environment.exitCode == CommandRun.ExitCode.usage, "\(environment.testDescription)")
        _ = try workspace.write("serve: {port: 9001}\n", to: "site.yaml")
        let good = try await workspace.succeed("config", "check", "site.yaml")
        #expect(good.text == "site.yaml: 1 setting, all good\n")
    }

    @Test("A command takes its settings from the file")
    func used() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let settings = ["COTERIE_STORE": "", "COTERIE_CONFIG": "site.yaml"]
        let text = "store: {location: elsewhere}\nrecompute: {measure: cosine, members: {minimumCommon: 3}}\n"
        _ = try workspace.write(text, to: "site.yaml")
        try await workspace.succeed(["recompute"], settings: settings)
        #expect(FileManager.default.fileExists(atPath: workspace.path("elsewhere/current")))
        #expect(try await workspace.succeed(["models", "--json"], settings: settings).text.contains("cosine"))
    }

    @Test("A daemon takes up what can change, on SIGHUP and by itself, and keeps the last good settings")
    func reload() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let file = "serve: {staleAfter: 14d, logRequests: false}\n"
        _ = try workspace.write(file, to: "site.yaml")
        let daemon = try await RunningDaemon(workspace, "--config", "site.yaml")
        try await daemon.wait { $0.status == "ready" }
        func wait(_ message: String) async {
            #expect(await daemon.logs(message), "\(daemon.command.errors)")
        }
        // By itself.
        _ = try workspace.write("serve: {logRequests: true, threads: 4}\n", to: "site.yaml")
        await wait("the configuration has changed; taken up: serve.logRequests")
        await wait("these need a restart, and keep their values: serve.threads")
        _ = try daemon.get("/healthz")
        await wait(#""path":"/healthz""#)
        // A wrong file is refused, once, and the settings stay.
        _ = try workspace.write("serve: {logRequests: maybe}\n", to: "site.yaml")
        daemon.command.send(SIGHUP)
        await wait("site.yaml:1:22: serve.logRequests must be true or false")
        let metrics = try daemon.get("/metrics").text
        #expect(metrics.contains("\ncoterie_configuration_up 0\n") && metrics.contains("requests_in_flight"))
        // Good again.
        _ = try workspace.write(file, to: "site.yaml")
        daemon.command.send(SIGHUP)
        #expect(
            await RunningDaemon.poll {
                daemon.command.errors.split(separator: "taken up: serve.logRequests", omittingEmptySubsequences: false)
                    .count == 3
            })
        let isGood = try await eventually {
            let metrics = try daemon.get("/metrics").text
            return metrics.contains("\ncoterie_configuration_up 1\n")
                && metrics.contains("\ncoterie_configuration_waiting 0\n")
        }
        #expect(isGood)
        #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
    }

    @Test("A daemon accepts no more tokens because a file was cut, emptied or removed, until it is told to")
    func lostAccess() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        let full = "access:\n  keys: keys.json\n  issuer: https://photos.example\n  audience: groups\n  open: groups\n"
        let file = try workspace.write(full, to: "site.yaml")
        let beside = try workspace.write("access: {tokenYears: 1}\n", to: "site.live.yaml")
        let daemon = try await RunningDaemon(workspace, "--config", "site.yaml", "--environment", "live")
        try await daemon.wait { $0.status == "ready" }
        let token = try await workspace.succeed("token", "--admin", "--keys", "keys.json").text
            .trimmingCharacters(in: .whitespacesAndNewlines)
        func status() throws -> Int {
            try daemon.get("/v1/admin/model", headers: ["Authorization: Bearer \(token)"]).status
        }
        var told = ""
        func wait(_ message: String) async {
            let isThere = await RunningDaemon.poll { daemon.command.errors.dropFirst(told.count).contains(message) }
            #expect(isThere, "\(message): \(daemon.command.errors)")
            told = daemon.command.errors
        }
        #expect(try status() == 401)
        for (text, path, message) in [
            ("", file, "site.yaml has no settings any more; if this is meant, send SIGHUP"),
            ("# later\n", file, "site.yaml has no settings any more"),
            ("serve: {staleAfter: 3d}\n", file, "site.yaml has no access.audience, access.issuer any more"),
            ("access:\n  audience: groups\n", file, "site.yaml has no access.issuer any more"),
            ("serve: {staleAfter: 3d}\naccess:\n", file, "site.yaml has no access.audience, access.issuer any more"),
            ("", beside, "site.live.yaml has no settings any more"),
            ("serve: {staleAfter: 3d}\n", beside, "site.live.yaml has no access.tokenYears any more"),
        ] {
            let good = try String(contentsOfFile: path, encoding: .utf8)
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            await wait(message)
            #expect(try status() == 401, "\(text)")
            #expect(try daemon.get("/metrics", headers: []).status == 401)
            try good.write(toFile: path, atomically: false, encoding: .utf8)
            await wait("the configuration can be used again")
        }
        // A folder in the place of the file.
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        await wait("it is a folder")
        #expect(try status() == 401)
        try FileManager.default.removeItem(atPath: file)
        // Closing an area needs nothing more.
        try full.replacingOccurrences(of: "  open: groups\n", with: "").write(
            toFile: file, atomically: false, encoding: .utf8)
        await wait(#""level":"warning","message":"the configuration has changed; taken up: access.open""#)
        #expect(try daemon.get("/v1/groups/macro-mondays/similar").status == 401)
        // Told so, it takes up the loss.
        try "access: {keys: keys.json}\n".write(toFile: file, atomically: false, encoding: .utf8)
        await wait("site.yaml has no access.audience, access.issuer any more")
        daemon.command.send(SIGHUP)
        await wait("taken up: access.audience, access.issuer")
        #expect(try status() == 200)
    }

    @Test("Redis's password is read from a file that others cannot read", .enabled(if: TemporaryRedis.isInstalled))
    func passwordFile() async throws {
        let server = try TemporaryRedis("--requirepass", "geheim")
        let workspace = try Workspace()
        try await workspace.importSample()
        _ = try workspace.write("geheim\n", to: "password")
        _ = try workspace.write("store: {location: \(server.url), passwordFile: password}\n", to: "site.yaml")
        let settings = ["COTERIE_STORE": "", "COTERIE_CONFIG": "site.yaml"]
        let path = workspace.path("password")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let open = try await workspace.run("recompute", settings: settings)
        #expect(open.exitCode == CommandRun.ExitCode.badData && open.errors.contains("chmod 600"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try await workspace.succeed(["recompute"], settings: settings)
        #expect(try await workspace.succeed(["similar", "macro-mondays"], settings: settings).text.contains("rank"))
        let wrong = try await workspace.run(
            "models", "--store", server.url.replacing("redis://", with: "redis://:geheim@"), settings: settings)
        #expect(wrong.errors.contains("use --store-password-file"))
    }

    @Test("A key on the command line works, with a warning; in a variable, which others cannot see, without")
    func keyInArguments() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let list = ["recommend", "laura-100", "--at", "2026-11-01T12:00:00Z"]
        let key = String(repeating: "5e", count: 16)
        let seen = try await workspace.succeed(list + ["--rotation-key", key])
        #expect(seen.errors.contains("use --rotation-key-file"))
        let unseen = try await workspace.succeed(list, settings: ["COTERIE_ROTATION_KEY": key])
        #expect(!unseen.errors.contains("warning") && unseen.text == seen.text)
    }

    @Test("A mistyped variable is named by every command, with the nearest one; output and exit code stay")
    func variables() async throws {
        let workspace = try Workspace()
        let typos = ["COTERIE_LIMITS_MEMBERRATE": "5", "COTERIE_CATALOGUE": "x", "COTERIE_BUILD": "1"]
        let plain = try await workspace.succeed("config", "list")
        let run = try await workspace.succeed(["config", "list"], settings: typos)
        #expect(run.text == plain.text && plain.errors.isEmpty)
        #expect(
            run.errors == """
                coterie: COTERIE_CATALOGUE in the environment is not a variable of coterie: did you mean COTERIE_CATALOG?
                coterie: COTERIE_LIMITS_MEMBERRATE in the environment is not a variable of coterie: did you mean \
                COTERIE_LIMITS_MEMBER_RATE?

                """, "\(run.testDescription)")
        let failing = try await workspace.run("stats", settings: typos)
        #expect(failing.exitCode == CommandRun.ExitCode.badData)
        #expect(failing.errors.contains("did you mean COTERIE_CATALOG?"), "\(failing.testDescription)")
        // Each variable that the program lists is known.
        let list: [Facts] = try await workspace.succeed("config", "list", "--json").json()
        let all = Dictionary(list.map { ($0.variable, "") }) { first, _ in first }
        #expect(try await workspace.succeed(["config", "list"], settings: all).errors.isEmpty)
    }

    @Test("The table of settings in the documents is that of the program")
    func table() async throws {
        let list: [Facts] = try await Workspace().succeed("config", "list", "--json").json()
        let rows = try MarkdownDocument("\(MarkdownDocument.catalog)/Settings.md").lines
            .filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        let documented = Dictionary(grouping: rows) { $0[0].trimmingCharacters(in: ["`"]) }
        #expect(rows.map { $0[0] } == list.map { "`\($0.key)`" })
        for facts in list {
            let row = documented[facts.key]?.first ?? []
            let standard = facts.defaultValue.map { "`\($0)`" } ?? "–"
            #expect(
                row.prefix(5) == [
                    "`\(facts.key)`", "`\(facts.option)`", "`\(facts.variable)`", standard,
                    facts.commands.contains("serve") ? facts.isLive ? "no" : "yes" : "–",
                ], "\(facts.key)")
            #expect(!facts.commands.isEmpty)
        }
    }
}
