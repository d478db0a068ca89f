import Foundation
import TestSupport
import Testing

/// Runs `Jobs/spark/recompute.py` with Spark on this machine, and without it.
// One after the other: a job of Spark keeps both cores busy, and a command may take four minutes.
@Suite("A recompute on Spark", .serialized, .aFewAtATime, .drill)
struct SparkTests {
    /// A virtual environment with Spark; nil if it cannot be had.
    static let environment =
        javaHome == nil && Checkout.tool("java") == nil
        ? nil
        : PythonEnvironment.folder(
            "spark", test: #""$0/bin/python" -c 'import pandas, pyarrow, pyspark'"#,
            installing: "'pyspark==4.0.*' 'pyarrow>=11' 'pandas>=2,<3'")

    /// Debian's Java 17, which need not be the `java` on the PATH.
    private static let javaHome: String? = {
        let folder = "/usr/lib/jvm"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.first { $0.hasPrefix("java-17-openjdk") }.map { "\(folder)/\($0)" }
    }()

    static let script = Checkout.root + "/Jobs/spark/recompute.py"

    /// A second file of memberships: some are there already, one line is bad, a group and users are new.
    private static let more = #"""
        group_id,user_id,joined_at
        macro-mondays,laura-100,2026-10-20T08:00:00Z
        macro-mondays,laura-100,
        "brand ""new""",laura-100,1790000000000
        "brand ""new""",ilse-qdw,
        "brand ""new""",someone new,20261001
        "brand ""new""",,20261001

        """#

    /// A second file of photos without most columns: what it does not have stays as it was.
    private static let hiding =
        "\n\nvisibility,photo_id\nprivate,50000000001\npublic,50000000001\npublic,51013904243\n,52654435770\n"

    /// A second file of users, of whom one takes interests back, and one says nothing of them.
    private static let taking = #"""
        {"user_id": "laura-100", "interests": null}
        {"user_id": "ilse-qdw", "name": "Ilse B."}
        {"user_id": "fiona-frs", "interests": ["owls"]}

