import Foundation
import TestSupport
import Testing

@Suite(
    "Favourites and follows on daemons that share a Redis", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct SharedTellingTests {
    private static let user = "shared-newcomer"

    private struct List: Decodable {
        struct Row: Decodable {
            struct Told: Decodable {
                var kind: String
                var count: Int
            }
            var groupId: String
            var told: [Told]?
        }
        var recommendations: [Row]
    }

    /// What brought a group into the next answer of a daemon, such as `3 follows`; nil if nothing that was told did.
    private func told(_ group: String, _ daemon: RunningDaemon) -> String? {
        let target = "/v1/users/\(Self.user)/recommendations?limit=100"
        guard let list: List = try? daemon.answer(target) else { return nil }
        return told(group, list)
    }
    private func told(_ group: String, _ list: List) -> String? {
        list.recommendations.first { $0.groupId == group }?.told?.map { "\($0.count) \($0.kind)" }.first
    }

    /// The same in the list of the command line, which reads the catalog and the streams.
    private func told(_ group: String, _ workspace: Workspace) async throws -> String? {
        let text = try await workspace.succeed("recommend", Self.user, "--json", "--limit", "100").text
        return told(group, try JSONDecoder().decode(List.self, from: Data(text.utf8)))
    }

    private func tell(_ daemon: RunningDaemon, _ kind: String, _ field: String, _ id: String) -> Int? {
        let json = #"{"interactions":[{"id":"\#(kind)-\#(id)","kind":"\#(kind)","\#(field)":"\#(id)"}]}"#
        return SocketClient(port: daemon.port)?
            .request("POST", "/v1/users/\(Self.user)/interactions", json: json)?.status
    }

    /// A daemon without a catalog, and one that reads the catalog.
    private func daemons(_ workspace: Workspace) async throws -> [RunningDaemon] {
        try await workspace.publishSample()
        let version = try await workspace.currentVersion()
        let daemons = [
            try await RunningDaemon.withoutCatalog(workspace, "a"),
            try await RunningDaemon(
                workspace, "--journal", workspace.path("journal-b"),
                settings: ["COTERIE_CACHE": workspace.path("cache-b")]),
        ]
        for daemon in daemons { try await daemon.wait(forVersion: version) }
        return daemons
    }

    @Test("A favourite told to one shows in the next answer of the other, and in the next version")
    func favourite() async throws {
        let workspace = try Workspace(.redis)
        let daemons = try await daemons(workspace)
        let pair = try CatalogContent.texts(
            """
            SELECT photo_id || ' ' || group_id FROM pools JOIN photos USING (photo_key) JOIN groups USING (group_key)
            WHERE photos.visibility = 0 AND groups.visibility = 0 ORDER BY photo_key, group_key LIMIT 1
            """, workspace.catalog
        )[0].split(separator: " ").map(String.init)
        let (photo, group) = (pair[0], pair[1])
        #expect(told(group, daemons[1]) == nil)
        #expect(tell(daemons[0], "favourite", "photoId", photo) == 200)
        #expect(await RunningDaemon.poll { told(group, daemons[1]) == "1 favourites" })
        try await workspace.succeed("recompute")
        let next = try await workspace.currentVersion()
        for daemon in daemons {
            try await daemon.wait(forVersion: next)
            #expect(told(group, daemon) == "1 favourites")
        }
        #expect(tell(daemons[1], "unfavourite", "photoId", photo) == 200)
        #expect(told(group, daemons[1]) == nil)
        try await workspace.succeed("recompute")
        try await daemons[0].wait(forVersion: workspace.currentVersion())
        #expect(told(group, daemons[0]) == nil)
    }

    @Test("A forgotten member is in nobody's follows: not in lists and journals, nor in the catalog")
    func forgotten() async throws {
        let workspace = try Workspace(.redis)
        let daemons = try await daemons(workspace)
        let group = "macro-mondays"
        let members = try CatalogContent.texts(
            """
            SELECT user_id FROM memberships JOIN users USING (user_key) JOIN groups USING (group_key)
            WHERE group_id = '\(group)' AND listed IS NOT 0 ORDER BY user_id LIMIT 3
            """, workspace.catalog)
        for (number, member) in members.enumerated() {
            #expect(tell(daemons[number % 2], "follow", "userId", member) == 200)
        }
        for daemon in daemons { #expect(await RunningDaemon.poll { told(group, daemon) == "3 follows" }) }
        #expect(try await told(group, workspace) == "3 follows")
        let forgotten = try #require(members.first)
        let forgets = "/v1/users/\(forgotten)"
        #expect(SocketClient(port: daemons[0].port)?.request("DELETE", forgets)?.status == 200)
        for daemon in daemons {
            #expect(await RunningDaemon.poll { told(group, daemon) == nil })
            let own = "/v1/users/\(Self.user)/interactions"
            #expect(await RunningDaemon.poll { (try? daemon.get(own).text.contains("follow-\(forgotten)")) == false })
        }
        #expect(try await told(group, workspace) == nil)
        #expect(await RunningDaemon.poll { (try? journalsHave("follow-\(forgotten)", workspace)) == false })
        try await workspace.succeed("recompute")
        let next = try await workspace.currentVersion()
        for daemon in daemons {
            try await daemon.wait(forVersion: next)
            #expect(told(group, daemon) == nil)
        }
        #expect(
            try CatalogContent.texts(
                "SELECT user_id FROM follows JOIN users ON users.user_key = followed_key ORDER BY 1", workspace.catalog)
                == Array(members.dropFirst()))
        #expect(
            try CatalogContent.texts("SELECT id FROM interactions ORDER BY 1", workspace.catalog)
                == members.dropFirst().map { "follow-\($0)" })
        let check = try await workspace.run("forget", forgotten, "--check")
        #expect(check.text.contains("kept from coming back") && !check.text.contains("catalog, "))
        // The older version has the member, and streams keep what it lacks.
        #expect(!check.text.contains("journal ") && !check.text.contains("version \(next)"), "\(check.testDescription)")
    }

    /// Whether any file of the daemons' journals has a text.
    private func journalsHave(_ text: String, _ workspace: Workspace) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: workspace.folder)
            .filter { $0.hasPrefix("journal-") }
            .contains { name in
                try Data(contentsOf: URL(fileURLWithPath: workspace.path(name))).range(of: Data(text.utf8)) != nil
            }
    }
}
