import Foundation
import TestSupport
import Testing

@Suite("Measuring lists", .aFewAtATime)
struct EvaluateTests {
    private struct Report: Decodable {
        struct List: Decodable {
            struct Accuracy: Decodable {
                var at: Int
                var measures: [String: Double]
            }
            var list: String
            var accuracy: [Accuracy]
            var recallInterval, ndcgInterval: [Double]?
            var recallDifference, ndcgDifference: Double
            var recallDifferenceInterval, ndcgDifferenceInterval: [Double]?
            var figures: [String: Double]
        }
        var members, membersTested, groups: Int
        var against: String
        var lists: [List]
    }

    private static let lists = ["popular", "cosine", "raw", "blend", "filters", "diversity", "rotation", "served"]

    /// Divides the sample's memberships, and keeps a group away from what is learned.
    private func divide(in workspace: Workspace, rows count: Int = 6000) throws -> (train: String, test: String) {
        let rows = try String(contentsOfFile: Checkout.sample("memberships"), encoding: .utf8).split(separator: "\n")
        var train = [String(rows[0])], test = [String(rows[0])]
        for (index, row) in rows.dropFirst().prefix(count).enumerated() {
            if index.isMultiple(of: 6) || row.hasPrefix("macro-mondays\t") {
                test.append(String(row))
            } else {
                train.append(String(row))
            }
        }
        return (
            try workspace.write(train.joined(separator: "\n") + "\n", to: "train.tsv"),
            try workspace.write(test.joined(separator: "\n") + "\n", to: "test.tsv")
        )
    }

