import Foundation
import SQLite
import Testing

@Suite("Generated files, imported as another kind", .aFewAtATime)
struct OtherKindTests {
    @Test("Each generated file as each other kind: refused with 65, and the catalog stays as it was")
    func generated() async throws {
        let workspace = try Workspace()
        try await workspace.generate(
            "made",
            [
                "--groups", "40", "--users", "200", "--photos", "500", "--favourites", "600", "--follows", "400",
                "--posts", "600",
            ])
        let kinds = ["groups", "users", "photos", "memberships", "pools", "favourites", "follows", "posts"]
        for kind in kinds {
            let run = try await workspace.succeed("import", kind, "made/\(kind).tsv")
            #expect(!run.text.contains("columns passed over"), "\(run.testDescription)")
        }
        let before = try workspace.database().integer("SELECT value FROM catalog_state WHERE name = 'changes'")
        for named in kinds {
            for actual in kinds where actual != named {
                let run = try await workspace.run("import", named, "made/\(actual).tsv")
                #expect(run.exitCode == CommandRun.ExitCode.badData, "\(run.testDescription)")
                let says = run.errors.contains("this looks like \(actual), not \(named)")
                let lacks = run.errors.contains("column")
                #expect(says || lacks, "\(run.testDescription)")
            }
        }
        #expect(try workspace.database().integer("SELECT value FROM catalog_state WHERE name = 'changes'") == before)
        // A private group that members name stays private.
        let secret = try workspace.write("group_id,user_id,joined_at\nsecret-club,u,2025-01-01\n", to: "secret.csv")
        try await workspace.succeed("import", "memberships", secret)
        #expect(try await workspace.run("import", "groups", secret).exitCode == CommandRun.ExitCode.badData)
        let stats = try workspace.database().integer("SELECT visibility FROM groups WHERE group_id = 'secret-club'")
        #expect(stats != 0)
        try await workspace.succeed("import", "groups", secret, "--ignore", "user_id,joined_at")
    }
}
