import Foundation
import Testing

/// The program's neighbours against the brute force in BruteForce/neighbours.py.
@Suite(
    "Exact neighbours", .aFewAtATime,
    .enabled(if: Checkout.tool("python3") != nil, "python3, which computes the other side, is missing"))
struct ExactnessTests {
    /// X, Y and k.
    struct Parameters: CustomTestStringConvertible {
        var minimumEntries, minimumCommon, limit: Int

        static let usual = Parameters(minimumEntries: 5, minimumCommon: 3, limit: 100)
        /// Nothing is below the thresholds, and k cuts through ties.
        static let everything = Parameters(minimumEntries: 1, minimumCommon: 1, limit: 20)

        var testDescription: String { "X \(minimumEntries), Y \(minimumCommon), k \(limit)" }

        var forRecompute: [String] {
            ["photos", "members"].flatMap {
                ["--min-\($0)", "\(minimumEntries)", "--min-common-\($0)", "\(minimumCommon)"]
            } + ["--neighbours", "\(limit)", "--measure", "cosine"]
        }

        var forBruteForce: [String] {
            ["--min-entries", "\(minimumEntries)", "--min-common", "\(minimumCommon)", "--neighbours", "\(limit)"]
        }
    }

    /// What the brute force prints if all lists are equal.
    struct Count: Decodable {
        var groups, groupsWithNeighbours, neighbours: Int
    }

    @Test("of the sample, without private groups and photos", arguments: [Parameters.usual, .everything])
    func sample(parameters: Parameters) async throws {
        try await check(
            parameters, memberships: Checkout.sample("memberships"), pools: Checkout.sample("pools"),
            entities: ["groups", "users", "photos"])
    }

    @Test("of YouTube's real memberships", .enabled(if: Checkout.hasSharedData, "../shared/data is not here"))
    func youtube() async throws {
        try await check(.usual, memberships: Checkout.sharedData("youtube/memberships.tsv"))
    }

    @Test(
        "of Meetup's real memberships", .enabled(if: Checkout.hasSharedData, "../shared/data is not here"),
        arguments: [Parameters.usual, .everything])
    func meetup(parameters: Parameters) async throws {
        try await check(parameters, memberships: Checkout.sharedData("meetup-ny/memberships.tsv"))
    }

    @Test(
        "of Steam's real memberships and of its items in pools",
        .enabled(if: Checkout.hasSharedData, "../shared/data is not here"),
        arguments: [Parameters.usual, .everything])
    func steam(parameters: Parameters) async throws {
        try await check(
            parameters, memberships: Checkout.sharedData("steam/train.tsv"),
            pools: Checkout.sharedData("steam/pools.tsv"))
    }

    @Test("differ from lists with one change")
    func tampering() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        try await workspace.succeed(["recompute"] + Parameters.usual.forRecompute)
        let lines = try await workspace.export(by: "members").split(separator: "\n").map(String.init)
        let pairs = Checkout.sample("memberships")
        let sample = ["--groups", Checkout.sample("groups")]
        func verdict(_ lines: [String]) async throws -> CommandRun {
            let file = try workspace.write(lines.joined(separator: "\n") + "\n", to: "tampered.tsv")
            return try await bruteForce(workspace, "members", pairs, .usual, sample, export: file)
        }
        #expect(try await verdict(lines).exitCode == CommandRun.ExitCode.success)
        #expect(try await verdict(Array(lines.dropLast())).exitCode == CommandRun.ExitCode.general)
        for (column, value) in [(2, "another"), (3, "0.000001"), (4, "7777")] {
            var fields = lines[100].split(separator: "\t").map(String.init)
            fields[column] = value
            var changed = lines
            changed[100] = fields.joined(separator: "\t")
            #expect(try await verdict(changed).exitCode == CommandRun.ExitCode.general)
        }
    }

    /// Imports, then recomputes and exports with every store; all must give what the brute force says.
    private func check(
        _ parameters: Parameters, memberships: String, pools: String? = nil, entities: [String] = []
    ) async throws {
        var pairs = ["members": memberships]
        pairs["photos"] = pools
        var first: [String: String] = [:]
        var catalog: Data?
        for kind in StoreKind.available {
            let workspace = try Workspace(kind)
            if let catalog {
                _ = try workspace.write(catalog, to: "catalog.sqlite")
            } else {
                for entity in entities { try await workspace.succeed("import", entity, Checkout.sample(entity)) }
                try await workspace.succeed("import", "memberships", memberships)
                if let pools { try await workspace.succeed("import", "pools", pools) }
                catalog = try Data(contentsOf: URL(fileURLWithPath: workspace.catalog))
            }
            let outcome: Answers.Recompute = try await workspace.succeed(
                ["recompute", "--json"] + parameters.forRecompute
            )
            .json()
            for (relation, file) in pairs {
                let export = try await workspace.export(by: relation)
                if let first = first[relation] {
                    #expect(export == first, "\(kind) exports other \(relation) than \(StoreKind.available[0])")
                    continue
                }
                first[relation] = export
                let hidden =
                    entities.isEmpty
                    ? [] : ["--groups", Checkout.sample("groups"), "--photos", Checkout.sample("photos")]
                let verdict = try await bruteForce(
                    workspace, relation, file, parameters, hidden, export: workspace.write(export, to: "export.tsv"))
                try #require(verdict.exitCode == CommandRun.ExitCode.success, "\(verdict.testDescription)")
                let count: Count = try verdict.json()
                let report = try #require(outcome.manifest.relations.first { $0.relation == relation })
                #expect(count.neighbours == report.neighbours && count.neighbours > 0)
                #expect(count.groupsWithNeighbours == report.groupsWithNeighbours)
            }
        }
    }

    private func bruteForce(
        _ workspace: Workspace, _ relation: String, _ pairs: String, _ parameters: Parameters, _ hidden: [String],
        export: String
    ) async throws -> CommandRun {
        try await RunningCommand(
            #require(Checkout.tool("python3")),
            [Checkout.bruteForce, "--by", relation, "--pairs", pairs] + hidden + parameters.forBruteForce + [export],
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
    }
}
