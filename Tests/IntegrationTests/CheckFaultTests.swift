import Foundation
import Redis
import SQLite
import TestSupport
import Testing

/// Faults that are made on purpose; a check must name each by its cause.
@Suite("Faults that a check names", .aFewAtATime)
struct CheckFaultTests {
    private static let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    private static let canBeNobody = geteuid() == 0 && FileManager.default.isExecutableFile(atPath: nobody[0])

    private func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test(
        "A catalog and versions that this user may not read: with the owner and the mode",
        .enabled(if: canBeNobody, "only root can become another user, with setpriv"))
    func closed() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        for name in ["", "/models"] { try setMode(0o755, workspace.folder + name) }
        let versions = workspace.path("models/versions")
        for (catalogMode, versionsMode) in [(0o000, 0o000), (0o600, 0o744)] {
            try setMode(catalogMode, workspace.catalog)
            try setMode(versionsMode, versions)
            let found = try await workspace.findings(["--scratch", "/tmp"], as: Self.nobody)
            let mode = String(catalogMode, radix: 8)
            let catalog =
                "bad catalog: the user nobody may not read \(workspace.catalog), which belongs to root:root and has "
                + "mode \(String(repeating: "0", count: 4 - mode.count))\(mode); do run the check as its owner"
            #expect(found.first?.hasPrefix(catalog) == true, "\(found)")
            let closed = try #require(found.first { $0.contains("/models/versions") }, "\(found)")
            #expect(closed.hasPrefix("bad ") && closed.contains("the user nobody may not"), "\(closed)")
            #expect(closed.contains("has mode 0\(String(versionsMode, radix: 8))") || versionsMode == 0, "\(closed)")
            #expect(closed.contains("do let this user read everything in \(workspace.store)"), "\(closed)")
            #expect(!found.contains { $0.contains("write-ahead log") || $0.contains("start the server") }, "\(found)")
        }
    }

    @Test(
        "A catalog that root made in the folder of another user",
        .enabled(if: canBeNobody, "only root can give files away"))
    func foreign() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let owner: [FileAttributeKey: Any] = [.ownerAccountID: 65534, .groupOwnerAccountID: 65534]
        try FileManager.default.setAttributes(owner, ofItemAtPath: workspace.folder)
        let found = try await workspace.findings([])
        #expect(found.count == 1, "\(found)")
        #expect(found[0].hasPrefix("warning catalog: \(workspace.catalog) belongs to root:root and has mode 0"))
        #expect(found[0].contains("do run \"chown nobody: \(workspace.catalog)\""), "\(found)")
    }

    @Test("A backup that was unpacked by hand beside the log of another catalog")
    func unpacked() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let log = workspace.catalog + "-wal"
        // A copy has no log; it says so in its head.
        try Database(path: workspace.catalog, mode: .readWrite).execute("PRAGMA journal_mode = DELETE")
        #expect(try await workspace.findings([]).isEmpty)
        try Data("the frames of another catalog".utf8).write(to: URL(fileURLWithPath: log))
        let found = try await workspace.findings([])
        #expect(found.contains { $0.hasPrefix("bad catalog: ") && $0.contains("-wal is no log of") }, "\(found)")
    }

    @Test("A recompute that failed, one that was refused, and one that never told how it ended")
    func recompute() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let status = ["--recompute-metrics", workspace.path("recompute.prom")]
        let silent = try await workspace.findings(status)
        #expect(silent.count == 1 && silent[0].hasPrefix("warning recompute: "), "\(silent)")
        #expect(silent[0].contains("ReadWritePaths="), "\(silent)")
        let metrics = ["--metrics", workspace.path("recompute.prom")]
        let failed = try await workspace.start(["recompute", "--catalog", "nowhere.sqlite"] + metrics).wait()
        #expect(failed.exitCode == CommandRun.ExitCode.badData)
        let failure = try await workspace.findings(status)
        #expect(failure.count == 1, "\(failure)")
        #expect(
            failure[0].contains(/bad recompute: the last run failed [0-9TZ:-]+ with exit code 65: there is no catalog/),
            "\(failure)")
        try await workspace.succeed(["recompute"] + metrics)
        #expect(try await workspace.findings(status) == [])
        // Half of the members leave.
        let rows = try String(contentsOfFile: Checkout.sample("memberships"), encoding: .utf8).split(separator: "\n")
        let half = ([rows[0]] + rows.dropFirst().enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
        _ = try workspace.write(half.joined(separator: "\n") + "\n", to: "half.tsv")
        try await workspace.succeed("import", "memberships", "half.tsv", "--replace", "--allow-shrinking")
        let refused = try await workspace.start(["recompute"] + metrics).wait()
        #expect(refused.exitCode == CommandRun.ExitCode.badData, "\(refused.testDescription)")
        let found = try await workspace.findings(status)
        #expect(
            found.contains { $0.contains(/^bad recompute: version [^ ]+ was refused: .*do look at it/) }, "\(found)")
    }

    @Test(
        "A full disk of temporary files, and one of cached versions",
        .enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func disks() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let disk = try SmallDisk(kibibytes: 512)
        try disk.fill()
        let start = "bad disk: 0 MiB are free in \(disk.path), for temporary files, and 256 may be needed"
        // SQLite passes over a folder that is not there.
        for settings in [["SQLITE_TMPDIR": disk.path], ["SQLITE_TMPDIR": disk.path + "/none", "TMPDIR": disk.path]] {
            let temporary = try await workspace.findings([], settings: settings)
            #expect(temporary.contains { $0.hasPrefix(start) }, "\(temporary)")
        }
        guard TemporaryRedis.isInstalled else { return }
        let server = try TemporaryRedis("--save", "900 1")
        let store = ["COTERIE_STORE": server.url]
        try await workspace.succeed(["recompute"], settings: store)
        let cache = try await workspace.findings(["--cache", disk.path], settings: store)
        #expect(cache.count == 1 && cache[0].contains("for cached versions"), "\(cache)")
    }

    @Test("An import that succeeded too long ago, if the site asks; one that failed since, and a dry run, do not count")
    func imports() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("import", "groups", Checkout.sample("groups"))
        let options = ["--import-days", "2"]
        #expect(try await workspace.findings(options) == [])
        let log = try Database(path: workspace.catalog + "-work", mode: .readWrite)
        try log.execute("UPDATE runs SET ended_at = ended_at - 3 * 86400000")
        let failed = try await workspace.run("import", "groups", Checkout.sample("users"))
        #expect(failed.exitCode == CommandRun.ExitCode.badData, "\(failed.testDescription)")
        try await workspace.succeed("import", "groups", Checkout.sample("groups"), "--dry-run")
        let found = try await workspace.findings(options)
        #expect(found.count == 1 && found[0].hasPrefix("warning import: the last one succeeded 3 days ago"), "\(found)")
        #expect(try await workspace.findings([]) == [])
        try log.execute("DELETE FROM runs")
        #expect(try await workspace.findings(options).first?.hasPrefix("warning import: none") == true)
    }

    @Test("Backups that are missing, old, or another user's")
    func backups() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let folder = workspace.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let options = ["--backups", folder, "--scratch", "/tmp"]
        #expect(try await workspace.findings(options).first?.hasPrefix("bad backup: \(folder) has no backup") == true)
        let file = "\(folder)/one.tar"
        try await workspace.succeed("backup", file)
        #expect(try await workspace.findings(options) == [])
        if Self.canBeNobody {
            for name in ["", "/backups", "/models"] { try setMode(0o755, workspace.folder + name) }
            let found = try await workspace.findings(options, as: Self.nobody)
            let start =
                "warning backup: the user nobody may not read \(file), which belongs to root:root and has mode 0600"
            #expect(found.contains { $0.hasPrefix(start) }, "\(found)")
        }
        try await workspace.succeed("backup", "--folder", folder)
        #expect(try await workspace.findings(options) == [])
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("coterie-") })
        _ = try workspace.write(Data(contentsOf: URL(fileURLWithPath: file)).prefix(5000), to: "backups/\(name)")
        let damaged = try await workspace.findings(options)
        let start = "bad backup: \(folder)/\(name) cannot be used"
        #expect(damaged.count == 1 && damaged[0].hasPrefix(start), "\(damaged)")
    }

    @Test("Times in the future: rows of files with an example; an interaction with the request that takes it back")
    func future() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let row = try workspace.write("group_id,user_id,joined_at\nmacro-mondays,laura-100,2099-01-01\n", to: "row.csv")
        let told = try await workspace.succeed("import", "memberships", row)
        #expect(told.text.contains("1 joined_at is more than five minutes ahead"), "\(told.testDescription)")
        #expect(try await workspace.findings([]) == [])
        // As an import by a wrong clock left it.
        try Database(path: workspace.catalog, mode: .readWrite).execute(
            """
            INSERT OR REPLACE INTO memberships SELECT group_key, user_key, \(4_070_908_800) FROM groups, users
            WHERE group_id = 'macro-mondays' AND user_id = 'laura-100'
            """)
        let rows = try await workspace.findings([])
        #expect(
            rows == [
                "warning clock: 1 joined_at of memberships is in the future, such as that of macro-mondays, laura-100 "
                    + "(2099-01-01T00:00:00Z); do import these rows again, with the right times"
            ])
        _ = try workspace.write("group_id,user_id,joined_at\nmacro-mondays,laura-100,2025-01-01\n", to: "row.csv")
        try await workspace.succeed("import", "memberships", row)
        #expect(try await workspace.findings([]) == [])
        let daemon = try await RunningDaemon(workspace)
        let client = try #require(SocketClient(port: daemon.port))
        let body = #"{"interactions":[{"id":"a b/1","kind":"click","groupId":"macro-mondays"}]}"#
        #expect(client.request("POST", "/v1/users/laura-100/interactions", json: body)?.status == 200)
        try await workspace.succeed("apply")
        // As from a daemon whose clock was ahead.
        try Database(path: workspace.catalog, mode: .readWrite)
            .execute("UPDATE interactions SET occurred_at = 4070908800000 WHERE id = 'a b/1'")
        let found = try await workspace.findings([])
        #expect(
            found.first?.hasPrefix(
                "bad clock: the interaction a b/1 of laura-100 is dated in the future (2099-01-01T00:00:00Z); do ")
                == true,
            "\(found)")
        let target = try #require(found.first?.firstMatch(of: #/DELETE (/[^ ]+)/#)?.1)
        let answer = try #require(SocketClient(port: daemon.port)?.request("DELETE", String(target)))
        #expect(answer.status == 200, "\(answer.text)")
        try await workspace.succeed("apply")
        #expect(try await workspace.findings([]).filter { $0.contains("clock") } == [])
        _ = await daemon.end()
    }

    @Test("A key file that everybody can read, a token that has ended, and a certificate that ends soon")
    func ending() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let keys = workspace.path("keys.json")
        try await workspace.succeed("token", "--new-key", "--keys", keys)
        #expect(try await workspace.findings(["--keys", keys]) == [])
        try setMode(0o644, keys)
        #expect(try await workspace.findings(["--keys", keys]).first?.hasPrefix("bad keys: the key file") == true)
        // {"exp":1000000000}
        let token = try workspace.write("e30.eyJleHAiOjEwMDAwMDAwMDB9.c2lnbmVk\n", to: "token")
        let found = try await workspace.findings(["--ending", token])
        #expect(found.first?.hasPrefix("bad keys: the token \(token) ended ") == true, "\(found)")
        let neither = try await workspace.findings(["--ending", workspace.catalog])
        #expect(neither.first?.contains("has no certificate and no token") == true, "\(neither)")
        guard let openssl = Checkout.tool("openssl") else { return }
        let certificate = workspace.path("server.pem")
        let made = try await RunningCommand(
            openssl,
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9", "-subj", "/CN=localhost", "-keyout",
                workspace.path("server.key"), "-out", certificate,
            ], environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        try #require(made.exitCode == 0, "\(made.testDescription)")
        let soon = try await workspace.findings(["--ending", certificate])
        #expect(
            soon.first?.contains(/^warning keys: the certificate .* ends in [89] days; do renew it/) == true, "\(soon)")
        #expect(try await workspace.findings(["--ending", certificate, "--ending-days", "5"]) == [])
    }
}

