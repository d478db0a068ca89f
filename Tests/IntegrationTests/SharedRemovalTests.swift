import Foundation
import Redis
import SQLite
import TestSupport
import Testing

@Suite(
    "Removals on daemons that share a Redis", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct SharedRemovalTests {
    private static let user = "laura-100"
    private static let list = "/v1/users/\(user)/recommendations?limit=50"

    private func status(_ daemon: RunningDaemon, _ method: String, _ target: String, json: String? = nil) -> Int? {
        SocketClient(port: daemon.port)?.request(method, target, json: json)?.status
    }

    /// Two daemons without a catalog that serve the current version.
    private func daemons(on workspace: Workspace) async throws -> [RunningDaemon] {
        let version = try await workspace.currentVersion()
        let daemons = [
            try await RunningDaemon.withoutCatalog(workspace, "a"),
            try await RunningDaemon.withoutCatalog(workspace, "b"),
        ]
        for daemon in daemons { try await daemon.wait(forVersion: version) }
        return daemons
    }

    /// Whether any file of the daemons' journals has a text.
    private func journalsHave(_ text: String, _ workspace: Workspace) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: workspace.folder)
            .filter { $0.hasPrefix("journal-") }
            .contains { name in
                try Data(contentsOf: URL(fileURLWithPath: workspace.path(name))).range(of: Data(text.utf8)) != nil
            }
    }

    @Test("A member forgotten on one daemon is hidden on all, in older versions too, and stays away")
    func forgottenOverHTTP() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let first = try await workspace.currentVersion()
        let one = try await RunningDaemon.withoutCatalog(workspace, "a")
        // A daemon with a catalog that is only read.
        let other = try await RunningDaemon(
            workspace, "--journal", workspace.path("journal-b"), settings: ["COTERIE_CACHE": workspace.path("cache-b")])
        for daemon in [one, other] { try await daemon.wait(forVersion: first) }
        let click = #"{"interactions":[{"id":"a-telling-id","kind":"click","groupId":"macro-mondays"}]}"#
        #expect(status(one, "POST", "/v1/users/\(Self.user)/interactions", json: click) == 200)
        for daemon in [one, other] {
            #expect(
                await RunningDaemon.poll {
                    (try? daemon.get("/v1/users/\(Self.user)/interactions").text.contains("a-telling-id")) == true
                })
            #expect(try daemon.get(Self.list).status == 200)
        }
        #expect(status(one, "DELETE", "/v1/users/\(Self.user)") == 200)
        #expect(try one.get(Self.list).status == 404)
        #expect(await RunningDaemon.poll { (try? other.get(Self.list).status) == 404 })
        for daemon in [one, other] {
            #expect(status(daemon, "POST", "/v1/users/\(Self.user)/interactions", json: click) == 404)
            #expect(status(daemon, "PUT", "/v1/users/\(Self.user)/interests", json: #"{"interests":[]}"#) == 404)
            for what in ["interactions", "interests"] {
                #expect(status(daemon, "GET", "/v1/users/\(Self.user)/\(what)") == 404)
            }
        }
        #expect(await RunningDaemon.poll { (try? journalsHave("a-telling-id", workspace)) == false })
        // The catalog still has the member: the wish is executed by the recompute.
        let before = try await workspace.run("forget", Self.user, "--check")
        #expect(before.exitCode == 1 && before.text.contains("kept from coming back"), "\(before.testDescription)")
        #expect(before.text.contains("catalog, memberships") && before.text.contains("version \(first)"))
        #expect(before.text.contains("stream "), "\(before.testDescription)")
        try await workspace.succeed("recompute")
        let next = try await workspace.currentVersion()
        let after = try await workspace.run("forget", Self.user, "--check")
        #expect(after.text.contains("kept from coming back"), "\(after.testDescription)")
        #expect(!after.text.contains("catalog, ") && !after.text.contains("version "), "\(after.testDescription)")
        for daemon in [one, other] { try await daemon.wait(forVersion: next) }
        #expect(try other.get(Self.list).status == 404)
        let again = try await workspace.succeed("import", "memberships", Checkout.sample("memberships"))
        #expect(again.text.contains("of forgotten members"), "\(again.testDescription)")
        // The older version has the member no more, and a daemon that begins with it does not show the member.
        try await workspace.succeed("rollback")
        let fresh = try await RunningDaemon.withoutCatalog(workspace, "fresh")
        for daemon in [one, other, fresh] {
            try await daemon.wait(forVersion: first)
            #expect(await RunningDaemon.poll { (try? daemon.get(Self.list).status) == 404 })
        }
    }

    @Test("A forgetting that waits in a stream is seen by --check, and --undo lets it have no effect")
    func undoneBefore() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let daemons = try await daemons(on: workspace)
        #expect(status(daemons[0], "DELETE", "/v1/users/\(Self.user)") == 200)
        // What another daemon has, the stream has.
        #expect(await RunningDaemon.poll { (try? daemons[1].get(Self.list).status) == 404 })
        let check = try await workspace.run("forget", Self.user, "--check")
        #expect(check.text.contains("forgotten, and kept from coming back"), "\(check.testDescription)")
        try await workspace.succeed("forget", Self.user, "--undo")
        try await workspace.succeed("apply")
        let left = try workspace.database().integer("SELECT count(*) FROM users WHERE user_id = '\(Self.user)'")
        #expect(left == 1)
    }

    @Test("What a command forgets, daemons hide within the usual second; with --undo, until the next version")
    func forgottenByCommand() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let daemons = try await daemons(on: workspace)
        for daemon in daemons { #expect(try daemon.get(Self.list).status == 200) }
        try await workspace.succeed("forget", Self.user)
        for daemon in daemons {
            #expect(await RunningDaemon.poll { (try? daemon.get(Self.list).status) == 404 })
        }
        try await workspace.succeed("forget", Self.user, "--undo")
        try await workspace.succeed("import", "memberships", Checkout.sample("memberships"))
        try await workspace.succeed("recompute")
        let next = try await workspace.currentVersion()
        struct Known: Decodable { var known: Bool }
        for daemon in daemons {
            try await daemon.wait(forVersion: next)
            #expect(try daemon.answer(Self.list, Known.self).known)
        }
    }

    @Test("A command that is killed once it has decided is carried out, by daemons at once and by the recompute")
    func killedCommand() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let daemons = try await daemons(on: workspace)
        // The command decides, and then waits for the catalog.
        let writer = try Database(path: workspace.catalog, mode: .readWrite)
        try writer.execute("BEGIN IMMEDIATE")
        let command = try workspace.start(["forget", Self.user])
        for daemon in daemons {
            #expect(await RunningDaemon.poll { (try? daemon.get(Self.list).status) == 404 })
        }
        command.send(SIGKILL)
        #expect(await command.wait().ending == .killed(signal: SIGKILL))
        try writer.execute("ROLLBACK")
        let before = try await workspace.run("forget", Self.user, "--check")
        #expect(before.text.contains("left: catalog, memberships"), "\(before.testDescription)")
        try await workspace.succeed("recompute")
        let after = try await workspace.run("forget", Self.user, "--check")
        #expect(after.text.contains("kept from coming back"), "\(after.testDescription)")
        #expect(!after.text.contains("catalog, "), "\(after.testDescription)")
    }

    @Test("A decision that Redis did not hear is kept, and the next command sends it")
    func unheardDecision() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let daemons = try await daemons(on: workspace)
        workspace.server?.pause()
        let run = try await workspace.run("forget", Self.user)
        workspace.server?.resume()
        #expect(run.exitCode == CommandRun.ExitCode.tryLater, "\(run.testDescription)")
        #expect(run.errors.contains("catalog.sqlite-log"), "\(run.testDescription)")
        #expect(try await workspace.run("status").text.contains("catalog.sqlite-log"))
        try await workspace.succeed("delete", "group", "after-dark")
        for daemon in daemons {
            #expect(await RunningDaemon.poll { (try? daemon.get(Self.list).status) == 404 })
        }
        // What all have is kept no longer.
        let log = try workspace.database(workspace.catalog + "-log")
        #expect(try log.integer("SELECT count(*) FROM changes") == 0)
    }

    @Test("Who is deleted by a command is new to all daemons within the usual second, and stays away until they act")
    func deletedByCommand() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        var daemons = try await daemons(on: workspace)
        // A daemon with a catalog that is only read.
        daemons.append(
            try await RunningDaemon(
                workspace, "--journal", workspace.path("journal-c"),
                settings: ["COTERIE_CACHE": workspace.path("cache-c")]))
        try await daemons[2].wait(forVersion: version)
        let dismissal = #"{"interactions":[{"id":"a-telling-id","kind":"dismiss","groupId":"macro-mondays"}]}"#
        #expect(status(daemons[0], "POST", "/v1/users/\(Self.user)/interactions", json: dismissal) == 200)
        let interests = #"{"interests":["a-telling-topic"]}"#
        #expect(status(daemons[1], "PUT", "/v1/users/\(Self.user)/interests", json: interests) == 200)
        struct List: Decodable {
            struct Interest: Decodable { var groupIds: [String] }
            var known: Bool
            var interests: [Interest]?
            var recommendationId: String?
        }
        func list(_ daemon: RunningDaemon) -> List? { try? daemon.answer(Self.list, List.self) }
        for daemon in daemons {
            #expect(
                await RunningDaemon.poll {
                    (try? daemon.get("/v1/users/\(Self.user)/interactions").text.contains("a-telling-id")) == true
                })
            #expect(list(daemon)?.known == true && list(daemon)?.interests?.isEmpty == false)
        }
        let run = try await workspace.succeed("delete", "user", Self.user)
        #expect(run.text.contains("the daemons of redis://"), "\(run.testDescription)")
        func isNew(_ daemon: RunningDaemon) -> Bool {
            guard let list = list(daemon), !list.known, list.interests?.isEmpty != false else { return false }
            let texts = ["interactions", "interests"].map {
                (try? daemon.get("/v1/users/\(Self.user)/\($0)").text) ?? "a-telling"
            }
            return texts.allSatisfy { !$0.contains("a-telling") }
        }
        for daemon in daemons {
            #expect(
                await RunningDaemon.poll { isNew(daemon) }, "\((try? daemon.get(Self.list).text.prefix(400)) ?? "")")
        }
        #expect(await RunningDaemon.poll { (try? journalsHave("a-telling", workspace)) == false })
        let users = "SELECT user_id FROM users WHERE user_id = '\(Self.user)'"
        try await workspace.succeed("recompute")
        #expect(try CatalogContent.texts(users, workspace.catalog).isEmpty)
        let next = try await workspace.currentVersion()
        for daemon in daemons {
            try await daemon.wait(forVersion: next)
            #expect(isNew(daemon))
        }
        // An older version does not know the member either. Who acts again is a member again.
        try await workspace.succeed("rollback")
        for daemon in daemons {
            try await daemon.wait(forVersion: version)
            #expect(isNew(daemon))
        }
        let join = #"{"interactions":[{"id":"back","kind":"join","groupId":"night-walkers"}]}"#
        #expect(status(daemons[0], "POST", "/v1/users/\(Self.user)/interactions", json: join) == 200)
        for daemon in daemons { #expect(await RunningDaemon.poll { list(daemon)?.known == true }) }
        try await workspace.succeed("recompute")
        #expect(try CatalogContent.texts(users, workspace.catalog) == [Self.user])
        #expect(
            try CatalogContent.texts(
                """
                SELECT group_id FROM memberships JOIN groups USING (group_key) JOIN users USING (user_key)
                WHERE user_id = '\(Self.user)'
                """, workspace.catalog) == ["night-walkers"])
    }

    @Test("A join that is still in a stream does not undo the deletion of its membership; groups go at once, too")
    func deletedPairs() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let daemons = try await daemons(on: workspace)
        let join = #"{"interactions":[{"id":"1","kind":"join","groupId":"night-walkers"}]}"#
        #expect(status(daemons[0], "POST", "/v1/users/newcomer/interactions", json: join) == 200)
        let target = "/v1/users/newcomer/recommendations/night-walkers/why?session=none"
        func isJoined(_ daemon: RunningDaemon) -> Bool? {
            try? daemon.get(target).text.contains(#""standing":"joined""#)
        }
        for daemon in daemons { #expect(await RunningDaemon.poll { isJoined(daemon) == true }) }
        // The catalog does not know the membership yet; what waits is applied first.
        let run = try await workspace.succeed("delete", "membership", "night-walkers", "newcomer", "--json")
        #expect(run.text.contains("toldStore"), "\(run.testDescription)")
        for daemon in daemons { #expect(await RunningDaemon.poll { isJoined(daemon) == false }) }
        try await workspace.succeed("recompute")
        let memberships = """
            SELECT group_id FROM memberships JOIN groups USING (group_key) JOIN users USING (user_key)
            WHERE user_id = 'newcomer'
            """
        #expect(try CatalogContent.texts(memberships, workspace.catalog).isEmpty)
        let gone = try await workspace.succeed("delete", "group", "macro-mondays")
        #expect(gone.text.contains("were told"), "\(gone.testDescription)")
        for daemon in daemons {
            #expect(await RunningDaemon.poll { (try? daemon.get("/v1/groups/macro-mondays/similar").status) == 404 })
        }
    }

    @Test("A copy of the catalog with another database of the same server changes nothing of the site")
    func anotherDatabase() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        let daemon = try await daemons(on: workspace)[0]
        let server = try #require(workspace.server)
        let copy = ["--catalog", workspace.path("copy.sqlite"), "--store", "\(server.url)/3"]
        try FileManager.default.copyItem(atPath: workspace.catalog, toPath: workspace.path("copy.sqlite"))
        let forgotten = try await workspace.succeed(["forget", Self.user] + copy)
        #expect(forgotten.text.contains("the daemons of \(server.url)/3 were told"), "\(forgotten.testDescription)")
        try await workspace.succeed(["recompute"] + copy)
        // A daemon of the copy answers from the copy's store, and exchanges changes there.
        let staged = try await RunningDaemon(
            workspace, "--store", "\(server.url)/3", "--catalog", "none", "--journal", workspace.path("journal-copy"),
            settings: ["COTERIE_CACHE": workspace.path("cache-copy")])
        try await staged.wait { !$0.degraded }
        #expect(status(staged, "PUT", "/v1/admin/groups/night-walkers/hidden") == 200)
        #expect(await staged.hasSent())
        try await workspace.succeed(["recompute"] + copy)
        #expect(
            try CatalogContent.texts("SELECT count(*) FROM hidden_groups", workspace.path("copy.sqlite")) == ["1"])
        // The site has nothing of this.
        try await workspace.succeed("recompute")
        try await daemon.wait(forVersion: workspace.currentVersion())
        #expect(try await workspace.currentVersion() != version)
        #expect(try daemon.get(Self.list).status == 200)
        #expect(try daemon.get("/v1/groups/night-walkers/similar").status == 200)
        #expect(try CatalogContent.texts("SELECT count(*) FROM ledger", workspace.catalog) == ["0"])
    }

    @Test("Who is forgotten stays so when no version, stream, journal or catalog tells of it, until readmitted")
    func ledger() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let backup = workspace.path("before.tar")
        try await workspace.succeed("backup", backup)
        try await workspace.succeed("forget", Self.user)
        for _ in 0..<2 { try await workspace.succeed("recompute", "--keep", "1") }
        // A new daemon: its journal and its cache are empty.
        let daemon = try await RunningDaemon.withoutCatalog(workspace, "new")
        try await daemon.wait(forVersion: workspace.currentVersion())
        let click = #"{"interactions":[{"id":"1","kind":"click","groupId":"macro-mondays"}]}"#
        #expect(await RunningDaemon.poll { (try? daemon.get(Self.list).status) == 404 })
        #expect(status(daemon, "POST", "/v1/users/\(Self.user)/interactions", json: click) == 404)
        // The machine is lost: only an earlier backup is left, and what Redis knows.
        for suffix in ["", "-wal", "-shm", "-log", "-log-wal", "-log-shm"] {
            try? FileManager.default.removeItem(atPath: workspace.catalog + suffix)
        }
        try await workspace.succeed("restore", backup)
        #expect(try await workspace.succeed("recommend", Self.user).text.contains("1"))
        let applied = try await workspace.run("apply")
        #expect(applied.errors.contains("1 members were forgotten again"), "\(applied.testDescription)")
        let left = try await workspace.succeed("forget", Self.user, "--check")
        #expect(left.text.contains("forgotten, and kept from coming back"), "\(left.testDescription)")
        let again = try await workspace.succeed("import", "memberships", Checkout.sample("memberships"))
        #expect(again.text.contains("of forgotten members"), "\(again.testDescription)")
        // A flushed server gets the ledger again, from the daemon or the catalog.
        var redis = try RedisConnection(to: RedisAddress(workspace.store))
        for name in ["key", "forgotten", "revision"] { _ = try redis.command("DEL", "coterie:ledger:\(name)") }
        try await workspace.succeed("apply")
        #expect(try redis.command("ZCARD", "coterie:ledger:forgotten") == .integer(1))
        try await workspace.succeed("forget", Self.user, "--undo")
        #expect(
            await RunningDaemon.poll {
                status(daemon, "POST", "/v1/users/\(Self.user)/interactions", json: click) == 200
            })
    }

    @Test("A group and a membership removed on one daemon go on all, and from the catalog with the next recompute")
    func others() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let daemons = try await daemons(on: workspace)
        func isJoined(_ daemon: RunningDaemon, _ group: String) -> Bool? {
            let target = "/v1/users/\(Self.user)/recommendations/\(group)/why?session=none"
            return try? daemon.get(target).text.contains(#""standing":"joined""#)
        }
        let memberships = try CatalogContent.texts(
            """
            SELECT group_id FROM memberships JOIN groups USING (group_key) JOIN users USING (user_key)
            WHERE user_id = '\(Self.user)' AND groups.visibility = 0 ORDER BY 1
            """, workspace.catalog)
        let joined = try #require(memberships.first { isJoined(daemons[0], $0) == true })
        let photos = try CatalogContent.texts(
            "SELECT photo_id FROM photos WHERE visibility = 0 ORDER BY 1 LIMIT 1", workspace.catalog)
        let photo = try #require(photos.first)
        try await workspace.succeed("photo", photo)
        let group = joined == "macro-mondays" ? "street-candid" : "macro-mondays"
        for target in ["/v1/groups/\(joined)/memberships/\(Self.user)", "/v1/photos/\(photo)", "/v1/groups/\(group)"] {
            let answer = try #require(SocketClient(port: daemons[0].port)?.request("DELETE", target))
            #expect(answer.status == 200 && answer.text.contains(#""pending":true"#), "\(target): \(answer.text)")
        }
        for daemon in daemons {
            #expect(
                await RunningDaemon.poll {
                    isJoined(daemon, joined) == false
                        && (try? daemon.get("/v1/groups/\(group)/similar").status) == 404
                })
        }
        let shown = try await workspace.run("photo", photo)
        #expect(shown.exitCode == CommandRun.ExitCode.badData && shown.errors.contains("there is no photo"))
        try await workspace.succeed("recompute")
        let found = try CatalogContent.texts(
            """
            SELECT group_id FROM groups WHERE group_id = '\(group)'
            UNION ALL SELECT photo_id FROM photos WHERE photo_id = '\(photo)'
            UNION ALL SELECT group_id FROM memberships JOIN groups USING (group_key) JOIN users USING (user_key)
            WHERE user_id = '\(Self.user)' AND group_id = '\(joined)'
            """, workspace.catalog)
        #expect(found.isEmpty, "\(found)")
    }
}
