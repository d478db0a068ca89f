import Foundation
import Service
import TestSupport
import Testing

@Suite("Recording requests", .aFewAtATime)
struct RecordTests {
    private func exchanges(_ workspace: Workspace) throws -> [Exchange] {
        let reader = try TapeReader(workspace.path("tape"))
        var exchanges: [Exchange] = []
        while let exchange = try reader.next() { exchanges.append(exchange) }
        return exchanges
    }

    @Test("A tape has neither tokens nor, with a key, the ids of members")
    func privateTape() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("token", "--new-key", "--keys", "keys.json")
        let token = try await workspace.succeed("token", "--service", "--scope", "lists", "--keys", "keys.json").text
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let key = try workspace.write("a key that nobody knows", to: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let daemon = try await RunningDaemon(
            workspace, "--record", workspace.path("tape"), "--record-key-file", key, "--keys", "keys.json")
        try await daemon.wait { $0.status == "ready" }
        let members = try SampleCommunity().usersByActivity
        let client = try #require(SocketClient(port: daemon.port))
        let headers = ["Authorization: Bearer \(token)"]
        for member in members.prefix(20) + ["somebody-unknown"] {
            let path = "/v1/users/\(member)/recommendations"
            _ = client.request("GET", "\(path)?session=\(member)&limit=3", headers: headers + ["Accept-Encoding: gzip"])
            _ = client.request("GET", "\(path)?token=\(token)", headers: headers)
            _ = client.request("GET", "/v1/user/\(member)", headers: headers)
            _ = client.request(
                "POST", "/v1/recommendations", headers: headers,
                json: #"{"userIds":["\#(member)","somebody-unknown",""],"limit":2}"#)
            _ = client.request(
                "POST", "/v1/users/\(member)/interactions", headers: headers,
                json: #"{"interactions":[{"id":"i-\#(members.count)","kind":"click","groupId":"beach-days"}]}"#)
        }
        #expect(await daemon.end().exitCode == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: workspace.path("tape"))
        let text = try await RunningCommand(
            "/bin/zcat", files.map { workspace.path("tape/\($0)") }, environment: workspace.environment, input: nil,
            in: workspace.folder
        ).wait().text
        #expect(text.contains(#""status":200"#) && text.contains(#""recommendations":"#.replacing("\"", with: "\\\"")))
        #expect(!text.contains(token) && !text.contains(token.suffix(20)) && !text.contains("Bearer"))
        for member in members + ["somebody-unknown"] { #expect(!text.contains(member), "\(member)") }
        let read = try exchanges(workspace)
        #expect(read.filter { $0.route == "/v1/users/{id}/recommendations" }.count == 42)
        #expect(read.filter(\.isChange).count == 21)
        #expect(!read.contains { $0.target.hasPrefix("/v1/user/") })
    }

    @Test("The tape of a daemon that was killed can be read")
    func killed() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace, "--record", workspace.path("tape"))
        try await daemon.wait { $0.status == "ready" }
        let client = try #require(SocketClient(port: daemon.port))
        let isWritten = await RunningDaemon.poll {
            _ = client.request("GET", "/v1/groups/macro-mondays/similar")
            return ((try? exchanges(workspace)) ?? []).contains { $0.route == "/v1/groups/{id}/similar" }
        }
        #expect(isWritten)
        _ = await daemon.end(with: SIGKILL)
        let read = try exchanges(workspace)
        #expect(read.map(\.sequence) == (1...UInt64(read.count)).map { $0 })
        // Until the version is loaded, the daemon says that it is not ready.
        #expect(read.allSatisfy { ($0.status == 200 || $0.route == "/readyz") && !$0.body.isEmpty })
        // Another one goes on where it ended, once nobody holds the folder any more.
        let next = try await RunningDaemon(workspace, "--record", workspace.path("tape"))
        let second = try await workspace.run("serve", "--port", "0", "--record", workspace.path("tape"))
        #expect(second.exitCode == 1 && second.errors.contains("another process records"))
        _ = await next.end()
    }
}
