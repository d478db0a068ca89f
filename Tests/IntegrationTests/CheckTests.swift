import Foundation
import Redis
import SQLite
import TestSupport
import Testing

@Suite("Looking whether all is well", .aFewAtATime)
struct CheckTests {
    private struct Answer: Decodable {
        struct Finding: Decodable {
            var subject, state, message: String
            var advice: String?
        }

        var isWell: Bool
        var findings: [Finding]
    }

    /// What is not good, each as `STATE SUBJECT`, the subject's first word.
    private func findings(_ workspace: Workspace, _ options: String...) async throws -> [String] {
        let run = try await workspace.start(["check", "--json", "--quiet"] + options).wait()
        let answer: Answer = try run.json()
        let isBad = answer.findings.contains { $0.state == "bad" }
        #expect(run.exitCode == (isBad ? CommandRun.ExitCode.badData : answer.findings.isEmpty ? 0 : 3))
        #expect(answer.isWell == !isBad)
        #expect(answer.findings.allSatisfy { $0.advice?.isEmpty == false }, "who reads it wants to know what to do")
        return answer.findings.map { "\($0.state) \($0.subject.split(separator: " ")[0]): \($0.message)" }
    }

    private func site() async throws -> Workspace {
        let workspace = try Workspace()
        try await workspace.publishSample()
        return workspace
    }

    /// Changes the catalog behind the program's back.
    private func execute(_ sql: String, _ path: String) throws {
        try Database(path: path, mode: .readWrite).execute(sql)
    }

