import Foundation
import TestSupport
import Testing

@Suite("The whole path on the sample community", .aFewAtATime)
struct WholePathTests {
    let community: SampleCommunity

    init() throws { community = try SampleCommunity() }

    @Test("Import reports its counts, and changes nothing the second time")
    func importing() async throws {
        let workspace = try Workspace()
        let rows = ["groups": 300, "users": 3000, "photos": 10_000, "memberships": 36_000, "pools": 20_000]
        for kind in SampleCommunity.kinds {
            let summary: Answers.Import = try await workspace.succeed("import", kind, Checkout.sample(kind), "--json")
                .json()
            #expect(summary.kind == kind)
            #expect(summary.rows == rows[kind] && summary.written == rows[kind], "\(summary)")
            #expect(summary.rejected == 0 && summary.rejectsFile == nil && summary.created.isEmpty)
            #expect(summary.unknownColumns.isEmpty)
        }
        for kind in SampleCommunity.kinds {
            let summary: Answers.Import = try await workspace.succeed("import", kind, Checkout.sample(kind), "--json")
                .json()
            #expect(summary.written == 0 && summary.unchanged == rows[kind], "\(summary)")
        }
    }

    @Test(
        "Recompute publishes a version whose manifest says what was counted and left out",
        arguments: StoreKind.available)
    func recomputing(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        let run = try await workspace.succeed("recompute", "--json")
        let outcome: Answers.Recompute = try run.json()
        #expect(outcome.isPublished)
        #expect(outcome.manifest.groups.included == community.publicGroups.count)
        #expect(outcome.manifest.groups.leftOutPrivate == community.privateGroups.count)
        for relation in outcome.manifest.relations {
            #expect(relation.groupsCounted + relation.groupsBelowMinimum == community.publicGroups.count)
            // Features of photos are counted from public photos in public pools.
            guard ["photos", "members"].contains(relation.relation) else { continue }
            #expect(relation.entriesOfPrivateGroups > 0)
            #expect((relation.entriesOfPrivatePhotos > 0) == (relation.relation == "photos"))
            let total = relation.entries + relation.entriesOfPrivateGroups + relation.entriesOfPrivatePhotos
            #expect(total == (relation.relation == "photos" ? 20_000 : 36_000))
        }
        #expect(outcome.steps.count > outcome.manifest.steps.count)
        #expect(outcome.steps.allSatisfy { $0.peakBytes > 1 << 20 && $0.seconds >= 0 })
        #expect(outcome.manifest.sections.allSatisfy { $0.checksum.count == 16 })
        for step in outcome.steps {
            #expect(run.errors.contains(step.name), "the report does not tell of \(step.name)")
        }
        let models: Answers.Models = try await workspace.succeed("models", "--json").json()
        #expect(models.current == outcome.manifest.version)
        #expect(models.versions.map(\.manifest.version) == [outcome.manifest.version])
    }

