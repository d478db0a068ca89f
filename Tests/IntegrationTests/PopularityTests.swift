import Foundation
import TestSupport
import Testing

/// Communities in which popularity tells more than similarity, and evaluations that must not know the future.
@Suite(.aFewAtATime) struct PopularityTests {
    private struct Report: Decodable {
        var lists: [List]

        struct List: Decodable {
            var list: String
            var accuracy: [Accuracy]

            struct Accuracy: Decodable {
                var measures: [String: Double]
            }
        }

        func recall(_ list: String) -> Double {
            lists.first { $0.list == list }?.accuracy.first?.measures["recall"] ?? -1
        }
    }

    private struct Recomputed: Decodable {
        var manifest: Manifest

        struct Manifest: Decodable {
            var popularityWins: Bool?
        }
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Data/sample").path

    /// The sample's memberships, in which pairs of members have swapped groups.
    ///
    /// - Parameter rounds: the number of swaps for each membership; after 6, nothing but the degrees is left.
    private func shuffled(rounds: Double = 6) throws -> String {
        let file = try String(contentsOfFile: Self.folder + "/memberships.tsv", encoding: .utf8)
        var edges = file.split(separator: "\n").dropFirst().map { line in
            line.split(separator: "\t").prefix(2).map(String.init)
        }
        var known = Set(edges)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<Int(rounds * Double(edges.count)) {
            let one = Int.random(in: 0..<edges.count, using: &generator)
            let other = Int.random(in: 0..<edges.count, using: &generator)
            let swapped = [[edges[one][0], edges[other][1]], [edges[other][0], edges[one][1]]]
            guard swapped.allSatisfy({ !known.contains($0) }) else { continue }
            known.subtract([edges[one], edges[other]])
            known.formUnion(swapped)
            (edges[one], edges[other]) = (swapped[0], swapped[1])
        }
        return "group_id\tuser_id\n" + edges.map { $0.joined(separator: "\t") + "\n" }.joined()
    }

    @Test func shuffledMembershipsGetListsThatFindAsMuchAsPopularity() async throws {
        let workspace = try Workspace()
        try await workspace.succeed("import", "groups", Self.folder + "/groups.tsv")
        let file = try workspace.write(try shuffled(), to: "shuffled.tsv")
        try await workspace.succeed("import", "memberships", file)
        let report: Report = try await workspace.succeed(
            "evaluate", "--sample", "0.4", "--bootstrap", "0", "--json", "--neighbours", "50"
        ).json()
        let (popular, served) = (report.recall("popular"), report.recall("served"))
        #expect(popular > report.recall("raw") && served > popular - 0.002, "\(popular) \(served)")
    }

    /// A part of the similarity is left: with the first, both tell about as much, with the second popularity tells more.
    @Test(arguments: [0.5, 1.2]) func listsFindNearlyAsMuchAsTheBetterOfSimilarityAndPopularity(rounds: Double)
        async throws
    {
        let workspace = try Workspace()
        try await workspace.succeed("import", "groups", Self.folder + "/groups.tsv")
        let file = try workspace.write(try shuffled(rounds: rounds), to: "shuffled.tsv")
        try await workspace.succeed("import", "memberships", file)
        let report: Report = try await workspace.succeed(
            "evaluate", "--sample", "0.4", "--bootstrap", "0", "--json", "--neighbours", "50"
        ).json()
        let (popular, raw, served) = (report.recall("popular"), report.recall("raw"), report.recall("served"))
        // The set is one of the kind: popular groups are found nearly as often as any, or more often.
        #expect(popular > 0.8 * raw, "\(popular) \(raw)")
        #expect(served > 0.95 * max(popular, raw), "\(popular) \(raw) \(served)")
    }

    @Test func tuningShowsPopularityAndAdoptsNothingThatDoesNotBeatIt() async throws {
        let workspace = try Workspace()
        try await workspace.succeed("import", "groups", Self.folder + "/groups.tsv")
        let file = try workspace.write(try shuffled(), to: "shuffled.tsv")
        try await workspace.succeed("import", "memberships", file)
        let text = try await workspace.succeed("tune", "--budget", "5s").text
        #expect(
            text.contains("so the defaults stay in use") && text.contains("the most popular groups have"), "\(text)")
        #expect(try await workspace.succeed("tune", "--show").text == "not tuned: the defaults are in use\n")
    }

    @Test func theSampleIsNotServedByPopularity() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let recomputed: Recomputed = try await workspace.succeed("recompute", "--dry-run", "--json").json()
        #expect(recomputed.manifest.popularityWins == nil)
    }
}