    private func overwrite(_ path: String, at offset: Int, count: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(repeating: 0x5A, count: count))
        try file.close()
    }

    @Test("A site that is well: every part is named, nothing is wrong, and nothing is changed")
    func well() async throws {
        let workspace = try await site()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: workspace.currentVersion())
        #expect(try daemon.get("/v1/users/laura-100/recommendations?session=1").status == 200)
        #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
        func content() throws -> [String: Data] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: workspace.folder)
            let files = names.filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") && !$0.hasSuffix("-shm") }
            return files.reduce(into: [:]) { content, name in
                let path = workspace.path(name)
                guard FileManager.default.fileExists(atPath: path) else { return }
                content[name] = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
            }
        }
        // Whoever opens a database first takes up the log that a process has left.
        let run = try await workspace.succeed("check")
        let before = try content()
        try await workspace.succeed("check")
        for subject in ["configuration", "catalog", "store", "version ", "sessions", "clock", "disk"] {
            #expect(run.text.contains("good     \(subject)"), "\(run.text)")
        }
        #expect(try content() == before)
        #expect(try await findings(workspace) == [])
    }

    @Test("A configuration file that cannot be used is found, with the place of what is wrong")
    func configuration() async throws {
        let workspace = try await site()
        _ = try workspace.write("serve: {prot: 1}\n", to: "site.yaml")
        let found = try await findings(workspace, "--config", "site.yaml")
        #expect(found.count == 1 && found[0].hasPrefix("bad configuration: site.yaml:1:9: "), "\(found)")
        _ = try workspace.write("serve: {port: 1234}\n", to: "site.yaml")
        #expect(try await findings(workspace, "--config", "site.yaml") == [])
        #expect(try await workspace.run("check", "--no-such-option").exitCode == CommandRun.ExitCode.usage)
    }

    @Test("Damage to the catalog is found: pages, rows that name nothing, a missing index, no catalog at all")
    func catalog() async throws {
        let workspace = try await site()
        try execute(
            "DELETE FROM users WHERE user_key = (SELECT min(user_key) FROM memberships); DROP INDEX pools_by_photo",
            workspace.catalog)
        let dangling = try await findings(workspace)
        #expect(dangling.contains { $0.contains("memberships.user_key name a row that does not exist") }, "\(dangling)")
        #expect(dangling.contains { $0.hasPrefix("warning catalog: pools has no reverse index") }, "\(dangling)")
        let size = try Data(contentsOf: URL(fileURLWithPath: workspace.catalog)).count
        // Enough that not all of it is free pages of the index that was dropped.
        try overwrite(workspace.catalog, at: size / 4, count: size / 2)
        #expect(try await findings(workspace).first?.hasPrefix("bad catalog: \(workspace.catalog) is damaged") == true)
        try FileManager.default.removeItem(atPath: workspace.catalog)
        #expect(try await findings(workspace).first?.hasPrefix("bad catalog: there is no catalog") == true)
    }

    @Test("A damaged version is found, be it current or not; and a store without one")
    func versions() async throws {
        let workspace = try await site()
        let first = try await workspace.currentVersion()
        try await workspace.succeed("recompute")
        try overwrite(workspace.path("models/versions/\(first)/model.coterie"), at: 9000, count: 1)
        let one = try await findings(workspace)
        #expect(one.count == 1 && one[0].hasPrefix("bad version: section"), "\(one)")
        let current = try await workspace.currentVersion()
        try overwrite(workspace.path("models/versions/\(current)/model.coterie"), at: 9000, count: 1)
        let both = try await findings(workspace)
        #expect(both.count { $0.hasPrefix("bad version: section") } == 2, "\(both)")
        try FileManager.default.removeItem(atPath: workspace.path("models/current"))
        #expect(try await findings(workspace).contains { $0.hasSuffix("has no current version") })
    }

    @Test("Sessions that are damaged, and a clock that is behind what was recorded, are found")
    func sessionsAndClock() async throws {
        let workspace = try await site()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: workspace.currentVersion())
        #expect(try daemon.get("/v1/users/laura-100/recommendations?session=1").status == 200)
        #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
        try execute("UPDATE sessions SET plan = zeroblob(99)", workspace.catalog + "-sessions")
        try execute(
            """
            INSERT INTO interactions (user_key, id, kind, group_key, occurred_at)
            SELECT min(user_key), 'x', 4, (SELECT min(group_key) FROM groups), 4000000000000 FROM users
            """, workspace.catalog)
        let found = try await findings(workspace)
        #expect(found.count == 2)
        #expect(found.first?.hasPrefix("warning sessions: 1 of 1 lists are damaged") == true, "\(found)")
        let clock = #/bad clock: the interaction x of [^ ]+ is dated in the future \(2096-10-02/#
        #expect(found.last?.prefixMatch(of: clock) != nil, "\(found)")
    }

    @Test(
        "What Redis does without room is found, and damage to its values, and changes that nobody sends",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func redis() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        // It keeps nothing on its disk, which is no fault as long as somebody recomputes.
        #expect(try await findings(workspace).map { $0.prefix(13) } == ["warning redis"])
        let daemon = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await daemon.wait(forVersion: workspace.currentVersion())
        let json = #"{"interactions":[{"id":"1","kind":"click","groupId":"macro-mondays"}]}"#
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("POST", "/v1/users/laura-100/interactions", json: json)?.status == 200)
        #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
        let journal = workspace.path("journal-a")
        try execute("UPDATE changes SET recorded_at = 1", journal)
        var redis = try RedisConnection(to: RedisAddress(workspace.store))
        // The daemon may have sent it, or not yet.
        _ = try redis.command(
            "EVAL", "for _, key in ipairs(redis.call('KEYS', 'coterie:journal:*')) do redis.call('DEL', key) end", "0")
        _ = try redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        _ = try redis.command("EVAL", "return redis.call('SET', redis.call('KEYS', '*:ids:0')[1], 'x')", "0")
        let found = try await findings(workspace, "--journal", journal)
        for start in [
            "bad redis: its maxmemory-policy is allkeys-lru", "bad version: ",
            "bad journal: 1 changes are not in the store, the oldest since 1970-01-01",
        ] { #expect(found.contains { $0.hasPrefix(start) }, "\(start): \(found)") }
        workspace.server?.stop()
        #expect(try await findings(workspace).contains { $0.hasPrefix("bad store: ") })
    }
}
