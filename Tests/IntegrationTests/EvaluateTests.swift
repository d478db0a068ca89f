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
            var ndcgDifference: Double
            var ndcgDifferenceInterval: [Double]?
            var figures: [String: Double]
        }
        var members, membersTested, groups: Int
        var lists: [List]
    }

    private static let lists = ["popular", "cosine", "raw", "blend", "filters", "diversity", "rotation", "served"]

    /// Divides the sample's memberships, and keeps a group away from what is learned.
    private func divide(in workspace: Workspace) throws -> (train: String, test: String) {
        let rows = try String(contentsOfFile: Checkout.sample("memberships"), encoding: .utf8).split(separator: "\n")
        var train = [String(rows[0])], test = [String(rows[0])]
        for (index, row) in rows.dropFirst().prefix(6000).enumerated() {
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
        // Variety and rotation may cost a little.
        #expect(served > 0.9 * popular, "\(recall)")
    }

    @Test(
        "What makes no sense is refused",
        arguments: [
            ["--hold-out", "2"], ["--hold-out", "after:never"], ["--lengths", "20,0"], ["--lengths", "5,5"],
            ["one.tsv"],
            ["--pools", "pools.tsv"], ["--sample", "0"], ["one.tsv", "two.tsv", "--photos"],
        ])
    func refused(arguments: [String]) async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        #expect(try await workspace.start(["evaluate"] + arguments).wait().exitCode == CommandRun.ExitCode.usage)
    }
}
