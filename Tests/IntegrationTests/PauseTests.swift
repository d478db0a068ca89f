import Foundation
import TestSupport
import Testing

@Suite("A list that its member has paused, beside each store", .aFewAtATime)
struct PauseTests {
    private static let user = "rebecca-2r5"

    private struct List: Decodable {
        struct Row: Decodable { var groupId: String }

        var recommendations: [Row]
        var paused: Bool
        var pausedUntilMilliseconds: Int64?

        var isAway: Bool { paused && recommendations.isEmpty }
    }

    private func list(_ daemon: RunningDaemon) throws -> List {
        try daemon.answer("/v1/users/\(Self.user)/recommendations?session=s")
    }

    private func send(_ row: String, to daemon: RunningDaemon) -> Int? {
        SocketClient(port: daemon.port)?.request(
            "POST", "/v1/users/\(Self.user)/interactions", json: #"{"interactions":[\#(row)]}"#)?.status
    }

    /// Two daemons that share nothing but the store, or a folder with the catalog.
    private func daemons(_ workspace: Workspace, _ kind: StoreKind) async throws -> [RunningDaemon] {
        switch kind {
        case .folder:
            return [try await RunningDaemon(workspace), try await RunningDaemon(workspace)]
        case .redis:
            return [
                try await RunningDaemon.withoutCatalog(workspace, "a"),
                try await RunningDaemon.withoutCatalog(workspace, "b"),
            ]
        }
    }

    @Test("Is empty at every daemon and for every command, with the next version too", arguments: StoreKind.available)
    func everywhere(_ kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        let daemons = try await daemons(workspace, kind)
        for daemon in daemons { try await daemon.wait(forVersion: version) }
        for daemon in daemons { #expect(try !list(daemon).paused && !list(daemon).recommendations.isEmpty) }
        #expect(send(#"{"id":"p1","kind":"pause","days":30}"#, to: daemons[0]) == 200)
        let end = try #require(try list(daemons[0]).pausedUntilMilliseconds)
        for round in 0..<2 {
            for daemon in daemons {
                #expect(try await RunningDaemon.poll { try list(daemon).isAway })
                #expect(try list(daemon).pausedUntilMilliseconds == end)
            }
            let said = try await workspace.succeed("recommend", Self.user)
            #expect(said.lines.contains { $0.hasPrefix("nothing: the list is paused until ") }, "\(said.text)")
            let users = try workspace.write("\(Self.user)\nlaura-100\n", to: "users.txt")
            let lists = try await workspace.succeed("export", "recommendations", "--users", users)
            #expect(!lists.text.contains(Self.user) && lists.text.contains("laura-100"))
            #expect(lists.errors.contains("1 member has paused the list"), "\(lists.errors)")
            guard round == 0 else { break }
            // The version has the pause then, and the journal's change is taken.
            try await workspace.succeed("recompute")
            let next = try await workspace.currentVersion()
            for daemon in daemons { try await daemon.wait(forVersion: next) }
        }
        #expect(send(#"{"id":"p2","kind":"resume"}"#, to: daemons[1]) == 200)
        for daemon in daemons {
            #expect(try await RunningDaemon.poll { try !list(daemon).paused && !list(daemon).recommendations.isEmpty })
        }
        #expect(try await !workspace.succeed("recommend", Self.user).text.contains("paused"))
    }
}