    @Test("Similar, why and export agree on every neighbour", arguments: StoreKind.available)
    func agreement(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        // Plain cosine: scores are what `why` counts afresh, and ranks are those of the group that has the list.
        try await workspace.succeed("recompute", "--measure", "cosine")
        for relation in ["photos", "members"] {
            let exported = try await workspace.export(by: relation, "--json").split(separator: "\n")
                .map { try JSONDecoder().decode(Answers.ExportedNeighbour.self, from: Data($0.utf8)) }
            #expect(exported.count > 1000)
            let lists = Dictionary(grouping: exported, by: \.group)
            for (group, list) in lists.sorted(by: { $0.key < $1.key }).prefix(5) {
                let similar: Answers.Similar = try await workspace.succeed(
                    "similar", group, "--by", relation, "--limit", "100", "--json"
                ).json()
                // Near-twins of better neighbours are only in the export, which has the stored list.
                let shown = Set(similar.neighbours.map(\.groupId))
                let kept = list.filter { shown.contains($0.neighbour) }
                #expect(2 * kept.count > list.count && kept.first?.neighbour == list.first?.neighbour)
                #expect(similar.neighbours.map(\.groupId) == kept.map(\.neighbour))
                #expect(similar.neighbours.map(\.rank) == Array(1...kept.count))
                #expect(similar.neighbours.map(\.common) == kept.map(\.common))
                // The nearest numbers of single precision, as the version stores them; exported are nine digits.
                #expect(
                    zip(similar.neighbours, kept).allSatisfy {
                        abs(Double($0.score) - $1.score) <= Double($0.score.ulp) / 2 + 1e-9
                    })
                let last = try #require(list.last)
                let why: Answers.Why = try await workspace.succeed("why", group, last.neighbour, "--json").json()
                let verdict = try #require(why.relations.first { $0.relation == relation })
                #expect(!why.catalogChangedSince)
                #expect(verdict.listedRank == last.rank && verdict.rank == last.rank)
                #expect(verdict.common == last.common && verdict.candidates >= list.count)
                #expect(abs(verdict.cosine - last.score) < 1e-8)
            }
        }
    }

    @Test(
        "Both stores export the same bytes: a header, then the groups by id, each with its neighbours by rank",
        .enabled(if: StoreKind.available.count == 2))
    func sameExport() async throws {
        let workspaces = try StoreKind.allCases.map(Workspace.init)
        for workspace in workspaces { try await workspace.publishSample() }
        for relation in ["photos", "members"] {
            var exports: [String] = []
            for workspace in workspaces { exports.append(try await workspace.export(by: relation)) }
            #expect(exports[0] == exports[1])
            #expect(exports[0].hasPrefix("group\trank\tneighbour\tscore\tcommon\n"))
            let rows = exports[0].split(separator: "\n").dropFirst().map { $0.split(separator: "\t") }
            let positions = try rows.map { (group: String($0[0]), rank: try #require(Int($0[1]))) }
            #expect(positions.count > 1000)
            #expect(
                zip(positions, positions.dropFirst()).allSatisfy { row, next in
                    next.group == row.group
                        ? next.rank == row.rank + 1
                        : next.rank == 1 && row.group.utf8.lexicographicallyPrecedes(next.group.utf8)
                })
        }
    }

    @Test("Why gives the rule that keeps a group out of a list")
    func reasons() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        try await workspace.succeed("recompute", "--neighbours", "3", "--min-common-photos", "4", "--cut", "source")
        let hidden = try #require(community.privateGroups.min())
        let toHidden = try await workspace.succeed("why", "macro-mondays", hidden)
        #expect(toHidden.text.contains("\(hidden) is private"))
        var reasons: Set<String> = []
        for other in community.publicGroups.prefix(40) where other != "macro-mondays" {
            let why: Answers.Why = try await workspace.succeed("why", "macro-mondays", other, "--json").json()
            for verdict in why.relations {
                let isCut = (verdict.rank ?? 0) > 3
                if isCut { #expect(verdict.reason == "rank \(verdict.rank ?? 0) of \(verdict.candidates), k is 3") }
                #expect(isCut || verdict.rank == verdict.listedRank)
                reasons.insert(verdict.reason.replacing(/\d+/) { _ in "N" })
            }
        }
        #expect(reasons.contains("N common photos, Y is N"))
        #expect(reasons.contains("rank N of N, k is N"))
        #expect(
            try await workspace.succeed("why", "macro-mondays", "macro-mondays").text.contains("not its own neighbour"))
    }

    @Test("Why warns if the catalog changed since the version")
    func staleness() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let pair = Array(community.publicGroups.prefix(2))
        #expect(try await workspace.succeed("why", pair[0], pair[1]).errors.isEmpty)
        let file = try workspace.write("group_id,user_id\n\(pair[0]),a newcomer\n", to: "more.csv")
        try await workspace.succeed("import", "memberships", file)
        let run = try await workspace.succeed("why", pair[0], pair[1])
        #expect(run.errors.hasPrefix("warning: the catalog changed since version"))
    }

    @Test(
        "Recommendations leave out joined and private groups, and name joined groups as reasons",
        arguments: StoreKind.available)
    func recommending(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        for user in community.usersByActivity.prefix(400).enumerated().filter({ $0.offset % 40 == 0 }).map(\.element) {
            let joined = try #require(community.joined[user])
            let answer: Answers.Suggestions = try await workspace.succeed("recommend", user, "--json").json()
            #expect(answer.userId == user)
            #expect(!answer.rows.isEmpty)
            #expect(answer.rows.map(\.rank) == Array(1...answer.rows.count))
            let suggested = Set(answer.rows.map(\.groupId))
            #expect(suggested.count == answer.rows.count)
            #expect(suggested.isDisjoint(with: joined) && suggested.isDisjoint(with: community.privateGroups))
            let reasons = Set(answer.rows.flatMap { $0.reasons.compactMap(\.groupId) })
            #expect(reasons.isSubset(of: joined.subtracting(community.privateGroups)))
            #expect(!reasons.isEmpty)
        }
    }

    @Test("A photo is suggested to public groups that it is not in; a private one to none")
    func photos() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let pooled = community.publicPhotos.filter { community.pools[$0] != nil }.prefix(5)
        for photo in pooled {
            let answer: Answers.Suggestions = try await workspace.succeed("photo", photo, "--json").json()
            let suggested = Set(answer.rows.map(\.groupId))
            #expect(answer.photoId == photo && !suggested.isEmpty)
            #expect(suggested.isDisjoint(with: community.pools[photo] ?? []))
            #expect(suggested.isDisjoint(with: community.privateGroups))
        }
        let hidden = try #require(community.privatePhotos.first)
        let run = try await workspace.run("photo", hidden)
        #expect(run.exitCode == CommandRun.ExitCode.badData && run.output.isEmpty)
    }

    @Test("Without a catalog, recommendations come from what was published to Redis")
    func withoutCatalog() async throws {
        try #require(TemporaryRedis.isInstalled)
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let user = community.usersByActivity[10]
        let elsewhere = ["COTERIE_CATALOG": "none"]
        let with = try await workspace.succeed("recommend", user, "--json")
        let without = try await workspace.succeed(["recommend", user, "--json"], settings: elsewhere)
        #expect(with.text == without.text)
    }
}
