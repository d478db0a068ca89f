import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(
    "Daemons that share a Redis", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct SharedDaemonTests {
    private static let user = "shared-member"
    private static var list: String { "/v1/users/\(user)/recommendations?limit=100" }

    private func daemons(_ workspace: Workspace) async throws -> [RunningDaemon] {
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        let daemons = [
            try await RunningDaemon.withoutCatalog(workspace, "a"),
            try await RunningDaemon.withoutCatalog(workspace, "b"),
        ]
        for daemon in daemons { try await daemon.wait(forVersion: version) }
        return daemons
    }

    private func groups(_ daemon: RunningDaemon, _ target: String = list) throws -> [String] {
        let answer: Answers.Suggestions = try daemon.answer(target)
        return answer.rows.map(\.groupId)
    }

    /// The answer of a daemon that may not know yet what it is asked about.
    private func probe<Value: Decodable>(_ daemon: RunningDaemon, _ target: String, _ type: Value.Type) -> Value? {
        guard let response = try? daemon.get(target), response.status == 200 else { return nil }
        return try? JSONDecoder().decode(type, from: Data(response.body))
    }

    private func listed(_ daemon: RunningDaemon) -> [String]? {
        probe(daemon, Self.list, Answers.Suggestions.self)?.rows.map(\.groupId)
    }

    /// Whether an interaction has come to a daemon.
    private func knows(_ daemon: RunningDaemon, _ id: String) -> Bool {
        (try? daemon.get("/v1/users/\(Self.user)/interactions").text.contains(#""id":"\#(id)""#)) == true
    }

    @discardableResult
    private func post(_ daemon: RunningDaemon, _ id: String, _ kind: String, _ group: String, of user: String = user)
        throws -> SocketClient.Response
    {
        let json = #"{"interactions":[{"id":"\#(id)","kind":"\#(kind)","groupId":"\#(group)"}]}"#
        let client = try #require(SocketClient(port: daemon.port))
        return try #require(client.request("POST", "/v1/users/\(user)/interactions", json: json))
    }

    @Test("An interaction shows on its daemon at once and on the others soon, and session ids are the same")
    func propagation() async throws {
        let workspace = try Workspace(.redis)
        let daemons = try await daemons(workspace)
        #expect(try post(daemons[0], "0", "join", "macro-mondays").status == 200)
        #expect(await RunningDaemon.poll { knows(daemons[1], "0") })
        let before = try groups(daemons[0])
        #expect(try groups(daemons[1]) == before && !before.contains("macro-mondays"))
        let joined = try #require(before.first)
        #expect(try post(daemons[0], "1", "join", joined).status == 200)
        #expect(try !groups(daemons[0]).contains(joined))
        #expect(await RunningDaemon.poll { listed(daemons[1])?.contains(joined) == false })
        #expect(try groups(daemons[1]) == groups(daemons[0]))
        #expect(try post(daemons[1], "2", "leave", joined).status == 200)
        #expect(await RunningDaemon.poll { listed(daemons[0]) == before })
        // Both daemons know the id.
        #expect(try post(daemons[0], "2", "leave", joined).text.contains(#""repeated":1"#))
        // A session that began on one goes on on a third, which has never seen it.
        let third = try await RunningDaemon.withoutCatalog(workspace, "c")
        try await third.wait(forVersion: workspace.currentVersion())
        #expect(try groups(third) == before)
        let target = "/v1/users/\(Self.user)/interactions"
        struct Interactions: Decodable {
            struct Row: Decodable { var id: String }
            var interactions: [Row]
        }
        let known: Interactions = try third.answer(target)
        #expect(known.interactions.map(\.id) == ["0", "1", "2"])
        #expect(SocketClient(port: third.port)?.request("DELETE", target)?.status == 200)
        #expect(
            await RunningDaemon.poll {
                daemons.allSatisfy { probe($0, target, Interactions.self)?.interactions.isEmpty == true }
            })
    }

    @Test("A group hidden or curated on one daemon is so on the others, and in the next version")
    func siteDecisions() async throws {
        let workspace = try Workspace(.redis)
        let daemons = try await daemons(workspace)
        #expect(try post(daemons[0], "0", "join", "macro-mondays").status == 200)
        let hidden = try #require(try groups(daemons[0]).first)
        let neighbours = ["similar", "macro-mondays", "--limit", "300", "--json"]
        try #require(try await workspace.succeed(neighbours).text.contains("\"\(hidden)\""))
        // On new connections, because an idle one may be closed.
        func tell(_ method: String, _ target: String, json: String? = nil) -> Int? {
            SocketClient(port: daemons[0].port)?.request(method, target, json: json)?.status
        }
        #expect(tell("PUT", "/v1/admin/groups/\(hidden)/hidden") == 200)
        #expect(try !groups(daemons[0]).contains(hidden))
        #expect(try daemons[0].get("/v1/groups/\(hidden)/similar").status == 404)
        #expect(await RunningDaemon.poll { (try? daemons[1].get("/v1/groups/\(hidden)/similar").status) == 404 })
        #expect(try !groups(daemons[1]).contains(hidden))
        // Commands know it too, with the catalog and without: the daemon's change reaches the store before they ask.
        #expect(await RunningDaemon.poll { (try? daemons[1].get("/v1/groups/\(hidden)/similar").status) == 404 })
        for settings in [[:], ["COTERIE_CATALOG": "none"]] {
            let similar = try await workspace.run("similar", hidden, settings: settings)
            #expect(similar.exitCode == CommandRun.ExitCode.badData && similar.errors.contains("is hidden"))
            for command in [neighbours, ["recommend", "laura-100", "--limit", "300", "--json"]] {
                let answer = try await workspace.succeed(command, settings: settings)
                #expect(!answer.text.contains("\"\(hidden)\""))
            }
            let why = try await workspace.succeed(["explain", "laura-100", hidden], settings: settings)
            #expect(why.text.contains("hidden from everybody"), "\(why.testDescription)")
        }
        let picked = "street-candid"
        #expect(tell("PUT", "/v1/admin/curation/\(picked)", json: #"{"position":1}"#) == 200)
        struct Curations: Decodable {
            struct Row: Decodable { var groupId: String }
            var groups: [Row]
        }
        #expect(
            await RunningDaemon.poll {
                probe(daemons[1], "/v1/admin/curation", Curations.self)?.groups.first?.groupId == picked
            })
        // A new member sees it first, on the daemon that did not get the request.
        #expect(try post(daemons[1], "0", "click", picked, of: "newcomer").status == 200)
        #expect(try groups(daemons[1], "/v1/users/newcomer/recommendations").contains(picked))
        try await workspace.succeed("recompute")
        let next = try await workspace.currentVersion()
        for daemon in daemons {
            try await daemon.wait(forVersion: next)
            #expect(try daemon.get("/v1/groups/\(hidden)/similar").status == 404)
            #expect(try daemon.answer("/v1/admin/curation", Curations.self).groups.first?.groupId == picked)
        }
        // Rolling back does not show it again, not even on a daemon that starts now.
        try await workspace.succeed("rollback")
        let before = try await workspace.currentVersion()
        let fresh = try await RunningDaemon.withoutCatalog(workspace, "fresh")
        for daemon in daemons + [fresh] {
            try await daemon.wait(forVersion: before)
            #expect(await RunningDaemon.poll { (try? daemon.get("/v1/groups/\(hidden)/similar").status) == 404 })
            // The older version was made before the group was curated: only the stream still has that.
            #expect(
                await RunningDaemon.poll {
                    probe(daemon, "/v1/admin/curation", Curations.self)?.groups.first?.groupId == picked
                })
        }
        #expect(tell("DELETE", "/v1/admin/curation/\(picked)") == 200)
        #expect(
            await RunningDaemon.poll {
                probe(daemons[1], "/v1/admin/curation", Curations.self)?.groups.contains { $0.groupId == picked }
                    == false
            })
    }

    @Test("The next recompute applies interactions, and its version has dismissals and interests")
    func recompute() async throws {
        let workspace = try Workspace(.redis)
        let daemons = try await daemons(workspace)
        #expect(try post(daemons[0], "1", "join", "macro-mondays").status == 200)
        let dismissed = try #require(try groups(daemons[0]).first)
        #expect(try post(daemons[0], "2", "dismiss", dismissed).status == 200)
        let interests = #"{"interests":["birds","trains"]}"#
        let target = "/v1/users/\(Self.user)/interests"
        #expect(SocketClient(port: daemons[0].port)?.request("PUT", target, json: interests)?.status == 200)
        for daemon in daemons {
            #expect(await RunningDaemon.poll { (try? daemon.get(target).text.contains("trains")) == true })
        }
        try await workspace.succeed("recompute")
        let next = try await workspace.currentVersion()
        #expect(
            Set(try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog)) == ["1", "2"])
        let fresh = try await RunningDaemon.withoutCatalog(workspace, "fresh")
        for daemon in daemons + [fresh] {
            try await daemon.wait(forVersion: next)
            let listed = try groups(daemon, Self.list + "&session=after")
            #expect(!listed.contains(dismissed) && !listed.contains("macro-mondays") && !listed.isEmpty)
            struct Explanation: Decodable { var standing: String }
            for (group, standing) in [(dismissed, "dismissed"), ("macro-mondays", "joined")] {
                let why = "/v1/users/\(Self.user)/recommendations/\(group)/why?session=none"
                #expect(try daemon.answer(why, Explanation.self).standing == standing)
            }
            #expect(try daemon.get(target).text.contains("trains"))
        }
        // Again: no change is applied twice.
        try await workspace.succeed("recompute")
        #expect(try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog).count == 2)
    }

    @Test("Without Redis nothing fails and nothing is lost under load, even if a daemon is killed")
    func storeAway() async throws {
        let workspace = try Workspace(.redis)
        let server = try #require(workspace.server)
        var daemons = try await daemons(workspace)
        let clients = daemons.enumerated().map { Client(port: $1.port, prefix: "\($0)") }
        for client in clients { Thread.detachNewThread(client.sendUntilStopped) }
        for _ in 0..<2 {
            #expect(await RunningDaemon.poll { clients.allSatisfy { $0.advanced(by: 20) } })
            server.stop()
            for daemon in daemons { try await daemon.wait { $0.degraded } }
            #expect(await RunningDaemon.poll { clients.allSatisfy { $0.advanced(by: 20) } })
            // The server keeps nothing: versions, sessions and the stream are gone.
            try server.start()
            try await workspace.succeed("recompute")
            let next = try await workspace.currentVersion()
            for daemon in daemons { try await daemon.wait(forVersion: next) }
        }
        server.stop()
        for daemon in daemons { try await daemon.wait { $0.degraded } }
        #expect(await RunningDaemon.poll { clients.allSatisfy { $0.advanced(by: 20) } })
        for client in clients { client.stop() }
        _ = await daemons[0].end(with: SIGKILL)
        try server.start()
        daemons[0] = try await RunningDaemon.withoutCatalog(workspace, "a")
        let acknowledged = clients.reduce(into: Set<String>()) { $0.formUnion($1.acknowledged) }
        #expect(clients.allSatisfy { $0.failures.isEmpty }, "\(clients.map(\.failures))")
        // Changes that waited in the journals arrive, and each journal gets those of the other.
        #expect(
            await RunningDaemon.poll {
                daemons.allSatisfy {
                    (try? $0.get("/metrics").text.contains("coterie_outbox_changes 0\n")) == true
                        && (try? $0.get("/metrics").text.contains("coterie_stream_connected 1\n")) == true
                }
            })
        try await workspace.succeed("recompute")
        let kept = try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog)
        #expect(acknowledged.subtracting(kept).isEmpty && Set(kept).count == kept.count)
        // One request of each client may have been kept without being acknowledged.
        #expect(kept.count <= acknowledged.count + clients.count)
    }

    /// Asks for lists and sends interactions in turn, and takes down what fails.
    private final class Client: Sendable {
        private struct State {
            var acknowledged: Set<String> = []
            var failures: [String] = []
            var isStopped = false
            var isDone = false
            var mark = 0
        }

        private let state = Mutex(State())
        private let port: UInt16
        private let prefix: String

        init(port: UInt16, prefix: String) {
            self.port = port
            self.prefix = prefix
        }

        var acknowledged: Set<String> { state.withLock { $0.acknowledged } }
        var failures: [String] { state.withLock { $0.failures } }

        /// Whether so many interactions have been acknowledged since it was last so.
        func advanced(by count: Int) -> Bool {
            state.withLock { state in
                guard state.acknowledged.count >= state.mark + count else { return false }
                state.mark = state.acknowledged.count
                return true
            }
        }

        /// Ends the process, and waits for its end.
        func stop() {
            state.withLock { $0.isStopped = true }
            while !state.withLock({ $0.isDone }) { usleep(1000) }
        }

        func sendUntilStopped() {
            defer { state.withLock { $0.isDone = true } }
            var client = SocketClient(port: port)
            // Closing an idle connection is not a failure.
            func ask(_ method: String, _ target: String, json: String? = nil) -> SocketClient.Response? {
                if let answer = client?.request(method, target, json: json) { return answer }
                client = SocketClient(port: port)
                return client?.request(method, target, json: json)
            }
            var number = 0
            while !state.withLock({ $0.isStopped }) {
                number += 1
                let id = "\(prefix)-\(number)"
                let json = #"{"interactions":[{"id":"\#(id)","kind":"click","groupId":"macro-mondays"}]}"#
                let target = "/v1/users/loaded-\(prefix)"
                let recorded = ask("POST", target + "/interactions", json: json)
                let listed = ask("GET", target + "/recommendations?session=\(number / 5)")
                state.withLock { state in
                    if recorded?.status == 200 { state.acknowledged.insert(id) }
                    for answer in [recorded, listed] where answer?.status != 200 {
                        state.failures.append(answer?.text ?? "no answer")
                    }
                }
                usleep(5000)
            }
        }
    }

    @Test("A daemon with the catalog shares changes, hidden groups and sessions too, with a default journal")
    func withCatalog() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        // Its journal is in the user's state folder, which is in the workspace.
        let withCatalog = try await RunningDaemon(
            workspace, settings: ["COTERIE_CACHE": workspace.path("cache-catalog")])
        let other = try await RunningDaemon.withoutCatalog(workspace, "a")
        for daemon in [withCatalog, other] { try await daemon.wait(forVersion: version) }
        #expect(FileManager.default.fileExists(atPath: workspace.path(".local/state/coterie/journal-0.sqlite")))
        #expect(try post(withCatalog, "1", "join", "macro-mondays").status == 200)
        #expect(await RunningDaemon.poll { knows(other, "1") })
        #expect(try groups(withCatalog) == groups(other))
        let dismissed = try #require(try groups(other).first)
        #expect(try post(other, "2", "dismiss", dismissed).status == 200)
        #expect(await RunningDaemon.poll { listed(withCatalog)?.contains(dismissed) == false })
        // A daemon with the catalog refuses interactions with groups hidden there.
        try await workspace.succeed("hide", "street-candid")
        #expect(await RunningDaemon.poll { (try? post(withCatalog, "3", "click", "street-candid").status) == 404 })
        // The recompute applies what both acknowledged.
        try await workspace.succeed("recompute")
        let kept = try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog)
        #expect(Set(kept).isSuperset(of: ["1", "2"]) && Set(kept).count == kept.count)
    }

    @Test("A second daemon on one journal is refused")
    func lock() async throws {
        let workspace = try Workspace(.redis)
        let first = try await RunningDaemon.withoutCatalog(workspace, "a")
        let run = try await workspace.run(
            "serve", "--port", "0", "--journal", workspace.path("journal-a"),
            settings: ["COTERIE_CATALOG": "none"])
        #expect(
            run.exitCode == CommandRun.ExitCode.general && run.errors.contains("--journal"), "\(run.testDescription)")
        #expect(await first.end(with: SIGKILL).exitCode != CommandRun.ExitCode.success)
        let again = try await RunningDaemon.withoutCatalog(workspace, "a")
        #expect(await again.end().exitCode == CommandRun.ExitCode.success)
    }
}
