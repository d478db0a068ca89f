import Testing

@Suite("Curating groups on the command line", .aFewAtATime)
struct CurateTests {
    private func list(_ workspace: Workspace) async throws -> [Answers.Curations.Row] {
        try await workspace.succeed("curate", "list", "--json").json(Answers.Curations.self).groups
    }

    @Test("Adding shifts the groups behind, and removing closes the gap")
    func positions() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        #expect(try await workspace.succeed("curate", "list").text.contains("no group is curated"))
        try await workspace.succeed("curate", "add", "beach-days")
        try await workspace.succeed("curate", "add", "macro-mondays", "--expires", "2021-01-01")
        try await workspace.succeed(
            "curate", "add", "polaroid-week", "--position", "1", "--start", "1577836800", "--expires",
            "2099-01-01T10:00:00Z")
        let rows = try await list(workspace)
        #expect(rows.map(\.groupId) == ["polaroid-week", "beach-days", "macro-mondays"])
        #expect(rows.map(\.position) == [1, 2, 3])
        #expect(rows.map(\.isValid) == [true, true, false])
        #expect(rows.map(\.startsAtMilliseconds) == [1_577_836_800_000, nil, nil])
        #expect(rows.map(\.expiresAtMilliseconds) == [4_070_944_800_000, nil, 1_609_459_200_000])
        let table = try await workspace.succeed("curate", "list").text
        for date in ["2020-01-01T00:00:00Z", "2099-01-01T10:00:00Z", "2021-01-01T00:00:00Z"] {
            #expect(table.contains(date))
        }
        try await workspace.succeed("curate", "remove", "beach-days")
        #expect(try await list(workspace).map(\.groupId) == ["polaroid-week", "macro-mondays"])
        let again = try await workspace.run("curate", "remove", "beach-days")
        #expect(again.exitCode == CommandRun.ExitCode.badData && again.errors.contains("curate list"))
    }

    @Test(
        "A member of no group gets the curated groups first, as long as they are valid",
        arguments: StoreKind.available)
    func published(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        try await workspace.succeed("import", "users", try workspace.write("user_id\nnewcomer\n", to: "users.tsv"))
        try await workspace.succeed("curate", "add", "beach-days", "--expires", "2021-01-01")
        try await workspace.succeed("curate", "add", "polaroid-week")
        try await workspace.succeed("recompute")
        let answer: Answers.Suggestions = try await workspace.succeed("recommend", "newcomer", "--json").json()
        #expect(answer.rows.first?.groupId == "polaroid-week")
        #expect(answer.rows.first?.origin == "curated")
        #expect(answer.rows.filter { $0.origin == "curated" }.count == 1)
    }

    @Test("Refuses private and unknown groups and wrong positions, changing nothing")
    func mistakes() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        for (arguments, code, hint) in [
            (["add", "beach-day"], CommandRun.ExitCode.badData, "\"beach-days\""),
            (
                ["add", "beach-days", "--start", "2030-01-01", "--expires", "2029-01-01"], CommandRun.ExitCode.badData,
                "expire"
            ),
            (["add", "beach-days", "--start", "soon"], CommandRun.ExitCode.usage, "2026-12-01"),
            (["add", "beach-days", "--position", "0"], CommandRun.ExitCode.usage, "position"),
            (["add"], CommandRun.ExitCode.usage, "needs the id"),
            (["list", "x"], CommandRun.ExitCode.usage, "no group"),
            (["praise", "beach-days"], CommandRun.ExitCode.usage, "must be one of add, list, remove"),
        ] {
            let run = try await workspace.start(["curate"] + arguments).wait()
            #expect(run.exitCode == code, "\(run.testDescription)")
            #expect(run.errors.contains(hint), "\(run.testDescription)")
        }
        #expect(try await list(workspace).isEmpty)
    }
}
