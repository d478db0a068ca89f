import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A daemon that is killed", .aFewAtATime)
struct KilledDaemonTests {
    /// How often daemons are killed.
    private static let kills = 20 * Drill.rounds

    @Test("has every acknowledged interaction exactly once after a restart, and its effect in lists", .drill)
    func acknowledged() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let group = "macro-mondays"
        var acknowledged: Set<String> = []
        for round in 0..<Self.kills {
            // Many kills are beyond the usual quota of a day.
            let daemon = try await RunningDaemon(workspace, "--member-interactions", "1000000")
            // On threads of their own, because waiting for answers would block other tests.
            let clients = (0..<3).map { Client(port: daemon.port, group, prefix: "\(round)-\($0)") }
            for client in clients { Thread.detachNewThread(client.sendUntilKilled) }
            let areAllUnderWay = await RunningDaemon.poll {
                clients.allSatisfy { client in client.acknowledged.withLock { $0.count > 5 * (round % 10) } }
            }
            #expect(areAllUnderWay)
            _ = await daemon.end(with: SIGKILL)
            let ids = clients.reduce(into: Set<String>()) { $0.formUnion($1.acknowledged.withLock { $0 }) }
            // None had come to its end.
            #expect(ids.count < clients.count * Client.interactions)
            acknowledged.formUnion(ids)
        }
        try await workspace.succeed("apply")
        let kept = try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog)
        #expect(acknowledged.isSubset(of: kept) && Set(kept).count == kept.count)
        // One request of each client may have been kept without being acknowledged.
        #expect(kept.count <= acknowledged.count + 3 * Self.kills)
    }

    /// Sends interactions, each of them twice, until there is no answer.
    private final class Client: Sendable {
        /// How many it would send.
        static let interactions = 10_000

        let acknowledged = Mutex<Set<String>>([])
        private let port: UInt16
        private let group: String
        private let prefix: String

        init(port: UInt16, _ group: String, prefix: String) {
            self.port = port
            self.group = group
            self.prefix = prefix
        }

        func sendUntilKilled() {
            guard let client = SocketClient(port: port) else { return }
            for number in 0..<2 * Self.interactions {
                let id = "\(prefix)-\(number / 2)"
                let json = #"{"interactions":[{"id":"\#(id)","kind":"click","groupId":"\#(group)"}]}"#
                guard let answer = client.request("POST", "/v1/users/killed/interactions", json: json) else { return }
                if answer.status == 200 { acknowledged.withLock { _ = $0.insert(id) } }
            }
        }
    }

    @Test("Interactions have their effect in commands and in the next recompute")
    func recompute() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        let json =
            #"{"interactions":[{"id":"1","kind":"join","groupId":"macro-mondays"},"#
            + #"{"id":"2","kind":"dismiss","groupId":"street-candid"}]}"#
        let client = try #require(SocketClient(port: daemon.port))
        let answer = try #require(client.request("POST", "/v1/users/newcomer/interactions", json: json))
        try #require(answer.status == 200, "\(answer.text)")
        struct Explanation: Decodable { var standing: String }
        let joined: Explanation = try await workspace.succeed("explain", "newcomer", "macro-mondays", "--json").json()
        #expect(joined.standing == "joined")
        let before: Answers.Recompute = try await workspace.succeed("recompute", "--json").json()
        let entries = before.manifest.relations.first { $0.relation == "members" }?.entries
        let leaving = #"{"interactions":[{"id":"3","kind":"leave","groupId":"macro-mondays"}]}"#
        // On a new connection, because the other one may be closed by now.
        let later = try #require(SocketClient(port: daemon.port))
        #expect(later.request("POST", "/v1/users/newcomer/interactions", json: leaving)?.status == 200)
        let after: Answers.Recompute = try await workspace.succeed("recompute", "--json").json()
        #expect(after.manifest.relations.first { $0.relation == "members" }?.entries == entries.map { $0 - 1 })
    }
}
