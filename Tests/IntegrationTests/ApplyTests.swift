import Changes
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import CatalogStore

@Suite("The journal beside a catalog")
struct ApplyTests {
    private static let user = "laura-100"
    private static let list = "/v1/users/\(user)/recommendations?limit=50"

    private struct List: Decodable {
        struct Row: Decodable { var groupId: String }
        var recommendations: [Row]
        var groups: [String] { recommendations.map(\.groupId) }
    }

    private func tell(_ kind: String, _ group: String, as id: String, to daemon: RunningDaemon) throws -> Int {
        let client = try #require(SocketClient(port: daemon.port))
        let body = #"{"interactions":[{"id":"\#(id)","kind":"\#(kind)","groupId":"\#(group)"}]}"#
        return try #require(client.request("POST", "/v1/users/\(Self.user)/interactions", json: body)).status
    }

    @Test("Daemons and commands of a machine share it; applying takes it to the catalog once")
    func shared() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemons = [try await RunningDaemon(workspace), try await RunningDaemon(workspace)]
        for daemon in daemons { try await daemon.wait { $0.status == "ready" } }
        let first = try #require(try daemons[0].answer(Self.list, List.self).groups.first)
        #expect(try tell("join", first, as: "1", to: daemons[0]) == 200)
        #expect(try !daemons[0].answer(Self.list, List.self).groups.contains(first))
        let isThere = await RunningDaemon.poll {
            (try? daemons[1].answer(Self.list, List.self).groups.contains(first)) == false
        }
        #expect(isThere)
        // The catalog follows; the command line knows at once.
        func joins() throws -> Int64? {
            try workspace.database().integer("SELECT count(*) FROM interactions WHERE id = '1'")
        }
        #expect(try joins() == 0)
        let before = try await workspace.succeed("recommend", Self.user, "--limit", "300").text
        #expect(!before.contains(first))
        #expect(try await workspace.succeed("apply").text == "1 changes\n")
        #expect(try await workspace.succeed("apply").text == "no changes\n")
        #expect(try joins() == 1)
        #expect(try await workspace.succeed("recommend", Self.user, "--limit", "300").text == before)
        for daemon in daemons { #expect(try !daemon.answer(Self.list, List.self).groups.contains(first)) }
        // An import does not undo what is later than its rows.
        #expect(try tell("leave", first, as: "2", to: daemons[1]) == 200)
        let row = try workspace.write("group_id,user_id,joined_at\n\(first),\(Self.user),2025-01-01\n", to: "row.csv")
        try await workspace.succeed("import", "memberships", row)
        let count = try workspace.database().integer(
            "SELECT count(*) FROM memberships JOIN groups USING (group_key) JOIN users USING (user_key) "
                + "WHERE group_id = '\(first)' AND user_id = '\(Self.user)'")
        #expect(count == 0)
    }

