import Foundation
import SQLite
import Testing

@Suite("Importing files of any shape", .aFewAtATime)
struct ImportInputTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// Imports a file of this content; the import must succeed.
    private func imported(
        _ kind: String, _ content: String, as name: String = "input.csv", _ options: String...
    ) async throws -> Answers.Import {
        let path = try workspace.write(content, to: name)
        return try await workspace.succeed(["import", kind, path, "--json", "--maximum-rejected", "100"] + options)
            .json()
    }

    private func text(_ sql: String) throws -> String? { try workspace.database().text(sql) }

    private func count(_ table: String) throws -> Int64? {
        try workspace.database().integer("SELECT count(*) FROM \(table)")
    }

    /// The lines and reasons of the rejects file.
    private func rejects(of summary: Answers.Import) throws -> [(line: String, reason: String)] {
        let name = try #require(summary.reasonsFile)
        let content = try #require(workspace.content(of: name))
        let lines = content.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        #expect(lines.first == ["source", "line", "reason", "record", "rejects_file", "rejects_line"])
        #expect(lines.count == summary.rejected + 1)
        return lines.dropFirst().map { (String($0[1]), String($0[2])) }
    }

    @Test("Quoted commas, line ends and quotes, with CRLF and a byte order mark")
    func quoting() async throws {
        let summary = try await imported(
            "groups",
            "\u{FEFF}group_id,title,description\r\n\"a,b\",\"Say \"\"cheese\"\"\",\"two\r\nlines\"\r\nplain,Plain,\r\n")
        #expect(summary.rows == 2 && summary.rejected == 0 && summary.unknownColumns.isEmpty)
        #expect(try text("SELECT title FROM groups WHERE group_id = 'a,b'") == "Say \"cheese\"")
        #expect(try text("SELECT description FROM groups WHERE group_id = 'a,b'") == "two\r\nlines")
        #expect(try text("SELECT title FROM groups WHERE group_id = 'plain'") == "Plain")
    }

    @Test("Columns in another order, and unknown ones, which are reported")
    func columns() async throws {
        let path = try workspace.write("colour,user_id,rank,group_id\nred,ann,1,alps\nblue,bob,2,alps\n", to: "m.csv")
        let run = try await workspace.succeed("import", "memberships", path)
        #expect(run.text.contains("columns passed over: colour, rank"))
        #expect(
            try text("SELECT group_concat(user_id) FROM (SELECT user_id FROM users ORDER BY user_id)") == "ann,bob")
        let bad = try await workspace.run(
            "import", "memberships", workspace.write("group_id,person\na,b\n", to: "bad.csv"))
        #expect(bad.exitCode == CommandRun.ExitCode.badData)
        #expect(bad.errors.contains("user_id"), "\(bad.testDescription)")
    }

    @Test(
        "NULs, truncated UTF-8, ids that are too long or empty, and fields that are missing are rejected, line by line")
    func badLines() async throws {
        var content = Data("group_id,user_id,joined_at\ngood,ann,\n".utf8)
        content += Data("nul\0nul,ann,\n".utf8) + Data("cut\u{E9}".utf8.dropLast()) + Data(",ann,\n".utf8)
        content += Data(
            "\(String(repeating: "x", count: 256)),ann,\n,ann,\nalone\nwhen,ann,yesterday\ngood,bob,1700000000\n".utf8)
        let path = try workspace.write(content, to: "bad.csv")
        let summary: Answers.Import = try await workspace.succeed(
            "import", "memberships", path, "--json", "--maximum-rejected", "100"
        ).json()
        #expect(summary.rows == 3 && summary.rejected == 5, "\(summary)")
        let rejects = try rejects(of: summary)
        #expect(rejects.map(\.line) == ["3", "4", "5", "6", "7"])
        for (reject, word) in zip(rejects, ["NUL", "UTF-8", "255", "empty", "1 field"]) {
            #expect(reject.reason.contains(word), "\(reject)")
        }
        // A time that cannot be read is unknown.
        #expect(try count("memberships") == 3)
    }

    @Test("A line of 10 MB is rejected in constant memory, and the next line is read")
    func longLine() async throws {
        let long = String(repeating: "x", count: 10 << 20)
        for (name, content) in [
            ("long.csv", "group_id,title\na,A\nb,\(long)\nc,C\n"),
            ("quoted.csv", "group_id,title\na,A\nb,\"\(long)\"\nc,C\n"),
            ("long.jsonl", "{\"group_id\":\"a\"}\n{\"group_id\":\"b\",\"title\":\"\(long)\"}\n{\"group_id\":\"c\"}\n"),
        ] {
            let summary = try await imported(
                "groups", content, as: name, "--rejects", workspace.path("long-rejects.tsv"))
            #expect(summary.rows == 2 && summary.rejected == 1, "\(name): \(summary)")
            let reasons = try #require(workspace.content(of: "long-rejects-reasons.tsv"))
            #expect(reasons.utf8.count < 2000 && workspace.content(of: "long-rejects.tsv") == nil)
        }
        #expect(try text("SELECT group_concat(group_id) FROM (SELECT group_id FROM groups ORDER BY 1)") == "a,c")
    }

    @Test("Of duplicate rows the last one counts, also across files")
    func duplicates() async throws {
        let first = try await imported(
            "memberships", "group_id,user_id,joined_at\na,x,500000001\na,x,500000002\na,y,\na,x,500000003\n")
        #expect(first.rows == 4 && first.repeated == 2 && first.written == 2, "\(first)")
        #expect(try workspace.database().integer("SELECT max(joined_at) FROM memberships") == 500_000_003)
        let second = try await imported("memberships", "group_id,user_id,joined_at\na,x,500000009\na,y,\n")
        #expect(second.written == 1 && second.unchanged == 1, "\(second)")
        #expect(try workspace.database().integer("SELECT max(joined_at) FROM memberships") == 500_000_009)
        _ = try await imported("groups", "group_id,title\na,First\na,Second\n")
        #expect(try text("SELECT title FROM groups") == "Second")
    }

    @Test("An empty file and one with nothing but a header")
    func empty() async throws {
        for (name, text) in [
            ("header.csv", "user_id,name\n"), ("empty.jsonl", ""), ("empty.csv", ""), ("_SUCCESS", ""),
        ] {
            let run = try await workspace.run("import", "users", workspace.write(text, to: name))
            #expect(run.exitCode == CommandRun.ExitCode.badData, "\(run.testDescription)")
            #expect(run.errors.contains("\(name), line 1: "), "\(run.testDescription)")
        }
        let folder = try await workspace.run("import", "users", workspace.folder)
        #expect(folder.exitCode == CommandRun.ExitCode.badData && folder.errors.contains("it is a folder"))
        #expect(try count("users") == 0)
    }

    @Test("The same rows as CSV, TSV and JSON Lines, from files and from standard input")
    func formats() async throws {
        let contents = [
            ("csv", "user_id,name,interests\n1,\"Ann, B\",macro;birds\n2,Ünal,\n"),
            ("tsv", "user_id\tname\tinterests\n1\tAnn, B\tmacro;birds\n2\tÜnal\t\n"),
            (
                "jsonl",
                """
                {"user_id": "1", "name": "Ann, B", "interests": ["macro", "birds"]}
                {"name": "\\u00dcnal", "user_id": 2, "interests": []}

                """
            ),
        ]
        let first = try await imported("users", contents[0].1, as: "users.csv")
        #expect(first.written == 2)
        for (name, content) in contents {
            let summary = try await imported("users", content, as: "users.\(name)")
            #expect(summary.rows == 2 && summary.unchanged == 2, "\(name): \(summary)")
            // Standard input has no name that tells the format: the first bytes do, or --format.
            let path = try workspace.write(content, to: "piped")
            for options in [[], ["--format", name]] {
                let piped: Answers.Import = try await workspace.succeed(
                    ["import", "users", "-", "--json"] + options, input: path
                ).json()
                #expect(piped.rows == 2 && piped.unchanged == 2, "\(name) \(options): \(piped)")
            }
        }
        #expect(try text("SELECT name || interests FROM users WHERE user_id = '1'") == "Ann, Bmacro;birds")
    }

    @Test("Ids are opaque: equal only if their bytes are")
    func opaqueIDs() async throws {
        // Twice é, composed and decomposed: the same to a person, and to Swift's strings.
        let ids = ["\u{E9}", "e\u{301}", " x", "x ", "A", "a", "'; DROP TABLE groups; --", "-x", "日本", "a\tb", "\"q\""]
        let entries = (1...6).map { "u\($0)" }
        let rows = ids.flatMap { id in entries.map { ["group_id": id, "user_id": $0] } }
        let encoder = JSONEncoder()
        let lines = try rows.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        let summary = try await imported("memberships", lines.joined(separator: "\n"), as: "ids.jsonl")
        #expect(summary.created["groups"] == ids.count && summary.repeated == 0, "\(summary)")
        // Cut at the source, a pair's rank in the catalog is that in the list.
        try await workspace.succeed("recompute", "--cut", "source")
        let exported = try await workspace.export(by: "members", "--json").split(separator: "\n")
            .map { try JSONDecoder().decode(Answers.ExportedNeighbour.self, from: Data($0.utf8)) }
        let lists = Dictionary(grouping: exported) { Array($0.group.utf8) }
        let bytes = ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        for id in bytes {
            // All are equally similar, so the bytes of the ids decide.
            #expect(lists[id]?.map { Array($0.neighbour.utf8) } == bytes.filter { $0 != id })
        }
        for (id, other) in [(0, 1), (1, 0), (2, 3), (7, 0), (9, 10)].map({ (ids[$0.0], ids[$0.1]) }) {
            let why: Answers.Why = try await workspace.succeed("why", "--json", "--", id, other).json()
            let verdict = try #require(why.relations.first { $0.relation == "members" })
            #expect(verdict.common == 6 && verdict.listedRank != nil && verdict.rank == verdict.listedRank, "\(why)")
        }
    }
}
