import Foundation
import TestSupport
import Testing

@Suite("The version of the program", .aFewAtATime)
struct ProgramVersionTests {
    private struct Status: Decodable {
        struct Daemon: Decodable {
            var program: String?
        }

        var daemons: [Daemon]
    }

    @Test("is the same on the command line, in the metrics of a daemon and in the status of its store")
    func everywhere() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let line = try await workspace.succeed("--version").text
        let version = try #require(line.wholeMatch(of: /coterie ([0-9]+\.[0-9]+\.[0-9]+)\+([A-Za-z0-9.]+)\n/))
        let daemon = try await RunningDaemon(workspace)
        let metrics = try daemon.get("/metrics").text
        let start = "coterie_build_info{version=\"\(version.output.1)\",build=\""
        #expect(metrics.split(separator: "\n").contains { $0.hasPrefix(start) && $0.hasSuffix(" 1") }, "\(metrics)")
        let program = "\(version.output.1)+\(version.output.2)"
        var programs: [String] = []
        _ = try await RunningDaemon.poll {
            let status: Status = try await workspace.succeed("status", "--json").json()
            programs = status.daemons.compactMap(\.program)
            return !programs.isEmpty
        }
        #expect(programs == [program])
        #expect(try await workspace.succeed("status").text.contains(program))
    }

    @Test("of a package grows with each commit, whatever the committers' clocks and time zones say")
    func growing() async throws {
        let workspace = try Workspace()
        let script = """
            set -eu
            mkdir -p checkout/Jobs && cd checkout
            cp '\(Checkout.root)/Jobs/common.sh' Jobs/
            git init -q . && git config user.name A && git config user.email a@example.org
            git add Jobs
            for date in '2026-03-01T12:00:00 +0000' '2026-03-01T12:00:01 -0900' '2026-03-01T22:00:00 +0900' \
                '2025-01-01T00:00:00 +0000'; do
                GIT_COMMITTER_DATE=$date git commit -q --allow-empty -m "A commit"
                bash -c '. Jobs/common.sh && build_name'
            done
            echo '# changed' >>Jobs/common.sh
            bash -c '. Jobs/common.sh && build_name'
            """
        let run = try await RunningCommand(
            "/bin/bash", ["-c", script], environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        let names = run.text.split(separator: "\n").map(String.init)
        #expect(run.exitCode == CommandRun.ExitCode.success && names.count == 5, "\(run.testDescription)")
        #expect(
            names.map { $0.prefix(16) } == [
                "20260301120000.1", "20260301210001.2", "20260301210001.3", "20260301210001.4", "20260301210001.4",
            ])
        #expect(names[4] == names[3] + ".changed")
    }
}
