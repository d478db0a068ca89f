import Foundation
import TestSupport
import Testing

@Suite("Lists of all members", .aFewAtATime)
struct ListExportTests {
    private static let instant = "2026-11-01T12:00:00Z"

    private struct List: Decodable {
        struct Row: Decodable, Equatable {
            var groupId: String
            var score: Double
            var origin: String
        }
        var userId: String
        var recommendations: [Row]
    }

    private func lists(_ text: String) throws -> [List] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(List.self, from: Data($0.utf8)) }
    }

    @Test("They are those of recommend, in the order of the ids, whatever the number of threads")
    func sameLists() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let one = try await workspace.succeed(
            "export", "recommendations", "--at", Self.instant, "--json", "--limit", "7", "--threads", "1"
        ).text
        let two = try await workspace.succeed(
            "export", "recommendations", "--at", Self.instant, "--json", "--limit", "7", "--threads", "2"
        ).text
        #expect(one == two)
        let lists = try lists(one)
        let ids = lists.map(\.userId)
        #expect(lists.count == 3000 && ids == ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for index in stride(from: 0, to: lists.count, by: 431) {
            let alone = try await workspace.succeed(
                "recommend", ids[index], "--at", Self.instant, "--json", "--limit", "7"
            ).text
            #expect(
                try JSONDecoder().decode(List.self, from: Data(alone.utf8)).recommendations
                    == lists[index].recommendations)
        }
        // The same as rows, for some.
        let users = try workspace.write("\(ids[5])\n\(ids[2])\n\(ids[5])\n", to: "users.txt")
        let rows = try await workspace.succeed(
            "export", "recommendations", "--at", Self.instant, "--limit", "7", "--users", users, "--reasons")
        #expect(rows.lines[0] == "user\trank\tgroup\tscore\torigin\treasons")
        let fields = rows.lines.dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        #expect(fields.map { String($0[2]) } == [2, 5].flatMap { lists[$0].recommendations.map(\.groupId) })
        #expect(fields.allSatisfy { $0.count == 6 && ($0[4] != "personal" || !$0[5].isEmpty) })
    }

    @Test("A command that was killed goes on where it was, and the file is that of one that was not")
    func killed() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let (whole, path) = (workspace.path("whole.tsv"), workspace.path("lists.tsv"))
        func arguments(_ path: String) -> [String] {
            ["export", "recommendations", "--at", Self.instant, "--threads", "1", "--output", path]
        }
        _ = try await workspace.succeed(arguments(whole))
        var kills = 0
        while !FileManager.default.fileExists(atPath: path) {
            // Each portion takes a step, which gives the note of its end a name.
            let killer = ["LD_PRELOAD": Checkout.killer, "KILLED_AT_STEP": "\(3 + kills)"]
            let run = try await workspace.start(arguments(path), settings: kills < 6 ? killer : [:]).wait()
            if run.ending == .killed(signal: SIGKILL) { kills += 1; continue }
            try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        }
        #expect(kills > 2)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: whole)))
        for suffix in [".partial", ".partial.json"] { #expect(!FileManager.default.fileExists(atPath: path + suffix)) }
    }

    @Test("A file that was begun is not gone on with if a setting, the key or the members are others")
    func otherLists() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let path = workspace.path("lists.tsv")
        let export = ["export", "recommendations", "--at", Self.instant, "--threads", "1", "--output", path]
        let killer = ["LD_PRELOAD": Checkout.killer, "KILLED_AT_STEP": "12"]
        let killed = try await workspace.start(export, settings: killer).wait()
        try #require(killed.ending == .killed(signal: SIGKILL), "\(killed.testDescription)")
        let begun = workspace.content(of: "lists.tsv.partial")
        try #require(begun?.isEmpty == false)
        let file = try workspace.write("lists:\n  ceiling: 0.05\n", to: "lists.yaml")
        let others = [
            ["--ceiling", "0.05"], ["--weight-photos", "2"], ["--groups-to-half", "50"], ["--variety", "2"],
            ["--rotation-key", String(repeating: "1", count: 32)], ["--config", file],
        ]
        for other in others {
            let run = try await workspace.start(export + other).wait()
            #expect(run.exitCode == CommandRun.ExitCode.badData, "\(run.testDescription)")
            #expect(run.errors.contains("with other options"), "\(run.testDescription)")
        }
        for decision in [["curate", "add", "faces"], ["delete", "user", "laura-100"]] {
            for end in [".partial", ".partial.json"] { try FileManager.default.removeItem(atPath: path + end) }
            let run = try await workspace.start(export, settings: killer).wait()
            #expect(run.ending == .killed(signal: SIGKILL), "\(run.testDescription)")
            _ = try await workspace.succeed(decision)
            let after = try await workspace.start(export).wait()
            #expect(after.errors.contains("before the site decided something"), "\(after.testDescription)")
        }
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("Files of lists, neighbours and tables are for their owner alone, and no link is followed")
    func ownFiles() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let files = FileManager.default
        let users = try workspace.write("laura-100\n", to: "users.txt")
        let path = workspace.path("lists.tsv")
        let export = ["export", "recommendations", "--users", users, "--output", path]
        // A file of this user's that everybody may read is made private, and gone on with.
        _ = try workspace.write("left by a killed command", to: "lists.tsv.partial")
        try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path + ".partial")
        try await workspace.succeed(export)
        #expect(try mode(path) == 0o600 && workspace.content(of: "lists.tsv")?.contains("left by") == false)
        // Links, other names of a file, and pipes are refused, and left as they are.
        let other = try workspace.write("precious", to: "other")
        for kind in ["link", "name", "pipe"] {
            switch kind {
            case "link": try files.createSymbolicLink(atPath: path + ".partial", withDestinationPath: other)
            case "name": try files.linkItem(atPath: other, toPath: path + ".partial")
            default:
                let made = unsafe mkfifo(path + ".partial", 0o666)
                try #require(made == 0)
            }
            let run = try await workspace.start(export).wait()
            let advice = kind == "pipe" ? ": it is a pipe: name another file" : "remove it"
            #expect(run.exitCode == 1 && run.errors.contains(advice), "\(run.testDescription)")
            #expect(workspace.content(of: "other") == "precious")
            try files.removeItem(atPath: path + ".partial")
        }
        let tables = workspace.path("tables")
        try files.createDirectory(atPath: tables, withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: tables + "/users-00000.table", withDestinationPath: other)
        let refused = try await workspace.run("export", "tables", "--output", tables)
        #expect(refused.exitCode == 1 && refused.errors.contains("it is a link"), "\(refused.testDescription)")
        try files.removeItem(atPath: tables + "/users-00000.table")
        try await workspace.succeed("export", "tables", "--output", tables)
        for name in try files.contentsOfDirectory(atPath: tables) { #expect(try mode("\(tables)/\(name)") == 0o600) }
        #expect(workspace.content(of: "other") == "precious")
        let neighbours = workspace.path("neighbours.tsv")
        try await workspace.succeed("export", "neighbours", "--by", "members", "--output", neighbours)
        #expect(try mode(neighbours) == 0o600)
        // A backup is written in the same way.
        try files.createSymbolicLink(atPath: workspace.path("site.tar.backup-partial"), withDestinationPath: other)
        let backup = try await workspace.run("backup", "site.tar")
        #expect(backup.exitCode == 1 && backup.errors.contains("remove it"), "\(backup.testDescription)")
        #expect(workspace.content(of: "other") == "precious")
    }

    @Test("A link at the place of an output is refused by every command, and stays")
    func linkedPlaces() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let other = try workspace.write("precious", to: "other")
        let users = try workspace.write("laura-100\n", to: "users.txt")
        let link = workspace.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
        for words in [
            ["backup", "--replace"], ["forget", "--ledger"], ["export", "member", "laura-100", "--output"],
            ["export", "neighbours", "--by", "members", "--output"],
            ["export", "recommendations", "--users", users, "--output"],
        ] {
            let run = try await workspace.start(words + [link]).wait()
            #expect(run.exitCode == 1 && run.errors.contains("remove it"), "\(run.testDescription)")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == other)
        }
        #expect(workspace.content(of: "other") == "precious")
        // A list of ids is not replaced by what is made from it.
        let own = try await workspace.run("export", "recommendations", "--users", users, "--output", users)
        #expect(own.exitCode == CommandRun.ExitCode.usage, "\(own.testDescription)")
        #expect(own.errors.contains("--output and --users name one file"), "\(own.testDescription)")
        #expect(workspace.content(of: "users.txt") == "laura-100\n")
    }

    @Test("An output that belongs to the site is refused before anything is done")
    func places() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("hide", "feathers")
        let member = ["export", "member", "laura-100", "--output"]
        let users = try workspace.write("user_id\nu1\n,\n", to: "users.csv")
        let current = workspace.content(of: "models/current")
        try FileManager.default.createSymbolicLink(
            atPath: workspace.path("link"), withDestinationPath: workspace.path("models"))
        let outputs = [
            "models/current", "models/versions/list.tsv", "link/site.json", "catalog.sqlite",
            "catalog.sqlite-wal", "catalog.sqlite-log", "catalog.sqlite-log-shm", "catalog.sqlite-sessions-journal",
        ]
        for words in [
            member, ["backup"], ["forget", "--ledger"], ["recompute", "--metrics"], ["check", "--metrics"],
            ["import", "users", users, "--rejects"], ["serve", "--record"],
        ] {
            for output in outputs {
                let run = try await workspace.start(words + [workspace.path(output)]).wait()
                #expect(run.exitCode == CommandRun.ExitCode.usage, "\(run.testDescription)")
                #expect(run.errors.contains("belongs to the"), "\(run.testDescription)")
            }
        }
        #expect(workspace.content(of: "models/current") == current)
        try await workspace.succeed(member + [workspace.path("catalog.sqlite-member.json")])
    }

    @Test("A file that was begun with other options is not gone on with, and users who are unknown are told")
    func refusals() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let path = workspace.path("lists.tsv")
        try #"{"content":{"version":"x"},"byteCount":0}"#.write(
            toFile: path + ".partial.json", atomically: true, encoding: .utf8)
        let other = try await workspace.run("export", "recommendations", "--output", path)
        #expect(other.exitCode == CommandRun.ExitCode.badData && other.errors.contains("begun from another version"))
        let all = try workspace.write("laura-100\nnobody\nlaura-101 \nan\u{200B}n\n", to: "all.txt")
        let several = try await workspace.run("export", "recommendations", "--users", all)
        #expect(
            several.errors.contains(#"3 users are unknown: "an\u{200B}n", "laura-101 ", "nobody"; the others"#),
            "\(several.errors)")
        let many = try workspace.write((0..<50).map { "no-\($0 + 10)\n" }.joined(), to: "many.txt")
        let first = try await workspace.run("export", "recommendations", "--users", many)
        #expect(first.errors.contains(#"50 users are unknown: "no-10", "no-11", "#), "\(first.errors)")
        #expect(first.errors.contains(#""no-19", …; "#), "\(first.errors)")
        let users = try workspace.write("laura-100\nnobody\n", to: "users.txt")
        let unknown = try await workspace.run("export", "recommendations", "--users", users, "--json")
        #expect(unknown.exitCode == CommandRun.ExitCode.badData)
        #expect(unknown.errors.contains("1 user is unknown: \"nobody\""))
        #expect(unknown.lines.count == 1)
        let mistaken = try await workspace.run("export", "recommendations", "--by", "photos")
        #expect(mistaken.exitCode == CommandRun.ExitCode.usage)
    }
}
