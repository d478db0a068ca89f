import Foundation
import TestSupport
import Testing

@Suite("What runs on a store", .aFewAtATime)
struct StatusTests {
    private struct Status: Decodable {
        struct Daemon: Decodable {
            var port: Int
            var modelVersion: String?
            var problems: [String]
            var outboxChanges: Int?
            var errorsInLastHour: Int
            var lastError: String?
        }

        var currentVersion: String?
        var daemons: [Daemon]
        var lastRecomputeSuccessAtSeconds: Int64?
    }

    private func status(_ workspace: Workspace) async throws -> Status {
        try await workspace.succeed(
            ["status", "--json"], settings: ["COTERIE_RECOMPUTE_METRICS": workspace.path("recompute.prom")]
        ).json()
    }

    /// Asks until the daemons say what is wanted.
    private func wait(_ workspace: Workspace, until isDone: (Status) -> Bool) async throws -> Status {
        var last = try await status(workspace)
        for _ in 0..<200 where !isDone(last) {
            try await Task.sleep(for: .milliseconds(100))
            last = try await status(workspace)
        }
        #expect(isDone(last), "\(last)")
        return last
    }

    @Test("Is shown with versions and errors, until a daemon ends", arguments: StoreKind.available)
    func daemons(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        try await workspace.succeed(
            ["recompute"], settings: ["COTERIE_RECOMPUTE_METRICS": workspace.path("recompute.prom")])
        #expect(try await status(workspace).daemons.isEmpty)
        #expect(try await status(workspace).lastRecomputeSuccessAtSeconds != nil)
        let daemon =
            kind == .redis
            ? try await RunningDaemon.withoutCatalog(workspace, "a") : try await RunningDaemon(workspace)
        let seen = try await wait(workspace) { $0.daemons.first?.modelVersion == $0.currentVersion }
        #expect(seen.currentVersion != nil && seen.daemons.map(\.port) == [Int(daemon.port)])
        #expect((seen.daemons.first?.outboxChanges == nil) == (kind == .folder))
        // Without keys, a daemon warns when it starts.
        #expect(seen.daemons.first.map { $0.errorsInLastHour >= 1 } == true)
        #expect(seen.daemons.first?.lastError != nil)
        let screen = try await workspace.succeed("status").text
        #expect(screen.contains("the current one") && screen.contains("127.0.0.1:\(daemon.port)"), "\(screen)")
        _ = await daemon.end()
        #expect(try await status(workspace).daemons.isEmpty)
        #expect(try await workspace.succeed("status").text.contains("no daemon runs on this store"))
    }
}