    @Test("While an import holds the catalog, members act and the site decides; the catalog follows")
    func busy() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { $0.status == "ready" }
        let groups = try daemon.answer(Self.list, List.self).groups
        let writer = try Database(path: workspace.catalog, mode: .readWrite)
        try writer.execute("BEGIN IMMEDIATE")
        #expect(try tell("dismiss", groups[0], as: "1", to: daemon) == 200)
        let hidden = try await workspace.run("hide", groups[1])
        #expect(hidden.exitCode == CommandRun.ExitCode.success && hidden.errors.contains("the decision is recorded"))
        #expect(hidden.text.contains(groups[1]), "\(hidden.testDescription)")
        let forgotten = try await workspace.run("forget", "rebecca-2r5")
        #expect(forgotten.exitCode == CommandRun.ExitCode.success, "\(forgotten.testDescription)")
        let renamed = try await workspace.run("rename", "user", "ilse-qdw", "ilse")
        #expect(renamed.exitCode == CommandRun.ExitCode.success, "\(renamed.testDescription)")
        let merged = try await workspace.run("rename", "user", "aaron-5ri", "zuzana-b3t")
        #expect(merged.exitCode == CommandRun.ExitCode.success, "\(merged.testDescription)")
        #expect(SocketClient(port: daemon.port)?.request("DELETE", "/v1/users/zuzana-b3t")?.status == 200)
        // The catalog does not have the new id yet, and cannot say that there is no such user.
        let again = try await workspace.run("rename", "user", "ilse", "ilse-2")
        #expect(again.exitCode == CommandRun.ExitCode.tryLater, "\(again.testDescription)")
        let isObeyed = try await RunningDaemon.poll {
            let shown = try daemon.answer(Self.list, List.self).groups
            return try !shown.contains(groups[0]) && !shown.contains(groups[1])
                && daemon.get("/v1/users/rebecca-2r5/recommendations").status == 404
        }
        #expect(isObeyed)
        let refused = try await workspace.run("apply")
        #expect(refused.exitCode == CommandRun.ExitCode.tryLater, "\(refused.testDescription)")
        try writer.execute("ROLLBACK")
        try await workspace.succeed("apply")
        let catalog = try Facts(path: workspace.catalog)
        for user in ["rebecca-2r5", "aaron-5ri", "zuzana-b3t"] {
            #expect(try catalog.isForgotten(user: user) && !catalog.has(user, in: .users))
        }
        #expect(try catalog.has("ilse", in: .users) && !catalog.has("ilse-qdw", in: .users))
        #expect(try catalog.hiddenGroups().map(\.id) == [groups[1]])
        #expect(try await workspace.succeed("hide", "--list").text.contains(groups[1]))
    }

    @Test("A daemon with a file of sessions of its own removes the lists of members whom others removed")
    func sessions() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let (deciding, file) = (try await RunningDaemon(workspace), workspace.path("b.db"))
        let other = try await RunningDaemon(workspace, "--sessions", file)
        for daemon in [deciding, other] { try await daemon.wait { $0.status == "ready" } }
        let members = [Self.user, "ilse-qdw", "rebecca-2r5"]
        func keptMembers() throws -> [String] {
            try CatalogContent.texts("SELECT DISTINCT user_id FROM sessions ORDER BY user_id", file)
        }
        for member in members {
            #expect(try other.get("/v1/users/\(member)/recommendations?session=s1").status == 200)
        }
        #expect(await RunningDaemon.poll { (try? keptMembers()) == members.sorted() })
        let check = try await workspace.run("forget", members[0], "--check", "--sessions", file)
        #expect(check.text.contains("sessions \(file): 1") && check.text.contains("looked into \(file);"))
        let client = try #require(SocketClient(port: deciding.port))
        #expect(client.request("DELETE", "/v1/users/\(members[0])")?.status == 200)
        try await workspace.succeed("forget", members[1])
        #expect(await RunningDaemon.poll { (try? keptMembers()) == [members[2]] })
        // What others decide while it does not run, it finds when it starts.
        _ = await other.end()
        try await workspace.succeed("forget", members[2])
        #expect(try keptMembers() == [members[2]])
        let again = try await RunningDaemon(workspace, "--sessions", file)
        #expect(await RunningDaemon.poll { (try? keptMembers()) == [] })
        _ = await again.end()
    }

    @Test("A forgetting says that the journal's log still holds the member; a daemon empties it when nobody reads")
    func reader() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { $0.status == "ready" }
        let group = try #require(try daemon.answer(Self.list, List.self).groups.first)
        let path = Catalog.journalPath(beside: workspace.catalog)
        #expect(try tell("dismiss", group, as: "an-interaction", to: daemon) == 200)
        let reader = try Database(path: path, mode: .readWrite)
        try reader.execute("BEGIN")
        #expect(try reader.integer("SELECT count(*) FROM changes") == 1)
        let run = try await workspace.succeed("forget", Self.user)
        #expect(
            run.text.contains("somebody reads the journal: its log \(path)-wal holds them until it is overwritten"),
            "\(run.testDescription)")
        func logHasMember() throws -> Bool {
            try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).range(of: Data("an-interaction".utf8)) != nil
        }
        #expect(try logHasMember())
        let check = try await workspace.run("forget", Self.user, "--check")
        #expect(check.exitCode == CommandRun.ExitCode.general && check.text.contains("\(path)-wal, which somebody"))
        try reader.execute("ROLLBACK")
        #expect(await RunningDaemon.poll { (try? logHasMember()) == false })
        let left = try await workspace.succeed("forget", Self.user, "--check")
        #expect(left.text.contains("nothing is left"), "\(left.testDescription)")
    }

    @Test(
        "Something else in the place of the journal is left alone, and named with what to do",
        arguments: ["a link", "a pipe", "a folder", "no database"])
    func other(kind: String) async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let path = Catalog.journalPath(beside: workspace.catalog)
        let target = workspace.path("target")
        switch kind {
        case "a link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        case "a pipe": try #require(unsafe mkfifo(path, 0o600) == 0)
        case "a folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        default: try Data("2026-11-28 started\n".utf8).write(to: URL(fileURLWithPath: path))
        }
        let message = "\(path) is \(kind), and cannot be a journal: move it away, and a new one is made"
        for words in [["hide", "macro-mondays"], ["apply"], ["recompute"], ["serve", "--port", "0"]] {
            let run = try await workspace.start(words).wait()
            let isRefused = run.exitCode != CommandRun.ExitCode.success && run.errors.contains(message)
            #expect(isRefused, "\(run.testDescription)")
        }
        let found = try await workspace.findings([]).filter { $0.hasPrefix("bad journal: ") }
        #expect(found.count == 1 && found[0].contains(message), "\(found)")
        #expect(!FileManager.default.fileExists(atPath: target))
        try FileManager.default.removeItem(atPath: path)
        try await workspace.succeed("hide", "macro-mondays")
    }

    @Test("A damaged change is named everywhere; what it holds back is applied when it is given up")
    func damaged() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { $0.status == "ready" && !$0.degraded }
        let groups = try daemon.answer(Self.list, List.self).groups
        #expect(try tell("join", groups[0], as: "1", to: daemon) == 200)
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("PUT", "/v1/admin/groups/\(groups[1])/hidden")?.status == 200)
        let path = Catalog.journalPath(beside: workspace.catalog)
        let waiting = try await workspace.succeed("status").text
        #expect(waiting.contains("journal \(path): 2 changes wait, the first for"), "\(waiting)")
        try Database(path: path, mode: .readWrite).execute("UPDATE changes SET seal = seal + 1 WHERE sequence = 1")
        let remedy = #""coterie apply --skip-missing" gives it up for good"#
        func isNamed(_ text: String) -> Bool {
            text.contains(/change 1 of the journal [0-9a-z]+ is damaged/) && text.contains(remedy)
        }
        try await daemon.wait { $0.degraded && $0.reason.map(isNamed) == true }
        let status = try await workspace.succeed("status").text
        #expect(status.split(separator: "\n").contains { $0.hasPrefix("journal ") && isNamed(String($0)) }, "\(status)")
        let found = try await workspace.findings([]).filter { $0.hasPrefix("bad journal: change 1 of the journal ") }
        #expect(found.count == 1 && found[0].contains(#"do run "coterie apply --skip-missing""#), "\(found)")
        let held = try await workspace.run("apply")
        #expect(held.exitCode == CommandRun.ExitCode.badData && isNamed(held.errors), "\(held.testDescription)")
        let catalog = try Facts(path: workspace.catalog)
        #expect(try catalog.hiddenGroups().isEmpty)
        try await workspace.succeed("apply", "--skip-missing")
        #expect(try catalog.hiddenGroups().map(\.id) == [groups[1]])
        #expect(try await workspace.succeed("apply").text == "no changes\n")
        try await daemon.wait { !$0.degraded }
        // The last report of the daemon may be older.
        let isSilent = await RunningDaemon.poll { () async in
            (try? await workspace.succeed("status").text.contains("journal ")) == false
        }
        #expect(isSilent)
        #expect(try await workspace.findings([]).allSatisfy { !$0.hasPrefix("bad journal") })
    }

    @Test("A change that is not in the catalog for a day is a warning of check; old ones leave the journal")
    func old() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let path = Catalog.journalPath(beside: workspace.catalog)
        let journal = try ChangeJournal(path: path, mode: .recording)
        let twoDaysAgo = Int64(Date().timeIntervalSince1970 * 1000) - 172_800_000
        let change = Change.member(MemberChange(ofUser: Self.user, .state(interests: ["owls"])))
        #expect(try journal.record([change], at: twoDaysAgo) == [.member(.stated)])
        func warnings() async throws -> [Substring] {
            try await workspace.run("check").text.split(separator: "\n").filter {
                $0.contains("are not in the catalog")
            }
        }
        #expect(try await warnings().count == 1)
        // No version has it yet.
        try await workspace.succeed("apply")
        #expect(try await warnings().isEmpty)
        let log = try Database(path: path, mode: .readOnly)
        func kept() throws -> Int64? { try log.integer("SELECT count(*) FROM changes") }
        #expect(try kept() == 1)
        // The versions that lack it go.
        try await workspace.succeed("recompute", "--keep", "1")
        try await workspace.succeed("apply")
        #expect(try kept() == 0)
    }
}
