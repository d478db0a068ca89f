import Foundation
import SQLite
import Testing

@Suite("What --strict and --replace keep and remove", .aFewAtATime)
struct ImportRuleTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func count(_ table: String) throws -> Int64? {
        try workspace.database().integer("SELECT count(*) FROM \(table)")
    }

    @Test("Strict: a bad line ends the import, and its batch is not kept")
    func strictLine() async throws {
        try await workspace.succeed("import", "users", workspace.write("user_id\nold\n", to: "old.csv"))
        let path = try workspace.write("user_id,name\nann,A\nbob,B\n,C\ndan,D\n", to: "users.csv")
        let run = try await workspace.run("import", "users", path, "--strict")
        #expect(run.exitCode == CommandRun.ExitCode.badData)
        #expect(run.errors.contains("users.csv, line 4: user_id is empty"), "\(run.testDescription)")
        #expect(try count("users") == 1)
        #expect(workspace.content(of: "users-rejects.tsv") == nil)
    }

    @Test("Strict: a membership of an unknown group or user is refused; otherwise it creates them")
    func strictIDs() async throws {
        try await workspace.succeed("import", "groups", workspace.write("group_id\nalps\n", to: "groups.csv"))
        let path = try workspace.write("group_id,user_id\nalps,ann\n", to: "m.csv")
        let run = try await workspace.run("import", "memberships", path, "--strict")
        #expect(run.exitCode == CommandRun.ExitCode.badData)
        #expect(run.errors.contains("m.csv, line 2: there is no user ann"), "\(run.testDescription)")
        #expect(try count("memberships") == 0)
        #expect(try count("users") == 0)
        let summary: Answers.Import = try await workspace.succeed("import", "memberships", path, "--json").json()
        #expect(summary.created == ["users": 1])
        try await workspace.succeed("import", "memberships", path, "--strict")
        let pool = try workspace.write("group_id,photo_id\nalps,p\n", to: "p.csv")
        #expect(try await workspace.run("import", "pools", pool, "--strict").exitCode == CommandRun.ExitCode.badData)
    }

    @Test("Replace: the rows become those of the file, and removed rows are counted")
    func replace() async throws {
        try await workspace.importSample()
        let before = try #require(try count("memberships"))
        let lines = try String(contentsOfFile: Checkout.sample("memberships"), encoding: .utf8).split(separator: "\n")
        let kept = lines.enumerated().filter { $0.offset % 10 != 3 }.map(\.element)
        let path = try workspace.write(kept.joined(separator: "\n") + "\n", to: "fewer.tsv")
        let summary: Answers.Import = try await workspace.succeed("import", "memberships", path, "--replace", "--json")
            .json()
        #expect(summary.removed == lines.count - kept.count && summary.written == 0, "\(summary)")
        #expect(try count("memberships") == before - Int64(summary.removed))
        // Memberships were removed; users were not.
        #expect(try count("users") == 3000)
        let again: Answers.Import = try await workspace.succeed("import", "memberships", path, "--replace", "--json")
            .json()
        #expect(again.removed == 0 && again.written == 0)
    }

    @Test(
        "Replace: a file with less than half of the rows is refused, unless --allow-shrinking is given",
        arguments: SampleCommunity.kinds)
    func guarding(kind: String) async throws {
        try await workspace.importSample()
        let before = try #require(try count(kind))
        let lines = try String(contentsOfFile: Checkout.sample(kind), encoding: .utf8).split(separator: "\n")
        let path = try workspace.write(lines.prefix(lines.count / 3).joined(separator: "\n") + "\n", to: "third.tsv")
        let run = try await workspace.run("import", kind, path, "--replace")
        #expect(run.exitCode == CommandRun.ExitCode.badData)
        #expect(run.errors.contains("--allow-shrinking") && run.errors.contains("more than half"))
        #expect(try count(kind) == before)
        try await workspace.succeed("import", kind, path, "--replace", "--allow-shrinking")
        #expect(try count(kind) == Int64(lines.count / 3 - 1))
        let dangling = try workspace.database().integer(
            """
            SELECT (SELECT count(*) FROM memberships WHERE group_key NOT IN (SELECT group_key FROM groups)
                OR user_key NOT IN (SELECT user_key FROM users))
            + (SELECT count(*) FROM pools WHERE group_key NOT IN (SELECT group_key FROM groups)
                OR photo_key NOT IN (SELECT photo_key FROM photos))
            + (SELECT count(*) FROM photos WHERE user_key NOT IN (SELECT user_key FROM users))
            """)
        #expect(dangling == 0)
    }
}
