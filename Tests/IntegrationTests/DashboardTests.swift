import Foundation
import TestSupport
import Testing

@Suite("The dashboard", .aFewAtATime)
struct DashboardTests {
    private static let path = Checkout.root + "/Jobs/coterie-dashboard.json"

    @Test(
        "has a panel for each metric of a daemon and of the jobs, as they are now, and the alerts use no other ones",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func dashboard() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.importSample()
        let status = ["--metrics", workspace.path("recompute.prom")]
        // The first one fails, so that both families are there.
        _ = try await workspace.start(["recompute", "--catalog", "nowhere.sqlite"] + status).wait()
        try await workspace.succeed(["recompute"] + status)
        _ = try await workspace.run("check", "--metrics", workspace.path("check.prom"))
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        // A daemon with all its parts.
        _ = try workspace.write("serve: {threads: 2}\n", to: "coterie.yaml")
        let daemon = try await RunningDaemon(
            workspace, "--keys", "keys.json", "--open", "metrics", "--config", "coterie.yaml", "--record",
            workspace.path("tape"), "--journal", workspace.path("journal"))
        try await daemon.wait { !$0.degraded }
        let texts =
            [try daemon.get("/metrics").text]
            + ["recompute.prom", "check.prom"].map { workspace.content(of: $0) ?? "" }
        let board = Dashboard(metrics: texts)
        #expect(Set(board.names).count == board.names.count && board.names.count > 40, "\(board.names)")
        let json = try board.json()
        // To write the file anew, set COTERIE_TEST_WRITE_DASHBOARD in the environment of the tests.
        if ProcessInfo.processInfo.environment["COTERIE_TEST_WRITE_DASHBOARD"] != nil {
            try json.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        let file = try String(contentsOfFile: Self.path, encoding: .utf8)
        #expect(file == json, "a metric is new, gone, or means something else: write the dashboard anew")
        let alerts = try String(contentsOfFile: Checkout.root + "/Jobs/coterie-alerts.yaml", encoding: .utf8)
        for name in alerts.matches(of: /coterie_[a-z_]+/).map({ String($0.output) }) {
            let family = ["_bucket", "_count", "_sum"].reduce(name) {
                $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0
            }
            let isKnown = board.names.contains(name) || board.names.contains(family)
            #expect(isKnown, "\(name)")
        }
    }
}
