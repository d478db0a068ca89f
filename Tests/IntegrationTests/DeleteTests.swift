import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Deleting and forgetting", .aFewAtATime)
struct DeleteTests {
    @Test("What is deleted is gone; unknown ids are named, and the exit code tells")
    func deleting() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let file = try workspace.write("group_id;user_id\nfaces;laura-100\n", to: "pairs.csv")
        let pair = try await workspace.succeed("delete", "membership", "--from", file)
        #expect(pair.text.hasPrefix("1 memberships removed"), "\(pair.testDescription)")
        let run = try await workspace.run("delete", "group", "macro-mondays", "no-such-group", "--json")
        #expect(run.exitCode == CommandRun.ExitCode.badData && run.errors.contains("no-such-group"))
        #expect(run.text.contains("\"removed\" : 1"), "\(run.testDescription)")
        #expect(try workspace.database().integer("SELECT count(*) FROM groups WHERE group_id = 'macro-mondays'") == 0)
        for words in [["delete", "groop", "x"], ["delete", "pool", "g"], ["delete", "user"], ["forget"]] {
            let wrong = try await workspace.start(words).wait()
            #expect(wrong.exitCode == 64, "\(wrong.testDescription)")
        }
    }

    @Test("A daemon forgets a member at once; what is left is told, and nothing brings the member back")
    func forgetting() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { !$0.degraded }
        let target = "/v1/users/laura-100/recommendations?limit=3"
        #expect(try daemon.get(target).status == 200)
        let before = try await workspace.run("forget", "laura-100", "--check")
        #expect(before.exitCode == 1 && before.text.contains("catalog, memberships"), "\(before.testDescription)")
        #expect(before.text.contains("sessions: 1"), "\(before.testDescription)")
        let run = try await workspace.succeed("forget", "laura-100")
        #expect(run.text.contains("1 members forgotten") && run.text.contains("1 lists of sessions"))
        #expect(await RunningDaemon.poll { (try? daemon.get(target).status) == 404 })
        let after = try await workspace.succeed("forget", "laura-100", "--check")
        #expect(after.text.contains("nothing is left"), "\(after.testDescription)")
        let again = try await workspace.succeed("import", "memberships", Checkout.sample("memberships"))
        #expect(again.text.contains("of forgotten members"), "\(again.testDescription)")
        #expect(try daemon.get(target).status == 404)
        let ledger = workspace.path("ledger.txt")
        try await workspace.succeed("forget", "--ledger", ledger)
        try await workspace.succeed("import", "memberships", Checkout.sample("memberships"), "--readmit")
        #expect(await RunningDaemon.poll { (try? daemon.get(target).status) == 200 })
        // An earlier ledger does not undo the return; the same one in a catalog without it forgets the member.
        #expect(try await workspace.succeed("forget", "--merge", ledger).text.hasPrefix("0 members forgotten"))
        #expect(try daemon.get(target).status == 200)
        _ = await daemon.end()
    }

    @Test("All that is kept of a member is exported: the catalog, journals, lists of sessions and versions")
    func exporting() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        try await workspace.succeed("recompute", "--members")
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { !$0.degraded }
        #expect(try daemon.get("/v1/users/laura-100/recommendations?limit=3").status == 200)
        _ = await daemon.end()
        let file = workspace.path("laura.jsonl")
        try await workspace.succeed("export", "member", "laura-100", "-o", file)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let places = text.split(separator: "\n").compactMap {
            $0.firstMatch(of: /^{"place":"(catalog, users|sessions|version)/)?.1
        }
        #expect(places == ["catalog, users", "sessions", "version"], "\(text)")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        try await workspace.succeed("forget", "laura-100")
        let left = try await workspace.succeed("export", "member", "laura-100")
        #expect(left.text.contains("\"catalog, ledger\"") && !left.text.contains("catalog, users"), "\(left.text)")
        let nobody = try await workspace.run("export", "member", "nobody-at-all")
        #expect(nobody.exitCode == 65 && nobody.errors.contains("there is no user \"nobody-at-all\""))
    }

    @Test("A file renames with the guards of a removal; unknown ids are named, and the others are renamed")
    func renamingFromFile() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let refused = [
            ("group_id,user_id\nfaces,laura-100\n", "no column \"old_id\""), ("old_id,new_id\n", "no row"),
            ("old_id,new_id,joined_at\nfaces,f2,2026\n", "--ignore joined_at"),
            ("old_id,new_id\nfaces,f2\nfaces,f3\n", "two renamings"),
            ("old_id,new_id\nfaces,f2\nf2,f3\n", "two renamings"),
            (
                "old_id,new_id\n" + (2..<400).map { "\(Self.users[$0]),\(Self.users[0])\n" }.joined(),
                "--allow-shrinking"
            ),
            ("old_id,new_id\n" + Self.users.map { "\($0),NULL\n" }.joined(), "would remove 399 of 3000 users"),
        ]
        for (text, words) in refused {
            let file = try workspace.write(text, to: "refused.csv")
            let run = try await workspace.run("rename", text.contains("faces") ? "group" : "user", "--from", file)
            #expect(run.exitCode == 65 && run.errors.contains(words), "\(run.testDescription)")
        }
        // The catalog has the new id of the second row only since the first one.
        let several = try workspace.write(
            "old_id,new_id\n" + Self.users.prefix(2).map { "\($0),0\n" }.joined(), to: "several.csv")
        let merging = try await workspace.run("rename", "user", "--from", several, "--dry-run")
        #expect(
            merging.text.hasPrefix("users: 1 renamed, 1 merged, 0 unchanged; dry run"), "\(merging.testDescription)")
        #expect(merging.errors.contains(#"2 of the new ids look like no value"#), "\(merging.testDescription)")
        let file = try workspace.write("old_id,new_id\nfaces,f2\nfaces,f2\nnowhere,f3\n", to: "renamed.csv")
        let trial = try await workspace.run("rename", "group", "--from", file, "--dry-run")
        #expect(
            trial.text.hasPrefix("groups: 1 renamed, 0 merged, 0 unchanged; 1 named again; dry run"), "\(trial.text)")
        let run = try await workspace.run("rename", "group", "--from", file)
        #expect(run.exitCode == 65 && run.errors.contains("no group \"nowhere\""), "\(run.testDescription)")
        #expect(try workspace.database().integer("SELECT count(*) FROM groups WHERE group_id IN ('f2', 'faces')") == 1)
    }

    @Test("A file of another kind, a list that is a table, and a large share change nothing")
    func guards() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let sql = "SELECT value FROM catalog_state WHERE name = 'changes'"
        let before = try workspace.database().integer(sql)
        let ended = try workspace.write("group_id,user_id\nfaces,laura-100\n", to: "ended.csv")
        let many = try workspace.write("user_id\n" + Self.users.joined(separator: "\n") + "\n", to: "many.csv")
        let list = try workspace.write(Self.users.joined(separator: "\n") + "\n", to: "list.txt")
        let refused: [(words: [String], message: String)] = [
            (["delete", "user", "--from", Checkout.sample("memberships")], "delete membership"),
            (["delete", "photo", "--from", Checkout.sample("pools")], "delete pool"),
            (["delete", "group", "--from", ended], "delete membership"),
            (["delete", "user", "--from", many], "--allow-shrinking"),
            (["forget", "--users", list], "--allow-shrinking"), (["forget", "--users", many], "line 1"),
            (["forget", "--users", Checkout.sample("memberships")], "line 1"),
            (["recommend", "--users", many], "line 1"),
            (["delete", "user", "--from", many, "--dry-run"], "--allow-shrinking"),
        ]
        for (words, message) in refused {
            let run = try await workspace.start(words).wait()
            #expect(run.exitCode == CommandRun.ExitCode.badData, "\(run.testDescription)")
            #expect(run.errors.contains(message), "\(run.testDescription)")
        }
        let dry = try await workspace.run("delete", "user", "--from", many, "--dry-run", "--allow-shrinking")
        #expect(dry.exitCode == 0 && dry.text.contains("400 users removed; with them"), "\(dry.testDescription)")
        let forget = try await workspace.run("forget", "--users", list, "--dry-run", "--allow-shrinking")
        #expect(forget.exitCode == 0 && forget.text.contains("400 members forgotten"), "\(forget.testDescription)")
        let rename = try await workspace.succeed("rename", "group", "faces", "faces-2", "--dry-run")
        #expect(rename.text.contains("faces is faces-2 now; dry run"), "\(rename.testDescription)")
        #expect(try workspace.database().integer(sql) == before)
        try await workspace.succeed("delete", "user", "--from", many, "--allow-shrinking")
        #expect(try workspace.database().integer("SELECT count(*) FROM users") == 2600)
    }

    /// The ids of 400 of the 3,000 users of the sample.
    private static let users: [String] =
        ((try? SampleCommunity.rows("users", ["user_id"])) ?? []).prefix(400).map { $0[0] }

    @Test(
        "Who is forgotten stays so whatever is deleted; the ledger is no list of ids",
        arguments: StoreKind.available)
    func forgotten(store: StoreKind) async throws {
        let workspace = try Workspace(store)
        try await workspace.publishSample()
        try await workspace.succeed("forget", "laura-100")
        let ledger = workspace.path("ledger.txt")
        try await workspace.succeed("forget", "--ledger", ledger)
        let table = try await workspace.run("forget", "--users", ledger)
        #expect(table.exitCode == 65 && table.errors.contains("coterie forget --merge"), "\(table.testDescription)")
        let nobody = try await workspace.run("forget", "nobody-at-all", "laura-100", "laura-100")
        #expect(nobody.exitCode == 65 && nobody.errors.contains("\"nobody-at-all\""), "\(nobody.testDescription)")
        #expect(
            nobody.errors.contains("come again") && !nobody.errors.contains("laura-100"), "\(nobody.testDescription)")
        let undo = try await workspace.run("forget", "nobody-at-all", "nobody", "--undo")
        #expect(undo.exitCode == 65 && undo.errors.contains("\"nobody\""), "\(undo.testDescription)")
        let before = try await workspace.run("forget", "laura-100", "--check").text
        for words in [
            ["delete", "favourite", "laura-100", "p-17"], ["delete", "follow", "rebecca-2r5", "laura-100"],
            ["delete", "membership", "faces", "laura-100"], ["delete", "user", "laura-100"],
            ["delete", "post", "faces", "laura-100"], ["rename", "user", "laura-100", "laura-2"],
            ["rename", "user", "rebecca-2r5", "laura-100"],
        ] {
            let run = try await workspace.start(words).wait()
            #expect(run.exitCode == CommandRun.ExitCode.badData, "\(run.testDescription)")
        }
        let check = try await workspace.run("forget", "laura-100", "--check")
        #expect(check.text == before, "\(check.testDescription)")
    }
}
