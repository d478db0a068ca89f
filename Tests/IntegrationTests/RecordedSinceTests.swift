import Foundation
import TestSupport
import Testing

/// Commands beside daemons that share a Redis: they know what daemons recorded since the last recompute.
@Suite(
    "Commands beside daemons that share a Redis", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct RecordedSinceTests {
    private static let member = "rebecca-2r5"
    private static let hidden = "feathers"

    /// Runs a command until its output is as wanted, because changes reach the store a moment after the answer.
    private func output(
        of arguments: [String], in workspace: Workspace, settings: [String: String] = [:],
        until isDone: (CommandRun) -> Bool
    ) async throws -> CommandRun {
        var run = try await workspace.start(arguments, settings: settings).wait()
        for _ in 0..<100 where !isDone(run) { run = try await workspace.start(arguments, settings: settings).wait() }
        #expect(isDone(run), "\(run.testDescription)")
        return run
    }

    @Test("know hides, joins and forgotten members, with the catalog and without it")
    func recorded() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let daemon = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await daemon.wait(forVersion: workspace.currentVersion())
        let list: Answers.Suggestions = try daemon.answer("/v1/users/\(Self.member)/recommendations?limit=5")
        let joined = try #require(list.rows.map(\.groupId).first { $0 != Self.hidden })
        let client = try #require(SocketClient(port: daemon.port))
        let json = #"{"interactions":[{"id":"1","kind":"join","groupId":"\#(joined)"}]}"#
        #expect(client.request("POST", "/v1/users/\(Self.member)/interactions", json: json)?.status == 200)
        #expect(client.request("DELETE", "/v1/users/laura-100")?.status == 200)
        #expect(client.request("PUT", "/v1/admin/groups/\(Self.hidden)/hidden")?.status == 200)
        _ = try await output(of: ["hide", "--list"], in: workspace) { $0.text.contains(Self.hidden) }
        let why = try await workspace.succeed("why", joined, Self.hidden).text
        #expect(why.contains("\(Self.hidden) is hidden"))
        for settings in [[:], ["COTERIE_CATALOG": "none"]] {
            let explained = try await output(
                of: ["explain", Self.member, joined], in: workspace, settings: settings
            ) { $0.exitCode == 0 }
            #expect(explained.text.contains("member of it") || explained.text.contains("joined"), "\(explained.text)")
            let unshown = try await workspace.start(
                ["explain", Self.member, Self.hidden], settings: settings
            ).wait()
            #expect(unshown.text.contains("hidden from everybody"), "\(unshown.testDescription)")
            let recommended = try await workspace.start(["recommend", Self.member], settings: settings).wait().text
            #expect(recommended.contains("is in 7 public groups") && !recommended.contains(joined))
            let gone = try await workspace.start(["recommend", "laura-100"], settings: settings).wait()
            #expect(gone.exitCode == CommandRun.ExitCode.badData, "\(gone.testDescription)")
            let all = try await workspace.start(
                ["export", "recommendations", "--limit", "300"], settings: settings
            ).wait().text
            #expect(!all.contains("\tfeathers\t") && !all.contains("\nlaura-100\t"))
            #expect(!all.contains("\n\(Self.member)\t1\t\(joined)\t") && all.contains("\n\(Self.member)\t1\t"))
        }
    }
}
