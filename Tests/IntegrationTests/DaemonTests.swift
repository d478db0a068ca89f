import Foundation
import TestSupport
import Testing

@Suite("Daemons", .aFewAtATime, .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct DaemonTests {
    let community: SampleCommunity

    init() throws { community = try SampleCommunity() }

    /// Groups, users and photos with many and with few entries, and some that do not exist.
    private var targets: [String] {
        let groups = community.publicGroups.prefix(30).flatMap { group in
            ["both", "photos", "members"].map { "/v1/groups/\(group)/similar?by=\($0)&limit=30" }
        }
        let active = community.usersByActivity
        let users = (active.prefix(20) + active.suffix(20)).map { "/v1/users/\($0)/recommendations" }
        let photos = community.publicPhotos.prefix(30).map { "/v1/photos/\($0)/groups" }
        return groups + users + photos + ["/v1/groups/none/similar", "/v1/users/none/recommendations"]
    }

    @Test("Two daemons on one Redis give the same bytes for groups, users and photos, with and without a catalog")
    func sameAnswers() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        let elsewhere = [
            "COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache 2"),
        ]
        let first = try await RunningDaemon(workspace)
        let second = try await RunningDaemon(
            workspace, "--journal", workspace.path("journal 2"), settings: ["COTERIE_CACHE": workspace.path("cache 2")])
        let bare = try await RunningDaemon(workspace, "--journal", workspace.path("journal 3"), settings: elsewhere)
        for daemon in [first, second, bare] { try await daemon.wait(forVersion: version) }
        for target in targets {
            let answers = try [first, second].map { try $0.get(target) }
            #expect(answers[0].status == answers[1].status)
            #expect(answers[0].body == answers[1].body, "\(target)")
            #expect((answers[0].status == 200) != target.contains("/groups/none/"), "\(target): \(answers[0].text)")
            // Without a catalog, who joined what comes from the store; stated interests, when one joined, photos and
            // Ids near an unknown one do not.
            guard answers[0].status == 200, !target.hasPrefix("/v1/photos") else { continue }
            let answer = try bare.get(target)
            #expect(answer.status == 200)
            if target.hasPrefix("/v1/groups") { #expect(answer.body == answers[0].body, "\(target)") }
        }
    }

    @Test("Answers over HTTP are those of the command line", arguments: StoreKind.available)
    func sameAsCommands(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: workspace.currentVersion())
        struct SimilarGroups: Decodable {
            struct Row: Decodable { var groupId: String }
            var neighbours: [Row]
        }
        for group in community.publicGroups.prefix(5) {
            let said: Answers.Similar = try await workspace.succeed("similar", group, "--json", "--limit", "15").json()
            let served: SimilarGroups = try daemon.answer("/v1/groups/\(group)/similar?limit=15")
            #expect(said.neighbours.map(\.groupId) == served.neighbours.map(\.groupId))
        }
        for user in community.usersByActivity.prefix(100).enumerated().filter({ $0.offset % 20 == 0 }).map(\.element) {
            let served: Answers.Suggestions = try daemon.answer("/v1/users/\(user)/recommendations")
            let suggested = Set(served.rows.map(\.groupId))
            #expect(!suggested.isEmpty)
            #expect(suggested.isDisjoint(with: community.joined[user] ?? []))
            #expect(suggested.isDisjoint(with: community.privateGroups))
        }
    }

    @Test("A published version, and one that is rolled back to, are served without a restart")
    func following() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let first = try await workspace.currentVersion()
        let daemons = [
            try await RunningDaemon(workspace),
            try await RunningDaemon(
                workspace, "--journal", workspace.path("journal 2"), settings: ["COTERIE_CACHE": workspace.path("c2")]),
        ]
        for daemon in daemons { try await daemon.wait(forVersion: first) }
        let group = "/v1/groups/macro-mondays/similar?by=members&limit=100"
        let before = try daemons[0].get(group).body
        try await workspace.succeed("recompute", "--neighbours", "7")
        let second = try await workspace.currentVersion()
        #expect(second != first)
        for daemon in daemons { try await daemon.wait(forVersion: second) }
        let after = try daemons.map { try $0.get(group).body }
        #expect(after[0] == after[1] && after[0] != before)
        try await workspace.succeed("rollback")
        for daemon in daemons {
            try await daemon.wait(forVersion: first)
            #expect(try daemon.get(group).body == before)
        }
    }

    @Test("A version that is published to a folder is served without a restart")
    func followingFolder() async throws {
        let workspace = try Workspace()
        let daemon = try await RunningDaemon(workspace)
        #expect(try daemon.get("/healthz").status == 200)
        #expect(try daemon.get("/readyz").status == 503)
        try await workspace.publishSample()
        try await daemon.wait(forVersion: workspace.currentVersion())
    }

    @Test("SIGTERM and SIGINT end it cleanly", arguments: [SIGTERM, SIGINT])
    func ending(signal: Int32) async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: workspace.currentVersion())
        let run = await daemon.end(with: signal)
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        let messages = run.errors.matches(of: #/"message":"(.*?)"/#).map(\.output.1)
        #expect(messages.suffix(2) == ["stopping", "stopped"])
        #expect(SocketClient(port: daemon.port) == nil)
    }

    @Test("Without Redis a daemon keeps serving, one started then serves its cached version, and both recover")
    func storeAway() async throws {
        let workspace = try Workspace(.redis)
        let server = try #require(workspace.server)
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        // Each member's order changes at a moment of its own, which may come between two answers.
        let unchanging = ["COTERIE_LISTS_ROTATION_NOISE": "0", "COTERIE_LISTS_ROTATION_TAIL_NOISE": "0"]
        let daemon = try await RunningDaemon(workspace, settings: unchanging)
        try await daemon.wait(forVersion: version)
        let answers = try targets.map { try daemon.get($0).text }
        #expect(answers.contains { $0.contains(#""degraded":false"#) })
        server.stop()
        // It is degraded as soon as its stream breaks, before it asks for the version again.
        let readiness = try await daemon.wait { $0.degraded && !$0.store.reachable }
        #expect(readiness.modelVersion == version && readiness.status == "ready")
        #expect(!readiness.store.reachable && readiness.reason?.contains("\(server.port)") == true)
        let late = try await RunningDaemon(
            workspace, "--journal", workspace.path("journal 2"), settings: unchanging)
        let lateReadiness = try await late.wait { $0.degraded && !$0.store.reachable }
        #expect(lateReadiness.modelVersion == version && !lateReadiness.store.reachable)
        for (target, answer) in zip(targets, answers) {
            // The answers say of themselves that they may be old, and are the same but for that.
            let marked = answer.replacing(#""degraded":false"#, with: #""degraded":true"#)
            #expect(try daemon.get(target).text == marked, "\(target)")
            #expect(try late.get(target).text == marked, "\(target)")
        }
        // The server comes back empty, and is published to again.
        try server.start()
        try await workspace.succeed("recompute", "--neighbours", "5")
        let next = try await workspace.currentVersion()
        for daemon in [daemon, late] {
            try await daemon.wait(forVersion: next)
            #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
        }
    }

    @Test("A daemon that never had a version is not ready")
    func nothingKept() async throws {
        let workspace = try Workspace(.redis)
        workspace.server?.stop()
        let daemon = try await RunningDaemon(workspace)
        #expect(try daemon.get("/healthz").status == 200)
        let response = try daemon.get("/readyz")
        #expect(response.status == 503)
        #expect(response.headers["content-type"] == "application/problem+json")
        #expect(try daemon.get("/v1/groups/macro-mondays/similar").status == 503)
    }

    @Test("Errors are problems that say what to do")
    func problems() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: workspace.currentVersion())
        let hidden = try #require(community.privateGroups.min())
        for (target, status) in [
            ("/v1/groups/macro-monday/similar", 404), ("/v1/groups/\(hidden)/similar", 404),
            ("/v1/users/laura-100/recommendations?after=none", 404), ("/v1/photos/1/groups", 404),
            ("/v1/photos/\(community.privatePhotos[0])/groups", 404), ("/v2/groups", 404),
            ("/v1/groups/macro-mondays/similar?limit=0", 400), ("/v1/groups/macro-mondays/similar?limit=x", 400),
            ("/v1/groups/macro-mondays/similar?limit=-1", 400), ("/v1/groups/macro-mondays/similar?limit=1000000", 400),
            ("/v1/groups/macro-mondays/similar?by=colour", 400),
            ("/v1/groups/macro-mondays/similar?limits=5", 400),
        ] {
            let response = try daemon.get(target)
            #expect(response.status == status, "\(target): \(response.text)")
            #expect(response.headers["content-type"] == "application/problem+json")
            let problem = try JSONDecoder().decode(Answers.Problem.self, from: Data(response.body))
            #expect(problem.status == status && !problem.detail.isEmpty)
            #expect(problem.near?.contains(hidden) != true, "a private group is named: \(response.text)")
        }
        #expect(try daemon.get("/v1/groups/macro-monday/similar").text.contains("\"macro-mondays\""))
    }
}