@Suite(
    "Faults of Redis that a check names", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct RedisFaultTests {
    private struct Answer: Decodable {
        struct Finding: Decodable {
            var subject, state, message: String
        }

        var findings: [Finding]
    }

    private func findings(_ workspace: Workspace, _ store: String, _ options: String...) async throws -> [String] {
        let run = try await workspace.start(
            ["check", "--json", "--quiet"] + options, settings: ["COTERIE_STORE": store]
        ).wait()
        return try run.json(Answer.self).findings.map {
            "\($0.state) \($0.subject.split(separator: " ")[0]): \($0.message)"
        }
    }

    @Test("Evictions are told once, with the policy, and not until the server starts again")
    func evictions() async throws {
        let workspace = try Workspace()
        let server = try TemporaryRedis("--save", "900 1", "--maxmemory-policy", "volatile-lru")
        try await workspace.publishSample(to: server.url)
        let status = workspace.path("check.prom")
        #expect(try await findings(workspace, server.url, "--metrics", status) == [])
        var connection = try RedisConnection(to: RedisAddress(server.url))
        // Keys with an expiry, for which there is no room.
        let used = try connection.command("EVAL", "return redis.call('INFO', 'memory')", "0").text ?? ""
        let bytes = try #require(used.firstMatch(of: /used_memory:([0-9]+)/).flatMap { Int($0.output.1) })
        _ = try connection.command("CONFIG", "SET", "maxmemory", "\(bytes + 4 << 20)")
        for number in 0..<100 {
            _ = try connection.command("SET", "x:\(number)", String(repeating: "x", count: 100_000), "EX", "1000")
        }
        _ = try connection.command("CONFIG", "SET", "maxmemory", "\(bytes + 400 << 20)")
        let found = try await findings(workspace, server.url, "--metrics", status)
        #expect(found.count == 1, "\(found)")
        let start =
            /^warning redis: it has removed [0-9]+ keys since the last check, for lack of memory \(volatile-lru\)$/
        #expect(found[0].contains(start), "\(found)")
        #expect(try await findings(workspace, server.url, "--metrics", status) == [])
        // Without a file of the check before, evictions count for some days after the start.
        let counted = try await findings(workspace, server.url)
        #expect(counted.first?.contains("(volatile-lru) since its start") == true, "\(counted)")
        #expect(workspace.content(of: "check.prom")?.contains(",state=\"warning\"} 0\n") == true)
    }

    @Test("A user who may not run scripts or add to streams")
    func rights() async throws {
        let workspace = try Workspace()
        let server = try TemporaryRedis("--save", "900 1")
        try await workspace.publishSample(to: server.url)
        var connection = try RedisConnection(to: RedisAddress(server.url))
        _ = try connection.command(
            "ACL", "SETUSER", "anna", "reset", "on", ">secret", "~coterie:*", "&*", "+@all", "-eval", "-xadd")
        let found = try await findings(workspace, "redis://anna:secret@127.0.0.1:\(server.port)")
        #expect(found.first?.hasPrefix("bad redis: it refuses XADD and EVAL to its user: NOPERM") == true, "\(found)")
        // To look at the rights changes nothing.
        let keys = try connection.command("EVAL", "return #redis.call('KEYS', 'coterie:nothing*')", "0")
        #expect(keys == .integer(0))
    }

    @Test("Changes that are neither in the version nor in their stream")
    func streams() async throws {
        let workspace = try Workspace()
        let server = try TemporaryRedis("--save", "900 1")
        let store = ["COTERIE_STORE": server.url]
        try await workspace.publishSample(to: server.url)
        let daemon = try await RunningDaemon(
            workspace, "--journal", workspace.path("journal"),
            settings: store.merging(["COTERIE_CATALOG": "none"]) { $1 })
        try await daemon.wait { !$0.degraded }
        let client = try #require(SocketClient(port: daemon.port))
        for id in ["1", "2", "3"] {
            let json = #"{"interactions":[{"id":"\#(id)","kind":"click","groupId":"macro-mondays"}]}"#
            #expect(client.request("POST", "/v1/users/laura-100/interactions", json: json)?.status == 200)
        }
        var connection = try RedisConnection(to: RedisAddress(server.url))
        let length =
            "local n = 0 for _, key in ipairs(redis.call('KEYS', 'coterie:journal:*')) do "
            + "n = n + redis.call('XLEN', key) end return n"
        let isSent = await RunningDaemon.poll {
            var connection = try? RedisConnection(to: RedisAddress(server.url))
            return (try? connection?.command("EVAL", length, "0")) == .integer(3)
        }
        #expect(isSent)
        _ = await daemon.end()
        #expect(try await findings(workspace, server.url) == [])
        let trim = "redis.call('XTRIM', redis.call('KEYS', 'coterie:journal:*')[1], 'MAXLEN', 1) return 1"
        _ = try connection.command("EVAL", trim, "0")
        let found = try await findings(workspace, server.url)
        #expect(found.count == 1, "\(found)")
        #expect(found[0].contains(/^bad streams: changes 1 to 2 of the journal [a-zA-Z0-9]+ are missing$/), "\(found)")
    }

    @Test("A part of a version that Redis has lost: a check says bad, and a daemon degraded until it is back")
    func evictedVersion() async throws {
        let workspace = try Workspace()
        let server = try TemporaryRedis("--save", "900 1")
        let store = ["COTERIE_STORE": server.url]
        try await workspace.publishSample(to: server.url)
        let daemon = try await RunningDaemon(
            workspace, "--journal", workspace.path("journal"),
            settings: store.merging(["COTERIE_CATALOG": "none"]) { $1 })
        try await daemon.wait { !$0.degraded }
        var connection = try RedisConnection(to: RedisAddress(server.url))
        for pattern in ["*:members:*", "*:manifest", "*:titles:0"] {
            let rename = "local key = redis.call('KEYS', ARGV[1])[1] redis.call('RENAME', key, 'aside') return key"
            let key = try #require(try connection.command("EVAL", rename, "0", pattern).text)
            let readiness = try await daemon.wait { $0.degraded }
            #expect(readiness.reason?.contains("has lost a part of version") == true, "\(readiness)")
            #expect(readiness.reason?.contains(key) == true, "\(readiness)")
            let found = try await findings(workspace, server.url)
            #expect(found.contains { $0.hasPrefix("bad version: ") }, "\(found)")
            _ = try connection.command("RENAME", "aside", key)
            try await daemon.wait { !$0.degraded }
        }
    }
}
