import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Files of versions that are damaged in a folder", .aFewAtATime)
struct DamagedFileTests {
    private static let list = "/v1/users/laura-100/recommendations?limit=50&session="

    /// A workspace with two versions, and their names.
    private func scene() async throws -> (workspace: Workspace, first: String, second: String) {
        let workspace = try Workspace()
        try await workspace.publishSample()
        func current() async throws -> String {
            try #require(try await workspace.succeed("models", "--json").json(Answers.Models.self).current)
        }
        let first = try await current()
        try await workspace.succeed("recompute")
        return (workspace, first, try await current())
    }

    /// Overwrites and cuts off the model file in place, as no program of this project does.
    private func damage(_ version: String, in workspace: Workspace) throws {
        let path = workspace.path("models/versions/\(version)/model.coterie")
        unsafe chmod(path, 0o644)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 100_000))
        try file.truncate(atOffset: 4096)
        try file.close()
    }

    @Test("Empty files, as a crash leaves them: the newest version serves, and the check names the file")
    func empty() async throws {
        let (workspace, _, second) = try await scene()
        _ = try workspace.write("", to: "models/current")
        let daemon = try await RunningDaemon(workspace)
        // A daemon may say which version it has before it has looked for the newest one.
        try await daemon.wait {
            $0.modelVersion == second && $0.reason?.contains("models/current names no version") == true
        }
        let found = try await workspace.findings(["--scratch", "/tmp"])
        #expect(found.contains { $0.hasPrefix("bad store: ") && $0.contains("models/current") }, "\(found)")
        try await workspace.succeed("recompute")
        try await daemon.wait { $0.modelVersion != second && !$0.degraded }
        // Without this record nobody knows which groups must stay away.
        _ = try workspace.write("", to: "models/site.json")
        let damaged = try await workspace.findings(["--scratch", "/tmp"])
        #expect(
            damaged.count { $0.contains("site.json, the state of the site, is damaged") } == 1,
            "\(damaged)")
        try await workspace.succeed("apply")
        #expect(try await workspace.findings(["--scratch", "/tmp"]).filter { $0.contains("site.json") } == [])
    }

    @Test("A log file that is cut while the daemon writes it begins anew")
    func cutLog() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let shell = try RunningCommand(
            "/bin/sh", ["-c", "exec '\(Checkout.program)' serve --port 0 --log-requests 2> serve.log"],
            environment: workspace.environment, input: nil, in: workspace.folder)
        func lines() -> [Substring] { (workspace.content(of: "serve.log") ?? "").split(separator: "\n") }
        #expect(await RunningDaemon.poll { lines().contains { $0.contains("serving version") } })
        let cut = unsafe truncate(workspace.path("serve.log"), 0)
        #expect(cut == 0)
        shell.send(SIGTERM)
        #expect(await shell.wait().exitCode == CommandRun.ExitCode.success)
        #expect(lines().first?.hasPrefix("{") == true && lines().last?.contains("stopped") == true, "\(lines())")
    }

    @Test("A running daemon does not notice; one that starts takes the version before, and says so")
    func damaged() async throws {
        let (workspace, first, second) = try await scene()
        let running = try await RunningDaemon(workspace)
        try await running.wait(forVersion: second)
        try damage(second, in: workspace)
        for number in 0..<30 { #expect(try running.get(Self.list + "\(number)").status == 200) }
        #expect(await running.end().exitCode == CommandRun.ExitCode.success)
        let starting = try await RunningDaemon(workspace)
        // The older version serves a moment before the reason is told.
        let readiness = try await starting.wait { $0.modelVersion == first && $0.reason?.contains(second) == true }
        #expect(readiness.degraded, "\(readiness)")
        #expect(try starting.get(Self.list + "new").status == 200)
        // It goes on to the next version that is whole.
        try await workspace.succeed("recompute")
        try await starting.wait { ![first, second].contains($0.modelVersion) && !$0.degraded }
    }
}
