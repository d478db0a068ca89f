import Foundation
import Testing

@Suite("Jobs", .aFewAtATime)
struct JobTests {
    private func shell(_ program: String, _ arguments: String..., in workspace: Workspace) async throws -> CommandRun {
        try await RunningCommand(
            program, arguments, environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
    }

    /// Renders the units for a prefix at which the program is.
    private func rendered(in workspace: Workspace) async throws -> String {
        let prefix = workspace.path("prefix")
        try FileManager.default.createDirectory(atPath: "\(prefix)/bin", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(prefix)/bin/coterie", withDestinationPath: Checkout.program)
        let units = workspace.path("units")
        let run = try await shell("/bin/bash", "\(Checkout.root)/Jobs/install-units", prefix, units, in: workspace)
        try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        return units
    }

    @Test(
        "The scripts are ones that bash can read",
        arguments: ["common.sh", "demo", "documentation", "install-units", "test"])
    func scripts(name: String) async throws {
        let workspace = try Workspace()
        let run = try await shell("/bin/bash", "-n", "\(Checkout.root)/Jobs/\(name)", in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(run.errors.isEmpty)
    }

    @Test(
        "The rendered units are ones that systemd accepts",
        .enabled(if: Checkout.tool("systemd-analyze") != nil, "systemd-analyze is not installed"))
    func units() async throws {
        let workspace = try Workspace()
        let folder = try await rendered(in: workspace)
        let units = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("coterie-") }
        #expect(units.count == 3)
        let run = try await RunningCommand(
            #require(Checkout.tool("systemd-analyze")), ["verify"] + units.map { "\(folder)/\($0)" },
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        // It also warns of keys that it does not know, and succeeds nevertheless.
        #expect(!run.errors.contains("coterie"), "\(run.errors)")
    }

    @Test(
        "The timer comes weekly",
        .enabled(if: Checkout.tool("systemd-analyze") != nil, "systemd-analyze is not installed"))
    func timer() async throws {
        let workspace = try Workspace()
        let unit = try await String(
            contentsOfFile: rendered(in: workspace) + "/coterie-recompute.timer", encoding: .utf8)
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("OnCalendar=") })
        let run = try await shell(
            #require(Checkout.tool("systemd-analyze")), "calendar", "--iterations=2",
            String(line.dropFirst("OnCalendar=".count)), in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(unit.contains("Persistent=true") && unit.contains("RandomizedDelaySec="))
    }

    @Test("Nothing is left to fill in, and what the units call is a command of the program")
    func rendering() async throws {
        let workspace = try Workspace()
        let folder = try await rendered(in: workspace)
        var calls: [[String]] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            // Lower case, as in @system-service, is a group of system calls.
            #expect(text.firstMatch(of: /@[A-Z]+@/) == nil, "\(name) has something left to fill in")
            for line in text.split(separator: "\n") where line.hasPrefix("ExecStart=") {
                calls.append(line.dropFirst("ExecStart=".count).split(separator: " ").map(String.init))
            }
        }
        #expect(Set(calls.compactMap(\.last)) == ["recompute", "serve"])
        for call in calls {
            #expect(try await shell(call[0], call[1], "--help", in: workspace).exitCode == CommandRun.ExitCode.success)
        }
    }

    @Test("The crontab line has five fields of time, a user, and a command that a shell can read")
    func crontab() async throws {
        let workspace = try Workspace()
        let text = try await String(contentsOfFile: rendered(in: workspace) + "/crontab", encoding: .utf8)
        let entries = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(entries.count == 1)
        let entry = try #require(entries.first?.wholeMatch(of: /([0-9*,\/-]+ ){5}(?<user>[a-z]+) (?<command>.+)/))
        #expect(entry.user == "coterie")
        // cron takes a percent sign for the end of the line.
        #expect(!entry.command.contains("%"))
        let run = try await shell("/bin/bash", "-n", "-c", String(entry.command), in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(entry.command.contains("\(workspace.path("prefix"))/bin/coterie recompute"))
    }
}
