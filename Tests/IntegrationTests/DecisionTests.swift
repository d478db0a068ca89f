import Basics
import Foundation
import TestSupport
import Testing

@Suite("The list of decisions", .aFewAtATime)
struct DecisionTests {
    private struct List: Decodable {
        struct Row: Decodable {
            var by, action, thing, name: String
            var before, after: String?
        }
        var decisions: [Row]
    }

    @Test("Commands and a daemon keep one list, without members' ids, over restarts", arguments: StoreKind.available)
    func list(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        for limit in ["10", "20"] { try await workspace.succeed("recompute", "--neighbours", limit) }
        let models: Answers.Models = try await workspace.succeed("models", "--json").json()
        let versions = models.versions.map(\.manifest.version)
        // Who runs the tests, perhaps root, cannot name any other user than one that root may have been before.
        let own = FileAccess.name(ofUser: getuid())
        let operatorName = getuid() == 0 ? "daemon" : own
        for arguments in [
            ["hide", "macro-mondays"], ["curate", "add", "quiet-winter"], ["rollback"], ["models", "pin", versions[1]],
            ["rename", "user", "laura-100", "laura-1000"], ["forget", "laura-1000"],
            ["forget", "laura-1000", "--undo"],
        ] { try await workspace.succeed(arguments, settings: ["SUDO_USER": "daemon"]) }
        try await workspace.succeed(["delete", "group", "night-walkers"], settings: ["SUDO_USER": "boss<b>\n"])
        // Nothing is decided by what was so before.
        #expect(try await workspace.run("hide", "no-such-group").exitCode == CommandRun.ExitCode.badData)
        #expect(try await workspace.run("rollback", "20000101T000000000-00000000").exitCode != 0)
        #expect(try await !workspace.run("forget", "laura-1000", "--check").text.contains("list of decisions"))
        let exported = try await workspace.succeed("export", "member", "laura-1000").text
        #expect(exported.contains(#""place":"list of decisions""#) && exported.contains(#""action":"readmit""#))
        for name in ["a", "b"] {
            let daemon =
                kind == .redis
                ? try await RunningDaemon.withoutCatalog(workspace, name) : try await RunningDaemon(workspace)
            try await daemon.wait { !$0.degraded }
            let response = try daemon.get("/v1/admin/decisions")
            #expect(!response.text.contains("laura"))
            let list: List = try daemon.answer("/v1/admin/decisions")
            let rows = Array(list.decisions.reversed())
            #expect(rows.dropLast().allSatisfy { $0.by == operatorName } && rows.last?.by == own)
            #expect(
                Array(rows.prefix(5).map(\.action)) == ["hide", "curate", "serve", "pin", "rename"]
                    && rows.suffix(2).map(\.action) == ["readmit", "remove"], "\(rows)")
            #expect(rows[0].name == "macro-mondays" && rows[0].before == "shown" && rows[0].after == "hidden")
            #expect(rows[2].name == versions[0] && rows[2].before == versions[1])
            // The earlier id is forgotten as well.
            let forgotten = Set(rows.filter { $0.action == "forget" }.map(\.name))
            #expect(forgotten == [rows[4].name, rows[4].after] && rows[4].thing == "member")
        }
    }
}
