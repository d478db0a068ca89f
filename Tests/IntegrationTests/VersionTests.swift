import Foundation
import Testing

@Suite("Versions on the command line", .aFewAtATime)
struct VersionTests {
    @Test("Rolling back makes the previous version current, or a named one", arguments: StoreKind.available)
    func rollback(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        var exports: [String] = []
        for limit in ["100", "10", "2"] {
            try await workspace.succeed("recompute", "--neighbours", limit)
            exports.append(try await workspace.export(by: "members"))
        }
        #expect(Set(exports).count == 3)
        let models: Answers.Models = try await workspace.succeed("models", "--json").json()
        let versions = models.versions.map(\.manifest.version)
        #expect(versions.count == 3 && models.current == versions[2])
        #expect(models.versions.map(\.isCurrent) == [false, false, true])
        let advice = "until the next recompute makes its own current; to keep it longer, stop coterie-recompute.timer\n"
        #expect(try await workspace.succeed("rollback").text == "version \(versions[1]) is current \(advice)")
        #expect(try await workspace.export(by: "members") == exports[1])
        try await workspace.succeed("rollback")
        #expect(try await workspace.export(by: "members") == exports[0])
        let tooFar = try await workspace.run("rollback")
        #expect(tooFar.exitCode == CommandRun.ExitCode.badData)
        #expect(tooFar.errors.contains("no version before the current one"))
        try await workspace.succeed("rollback", versions[2])
        #expect(try await workspace.export(by: "members") == exports[2])
        #expect(try await workspace.export(by: "members", "--model", versions[0]) == exports[0])
        for name in ["20000101T000000000-00000000", "no name", "../versions"] {
            let unknown = try await workspace.run("rollback", name)
            #expect(unknown.exitCode == CommandRun.ExitCode.badData)
            #expect(unknown.errors.contains(name))
        }
        #expect(try await workspace.export(by: "members") == exports[2])
    }

    @Test("Pruning removes old versions, never the current one", arguments: StoreKind.available)
    func keeping(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        for limit in 1...3 { try await workspace.succeed("recompute", "--neighbours", "\(limit)", "--keep", "2") }
        let before: Answers.Models = try await workspace.succeed("models", "--json").json()
        #expect(before.versions.map { $0.manifest.relations[0].limit } == [2, 3])
        try await workspace.succeed("rollback")
        let outcome: Answers.Recompute = try await workspace.succeed(
            "recompute", "--neighbours", "4", "--keep", "1", "--json"
        )
        .json()
        #expect(outcome.pruned.count == 2)
        let after: Answers.Models = try await workspace.succeed("models", "--json").json()
        #expect(after.versions.map { $0.manifest.relations[0].limit } == [4])
    }

    @Test("A dry run computes everything and publishes nothing", arguments: StoreKind.available)
    func dryRun(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        let first: Answers.Recompute = try await workspace.succeed("recompute", "--dry-run", "--json").json()
        #expect(!first.isPublished)
        #expect(first.manifest.relations.allSatisfy { $0.neighbours > 0 })
        #expect(try await workspace.succeed("models", "--json").json(Answers.Models.self).versions.isEmpty)
        try await workspace.succeed("recompute")
        let current = try await workspace.succeed("models", "--json").json(Answers.Models.self).current
        #expect(try await workspace.succeed("recompute", "--dry-run").text.contains("dry run: nothing was published"))
        #expect(try await workspace.succeed("models", "--json").json(Answers.Models.self).current == current)
    }

    @Test("A relation without data is published empty, with a warning", arguments: ["photos", "members"])
    func emptyRelation(relation: String) async throws {
        let workspace = try Workspace()
        let missing = relation == "photos" ? "pools" : "memberships"
        for kind in SampleCommunity.kinds where kind != missing {
            try await workspace.succeed("import", kind, Checkout.sample(kind))
        }
        let run = try await workspace.succeed("recompute")
        #expect(run.errors.contains("warning: there are no public \(missing): \(relation) is empty"))
        #expect(try await workspace.export(by: relation) == "group\trank\tneighbour\tscore\tcommon\n")
        #expect(try await workspace.export(by: relation == "photos" ? "members" : "photos").count > 1000)
    }

    @Test("With nothing to publish, nothing is published")
    func nothing() async throws {
        let workspace = try Workspace()
        try await workspace.succeed("import", "groups", Checkout.sample("groups"))
        let bare = try await workspace.run("recompute")
        #expect(bare.exitCode == CommandRun.ExitCode.badData)
        #expect(bare.errors.contains("nothing is published"))
        try await workspace.succeed("import", "memberships", Checkout.sample("memberships"))
        try await workspace.succeed("recompute")
        let current = try await workspace.succeed("models", "--json").json(Answers.Models.self).current
        let strict = try await workspace.run("recompute", "--min-common-members", "1000000")
        #expect(strict.exitCode == CommandRun.ExitCode.badData)
        #expect(try await workspace.succeed("models", "--json").json(Answers.Models.self).current == current)
    }
}
