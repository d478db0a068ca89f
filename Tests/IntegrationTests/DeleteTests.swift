import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Deleting and forgetting", .aFewAtATime)
struct DeleteTests {
    @Test("What is deleted is gone; unknown ids are named, and the exit code tells")
    func deleting() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let file = try workspace.write("group_id;user_id\nfaces;laura-100\n", to: "pairs.csv")
        let pair = try await workspace.succeed("delete", "membership", "--from", file)
        #expect(pair.text.hasPrefix("1 memberships removed"), "\(pair.testDescription)")
        let run = try await workspace.run("delete", "group", "macro-mondays", "no-such-group", "--json")
        #expect(run.exitCode == CommandRun.ExitCode.badData && run.errors.contains("no-such-group"))
        #expect(run.text.contains("\"removed\" : 1"), "\(run.testDescription)")
        #expect(try workspace.database().integer("SELECT count(*) FROM groups WHERE group_id = 'macro-mondays'") == 0)
        for words in [["delete", "groop", "x"], ["delete", "pool", "g"], ["delete", "user"], ["forget"]] {
            let wrong = try await workspace.start(words).wait()
            #expect(wrong.exitCode == 64, "\(wrong.testDescription)")
        }
    }

    @Test("A daemon forgets a member at once; what is left is told, and nothing brings the member back")
    func forgetting() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { !$0.degraded }
        let target = "/v1/users/laura-100/recommendations?limit=3"
        #expect(try daemon.get(target).status == 200)
        let before = try await workspace.run("forget", "laura-100", "--check")
        #expect(before.exitCode == 1 && before.text.contains("catalog, memberships"), "\(before.testDescription)")
        #expect(before.text.contains("sessions: 1"), "\(before.testDescription)")
        let run = try await workspace.succeed("forget", "laura-100")
        #expect(run.text.contains("1 members forgotten") && run.text.contains("1 lists of sessions"))
        #expect(await RunningDaemon.poll { (try? daemon.get(target).status) == 404 })
        // The version has the member until it is removed.
        let version = try await workspace.currentVersion()
        let left = try await workspace.run("forget", "laura-100", "--check")
        #expect(left.exitCode == 1 && left.text.contains("left: version \(version): 1"), "\(left.testDescription)")
        try await workspace.succeed("recompute", "--keep", "1")
        let after = try await workspace.succeed("forget", "laura-100", "--check")
        #expect(after.text.contains("nothing is left"), "\(after.testDescription)")
        let again = try await workspace.succeed("import", "memberships", Checkout.sample("memberships"))
        #expect(again.text.contains("of forgotten members"), "\(again.testDescription)")
        #expect(try daemon.get(target).status == 404)
        #expect(try await workspace.succeed("forget", "--list").text.contains("laura-100"))
        try await workspace.succeed("import", "memberships", Checkout.sample("memberships"), "--readmit")
        #expect(await RunningDaemon.poll { (try? daemon.get(target).status) == 200 })
        _ = await daemon.end()
    }
}
