import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Replaying requests", .aFewAtATime)
struct ReplayTests {
    private struct Report: Decodable {
        var total: Figures
        var routes: [Figures]
        var leftOut: [String: Int]
        var worst: [Worst]
        var exceeded: [String]
        var differences: [String]

        /// The settings of lists that differ from those of the tape.
        var changedSettings: [String] { differences.filter { $0.contains(" was ") && $0.contains(", and is ") } }

        struct Figures: Decodable {
            var route: String
            var count, identical, reordered, otherGroups, otherStatus, failed: Int
            var overlapAt10: Double?
            var recordedP99Microseconds, p99Microseconds: UInt64?
        }

        struct Worst: Decodable {
            var target, difference: String
            var overlapAt10: Double?
        }
    }

    /// Has a daemon over a sample asked for a bit of everything, and its answers recorded in `tape`.
    private func recorded(_ kind: StoreKind = .folder) async throws -> Workspace {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace, "--record", workspace.path("tape"))
        try await daemon.wait { $0.status == "ready" }
        let community = try SampleCommunity()
        let client = try #require(SocketClient(port: daemon.port))
        var targets = community.usersByActivity.prefix(15).flatMap { member in
            let path = "/v1/users/\(member)/recommendations"
            return [path, "\(path)?limit=3", "\(path)?session=s&joinPolicy=open", path]
        }
        targets += community.publicGroups.prefix(10).map { "/v1/groups/\($0)/similar?by=members" }
        targets += community.publicPhotos.prefix(5).map { "/v1/photos/\($0)/groups" }
        targets += ["/v1/trending", "/v1/groups/none/similar", "/metrics", "/nowhere"]
        var tag: String?
        for target in targets {
            let condition = tag.map { ["If-None-Match: \($0)"] } ?? []
            let answer = try #require(
                client.request("GET", target, headers: ["Accept-Encoding: gzip"] + condition))
            tag = answer.headers["etag"]
        }
        struct Page: Decodable { var next: String }
        let list = "/v1/users/\(community.usersByActivity[0])/recommendations?limit=2"
        let first = try #require(client.request("GET", list))
        let next = try JSONDecoder().decode(Page.self, from: Data(first.body)).next
        #expect(client.request("GET", "\(list)&after=\(next)")?.status == 200)
        let ids = community.usersByActivity.suffix(3).map { "\"\($0)\"" }.joined(separator: ",")
        _ = client.request("POST", "/v1/recommendations", json: #"{"userIds":[\#(ids)],"limit":5}"#)
        _ = client.request(
            "PUT", "/v1/users/\(community.usersByActivity[200])/interests", json: #"{"interests":["owls"]}"#)
        #expect(await daemon.end().exitCode == 0)
        // A process that ends may leave the log of its catalog to whoever opens that next.
        try Database(path: workspace.catalog, mode: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return workspace
    }

    /// The files in the folder but those of commands.
    private func files(_ workspace: Workspace) throws -> Set<String> {
        let all = try FileManager.default.subpathsOfDirectory(atPath: workspace.folder)
        return Set(all.filter { !$0.hasSuffix(".err") && !$0.hasSuffix(".out") && !$0.contains("cache") })
    }

    @Test(
        "The same version and the same settings give the same answers, and nothing is changed",
        arguments: StoreKind.available)
    func identical(kind: StoreKind) async throws {
        let workspace = try await recorded(kind)
        let before = try Data(contentsOf: URL(fileURLWithPath: workspace.catalog))
        let files = try files(workspace)
        let run = try await workspace.run(
            "replay", "tape", "--speed", "max", "--min-identical", "100", "--min-overlap", "100",
            "--max-status-changes", "0", "--json")
        let report: Report = try run.json()
        #expect(run.exitCode == 0 && report.worst.isEmpty, "\(run.testDescription)")
        #expect(report.total.count == report.total.identical && report.total.count >= 75)
        #expect(report.routes.map(\.route).contains("POST /v1/recommendations"))
        #expect(report.leftOut["writes"] == 1 && report.leftOut["of no route"] == 1)
        #expect(report.leftOut["a page whose first page is not on the tape"] == nil)
        // The daemon had a port and a tape of its own, which are no settings of lists.
        #expect(report.changedSettings.isEmpty, "\(report.differences)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: workspace.catalog)) == before)
        // SQLite makes two files for whoever reads a journal.
        let difference = try self.files(workspace).symmetricDifference(files).filter { !$0.contains("-log-") }
        #expect(difference.isEmpty)
    }

    @Test(
        "A replay hides what was hidden over HTTP, with the catalog and without",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func hidden() async throws {
        let workspace = try await recorded(.redis)
        let daemon = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await daemon.wait { $0.status == "ready" }
        let group = try #require(try SampleCommunity().publicGroups.first)
        let path = "/v1/groups/\(group)/similar?by=members"
        try #require(try daemon.get(path).status == 200)
        let hide = SocketClient(port: daemon.port)?.request("PUT", "/v1/admin/groups/\(group)/hidden")
        #expect(hide?.status == 200)
        // Once another daemon has it, the store has it.
        let other = try await RunningDaemon.withoutCatalog(workspace, "b")
        #expect(await RunningDaemon.poll { (try? other.get(path).status) == 404 })
        for settings in [[:], ["COTERIE_CATALOG": "none"]] {
            let run = try await workspace.run("replay", "tape", "--speed", "max", "--json", settings: settings)
            let report: Report = try run.json()
            let similar = report.routes.first { $0.route == "GET /v1/groups/{id}/similar" }
            #expect(similar?.otherStatus == 1, "\(run.testDescription)")
        }
    }

    @Test("Another rule is found out, the worst shown, and a limit makes it fail")
    func anotherRule() async throws {
        let workspace = try await recorded()
        let run = try await workspace.run(
            "replay", "tape", "--speed", "max", "--variety", "0", "--min-identical", "99.5", "--json")
        #expect(run.exitCode == CommandRun.ExitCode.badData && run.errors.contains("are identical"))
        let report: Report = try run.json()
        #expect(report.changedSettings.count == 1, "\(report.differences)")
        #expect(report.changedSettings.first?.hasPrefix("differs: lists.variety was ") == true)
        #expect(report.exceeded.count == 1 && !report.worst.isEmpty && report.worst.count <= 20)
        let overlaps = report.worst.compactMap(\.overlapAt10)
        #expect(overlaps == overlaps.sorted() && (overlaps.first ?? 1) < 1)
        #expect(report.total.reordered + report.total.otherGroups > 10)
        let similar = try #require(report.routes.first { $0.route == "GET /v1/groups/{id}/similar" })
        #expect(similar.count == similar.identical)
        // Ignoring all that a list has leaves no difference.
        let rules = try workspace.write("ignore: ['**']\n", to: "rules.yaml")
        let lenient = try await workspace.run(
            "replay", "tape", "--speed", "max", "--variety", "0", "--rules", rules, "--min-identical", "100")
        #expect(lenient.exitCode == 0, "\(lenient.testDescription)")
    }

    @Test("Another daemon is asked at its address, and whatever is wrong with that is said")
    func otherDaemon() async throws {
        let workspace = try await recorded()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { $0.status == "ready" }
        let address = "http://127.0.0.1:\(daemon.port)"
        let report: Report = try await workspace.succeed(
            "replay", "tape", "--to", address, "--speed", "100", "--max-status-changes", "0", "--all", "--json"
        ).json()
        #expect(report.leftOut["writes"] == nil && report.total.count >= 75)
        _ = await daemon.end()
        let nobody = try await workspace.run("replay", "tape", "--to", address)
        #expect(nobody.exitCode == CommandRun.ExitCode.tryLater)
        #expect(try await workspace.run("replay", "nowhere").exitCode == CommandRun.ExitCode.badData)
        #expect(try await workspace.run("replay", "tape", "--to", "x").exitCode == CommandRun.ExitCode.usage)
        #expect(try await workspace.run("replay", "tape", "--speed", "0").exitCode == CommandRun.ExitCode.usage)
    }

    @Test("A tape alone answers what is on it, and names the nearest of what is not")
    func server() async throws {
        let workspace = try await recorded()
        let command = try workspace.start(["replay", "--serve", "tape", "--port", "0"])
        defer { command.send(SIGKILL) }
        var port: UInt16?
        _ = await RunningDaemon.poll {
            port = command.errors.firstMatch(of: #/port ([0-9]+) /#).flatMap { UInt16($0.output.1) }
            return port != nil
        }
        let listening = try #require(port)
        let client = try #require(SocketClient(port: listening))
        let group = try SampleCommunity().publicGroups[0]
        let target = "/v1/groups/\(group)/similar?by=members"
        let answer = try #require(client.request("GET", target))
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
        #expect(answer.text.contains("\"groupId\""))
        let tag = try #require(answer.headers["etag"])
        #expect(client.request("GET", target, headers: ["If-None-Match: \(tag)"])?.status == 304)
        let missing = try #require(client.request("GET", target + "x"))
        #expect(missing.status == 404 && missing.headers["content-type"] == "application/problem+json")
        #expect(missing.text.contains(target))
        command.send(SIGTERM)
        #expect(await command.wait().exitCode == 0)
    }
}
