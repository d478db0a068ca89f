import Foundation
import TestSupport
import Testing

@Suite("Jobs", .aFewAtATime)
struct JobTests {
    private func shell(_ program: String, _ arguments: String..., in workspace: Workspace) async throws -> CommandRun {
        try await RunningCommand(
            program, arguments, environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
    }

    /// Writes the units for a prefix where the program is, and returns their folder.
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

    /// Runs a copy of a script of the checkout with a stand-in for `swift`.
    ///
    /// - Parameters:
    ///   - lintExitCode: the exit code of linting.
    ///   - drillExitCode: the exit code of each drill.
    /// - Returns: the run, and how `swift` was called, one call a line.
    private func job(
        _ words: [String], lintExitCode: Int = 0, drillExitCode: Int = 0, in workspace: Workspace
    ) async throws -> (run: CommandRun, calls: String) {
        for folder in ["checkout/Jobs", "checkout/.ci", "bin"] {
            try FileManager.default.createDirectory(
                atPath: workspace.path(folder), withIntermediateDirectories: true)
        }
        for name in ["Jobs/common.sh", "Jobs/test", "Jobs/drills", ".ci/run"] {
            let link = workspace.path("checkout/\(name)")
            guard !FileManager.default.fileExists(atPath: link) else { continue }
            // A link: a copy that is run while another test starts a process may be "busy".
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: "\(Checkout.root)/\(name)")
        }
        let swift = try workspace.write(
            """
            #!/bin/sh
            echo "$PWD: $*" >>'\(workspace.path("calls"))'
            case $1 in
            --version) echo "Swift version 6.3.1" ;;
            format) exit \(lintExitCode) ;;
            test) [ -z "${COTERIE_TEST_DRILLS:-}" ] || exit \(drillExitCode); echo "the closing line" ;;
            esac

            """, to: "bin/swift")
        // The checkout has no prose and no lines to check, and nothing must be installed.
        let prose = try workspace.write("#!/bin/sh\n", to: "checkout/Jobs/prose")
        let lines = try workspace.write("#!/bin/sh\n", to: "checkout/Jobs/lines")
        let packages = try workspace.write("#!/bin/sh\necho install ok installed\n", to: "bin/dpkg-query")
        for path in [swift, prose, lines, packages] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        var environment = workspace.environment
        environment["PATH"] = "\(workspace.path("bin")):\(environment["PATH"] ?? "")"
        let run = try await RunningCommand(
            "/bin/bash", [workspace.path("checkout/\(words[0])")] + words.dropFirst(), environment: environment,
            input: nil, in: workspace.folder
        ).wait()
        return (run, workspace.content(of: "calls") ?? "")
    }

    @Test("The test job lints first, then tests; the closing line of the tests is the last")
    func lintThenTest() async throws {
        let workspace = try Workspace()
        let (run, calls) = try await job(["Jobs/test", "--filter", "Some"], in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        let checkout = workspace.path("checkout")
        #expect(
            calls.split(separator: "\n").dropFirst() == [
                "\(checkout): format lint --strict --parallel --recursive Sources Tests Package.swift",
                "\(checkout): test --disable-xctest --filter Some",
            ])
        #expect(run.text.hasSuffix("the closing line\n"))
    }

    @Test("The test job fails if linting fails, says so, and runs no test")
    func lintFailure() async throws {
        let workspace = try Workspace()
        let (run, calls) = try await job(["Jobs/test"], lintExitCode: 1, in: workspace)
        #expect(run.exitCode == 1, "\(run.testDescription)")
        #expect(run.errors.contains("test: the lines above break the rules of .swift-format, so no test was run"))
        #expect(!calls.contains(": test"))
    }

