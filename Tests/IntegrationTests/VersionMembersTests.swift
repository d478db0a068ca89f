import Foundation
import Redis
import TestSupport
import Testing

/// Members that are in a version, because the catalog does not have them or there is none.
@Suite("Members of a version", .aFewAtATime)
struct VersionMembersTests {
    private static let instant = "2026-11-01T12:00:00Z"
    private static let member = "rebecca-2r5"
    private static let noCatalog = ["COTERIE_CATALOG": "none"]

    /// A store with a version of the sample from tables, beside a catalog that has only the groups.
    private func lake(_ kind: StoreKind, _ sample: Workspace) async throws -> Workspace {
        let lake = try Workspace(kind)
        if let server = lake.server {
            // A server that keeps nothing is a warning of "coterie check".
            var redis = try RedisConnection(to: RedisAddress(server.url))
            _ = try redis.command("CONFIG", "SET", "save", "3600 1")
        }
        try await lake.succeed("import", "groups", Checkout.sample("groups"))
        try await lake.succeed("recompute", "--tables", sample.path("tables"))
        return lake
    }

    private func sample() async throws -> Workspace {
        let sample = try Workspace()
        try await sample.importSample()
        try await sample.succeed("export", "tables", "--output", sample.path("tables"))
        return sample
    }

    /// All lists with their reasons, and the text of one.
    private func lists(_ workspace: Workspace, settings: [String: String] = [:]) async throws -> [String] {
        let all = ["export", "recommendations", "--at", Self.instant, "--limit", "10", "--reasons"]
        let one = ["recommend", Self.member, "--at", Self.instant]
        let explanation = ["explain", Self.member, "quiet-winter", "--at", Self.instant]
        var texts: [String] = []
        for arguments in [all, one, explanation] {
            let run = try await workspace.start(arguments, settings: settings).wait()
            #expect(run.exitCode == 0, "\(run.testDescription)")
            texts.append(run.text)
        }
        return texts
    }

