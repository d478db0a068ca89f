import Redis
import SQLite
import TestSupport
import Testing

@Suite("Exit codes and their messages", .aFewAtATime)
struct ExitCodeTests {
    @Test(
        "A mistake in the command line is 64, and says what is possible",
        arguments: [
            (["recommend", "laura-100", "--boost", "macro^2"], "--boost is \"macro^2\": write topic:NAME^FACTOR"),
            (["explain", "laura-100", "layers-and-haze", "--boost", "topic:macro^11"], "from 0.1 to 10"),
            (["imprt"], "import"), (["import", "membership", "x.tsv"], "did you mean memberships?"),
            (["import", "groups"], "FILE"), (["similar"], "GROUP"),
            (["similar", "x", "--by", "colour"], "photos, members"),
            (["recompute", "--neighbours", "0"], "neighbours"), (["recompute", "--neighbors", "5"], "--neighbours"),
            (["recompute", "--min-photos", "many"], "min-photos"),
            (["export", "groups", "--by", "photos"], "neighbours"),
            (["models", "--store", "http://localhost"], "redis://"), (["serve", "--port", "65536"], "port"),
            ([], "--help"),
        ] as [([String], String)])
    func usage(arguments: [String], hint: String) async throws {
        let workspace = try Workspace()
        let run = try await workspace.start(arguments).wait()
        #expect(run.exitCode == CommandRun.ExitCode.usage, "\(run.testDescription)")
        #expect(run.errors.contains(hint), "\(run.testDescription)")
        #expect(run.output.isEmpty)
    }

    /// Runs a command whose standard output is a full disk.
    private func unwritable(_ workspace: Workspace, _ arguments: [String]) async throws -> CommandRun {
        let run = try await RunningCommand(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" >/dev/full", Checkout.program] + arguments,
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(run.exitCode == CommandRun.ExitCode.general, "\(run.testDescription)")
        return run
    }

    @Test(
        "Help and the version that cannot be written are a failure",
        arguments: [["--help"], ["--version"], ["help", "serve"]])
    func unwritable(arguments: [String]) async throws {
        let run = try await unwritable(Workspace(), arguments)
        #expect(run.errors == "coterie: cannot write to standard output: the disk is full\n")
    }

