import Foundation
import Synchronization
import TestSupport
import Testing

/// A week of a site in a minute: each day has its recompute, its backup and its check, and most days have a fault.
@Suite(
    "A week of faults in a minute", .aFewAtATime, .drill,
    .enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
struct WeekTests {
    /// The site of one machine: everything is on a small disk, except the backups.
    private struct Site {
        let workspace: Workspace
        let disk: SmallDisk

        var keys: String { workspace.path("keys.json") }
        /// The file of a token, whose end the check watches.
        var token: String { workspace.path("token") }
        var settings: [String: String] {
            [
                "COTERIE_CATALOG": disk.path + "/catalog.sqlite", "COTERIE_STORE": disk.path + "/models",
                "COTERIE_KEYS": keys,
            ]
        }

        init() async throws {
            (workspace, disk) = (try Workspace(), try SmallDisk(kibibytes: 96 << 10))
            try await workspace.importSample()
            try FileManager.default.moveItem(atPath: workspace.catalog, toPath: disk.path + "/catalog.sqlite")
            try FileManager.default.createDirectory(
                atPath: workspace.path("backups"), withIntermediateDirectories: false)
            try await workspace.succeed("token", "--new-key", "--keys", keys)
            try await renewToken(for: "60d")
        }

        func renewToken(for time: String) async throws {
            let words = ["token", "--service", "--scope", "lists", "--expires", time, "--keys", keys]
            _ = try workspace.write(try await workspace.succeed(words).text, to: "token")
        }

        /// The field of a request that has the token.
        var authorization: String {
            let text = (try? String(contentsOfFile: token, encoding: .utf8)) ?? ""
            return "Authorization: Bearer \(text.trimmingCharacters(in: .whitespacesAndNewlines))"
        }

        func start(_ words: String...) throws -> RunningCommand { try workspace.start(words, settings: settings) }

        func recompute() throws -> RunningCommand { try start("recompute", "--metrics", workspace.path("job.prom")) }

        func daemon() async throws -> RunningDaemon {
            let daemon = try await RunningDaemon(
                workspace, "--member-interactions", "1000000", settings: settings)
            return daemon
        }

        /// The findings of the nightly check that are not good.
        func check() async throws -> [String] {
            try await workspace.findings(
                [
                    "--recompute-metrics", workspace.path("job.prom"), "--backups", workspace.path("backups"),
                    "--ending", token, "--free-mib", "1", "--free-files", "10", "--scratch", workspace.folder,
                ], settings: settings)
        }

        /// The jobs of a day without a fault, after which nothing is wrong.
        func goodDay(_ name: String, _ daemon: RunningDaemon) async throws {
            let job = await (try recompute()).wait()
            #expect(job.exitCode == CommandRun.ExitCode.success, "\(name): \(job.testDescription)")
            let backup = await (try start("backup", workspace.path("backups/\(name).tar"))).wait()
            #expect(backup.exitCode == CommandRun.ExitCode.success, "\(name): \(backup.testDescription)")
            try await daemon.wait { !$0.degraded }
            // A daemon tells of its state every two seconds.
            var found = try await check()
            for _ in 0..<20 where !found.isEmpty { found = try await check() }
            #expect(found.isEmpty, "\(name)")
            let list = try daemon.get("/v1/users/laura-100/recommendations", headers: [authorization])
            #expect(list.status == 200, "\(name): \(list.text)")
        }
    }

    /// Members who act until their daemon is away; a thread of its own.
    private final class Members: Sendable {
        let acknowledged = Mutex<Set<String>>([])
        let refused = Mutex(0)
        private let (port, day, authorization): (UInt16, String, String)

        init(_ daemon: RunningDaemon, _ day: String, _ authorization: String) {
            (port, self.day, self.authorization) = (daemon.port, day, authorization)
            Thread.detachNewThread(act)
        }

        private func act() {
            guard let client = SocketClient(port: port) else { return }
            for number in 0..<100_000 {
                let id = "\(day)-\(number)"
                let json = #"{"interactions":[{"id":"\#(id)","kind":"click","groupId":"macro-mondays"}]}"#
                let answer = client.request(
                    "POST", "/v1/users/laura-100/interactions", headers: [authorization], json: json)
                guard let answer else { return }
                if answer.status == 200 {
                    acknowledged.withLock { _ = $0.insert(id) }
                } else {
                    refused.withLock { $0 += 1 }
                    usleep(10_000)
                }
            }
        }

        /// Waits until some more have acted.
        func go() async {
            let before = acknowledged.withLock { $0.count }
            #expect(await RunningDaemon.poll { acknowledged.withLock { $0.count } > before + 20 })
        }
    }

    @Test("Kills, a full disk and keys that end are named by their causes, all recovers, and nothing is lost")
    func week() async throws {
        let site = try await Site()
        _ = await (try site.recompute()).wait()
        var daemon = try await site.daemon()
        var all: [Members] = []
        func begin(_ day: String) async {
            all.append(Members(daemon, day, site.authorization))
            await all[all.count - 1].go()
        }

        await begin("monday")
        try await site.goodDay("monday", daemon)

        // The daemon is killed while members act.
        _ = await daemon.end(with: SIGKILL)
        daemon = try await site.daemon()
        await begin("tuesday")
        try await site.goodDay("tuesday", daemon)

        // The recompute is killed in its midst, and its unit starts it again.
        var isKilled = false
        for _ in 0..<20 where !isKilled {
            let job = try site.recompute()
            while job.isRunning, !job.hasEnded(step: "compare by photos") { usleep(200) }
            job.send(SIGKILL)
            isKilled = await job.wait().ending == .killed(signal: SIGKILL)
        }
        #expect(isKilled)
        await begin("wednesday")
        try await site.goodDay("wednesday", daemon)

        // The disk is full. The file about the last run has whole seconds, and a failure must be later than a success.
        try await Task.sleep(for: .seconds(1.1))
        try site.disk.fill()
        let job = await (try site.recompute()).wait()
        #expect(job.exitCode != CommandRun.ExitCode.success, "\(job.testDescription)")
        #expect(job.errors.contains(/space|disk is full/), "\(job.testDescription)")
        let full = try await site.check()
        #expect(full.contains { $0.hasPrefix("bad disk: ") && $0.contains(site.disk.path) }, "\(full)")
        #expect(full.contains { $0.contains(/^bad recompute: the last run failed .*(space|disk is full)/) }, "\(full)")
        #expect(full.allSatisfy { $0.contains(/^(bad|warning) (disk|recompute|daemon):/) }, "\(full)")
        #expect(await RunningDaemon.poll { all[all.count - 1].refused.withLock { $0 > 0 } })
        try await daemon.wait { $0.degraded && $0.reason?.contains("disk is full") == true }
        try site.disk.makeRoom()
        try await daemon.wait { !$0.degraded }
        await begin("thursday")
        try await site.goodDay("thursday", daemon)

        // The token of the site's servers ends.
        try await site.renewToken(for: "1s")
        let isRefused = await RunningDaemon.poll {
            let path = "/v1/users/laura-100/recommendations"
            return (try? daemon.get(path, headers: [site.authorization]))?.status == 401
        }
        #expect(isRefused)
        let ended = try await site.check()
        #expect(ended.count == 1 && ended[0].hasPrefix("bad keys: the token \(site.token) ended "), "\(ended)")
        try await site.renewToken(for: "60d")
        await begin("friday")
        try await site.goodDay("friday", daemon)

        // The key is replaced: the old one, and all tokens of it, end within a second.
        let old = site.authorization
        try await site.workspace.succeed("token", "--new-key", "--keys", site.keys)
        let text = try #require(site.workspace.content(of: "keys.json"))
        var set = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [Any]])
        set["keys"] = [try #require(set["keys"]?.first)]
        try JSONSerialization.data(withJSONObject: set).write(to: URL(fileURLWithPath: site.keys))
        try await site.renewToken(for: "60d")
        let isReplaced = await RunningDaemon.poll {
            let path = "/v1/users/laura-100/recommendations"
            return (try? daemon.get(path, headers: [old]))?.status == 401
                && (try? daemon.get(path, headers: [site.authorization]))?.status == 200
        }
        #expect(isReplaced)
        await begin("saturday")
        try await site.goodDay("saturday", daemon)

        // The daemon stops in peace, and the catalog takes every acknowledged change once.
        let run = await daemon.end()
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        let applied = await (try site.start("apply")).wait()
        #expect(applied.exitCode == CommandRun.ExitCode.success, "\(applied.testDescription)")
        let kept = try CatalogContent.texts("SELECT id FROM interactions", site.disk.path + "/catalog.sqlite")
        let acknowledged = all.reduce(into: Set<String>()) { $0.formUnion($1.acknowledged.withLock { $0 }) }
        #expect(acknowledged.count > 100 && acknowledged.isSubset(of: kept) && Set(kept).count == kept.count)
    }
}