    @Test("give the same lists in a folder and in Redis, with a catalog of groups and without one")
    func sameLists() async throws {
        let sample = try await sample()
        var found: [[String]] = []
        for kind in StoreKind.available {
            let lake = try await lake(kind, sample)
            found.append(try await lists(lake))
            found.append(try await lists(lake, settings: Self.noCatalog))
            try await lake.succeed("check")
        }
        #expect(found.allSatisfy { $0 == found[0] })
        let rows = found[0][0].split(separator: "\n").dropFirst()
        #expect(Set(rows.map { $0.prefix { $0 != "\t" } }).count == 3000)
        #expect(rows.count { $0.contains("\tpersonal\t") } > 20_000)
        #expect(found[0][1].contains("is in 6 public groups"))
        // A catalog with all members has no need of those of a version.
        try await sample.succeed("recompute")
        let folder = sample.path("models/versions/\(try await sample.currentVersion())")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.sorted() == ["manifest.json", "model.coterie"])
    }

    @Test("have what an import brings, on daemons without the catalog too, and before the next recompute")
    func imported() async throws {
        for kind in StoreKind.available {
            let workspace = try Workspace(kind)
            try await workspace.importSample()
            try await workspace.succeed("recompute", "--members")
            let version = try await workspace.currentVersion()
            let daemon =
                kind == .redis
                ? try await RunningDaemon.withoutCatalog(workspace, "a")
                : try await RunningDaemon(workspace, settings: Self.noCatalog)
            try await daemon.wait(forVersion: version)
            func why(_ user: String, _ group: String) -> String {
                let target = "/v1/users/\(user)/recommendations/\(group)/why?session=none"
                return (try? daemon.get(target).text) ?? ""
            }
            let list: Answers.Suggestions = try daemon.answer("/v1/users/\(Self.member)/recommendations?limit=3")
            let groups = list.rows.map(\.groupId)
            try #require(groups.count == 3)
            if kind == .redis {
                // What the member did before the import is not lost, nor is what is done later.
                let client = try #require(SocketClient(port: daemon.port))
                let json = #"{"interactions":[{"id":"1","kind":"dismiss","groupId":"\#(groups[0])"}]}"#
                #expect(client.request("POST", "/v1/users/\(Self.member)/interactions", json: json)?.status == 200)
                #expect(why(Self.member, groups[0]).contains("dismissed"))
            }
            let file = workspace.path("new.csv")
            let rows = [Self.member, "somebody-new"].map { "\(groups[1]),\($0)\n" }
            try Data(("group_id,user_id\n" + rows.joined()).utf8).write(to: URL(fileURLWithPath: file))
            let run = try await workspace.succeed("import", "memberships", file)
            #expect(!run.text.contains("warning"), "\(run.testDescription)")
            for user in [Self.member, "somebody-new"] {
                #expect(
                    await RunningDaemon.poll { why(user, groups[1]).contains(#""joined""#) }, "\(why(user, groups[1]))")
            }
            #expect(!why(Self.member, groups[2]).contains(#""joined""#))
            if kind == .redis { #expect(why(Self.member, groups[0]).contains("dismissed")) }
            #expect(try await workspace.currentVersion() == version)
            #expect(try await workspace.run("check", "--quiet").text.contains("bad ") == false)
            #expect(try await workspace.succeed("apply").text.contains("no changes"))
            // Whoever logs in has at once what a guest did, and the guest's id has it no more.
            try await workspace.succeed("rename", "user", "somebody-new", "known-by-now")
            #expect(await RunningDaemon.poll { why("known-by-now", groups[1]).contains(#""joined""#) })
            #expect(!why("somebody-new", groups[1]).contains(#""joined""#))
        }
    }

    @Test("are served by a daemon whose catalog has only groups, and what they do since is recorded there")
    func daemonWithGroups() async throws {
        let lake = try await lake(.folder, sample())
        let daemon = try await RunningDaemon(lake)
        try await daemon.wait(forVersion: lake.currentVersion())
        let list = "/v1/users/\(Self.member)/recommendations?limit=10"
        let before: Answers.Suggestions = try daemon.answer(list)
        #expect(try daemon.get(list).text.contains(#""known":true"#))
        let joined = try #require(before.rows.first?.groupId)
        let client = try #require(SocketClient(port: daemon.port))
        let json = #"{"interactions":[{"id":"1","kind":"join","groupId":"\#(joined)"}]}"#
        #expect(client.request("POST", "/v1/users/\(Self.member)/interactions", json: json)?.status == 200)
        let after: Answers.Suggestions = try daemon.answer(list)
        #expect(!after.rows.map(\.groupId).contains(joined) && !after.rows.isEmpty)
        #expect(try await lake.succeed("recommend", Self.member).text.contains("is in 7 public groups"))
        let leave = #"{"interactions":[{"id":"2","kind":"leave","groupId":"\#(joined)"}]}"#
        #expect(client.request("POST", "/v1/users/\(Self.member)/interactions", json: leave)?.status == 200)
        #expect(try await lake.succeed("recommend", Self.member).text.contains("is in 6 public groups"))
        // Somebody who is forgotten is in no list, and the version has the member no more.
        try await lake.succeed("forget", Self.member)
        #expect(await RunningDaemon.poll { (try? daemon.get(list).status) == 404 })
        #expect(try await lake.run("recommend", Self.member).exitCode == CommandRun.ExitCode.badData)
        #expect(try await !lake.run("forget", Self.member, "--check").text.contains("version "))
    }

    @Test("are served by a daemon without a catalog, which records nothing")
    func daemonWithoutCatalog() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        try await workspace.succeed("recompute", "--members")
        let daemon = try await RunningDaemon(workspace, settings: Self.noCatalog)
        try await daemon.wait(forVersion: workspace.currentVersion())
        let list = try daemon.get("/v1/users/\(Self.member)/recommendations?limit=10").text
        #expect(list.contains(#""known":true"#) && list.contains(#""origin":"personal""#))
        #expect(try daemon.get("/readyz").text.contains(#""missing":["photos"]"#))
        let client = try #require(SocketClient(port: daemon.port))
        let json = #"{"interactions":[{"id":"1","kind":"join","groupId":"macro-mondays"}]}"#
        #expect(client.request("POST", "/v1/users/\(Self.member)/interactions", json: json)?.status == 501)
        #expect(try daemon.get("/v1/photos/50000000001/groups").status == 501)
    }

    @Test("are asked for by name where neither the version nor a catalog has any")
    func nowhere() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        for arguments in [["recommend", Self.member], ["export", "recommendations"]] {
            let run = try await workspace.start(arguments, settings: Self.noCatalog).wait()
            #expect(run.exitCode == CommandRun.ExitCode.badData && run.errors.contains("--members"))
        }
        let daemon = try await RunningDaemon(workspace, settings: Self.noCatalog)
        try await daemon.wait(forVersion: workspace.currentVersion())
        #expect(try daemon.get("/v1/users/\(Self.member)/recommendations").status == 501)
        #expect(try daemon.get("/readyz").text.contains(#""missing":["memberships","photos"]"#))
    }
}