    @Test(
        "Two files: every list has the accuracy that an independent script finds in the lists themselves",
        .enabled(if: Checkout.tool("python3") != nil, "python3, which computes the other side, is missing"))
    func twoFiles() async throws {
        let workspace = try Workspace()
        let (train, test) = try divide(in: workspace)
        let file = workspace.path("lists.tsv")
        let report: Report = try await workspace.succeed(
            "evaluate", train, test, "--pools", Checkout.sample("pools"), "--lengths", "20,5", "--lists", file,
            "--bootstrap", "20", "--json"
        ).json()
        #expect(report.lists.map(\.list) == Self.lists)
        let run = try await RunningCommand(
            #require(Checkout.tool("python3")), [Checkout.accuracyScript, train, test, file, "20", "5"],
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        let expected: [String: [String: [String: Double]]] = try run.json()
        for list in report.lists {
            #expect(list.accuracy.map(\.at) == [20, 5])
            for accuracy in list.accuracy {
                let theirs = try #require(expected[list.list]?[String(accuracy.at)])
                #expect(Set(accuracy.measures.keys) == Set(theirs.keys))
                for (measure, value) in theirs {
                    let ours = try #require(accuracy.measures[measure])
                    #expect(abs(ours - value) < 5e-5, "\(list.list), \(measure) at \(accuracy.at)")
                    #expect((0...1).contains(ours))
                }
            }
        }
        let served = try #require(report.lists.last)
        let recall = try #require(served.accuracy.first?.measures["recall"])
        #expect(recall > 0)
        for (interval, value) in [
            (served.recallInterval, recall), (served.ndcgInterval, served.accuracy.first?.measures["ndcg"]),
            (served.ndcgDifferenceInterval, served.ndcgDifference),
        ] as [([Double]?, Double?)] {
            let (interval, value) = (try #require(interval), try #require(value))
            #expect(interval[0] <= value && value <= interval[1])
        }
    }

    @Test("Two settings are compared member by member, through a file of lists")
    func baseline() async throws {
        let workspace = try Workspace()
        let (train, test) = try divide(in: workspace, rows: 600)
        let before = workspace.path("before.tsv")
        let common = ["evaluate", train, test, "--bootstrap", "200", "--at", "2026-11-01T12:00:00Z", "--json"]
        func report(_ options: String...) async throws -> Report {
            try await workspace.succeed(common + options).json()
        }
        let first = try await report("--lists", before)
        let same = try await report("--baseline", before)
        #expect(same.lists.allSatisfy { abs($0.recallDifference) < 1e-12 && abs($0.ndcgDifference) < 1e-12 })
        // The file has all lists of 20 groups in full, so that what differs is what the settings do.
        let changed = try await report("--baseline", before, "--degree-discount", "0", "--neighbours", "3")
        #expect(changed.against == "baseline")
        for (now, then) in zip(changed.lists, first.lists) {
            let difference = try recall(now) - recall(then)
            #expect(abs(now.recallDifference - difference) < 1e-9, "\(now.list)")
            let interval = try #require(now.recallDifferenceInterval)
            #expect(interval[0] <= difference && difference <= interval[1])
        }
        #expect(changed.lists.contains { $0.list == "raw" && $0.recallDifference != 0 })
        // One list alone is what all are compared with.
        let lines = try #require(workspace.content(of: "before.tsv")).split(separator: "\n")
        let header = try #require(lines.first)
        let popular = lines.filter { $0.hasPrefix("popular\t") }.map { "mine" + $0.dropFirst("popular".count) }
        let alone = try workspace.write(([String(header)] + popular).joined(separator: "\n"), to: "mine.tsv")
        let all = try await report("--baseline", alone)
        for (now, then) in zip(all.lists, first.lists) {
            #expect(try abs(now.recallDifference - (recall(then) - recall(first.lists[0]))) < 1e-9)
        }
        let (head, one, two) = (String(lines[0]), String(lines[1]), String(lines[2]))
        let faults: [(lines: [String], message: String)] = [
            (["served\t0\tnobody-here\t1\tmacro"], "line 2: user \"nobody-here\" is not measured here"),
            ([one, one], "is there twice, first in line 2"),
            ([two], "line 2: rank 2 does not follow"),
            ([one, one.replacing("popular", with: "raw")], "lacks lists: cosine"),
            (["served\tx\tann\t1\tmacro"], "line 2: bucket must be a number"),
            ([one], "has no list of"),
        ]
        for (lines, message) in faults {
            let wrong = try workspace.write(([head] + lines).joined(separator: "\n"), to: "wrong.tsv")
            let run = try await workspace.start(common + ["--baseline", wrong]).wait()
            #expect(run.exitCode == CommandRun.ExitCode.badData)
            #expect(run.errors.contains(message), "\(run.testDescription)")
        }
    }

    @Test(
        "A file to compare with that is wrong is refused before anything is learned",
        arguments: [
            (nil, "cannot read"), ("", "its first line must name the columns"),
            ("list\tbucket\tuser_id\trank\tgroup_id\nserved\t64\tann\t1\tmacro\n", "line 2: bucket must be"),
            (
                "list\tbucket\tuser_id\trank\tgroup_id\nmine\t0\tann\t1\tmacro\nmine\t0\tann\t1\tmacro\n",
                "line 3: list mine, bucket 0, of user \"ann\" is there twice, first in line 2: remove one of them"
            ),
        ])
    func refusedBaseline(content: String?, message: String) async throws {
        let workspace = try Workspace()
        let file = try content.map { try workspace.write($0, to: "before.tsv") } ?? workspace.path("none.tsv")
        // There is no catalog to learn from: whoever came as far as to look for it would say so.
        let run = try await workspace.start(["evaluate", "--baseline", file]).wait()
        let exitCode = content == nil ? CommandRun.ExitCode.general : CommandRun.ExitCode.badData
        #expect(run.exitCode == exitCode && run.errors.contains(message), "\(run.testDescription)")
        #expect(!run.errors.contains(workspace.catalog), "\(run.testDescription)")
    }

    private func recall(_ list: Report.List) throws -> Double {
        try #require(list.accuracy.first?.measures["recall"])
    }

    @Test("The sample's lists are fresh for nearly everyone, and a join or a dismissal moves little")
    func freshAndStable() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let report: Report = try await workspace.succeed(
            "evaluate", "--sample", "0.05", "--bootstrap", "0", "--json", "--neighbours", "50"
        ).json()
        let served = try #require(report.lists.last)
        #expect(try #require(served.figures["frozen"]) <= 0.05)
        #expect(try #require(served.figures["stability"]) >= 0.9)
        #expect(try #require(served.figures["nearDuplicates"]) == 0)
    }

    @Test("Of the catalog: a part, the last or what came later is held out, and the catalog stays as it is")
    func catalog() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let before = try Data(contentsOf: URL(fileURLWithPath: workspace.catalog))
        for rule in ["0.2", "last", "after:2025-06-01"] {
            let run = try await workspace.succeed(
                "evaluate", "--hold-out", rule, "--sample", "0.05", "--bootstrap", "0", "--csv", "--neighbours", "20")
            let lines = run.text.split(separator: "\n").map { $0.split(separator: ",") }
            #expect(
                lines.dropFirst().map { String($0[0]) } == Self.lists && lines.allSatisfy { $0.count == lines[0].count }
            )
            #expect(run.errors.contains("memberships held out"))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: workspace.catalog)) == before)
    }

    private struct PhotoReport: Decodable {
        struct List: Decodable {
            var list: String
            var accuracy: [Report.List.Accuracy]
        }
        var photos: Int
        var lists: [List]
    }

