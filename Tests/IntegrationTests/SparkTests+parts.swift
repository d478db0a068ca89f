import Foundation
import TestSupport
import Testing

/// Parts of a lake, each with columns, types and zones of its own.
extension SparkTests {
    /// Writes a lake whose folders name groups, and the same rows as text: `lake`, `more`, `lake.tsv` and `more.tsv`.
    private static let lake = #"""
        import datetime, decimal, os, sys, urllib.parse, pyarrow as pa, pyarrow.parquet as pq
        os.chdir(sys.argv[1])
        decimal.getcontext().prec = 40
        start, great = datetime.datetime(2024, 6, 1, 12, 0, 0, 250000), decimal.Decimal(10) ** 30
        local = lambda user: start + datetime.timedelta(seconds=user)
        utc = lambda user: local(user).replace(tzinfo=datetime.timezone.utc)
        old = lambda user: datetime.datetime(1999, 12, 31, 23, 59, 59, 500000)
        written = lambda time: time.strftime("%Y-%m-%dT%H:%M:%S" + ("Z" if time.tzinfo else ""))
        # Of each part: the type of ids, that of times, a time in it, and the same time as text.
        kinds = [
            (pa.string(), None, None, lambda user: ""),
            (pa.int32(), pa.timestamp("ms", tz="UTC"), utc, lambda user: written(utc(user))),
            (pa.int64(), pa.timestamp("us"), local, lambda user: written(local(user))),
            (pa.decimal128(38, 0), pa.timestamp("ns"), local, lambda user: written(local(user))),
            (pa.decimal128(20, 2), pa.timestamp("ns", tz="Europe/Berlin"), utc, lambda user: written(utc(user))),
            (pa.float64(), pa.float64(), lambda user: 1.7e9 + user + .5, lambda user: f"{1700000000 + user}.5"),
            (pa.uint64(), pa.string(), lambda user: "2024-06-02T10:00:00+02:00", lambda user: "2024-06-02T08:00:00Z"),
            (pa.int16(), pa.int64(), lambda user: 1700000000123 + user, lambda user: str(1700000000123 + user)),
            (pa.uint32(), pa.null(), lambda user: None, lambda user: ""),
            (pa.large_string(), pa.date32(), lambda user: local(user).date(), lambda user: "2024-06-01"),
            (pa.float32(), pa.timestamp("ns"), old, lambda user: written(old(user))),
            (pa.decimal128(38, 0), None, None, lambda user: ""),
        ]
        ids = ["00123", "123", "1e5", "-0", "0", "a/b", "a%2Fb", "100%", "g 8", "g9", "g10", "g11", "g12", "g13"]
        with open("lake.tsv", "w") as text:
            text.write("group_id\tuser_id\tjoined_at\n")
            for number, group in enumerate(ids):
                of_ids, of_times, time, shown = kinds[number % len(kinds)]
                users = [user for user in range(1000, 1040) if (number * 7 + user * 3) % 5 < 2]
                is_great = number % len(kinds) == len(kinds) - 1
                names = [decimal.Decimal(user) + great for user in users] if is_great else users
                names = [str(name) for name in names] if "string" in str(of_ids) else names
                names = [decimal.Decimal(name) for name in names] if "decimal" in str(of_ids) else names
                table = {"user_id": pa.array(names, of_ids)}
                if of_times:
                    table["Joined_At" if number == 2 else "joined_at"] = pa.array(map(time, users), of_times)
                folder = f"lake/dt=2024-01-0{number % 3 + 1}/group_id=" + urllib.parse.quote(group, safe="-")
                os.makedirs(folder)
                pq.write_table(pa.table(table), folder + "/part.parquet")
                text.writelines(f"{group}\t{name}\t{shown(user)}\n" for user, name in zip(users, names))
        open("lake/_SUCCESS", "w").close()
        pq.write_table(pa.table({"user_id": pa.array([], pa.int32())}), folder + "/none.parquet")
        # A header without rows is no fault beside other files, as in an import.
        os.mkdir("more")
        texts = {"1.csv": "group_id,user_id\n", "2.csv": "GROUP_ID,user_id\n00123,more\n", "3.jsonl": ""}
        for name, content in texts.items():
            with open("more/" + name, "w") as file:
                file.write(content)
        pq.write_table(pa.table({"group_id": ["g9"], "user_id": ["more"]}), "more/4.parquet")
        with open("more.tsv", "w") as file:
            file.write("group_id\tuser_id\n00123\tmore\ng9\tmore\n")
        """#

    @Test(
        "takes folders that name groups, and each part by its own columns, types and zones",
        .enabled(if: environment != nil, "Java, python3-venv, pip or the network is missing"))
    func parts() async throws {
        let (imported, lake) = (try Workspace(), try Workspace())
        let run = try await RunningCommand(
            try #require(Self.environment) + "/bin/python", ["-c", Self.lake, lake.folder],
            environment: lake.environment, input: nil, in: lake.folder
        ).wait()
        #expect(run.exitCode == 0, "\(run.testDescription)")
        let zone = ["--timezone", "America/New_York"]
        try await imported.succeed(["import", "memberships", lake.path("lake.tsv"), lake.path("more.tsv")] + zone)
        try await imported.succeed("recompute")
        let sources = ["--memberships", lake.path("lake") + "," + lake.path("more")]
        let job = try await start(lake, sources + zone, []).wait()
        #expect(job.exitCode == 0, "\(job.testDescription)")
        #expect(try await model(lake) == model(imported))
        for user in ["1001", "1000000000000000000000000001001", "more"] {
            let known: Answers.Suggestions = try await lake.succeed("recommend", user, "--json").json()
            #expect(known.userId == user)
        }
    }

    /// Runs the job on sources that must end it, all in one process of Java; writes a line for each.
    ///
    /// A line has the exit code, whether what was said has the name of the part, the kind of fault, and what was said.
    private static let faults = #"""
        import contextlib, datetime, decimal, io, os, sys, pyarrow as pa, pyarrow.parquet as pq
        os.chdir(sys.argv[1])
        sys.path.insert(0, sys.argv[2])
        import recompute
        good = {"group_id": ["a", "b"], "user_id": ["u", "v"]}
        noon = [datetime.datetime(2024, 6, 1, 12)] * 2
        lakes = {
            "no name": {"group_id=a/1.parquet": {"user_id": ["u"]}, "x/2.parquet": good},
            "no value": {"group_id=/2.parquet": {"user_id": ["u"]}},
            "two depths": {"group_id=a/1.parquet": {"user_id": ["u"]}, "2.parquet": good},
            "twice": {"group_id=a/2.parquet": good},
            "twice by case": {"2.parquet": good | {"Group_ID": ["x", "y"]}},
            "text in a folder": {"group_id=a/2.csv": "user_id\nu\n"},
            "binary": {"1.parquet": good, "2.parquet": good | {"user_id": pa.array([b"x", b"y"])}},
            "great float": {"1.parquet": good, "2.parquet": good | {"user_id": [1.2e17, 3.0]}},
            "great decimal": {"1.parquet": good, "2.parquet": good | {
                "user_id": pa.array([decimal.Decimal(5)] * 2, pa.decimal256(50, 0))}},
            "INT96": {"1.parquet": good, "2.parquet": good | {"joined_at": pa.array(noon, pa.timestamp("us"))}},
            "other kind": {"2.parquet": {"user_id": ["u"], "photo_id": ["p"]}},
            "cut": {"1.parquet": good, "2.parquet": good},
            "damaged": {"1.parquet": good, "2.parquet": {name: list(map(str, range(2000))) for name in good}},
            "no Parquet": {"1.parquet": good, "2.parquet": ""},
            "only a header": {"2.csv": "group_id,user_id\n"},
            "empty": {"1.csv": "group_id,user_id\na,b\n", "2.csv": ""},
            "no rows": {"2.parquet": {name: pa.array([], pa.string()) for name in good}},
            "only _SUCCESS": {"_SUCCESS": ""},
        }
        for fault, files in lakes.items():
            for name, content in files.items():
                path = os.path.join("lakes", fault, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if isinstance(content, str):
                    with open(path, "w") as file:
                        file.write(content)
                else:
                    pq.write_table(pa.table(content), path, use_deprecated_int96_timestamps=fault == "INT96")
            if fault == "cut":
                os.truncate(path, os.path.getsize(path) - 20)
            if fault == "damaged":
                with open(path, "r+b") as file:
                    file.seek(4)
                    file.write(b"\xff" * 56)
            sys.argv = ["recompute.py", "--memberships", os.path.abspath("lakes/" + fault), *sys.argv[-6:]]
            code, said = 0, io.StringIO()
            with contextlib.redirect_stderr(said):
                try:
                    recompute.main()
                except SystemExit as error:
                    code = error.code
                except Exception as error:
                    print(repr(error), file=sys.stderr)
            # Where all is missing, the source is named.
            part = fault if fault in ("only a header", "no rows", "only _SUCCESS") else "/2."
            print(code, part in said.getvalue(), fault, repr(said.getvalue()), flush=True)
        """#

    @Test(
        "names the part that it refuses, and publishes nothing",
        .enabled(if: environment != nil, "Java, python3-venv, pip or the network is missing"))
    func refusedParts() async throws {
        let lake = try Workspace()
        let script = try lake.write(Self.faults, to: "faults.py")
        let jobs = URL(fileURLWithPath: Self.script).deletingLastPathComponent().path
        let run = try await submit(
            script,
            [
                lake.folder, jobs, "--work", lake.path("work"), "--timezone", "Europe/Berlin",
                "--program", Checkout.program,
            ], in: lake
        ).wait()
        #expect(run.exitCode == 0, "\(run.testDescription)")
        let answers = run.lines.filter { $0.contains(" True ") || $0.contains(" False ") }
        #expect(answers.count == 18)
        for answer in answers { #expect(answer.hasPrefix("65 True "), "\(answer)") }
        #expect(lake.content(of: "models/current") == nil)
    }
}
