import Foundation
import SQLite
import Testing

/// Commands as the first process of a container, to which Linux gives no default action for signals.
@Suite("Commands as process 1", .aFewAtATime)
struct FirstProcessTests {
    /// Whether this machine lets the tests make a namespace of processes.
    private static let canUnshare: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "--pid", "--fork", "true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Returns the number, here, of the only child of a process, once there is one.
    private func child(of process: Int32) async -> Int32? {
        let path = "/proc/\(process)/task/\(process)/children"
        var found: Int32?
        _ = await RunningDaemon.poll {
            let children = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            found = children.split(separator: " ").first.flatMap { Int32($0) }
            return found != nil
        }
        return found
    }

    @Test(
        "An import that waits for its input ends on each signal, and changes nothing",
        .enabled(if: canUnshare, "this machine does not let this user make a namespace of processes"),
        arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
    func ends(signal: Int32) async throws {
        let workspace = try Workspace()
        try await workspace.succeed("import", "users", workspace.write("user_id\nold\n", to: "old.csv"))
        let pipe = workspace.path("pipe")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let command = try RunningCommand(
            "/usr/bin/env",
            ["unshare", "--pid", "--fork", Checkout.program, "import", "users", "pipe", "--json"],
            environment: workspace.environment, input: nil, in: workspace.folder)
        // Opening the pipe waits until the command reads from it, which is long after its start.
        let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe))
        defer { try? writer.close() }
        try writer.write(contentsOf: Data(("user_id\n" + (0..<100_000).map { "new-\($0)\n" }.joined()).utf8))
        let first = try #require(await child(of: command.process.processIdentifier))
        #expect(kill(first, signal) == 0)
        let run = await command.wait()
        #expect(run.exitCode == 128 + signal, "\(run.testDescription)")
        #expect(try workspace.database().integer("SELECT count(*) FROM users") == 1)
        // No lock is left.
        try await workspace.succeed("import", "users", workspace.write("user_id\nanother\n", to: "another.csv"))
    }

    @Test(
        "A daemon still ends by itself, and finishes its requests",
        .enabled(if: canUnshare, "this machine does not let this user make a namespace of processes"))
    func daemon() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let command = try RunningCommand(
            "/usr/bin/env", ["unshare", "--pid", "--fork", Checkout.program, "serve", "--port", "0"],
            environment: workspace.environment, input: nil, in: workspace.folder)
        #expect(await RunningDaemon.poll { command.errors.contains("listening") })
        let first = try #require(await child(of: command.process.processIdentifier))
        #expect(kill(first, SIGTERM) == 0)
        let run = await command.wait()
        #expect(run.exitCode == CommandRun.ExitCode.success && run.errors.contains("stopped"), "\(run.testDescription)")
    }
}
