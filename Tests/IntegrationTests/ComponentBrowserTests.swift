import Foundation
import TestSupport
import Testing

/// Uses `<coterie-groups>` in Chromium, on pages of a site of another origin than the daemon's.
@Suite("The component in a browser", .aFewAtATime, .drill)
struct ComponentBrowserTests {
    @Test(
        "Acts by click and by keyboard, lays out photos, and agrees with the daemon after a time without a network",
        .enabled(
            if: PythonEnvironment.browser != nil, "chromium, chromium-driver, python3-venv or the network is missing"))
    func component() async throws {
        let environment = try #require(PythonEnvironment.browser)
        let workspace = try Workspace()
        try await workspace.importSample()
        let groups = try workspace.write(
            """
            group_id\ttitle\ttopics\tjoin_policy
            quiet-winter\t<img src=x onerror=document.title="bad"> &amp; Winter\twinter;snow;seasons\tapproval
            night-walkers\tمشاة الليل\tnight;city\topen
            neon-and-rain\tNeon 🌧️ && 👩‍👩‍👧\tnight;city\topen

            """, to: "groups.tsv")
        try await workspace.succeed("import", "groups", groups)
        try await workspace.succeed("recompute")
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        let daemon = try await RunningDaemon(
            workspace, "--keys", "keys.json", "--allow-origin", "http://photos.test", "--member-rate", "0",
            "--group-url", "http://photos.test/groups/{id}", "--photo-url", "http://pictures.test/{id}_{size}.svg")
        try await daemon.wait { $0.status == "ready" }
        let token = try await workspace.succeed("token", "--user", "rebecca-2r5", "--keys", "keys.json")
        let run = try await RunningCommand(
            "/usr/bin/timeout",
            [
                "230", "\(environment)/bin/python", Checkout.componentScript, "http://127.0.0.1:\(daemon.port)",
                "rebecca-2r5", String(try #require(token.lines.first)),
            ], environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(run.exitCode == 0 && run.text.contains("all is well"), "\(run.testDescription)")
    }
}
