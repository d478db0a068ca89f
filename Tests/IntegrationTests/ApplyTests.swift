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
        let catalog = try Catalog(path: workspace.catalog, mode: .reading)
        #expect(try catalog.isForgotten(user: "rebecca-2r5"))
        #expect(try catalog.has("ilse", in: .users) && !catalog.has("ilse-qdw", in: .users))
        #expect(try catalog.hiddenGroups(limit: 9).map(\.id) == [groups[1]])
        #expect(try await workspace.succeed("hide", "--list").text.contains(groups[1]))
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