        """#

    /// Two workspaces with the same files: one has imported them, the other one has only an empty catalog.
    ///
    /// - Parameter hasParquet: whether memberships are Parquet in the lake, and are there with other dates before.
    private func workspaces(hasParquet: Bool = false) async throws
        -> (imported: Workspace, lake: Workspace, sources: [String])
    {
        let (imported, lake) = (try Workspace(), try Workspace())
        let more = try lake.write(Self.more, to: "more.csv")
        let others = [
            "memberships": [more], "photos": [try lake.write(Self.hiding, to: "hiding.csv")],
            "users": [try lake.write(Self.taking, to: "taking.jsonl")],
        ]
        var sources: [String] = []
        // The sample is of the same seed and sizes, but nobody in it likes, follows or says anything.
        try await lake.generate("told", ["--favourites", "9000", "--follows", "6000", "--posts", "9000"])
        let told = ["favourites", "follows", "posts"]
        for kind in SampleCommunity.kinds + told {
            let whole = told.contains(kind) ? lake.path("told/\(kind).tsv") : Checkout.sample(kind)
            var files = [whole] + others[kind, default: []]
            sources.append("--\(kind)")
            if hasParquet, kind == "memberships" {
                let again = try await parquet(in: lake)
                sources.append("\(again.folder),\(more)")
                files.insert(again.text, at: 0)
            } else {
                sources.append(files.joined(separator: ","))
            }
            try await imported.succeed(["import", kind] + files)
        }
        try await imported.succeed("recompute")
        return (imported, lake, sources)
    }

    /// Memberships of the sample as two files of a folder: first some with other dates, then all, so that those count.
    private func parquet(in lake: Workspace) async throws -> (text: String, folder: String) {
        let lines = try String(contentsOfFile: Checkout.sample("memberships"), encoding: .utf8).split(separator: "\n")
        let some = lines.dropFirst().enumerated().filter { $0.offset % 9 == 4 }.map(\.element)
        let again = some.map { $0.split(separator: "\t")[..<2].joined(separator: "\t") + "\t2019-01-01T00:00:00Z" }
        let text = try lake.write("\(lines[0])\n" + again.joined(separator: "\n"), to: "again.tsv")
        let folder = lake.path("two files")
        let run = try await RunningCommand(
            try #require(Self.environment) + "/bin/python",
            [
                "-c",
                """
                import os, sys, pyarrow.csv, pyarrow.parquet
                os.mkdir(sys.argv[1])
                for number, path in enumerate(sys.argv[2:]):
                    rows = pyarrow.csv.read_csv(path, parse_options=pyarrow.csv.ParseOptions(delimiter="\\t"))
                    pyarrow.parquet.write_table(rows, f"{sys.argv[1]}/{number}.parquet", row_group_size=5000)
                """, folder, text, Checkout.sample("memberships"),
            ], environment: lake.environment, input: nil, in: lake.folder
        ).wait()
        #expect(run.exitCode == 0, "\(run.testDescription)")
        return (text, folder)
    }

    /// Returns the model file, and behind it the weights of what members tell.
    func model(_ workspace: Workspace) async throws -> Data {
        let folder = workspace.path("models/versions/\(try await workspace.currentVersion())")
        let model = try Data(contentsOf: URL(fileURLWithPath: folder + "/model.coterie"))
        let manifest = try Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json"))
        let fields = try JSONSerialization.jsonObject(with: manifest) as? [String: Any]
        let told = fields?["memberEvidence"] ?? []
        return try model + JSONSerialization.data(withJSONObject: told, options: .sortedKeys)
    }

    func start(
        _ lake: Workspace, _ sources: [String], program: String = Checkout.program, _ options: [String]
    ) throws -> RunningCommand {
        try submit(
            Self.script,
            sources + ["--catalog", lake.catalog, "--store", lake.store, "--work", lake.path("work")]
                + ["--program", program, "--rows-per-file", "9000", "--parts", "6"] + options, in: lake)
    }

    /// Starts a script with Spark.
    func submit(_ script: String, _ arguments: [String], in lake: Workspace) throws -> RunningCommand {
        let environment = try #require(Self.environment)
        var settings = [
            "PATH": environment + "/bin:" + (lake.environment["PATH"] ?? ""),
            "PYSPARK_PYTHON": environment + "/bin/python",
        ]
        settings["JAVA_HOME"] = Self.javaHome
        return try RunningCommand(
            environment + "/bin/spark-submit",
            ["--master", "local[2,3]", "--conf", "spark.ui.enabled=false", "--driver-memory", "1g", script] + arguments,
            environment: lake.environment.merging(settings) { $1 }, input: nil, in: lake.folder)
    }

    private func runWithoutSpark(_ lake: Workspace, _ options: [String]) async throws -> CommandRun {
        try await RunningCommand(
            "/usr/bin/env",
            ["python3", Self.script, "--without-spark", "--catalog", lake.catalog, "--store", lake.store]
                + ["--work", lake.path("work"), "--program", Checkout.program] + options,
            environment: lake.environment, input: nil, in: lake.folder
        ).wait()
    }

    private func remains(_ lake: Workspace) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: lake.path("work"))) ?? []
    }

    @Test(
        "makes the same model byte for byte, although every kind of task is killed once",
        .enabled(if: environment != nil, "Java, python3-venv, pip or the network is missing"))
    func sameModel() async throws {
        let (imported, lake, sources) = try await workspaces(hasParquet: true)
        let program = try lake.write(
            """
            #!/bin/bash
            mark="\(lake.folder)/failed-$1-$(basename "$2")-$4"
            case "$1 $2" in "clean --kinds") ;; clean* | kernel*) mkdir "$mark" 2>/dev/null && kill -9 $$ ;; esac
            exec "\(Checkout.program)" "$@"
            """, to: "program")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let run = try await start(lake, sources, program: program, ["--", "--block-rows", "16"]).wait()
        #expect(run.exitCode == 0, "\(run.testDescription)")
        #expect(try await model(lake) == model(imported))
        let failed = try FileManager.default.contentsOfDirectory(atPath: lake.folder).filter { $0.hasPrefix("failed-") }
        #expect(failed.contains { $0.hasPrefix("failed-kernel") } && failed.contains { $0.hasPrefix("failed-clean") })
        #expect(remains(lake).isEmpty)
    }

    @Test(
        "makes the same model of real memberships and pools, in files without groups, users and photos",
        .enabled(if: environment != nil && Checkout.hasSharedData, "Java, python3-venv, pip or the data is missing"))
    func realData() async throws {
        let (imported, lake) = (try Workspace(), try Workspace())
        var sources: [String] = []
        for (kind, names) in [("memberships", ["train", "val"]), ("pools", ["pools"])] {
            let files = names.map { Checkout.sharedData("steam/\($0).tsv") }
            try await imported.succeed(["import", kind] + files)
            sources += ["--\(kind)", files.joined(separator: ",")]
        }
        try await imported.succeed("recompute")
        let run = try await start(lake, sources, ["--", "--block-rows", "7"]).wait()
        #expect(run.exitCode == 0, "\(run.testDescription)")
        #expect(try await model(lake) == model(imported))
    }

    @Test(
        "leaves the current version when it is killed, and the next run removes what it left",
        .enabled(if: environment != nil, "Java, python3-venv, pip or the network is missing"))
    func killed() async throws {
        let (imported, lake, sources) = try await workspaces()
        let program = try lake.write(
            """
            #!/bin/bash
            if [ "$1" = kernel ]; then
                touch "\(lake.folder)/begun"
                exec sleep 300
            fi
            exec "\(Checkout.program)" "$@"
            """, to: "program")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let killed = try start(lake, sources, program: program, [])
        while lake.content(of: "begun") == nil, killed.isRunning { try await Task.sleep(for: .milliseconds(50)) }
        killed.send(SIGKILL)
        _ = await killed.wait()
        #expect(lake.content(of: "begun") != nil && lake.content(of: "models/current") == nil)
        let run = try await runWithoutSpark(lake, sources)
        #expect(run.exitCode == 0, "\(run.testDescription)")
        #expect(try await model(lake) == model(imported))
    }

    @Test(
        "takes ids and times that pandas writes as floats, and files with odd names",
        .enabled(if: environment != nil, "Java, python3-venv, pip or the network is missing"))
    func floats() async throws {
        let (imported, lake) = (try Workspace(), try Workspace())
        let odd = "[1] {a} 100% b"
        let groups = try lake.write(
            "group_id\ttitle\n" + (0..<12).map { "g-\($0)\tGroup \($0)\n" }.joined(), to: "groups \(odd).tsv")
        var rows = "group_id\tuser_id\tjoined_at\ng-0\t\t1790000000000\n"
        for group in 0..<12 {
            for user in 0..<80 where (group * 7 + user * 3) % 5 < 2 {
                let time = user % 9 == 0 ? "" : "\(1_790_000_000_000 + user * 1000)"
                rows += "g-\(group)\t\(10_025_582 + user)\t\(time)\n"
            }
        }
        let memberships = try lake.write(rows, to: "memberships.tsv")
        try await imported.succeed("import", "groups", groups)
        try await imported.succeed("import", "memberships", memberships)
        try await imported.succeed("recompute")
        let run = try await RunningCommand(
            try #require(Self.environment) + "/bin/python",
            [
                "-c",
                """
                import sys, pandas
                rows = pandas.read_csv(sys.argv[1], sep="\\t")
                assert {str(rows[name].dtype) for name in ("user_id", "joined_at")} == {"float64"}
                rows.to_parquet(sys.argv[2])
                """, memberships, lake.path("part \(odd).parquet"),
            ], environment: lake.environment, input: nil, in: lake.folder
        ).wait()
        #expect(run.exitCode == 0, "\(run.testDescription)")
        let sources = ["--groups", groups, "--memberships", lake.path("part \(odd).parquet")]
        let job = try await start(lake, sources, []).wait()
        #expect(job.exitCode == 0, "\(job.testDescription)")
        #expect(try await model(lake) == model(imported))
        let known: Answers.Suggestions = try await lake.succeed("recommend", "10025590", "--json").json()
        #expect(known.userId == "10025590")
    }

    @Test("without Spark, one command makes the same model from the same files")
    func withoutSpark() async throws {
        let (imported, lake, sources) = try await workspaces()
        let run = try await runWithoutSpark(lake, sources)
        #expect(run.exitCode == 0, "\(run.testDescription)")
        #expect(try await model(lake) == model(imported))
        #expect(remains(lake).isEmpty)
    }

    @Test(
        "Outputs among the sources are refused before anything is read",
        arguments: [
            ("lake", ["--rejects", "lake"]), ("lake", ["--work", "lake/work"]), ("lake", ["--store", "lake/models"]),
            ("lake", ["--catalog", "lake/c.sqlite"]), ("lake/*.tsv", ["--rejects", "lake"]),
            ("memberships-rejects.tsv", []),
        ])
    func outputsInSources(source: String, options: [String]) async throws {
        let workspace = try Workspace()
        try FileManager.default.createDirectory(atPath: workspace.path("lake"), withIntermediateDirectories: false)
        for name in ["lake/m.tsv", "memberships-rejects.tsv"] {
            _ = try workspace.write("group_id\tuser_id\na\tb\n", to: name)
        }
        let run = try await runWithoutSpark(workspace, ["--memberships", source] + options)
        #expect(run.exitCode == CommandRun.ExitCode.usage, "\(run.testDescription)")
        #expect(run.errors.contains("among the files of the source"), "\(run.testDescription)")
        #expect(remains(workspace).isEmpty)
    }

    @Test("with nobody who does the work, the current version stays")
    func abandoned() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let before = try await workspace.currentVersion()
        try await workspace.succeed("export", "tables", "-o", "tables", "--rows-per-file", "3000")
        let run = try await workspace.run("recompute", "--tables", "tables", "--share", "share")
        #expect(run.exitCode == CommandRun.ExitCode.tryLater, "\(run.testDescription)")
        #expect(run.lines.first?.hasPrefix("{\"parts\":[") == true)
        #expect(try await workspace.currentVersion() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.path("share")).isEmpty)
    }
}