    @Test("Photos: what is served finds pool entries at least as well as the best of three plain lists, but for chance")
    func photos() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let report: PhotoReport = try await workspace.succeed(
            "evaluate", "--photos", "--lengths", "10", "--sample", "0.3", "--bootstrap", "0", "--json"
        ).json()
        #expect(report.photos > 500 && report.lists.map(\.list) == ["popular", "counts", "cosine", "served"])
        let hits = report.lists.map { $0.accuracy[0].measures["hitRate"] ?? 0 }
        #expect(try #require(hits.last) >= (hits.dropLast().max() ?? 0) - 0.005)
    }

    private struct DiscoveryReport: Decodable {
        struct List: Decodable {
            struct Figures: Decodable { var measures: [String: Double] }
            var list: String
            var accuracy: [Figures]
        }
        var members: Int
        var lists: [List]
    }

    @Test(
        "Photos and contacts find what is held out better than popular ones and item-based filtering, each time alike")
    func discoveries() async throws {
        let workspace = try Workspace()
        let sizes = [
            "--groups", "200", "--users", "1000", "--photos", "3000", "--memberships", "15000", "--pools", "7500",
        ]
        try await workspace.generate("made", ["--favourites", "15000", "--follows", "10000"] + sizes)
        for kind in ["groups", "users", "photos", "memberships", "pools", "favourites", "follows"] {
            try await workspace.succeed("import", kind, workspace.path("made") + "/\(kind).tsv")
        }
        let unlisted = try await workspace.start(["evaluate", "--find", "contacts"]).wait()
        #expect(unlisted.exitCode == CommandRun.ExitCode.badData && unlisted.errors.contains("listed"))
        let users = try CatalogContent.texts("SELECT user_id FROM users", workspace.catalog)
        let listed = try workspace.write("user_id,listed\n" + users.map { "\($0),yes\n" }.joined(), to: "listed.csv")
        try await workspace.succeed("import", "users", listed)
        for what in ["photos", "contacts"] {
            let command = ["evaluate", "--find", what, "--bootstrap", "0", "--json", "--at", "2026-11-01T12:00:00Z"]
            let run = try await workspace.succeed(command)
            let report: DiscoveryReport = try run.json()
            #expect(report.members > 200 && report.lists.map(\.list) == ["popular", "items", "raw", "served"])
            let recall = report.lists.map { $0.accuracy[0].measures["recall"] ?? 0 }
            #expect(recall[3] > 1.1 * max(recall[0], recall[1]), "\(what) \(recall)")
            #expect(try await workspace.succeed(command).output == run.output)
        }
    }

    /// Members of 3 to 12 groups each, which are drawn in proportion to 1, 1/2, 1/3 and so on.
    private static func hubs(groups: Int, users: Int, seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: seed)
        return (0..<users).flatMap { user in
            // The largest keys of an exponential race (Efraimidis and Spirakis 2006).
            let keys = (1...groups).map { log(Double.random(in: 1e-9..<1, using: &generator)) * Double($0) }
            let drawn = keys.indices.sorted { keys[$0] > keys[$1] }.prefix(Int.random(in: 3...12, using: &generator))
            return drawn.map { "g\($0)\tu\(user)" }
        }.shuffled(using: &generator)
    }

    @Test("Where a few groups have most of the members, lists are as good as popularity, and better than cosines")
    func hubs() async throws {
        let workspace = try Workspace()
        let rows = Self.hubs(groups: 300, users: 600, seed: 7)
        let header = ["group_id\tuser_id"]
        let train = try workspace.write(
            (header + rows.dropFirst(rows.count / 5)).joined(separator: "\n") + "\n", to: "a.tsv")
        let test = try workspace.write(
            (header + rows.prefix(rows.count / 5)).joined(separator: "\n") + "\n", to: "b.tsv")
        let report: Report = try await workspace.succeed(
            "evaluate", train, test, "--sample", "0.3", "--lengths", "20", "--bootstrap", "0", "--json"
        ).json()
        let recall = report.lists.reduce(into: [String: Double]()) { $0[$1.list] = $1.accuracy[0].measures["recall"] }
        let (popular, cosine) = (try #require(recall["popular"]), try #require(recall["cosine"]))
        let (blend, served) = (try #require(recall["blend"]), try #require(recall["served"]))
        #expect(blend > popular - 0.01 && cosine < popular - 0.02, "\(recall)")
        #expect(served > popular - 0.005, "\(recall)")
    }

    @Test(
        "What makes no sense is refused",
        arguments: [
            ["--hold-out", "2"], ["--hold-out", "after:never"], ["--lengths", "20,0"], ["--lengths", "5,5"],
            ["one.tsv"],
            ["--pools", "pools.tsv"], ["--sample", "0"], ["one.tsv", "two.tsv", "--photos"],
            ["--photos", "--baseline", "before.tsv"], ["--photos", "--lists", "lists.tsv"],
            ["--photos", "--against", "raw"], ["--find", "groups"], ["one.tsv", "two.tsv", "--find", "photos"],
            ["--find", "photos", "--photos"], ["--find", "contacts", "--lists", "lists.tsv"],
            ["--find", "photos", "--csv"],
        ])
    func refused(arguments: [String]) async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        #expect(try await workspace.start(["evaluate"] + arguments).wait().exitCode == CommandRun.ExitCode.usage)
    }
}
