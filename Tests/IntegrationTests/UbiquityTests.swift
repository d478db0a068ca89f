import FoundationEssentials
import Testing

@Suite("A group that everybody is in, and a member of everything", .aFewAtATime)
struct UbiquityTests {
    /// Imports the sample, with a group of all its members, and a user who is in all its groups.
    private func importCrowd(into workspace: Workspace) async throws {
        let members = try String(contentsOfFile: Checkout.sample("memberships"), encoding: .utf8).split(separator: "\n")
            .dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        let crowd = Set(members.map { $0[1] }).sorted().map { "registered-users\t\($0)\n" }
        let bot = Set(members.map { $0[0] }).sorted().map { "\($0)\tit's a bot\n" }
        try await workspace.importSample()
        let groups = "group_id\ttitle\tvisibility\nregistered-users\tAll of us\tpublic\n"
        try await workspace.succeed("import", "groups", try workspace.write(groups, to: "crowd-groups.tsv"))
        let rows = "group_id\tuser_id\n" + (crowd + bot).joined()
        try await workspace.succeed("import", "memberships", try workspace.write(rows, to: "crowd.tsv"))
    }

    @Test("Stats says what is probably a mistake, with the command that helps")
    func doubts() async throws {
        let workspace = try Workspace()
        let users = try workspace.write("user_id\nNULL\nann\n", to: "users.tsv")
        try await workspace.succeed("import", "users", users)
        let stats = try await workspace.succeed("stats").text
        #expect(
            stats.contains(
                """
                users with an id that looks like no value: 1, such as NULL; if it is none, mend the program that \
                writes it, and remove it: coterie delete user NULL
                """))
        #expect(try await workspace.succeed("stats", "--json").text.contains("coterie delete user NULL"))
    }

    @Test("The group names no interest and is no reason; stats names both, with the commands that help")
    func crowd() async throws {
        let workspace = try Workspace()
        try await importCrowd(into: workspace)
        try await workspace.succeed("recompute")
        let text = try await workspace.succeed("recommend", "laura-100", "--json", "--limit", "100").text
        #expect(text.contains("\"interests\"") && !text.contains("registered-users") && !text.contains("All of us"))
        let stats = try await workspace.succeed("stats").text
        #expect(
            stats.contains(
                """
                group registered-users has 100% of the members: it is no interest and no reason in lists; to show it \
                to nobody: coterie hide registered-users
                """))
        #expect(stats.contains(#"coterie delete user "it's a bot""#))
        try await workspace.succeed("hide", "registered-users")
        try await workspace.succeed("delete", "user", "it's a bot")
        let mended = try await workspace.succeed("stats").text
        #expect(!mended.contains("registered-users") && !mended.contains("bot"))
    }
}
