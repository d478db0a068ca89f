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

    @Test("Where bad lines could not be written, that is said before reading, with the option")
    func rejectsFolder() async throws {
        let workspace = try Workspace()
        let file = try workspace.write("group_id,user_id\ng,u\n", to: "good.csv")
        let run = try await workspace.run("import", "memberships", file, "--rejects", "nowhere/bad.csv")
        #expect(run.exitCode == 0, "\(run.testDescription)")
        for words in ["nowhere: No such file", "--rejects"] {
            #expect(run.errors.contains(words), "\(run.testDescription)")
        }
        let other = try await workspace.run("import", "memberships", file, "--rejects", "bad.csv")
        #expect(other.errors.isEmpty, "\(other.testDescription)")
        // The page of data prints the names after "coterie import memberships", as a shell reads them.
        let bad = try workspace.write("group_id,user_id\ng,u\ng,\ng,v\n", to: "bad.csv")
        let named = try await workspace.succeed(
            "import", "memberships", bad, "--rejects", "bad rows.csv", "--maximum-rejected", "50"
        ).text
        #expect(named.contains("rejected lines: 'bad rows.csv'; reasons: 'bad rows-reasons.tsv'"))
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

    @Test("A private group whose line is bad is in no answer, although memberships name it, and every command says so")
    func undescribed() async throws {
        let header = try #require(
            try String(contentsOfFile: Checkout.sample("groups"), encoding: .utf8).split(separator: "\n").first)
        let names = header.split(separator: "\t")
        let fields: [Substring: String] = [
            "group_id": "the-secret", "title": "Secret", "visibility": "privat",
        ]
        let line = names.map { fields[$0] ?? "" }.joined(separator: "\t")
        let bad = try workspace.write("\(header)\n\(line)\n", to: "bad.tsv")
        let groups: Answers.Import = try await workspace.succeed(
            "import", "groups", Checkout.sample("groups"), bad, "--json"
        ).json()
        #expect(groups.rejected == 1)
        // Everybody in one group is in the secret one, too.
        let members = try String(contentsOfFile: Checkout.sample("memberships"), encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("macro-mondays\t") }
        let secret = try workspace.write(
            "group_id\tuser_id\tjoined_at\n"
                + members.map { $0.replacing("macro-mondays", with: "the-secret") + "\n" }.joined(), to: "secret.tsv")
        let naming = try await workspace.succeed(
            "import", "memberships", Checkout.sample("memberships"), secret)
        #expect(naming.text.contains("1 groups not shown: no file of groups has described them"))
        try await workspace.succeed("recompute")
        let similar = try await workspace.succeed("similar", "macro-mondays", "--by", "members", "--limit", "300")
        #expect(!similar.text.contains("the-secret"))
        #expect(try await !workspace.export(by: "members").contains("the-secret"))
        let asked = try await workspace.run("similar", "the-secret")
        #expect(asked.exitCode == CommandRun.ExitCode.badData && asked.errors.contains("is undescribed"))
        #expect(try await workspace.succeed("explain", "laura-100", "the-secret").text.contains("undescribed"))
        let stats = try await workspace.succeed("stats").text
        #expect(stats.contains("1 undescribed") && stats.contains("1 groups are named by memberships or pools alone"))
        // Mended, it is public only if it says so.
        let mended = try workspace.write(
            "\(header)\n\(line.replacing("privat", with: "private"))\n", to: "mended.tsv")
        try await workspace.succeed("import", "groups", mended)
        #expect(try await workspace.run("similar", "the-secret").errors.contains("is private"))
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
