import Foundation
import TestSupport
import Testing

/// Uses `<coterie-groups>` in Chromium, on pages of a site of another origin than the daemon's.
@Suite(
    "The component in a browser", .aFewAtATime, .drill,
    .enabled(if: PythonEnvironment.browser != nil, "chromium, chromium-driver, python3-venv or the network is missing"))
struct ComponentBrowserTests {
    @Test("Acts by click and by keyboard, lays out photos, and agrees with the daemon after a time without a network")
    func component() async throws {
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
        let daemon = try await daemon(workspace)
        let token = try await workspace.succeed("token", "--user", "rebecca-2r5", "--keys", "keys.json")
        try await run(
            "component.py", ["rebecca-2r5", String(try #require(token.lines.first))], at: daemon, in: workspace)
    }

    @Test("Keeps members apart, agrees with other elements and tabs, and asks when it may")
    func store() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let daemon = try await daemon(workspace)
        try await run("store.py", [Checkout.program, "keys.json"], at: daemon, in: workspace)
    }

    @Test("Shows cards and lists that do not jump, and takes over the site's looks and language")
    func looks() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let daemon = try await daemon(workspace)
        try await run("looks.py", [Checkout.program, "keys.json"], at: daemon, in: workspace)
    }

    /// Returns a daemon that serves a version of the workspace's catalog to the pages of the site.
    private func daemon(_ workspace: Workspace) async throws -> RunningDaemon {
        try await workspace.succeed("recompute")
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        let daemon = try await RunningDaemon(
            workspace, "--keys", "keys.json", "--allow-origin", "http://photos.test", "--member-rate", "0",
            "--group-url", "http://photos.test/groups/{id}", "--photo-url", "http://pictures.test/{id}_{size}.svg")
        try await daemon.wait { $0.status == "ready" }
        return daemon
    }

    private func run(_ script: String, _ arguments: [String], at daemon: RunningDaemon, in workspace: Workspace)
        async throws
    {
        let environment = try #require(PythonEnvironment.browser)
        let run = try await RunningCommand(
            "/usr/bin/timeout",
            [
                "230", "\(environment)/bin/python", "-B", Checkout.browserScript(script),
                "http://127.0.0.1:\(daemon.port)",
            ] + arguments, environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(run.exitCode == 0 && run.text.contains("all is well"), "\(run.testDescription)")
    }
}