    @Test("A command that cannot write its words says that the work is done")
    func unwrittenWords() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        for arguments in [
            ["import", "groups", Checkout.sample("groups")], ["hide", "feathers"], ["delete", "group", "faces"],
            ["rename", "user", "laura-100", "laura"], ["forget", "laura"], ["backup", "site.tar"],
            ["recompute", "--metrics", workspace.path("job.prom")],
        ] {
            let run = try await unwritable(workspace, arguments)
            #expect(
                run.errors.hasSuffix("standard output: the disk is full; the work itself is done\n"),
                "\(run.testDescription)")
        }
        #expect(workspace.content(of: "job.prom")?.contains("standard output") == false, "the job has not failed")
        let read = try await unwritable(workspace, ["models"])
        #expect(!read.errors.contains("the work"), "\(read.testDescription)")
    }

    @Test("No control character of a file or an argument reaches the terminal")
    func controlCharacters() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let user = "bad\u{1B}[2Juser"
        let ids = try workspace.write("group_id,user_id\nx\u{1B}[31my,\n", to: "ids.csv")
        let times = try workspace.write("group_id,user_id,joined_at\nfaces,laura-100,yes\u{1B}[31m\n", to: "times.csv")
        let member = try workspace.write("group_id,user_id\nfaces,\(user)\n", to: "member.csv")
        for arguments in [
            ["import", "memberships", ids, "--dry-run", "--maximum-rejected", "100"],
            ["import", "memberships", times], ["import", "memberships", member], ["forget", user],
            ["forget", user, "--check"], ["rename", "user", user, "\u{9B}2J", "--dry-run"],
        ] {
            let run = try await workspace.start(arguments).wait()
            let controls = (run.text + run.errors).unicodeScalars.filter {
                $0 != "\n" && $0.properties.generalCategory == .control
            }
            #expect(controls.isEmpty, "\(run.testDescription)")
        }
    }

    @Test("An unknown id is 65 and names near ones")
    func unknown() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        for (arguments, near) in [
            (["similar", "macro-monday"], "macro-mondays"), (["similar", "Macro Mondays"], "macro-mondays"),
            (["why", "macro-mondays", "polaroid-weak"], "polaroid-week"), (["recommend", "laura-101"], "laura-100"),
            (["photo", "50000000002"], "50000000001"),
            (["recommend", "laura-100", "--boost", "group:macro-monday^2"], "macro-mondays"),
        ] {
            let run = try await workspace.start(arguments).wait()
            #expect(run.exitCode == CommandRun.ExitCode.badData, "\(run.testDescription)")
            #expect(run.errors.contains("\"\(near)\""), "\(run.testDescription)")
            #expect(run.output.isEmpty)
        }
    }

    @Test("A missing file is an error that says what to do")
    func missing() async throws {
        let workspace = try Workspace()
        for arguments in [
            ["recompute"], ["why", "a", "b"], ["similar", "a"], ["export", "neighbours", "--by", "photos"],
        ] {
            let run = try await workspace.start(arguments).wait()
            #expect(run.exitCode == CommandRun.ExitCode.badData, "\(run.testDescription)")
            #expect(run.errors.contains("import") || run.errors.contains("coterie recompute"), "\(run.testDescription)")
        }
        let models = try await workspace.succeed("models")
        #expect(models.text.contains("coterie recompute"))
        for path in ["no/such/folder/catalog.sqlite", "."] {
            let run = try await workspace.run("import", "groups", Checkout.sample("groups"), "--catalog", path)
            #expect(run.exitCode == CommandRun.ExitCode.general)
            #expect(run.errors.contains("cannot open the catalog \(path): it must be a file"), "\(run.testDescription)")
        }
        let file = try await workspace.run("import", "groups", "nowhere.csv")
        #expect(file.exitCode == CommandRun.ExitCode.general)
        #expect(file.errors.contains("nowhere.csv"))
    }

    @Test("A file that is not a catalog is refused and left unchanged")
    func notACatalog() async throws {
        let workspace = try Workspace()
        let path = try workspace.write("This is not a database, but a text that is long enough.", to: "catalog.sqlite")
        let run = try await workspace.run("import", "groups", Checkout.sample("groups"))
        #expect(run.exitCode == CommandRun.ExitCode.badData)
        #expect(run.errors.contains(path))
        #expect(workspace.content(of: "catalog.sqlite")?.hasPrefix("This is not") == true)
    }

    @Test("A store that cannot be reached is 75")
    func unavailable() async throws {
        try #require(TemporaryRedis.isInstalled)
        let workspace = try Workspace(.redis)
        try await workspace.importSample()
        workspace.server?.stop()
        for arguments in [["recompute"], ["models"], ["similar", "macro-mondays"], ["rollback"]] {
            let run = try await workspace.start(arguments).wait()
            #expect(run.exitCode == CommandRun.ExitCode.tryLater, "\(run.testDescription)")
            #expect(run.errors.contains("127.0.0.1"))
        }
    }

    @Test("A catalog that another process writes to is 75")
    func busyCatalog() async throws {
        let workspace = try Workspace()
        try await workspace.succeed("import", "groups", Checkout.sample("groups"))
        let other = try Database(path: workspace.catalog, mode: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        let run = try await workspace.run("import", "users", Checkout.sample("users"))
        #expect(run.exitCode == CommandRun.ExitCode.tryLater, "\(run.testDescription)")
        try other.execute("ROLLBACK")
        try await workspace.succeed("import", "users", Checkout.sample("users"))
    }

    @Test("A store that another process publishes to is 75")
    func busyStore() async throws {
        try #require(TemporaryRedis.isInstalled)
        let workspace = try Workspace(.redis)
        try await workspace.importSample()
        var connection = try RedisConnection(to: RedisAddress(workspace.store))
        _ = try connection.command("SET", "coterie:publisher", "somebody", "PX", "600000")
        let run = try await workspace.run("recompute")
        #expect(run.exitCode == CommandRun.ExitCode.tryLater, "\(run.testDescription)")
        _ = try connection.command("DEL", "coterie:publisher")
        try await workspace.succeed("recompute")
    }

    @Test("Too little memory is 75, before anything is done")
    func memory() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let run = try await workspace.run("recompute", "--memory", "1")
        #expect(run.exitCode == CommandRun.ExitCode.tryLater)
        #expect(run.errors.contains("MiB of memory"))
    }

    @Test("A reader that closes the pipe is no failure")
    func closedPipe() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let shell = try await RunningCommand(
            "/bin/bash",
            ["-c", "set -o pipefail; \"$0\" export neighbours --by members | head -n 1", Checkout.program],
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(shell.exitCode == CommandRun.ExitCode.success, "\(shell.testDescription)")
        #expect(shell.text == "group\trank\tneighbour\tscore\tcommon\n")
    }
}
