import Foundation
import SQLite
import TestSupport
import Testing

@Suite("A catalog whose file is replaced or removed while a daemon uses it", .aFewAtATime)
struct ReplacedCatalogTests {
    private func join(_ id: String, _ daemon: RunningDaemon) throws -> Int {
        let json = #"{"interactions":[{"id":"\#(id)","kind":"join","groupId":"macro-mondays"}]}"#
        let client = try #require(SocketClient(port: daemon.port))
        return try #require(client.request("POST", "/v1/users/laura-100/interactions", json: json)).status
    }

    @Test("Nothing is acknowledged that would be lost with it; readiness says why, and a restart helps")
    func replaced() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let other = workspace.path("other.sqlite")
        try FileManager.default.copyItem(atPath: workspace.catalog, toPath: other)
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { !$0.degraded }
        #expect(try join("1", daemon) == 200)
        #expect(unsafe rename(other, workspace.catalog) == 0)
        #expect(try join("2", daemon) == 503)
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("PUT", "/v1/admin/groups/after-dark/hidden")?.status == 503)
        try await daemon.wait { $0.degraded && $0.reason?.contains("another file took its place") == true }
        #expect(try daemon.get("/v1/users/laura-100/recommendations").status == 200)
        _ = await daemon.end()
        let again = try await RunningDaemon(workspace)
        try await again.wait { !$0.degraded }
        #expect(try join("3", again) == 200)
    }

    @Test("Readiness says so before anybody does anything, and a file that is missing is no wish to record nothing")
    func removed() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { !$0.degraded }
        try FileManager.default.removeItem(atPath: workspace.catalog)
        try await daemon.wait { $0.degraded && $0.reason?.contains("was removed") == true }
        #expect(try daemon.get("/readyz").text.contains(#""missing":[]"#))
        #expect(try join("1", daemon) == 503)
    }

    @Test(
        "A journal that loses its write-ahead log, the log's index or its content takes nothing more",
        arguments: ["-wal", "-shm", ""])
    func journalFile(ending: String) async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { !$0.degraded }
        #expect(try join("1", daemon) == 200)
        let file = workspace.catalog + "-log" + ending
        if ending.isEmpty {
            #expect(unsafe truncate(file, 0) == 0)
        } else {
            try FileManager.default.removeItem(atPath: file)
        }
        // Nobody has written anything since.
        try await daemon.wait { $0.degraded && $0.reason?.contains("\(file) was removed, replaced or emptied") == true }
        #expect(try join("2", daemon) == 503)
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("PUT", "/v1/admin/groups/after-dark/hidden")?.status == 503)
        _ = await daemon.end()
        // The content of an emptied file is gone.
        guard !ending.isEmpty else { return }
        let again = try await RunningDaemon(workspace)
        try await again.wait { !$0.degraded }
        #expect(try join("2", again) == 200)
        #expect(try again.get("/v1/users/laura-100/interactions").text.contains(#""id":"1""#))
    }
}