    @Test("The whole check has the tests, then the drills; either failing fails it, and the closing line is the last")
    func wholeCheck() async throws {
        for (lint, drill) in [(0, 0), (1, 0), (0, 1)] {
            let workspace = try Workspace()
            let (run, calls) = try await job([".ci/run"], lintExitCode: lint, drillExitCode: drill, in: workspace)
            #expect((run.exitCode == 0) == (lint + drill == 0), "\(run.testDescription)")
            #expect(lint == 1 || run.text.hasSuffix("the closing line\n"), "\(run.testDescription)")
            #expect(calls.contains("--filter") == (lint == 0))
            #expect(run.text.contains("drill kills: \(drill == 0 ? "passed" : "FAILED")") == (lint == 0))
        }
    }

    @Test("A drill that may take longer than there is time for is named as not run")
    func drillsWithoutTime() async throws {
        let workspace = try Workspace()
        let (run, calls) = try await job(["Jobs/drills", "--minutes", "1"], in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(run.lines.count { $0.contains(/^drill [a-z]+: not run, because it may need \d+ minutes/) } > 5)
        #expect(!calls.contains(": test"))
        let unknown = try await job(["Jobs/drills", "nothing"], in: workspace).run
        #expect(unknown.exitCode == 1 && unknown.errors.contains("there is no drill nothing; those are: kills "))
    }

    @Test("Every suite with a drill is in the table of drills, and no other")
    func drillTable() throws {
        let table = try String(contentsOfFile: "\(Checkout.root)/Jobs/drills", encoding: .utf8)
            .split(separator: "\n").compactMap { $0.wholeMatch(of: /[a-z]+ +[0-9]+ ([A-Za-z|]+)/)?.output.1 }
            .flatMap { $0.split(separator: "|") }.map { "\($0).swift" }
        let suites = try ["IntegrationTests", "HistoryTests"].flatMap { target in
            let folder = "\(Checkout.root)/Tests/\(target)"
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
                try name.hasSuffix("Tests.swift")
                    && String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).contains(/, \.drill\b/)
            }
        }
        #expect(table.sorted() == suites.sorted())
    }

    /// What is in the workspace, but for the output of commands, which is kept there.
    private func written(in workspace: Workspace) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: workspace.folder).filter {
            !$0.hasSuffix(".out") && !$0.hasSuffix(".err")
        }
    }

    @Test("Units are written below their prefix only, and each file is listed")
    func unitsBelowPrefix() async throws {
        let workspace = try Workspace()
        let run = try await shell("/bin/bash", "\(Checkout.root)/Jobs/install-units", "prefix", in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        let jobs = ["apply", "backup", "check", "recompute"].flatMap {
            ["coterie-\($0).service", "coterie-\($0).timer"]
        }
        let names = jobs + ["coterie-serve.service", "coterie.yaml", "crontab"]
        let folder = workspace.path("prefix/lib/systemd/system")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names)
        #expect(try written(in: workspace) == ["prefix"])
        let said = run.lines.filter { $0.hasPrefix("wrote ") }
        #expect(said.map { $0.split(separator: "/prefix/").last } == names.map { "lib/systemd/system/\($0)" })
        #expect(run.text.contains("systemctl link "), "systemd does not look there by itself")
        let unit = try String(contentsOfFile: "\(folder)/coterie-serve.service", encoding: .utf8)
        #expect(unit.firstMatch(of: /ExecStart=\/.*\/prefix\/bin\/coterie serve/) != nil, "the path is absolute")
    }

    @Test(
        "Help and wrong arguments write nothing",
        arguments: [("--help", 0), ("-h", 0), ("--prefix", 64), ("'a b'", 64), ("/usr/local 'out 1%'", 64)])
    func unitsHelp(words: String, exitCode: Int32) async throws {
        let workspace = try Workspace()
        let run = try await shell(
            "/bin/bash", "-c", "'\(Checkout.root)/Jobs/install-units' \(words)", in: workspace)
        #expect(run.exitCode == exitCode, "\(run.testDescription)")
        #expect((exitCode == 0 ? run.text : run.errors).contains("PREFIX") || run.errors.contains("--help"))
        #expect(try written(in: workspace).isEmpty)
    }

    @Test(
        "bash can read the scripts",
        arguments: [
            "common.sh", "demo", "documentation", "fuzz", "install-units", "keep-release", "package", "soak", "test",
            "test-package", "debian/postinst", "debian/prerm", "debian/postrm",
        ])
    func scripts(name: String) async throws {
        let workspace = try Workspace()
        let run = try await shell("/bin/bash", "-n", "\(Checkout.root)/Jobs/\(name)", in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(run.errors.isEmpty)
    }

    @Test(
        "systemd accepts the units",
        .enabled(if: Checkout.tool("systemd-analyze") != nil, "systemd-analyze is not installed"))
    func units() async throws {
        let workspace = try Workspace()
        let folder = try await rendered(in: workspace)
        let units = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("coterie-") }
        #expect(units.count == 9)
        let run = try await RunningCommand(
            #require(Checkout.tool("systemd-analyze")), ["verify"] + units.map { "\(folder)/\($0)" },
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        // For keys that it does not know it writes a warning, and succeeds.
        #expect(!run.errors.contains("coterie"), "\(run.errors)")
    }

    @Test(
        "The timers run weekly and nightly",
        .enabled(if: Checkout.tool("systemd-analyze") != nil, "systemd-analyze is not installed"),
        arguments: ["backup", "check", "recompute"])
    func timer(job: String) async throws {
        let workspace = try Workspace()
        let unit = try await String(
            contentsOfFile: rendered(in: workspace) + "/coterie-\(job).timer", encoding: .utf8)
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("OnCalendar=") })
        let run = try await shell(
            #require(Checkout.tool("systemd-analyze")), "calendar", "--iterations=2",
            String(line.dropFirst("OnCalendar=".count)), in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(unit.contains("Persistent=true") && unit.contains("RandomizedDelaySec="))
    }

    @Test("All placeholders are replaced, and the units run commands of the program")
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
        #expect(Set(calls.map { $0[1] }) == ["apply", "backup", "check", "recompute", "serve"])
        for call in calls {
            #expect(try await shell(call[0], call[1], "--help", in: workspace).exitCode == CommandRun.ExitCode.success)
        }
    }

    @Test(
        "cron tries a run that failed again, three times at most; not after wrong usage or bad data",
        arguments: [("0", 1), ("75 1 0", 3), ("65", 1), ("75 64", 2), ("1 1 1 1 1 1", 4)])
    func tryingAgain(exitCodes: String, runs: Int) async throws {
        let workspace = try Workspace()
        let text = try await String(contentsOfFile: rendered(in: workspace) + "/crontab", encoding: .utf8)
        let entry = try #require(text.split(separator: "\n").first { $0.contains("coterie recompute") })
        let command = entry.split(separator: " ", maxSplits: 6)[6]
        let codes = try workspace.write(exitCodes.replacing(" ", with: "\n") + "\n", to: "codes")
        // In place of the program that locks, one that notes the run and ends as is wanted.
        let script = """
            flock() {
                echo "$*" >>runs
                code=$(head -n 1 '\(codes)')
                sed -i 1d '\(codes)'
                return "$code"
            }
            sleep() { :; }
            logger() { cat; }
            \(command)
            """
        let run = try await shell("/bin/bash", "-c", script, in: workspace)
        #expect(run.exitCode == CommandRun.ExitCode.success && run.errors.isEmpty, "\(run.testDescription)")
        let calls = (workspace.content(of: "runs") ?? "").split(separator: "\n")
        #expect(calls.count == runs, "\(calls)")
        #expect(calls.allSatisfy { $0.hasPrefix("-n -E 75 ") && $0.contains("coterie recompute ") })
    }

    @Test("A recompute tells Prometheus when it last succeeded and failed, and why")
    func metrics() async throws {
        let workspace = try Workspace()
        let name = "recompute.prom"
        let failed = try await workspace.run("recompute", "--metrics", name)
        #expect(failed.exitCode == CommandRun.ExitCode.badData, "\(failed.testDescription)")
        let failure = try #require(workspace.content(of: name)?.split(separator: "\n").last)
        #expect(failure.contains(#",code="65",reason="there is no catalog at "#), "\(failure)")
        try await workspace.importSample()
        // A dry run is no run of the job.
        try await workspace.succeed("recompute", "--metrics", name, "--dry-run")
        #expect(workspace.content(of: name)?.contains("last_success") == false)
        try await workspace.succeed(["recompute"], settings: ["COTERIE_RECOMPUTE_METRICS": name])
        let text = try #require(workspace.content(of: name))
        #expect(text.contains("\ncoterie_recompute_last_success_timestamp_seconds{site=\""))
        #expect(text.contains(failure) && text.components(separatedBy: "{site=\"/").count == 3)
        let mode = try FileManager.default.attributesOfItem(atPath: workspace.path(name))[.posixPermissions]
        #expect(mode as? Int == 0o644)
        #expect(try written(in: workspace).filter { $0.contains(name) } == [name])
    }

    @Test("The label of a site whose path has a line feed is one line")
    func metricsOfOddPath() async throws {
        let workspace = try Workspace()
        let folder = workspace.path("a\nb\"c")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let run = try await workspace.run(
            "recompute", "--catalog", folder + "/coterie.sqlite", "--metrics", "recompute.prom")
        #expect(run.exitCode == CommandRun.ExitCode.badData, "\(run.testDescription)")
        let lines = try #require(workspace.content(of: "recompute.prom")).split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("coterie_") }, "\(lines)")
        #expect(lines.contains { $0.contains(#"/a\nb\"c/coterie.sqlite","#) }, "\(lines)")
    }

    @Test("Each line of the crontab has five fields for the time, a user, and a command that a shell can read")
    func crontab() async throws {
        let workspace = try Workspace()
        let text = try await String(contentsOfFile: rendered(in: workspace) + "/crontab", encoding: .utf8)
        let entries = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        for (entry, job) in zip(entries, ["backup", "recompute", "check", "apply"]) {
            let entry = try #require(entry.wholeMatch(of: /([0-9*,\/-]+ ){5}(?<user>[a-z]+) (?<command>.+)/))
            #expect(entry.user == "coterie")
            // cron takes a percent sign for the end of the line.
            #expect(!entry.command.contains("%"))
            let run = try await shell("/bin/bash", "-n", "-c", String(entry.command), in: workspace)
            #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
            #expect(entry.command.contains("\(workspace.path("prefix"))/bin/coterie \(job)"))
        }
        #expect(entries.count == 4)
    }

    @Test("The example site shows the member's list, with a token of its own backend")
    func exampleSite() async throws {
        let workspace = try Workspace()
        var environment = workspace.environment
        environment["COTERIE"] = Checkout.program
        let job = try RunningCommand(
            "/bin/bash", ["\(Checkout.root)/Jobs/site", "0"], environment: environment, input: nil,
            in: workspace.folder)
        defer { job.send(SIGTERM) }
        var found: Substring?
        while found == nil, job.isRunning {
            found = job.errors.firstMatch(of: /open http:\/\/127\.0\.0\.1:([0-9]+);/)?.output.1
            try await Task.sleep(for: .milliseconds(50))
        }
        let site = try #require(found.flatMap { UInt16($0) }, "\(job.errors)")
        func get(_ path: String, at port: UInt16, _ headers: String...) throws -> SocketClient.Response {
            try #require(SocketClient(port: port)?.request("GET", path, headers: headers), "\(port)\(path)")
        }
        let page = try get("/", at: site).text
        let element = try #require(page.firstMatch(of: /src="http:[^":]*:([0-9]+)" member="([^"]*)"/), "\(page)")
        let daemon = try #require(UInt16(element.output.1))
        #expect(try get("/components/coterie-groups.js", at: daemon).text.contains("customElements.define"))
        let path = "/v1/users/\(element.output.2)/recommendations"
        #expect(try get(path, at: daemon).status == 401)
        let list = try get(path, at: daemon, "Authorization: Bearer \(get("/token", at: site).text)")
        #expect(list.status == 200 && list.text.contains("http://127.0.0.1:\(site)/groups/"), "\(list.text)")
    }
}
