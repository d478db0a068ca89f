import Foundation
import Model
import TestSupport
import Testing

@testable import Service

@Suite("The map of all groups in the service")
struct MapTests {
    private struct Part: Decodable {
        struct Row: Decodable, Equatable {
            var groupId: String
            var x, y, regionId: Int?
            var region: String?
            var memberCount: Int
        }
        var groups: [Row]
        var next: String?
    }

    private func part(_ service: Routes, limit: Int = 1000, after id: String? = nil) throws -> Part {
        let escaped = id?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        let target = "/v1/map?limit=\(limit)\(escaped.map { "&after=\($0)" } ?? "")"
        return try JSONDecoder().decode(Part.self, from: Data(service.answer(.direct, target).body))
    }

    @Test("Each group has its place, region and size; one without neighbours has no place")
    func rows() throws {
        let answer = try Routes(store: FakeStore(try Community.version("v1"))).answer(.direct, "/v1/map?limit=1")
        #expect(
            answer.text == """
                {"modelVersion":"v1","degraded":false,"groups":[{"groupId":"alps","title":"Alps","x":0,"y":10,\
                "regionId":0,"region":"Alps","memberCount":20}],"next":"alps"}
                """)
        let groups = try part(Routes(store: FakeStore(try Community.version("v1")))).groups
        #expect(groups.map(\.groupId) == Community.groups.map(\.id))
        #expect(groups.map(\.memberCount) == [20, 21, 22, 23, 24])
        #expect(groups[4].x == nil && groups[4].y == nil && groups[4].region == nil)
        #expect(groups.map(\.regionId) == [0, 1, 1, 1, nil])
    }

    @Test("Parts of any size make the same whole")
    func parts() throws {
        let service = Routes(store: FakeStore(try Community.version("v1")))
        let whole = try part(service, limit: 5)
        #expect(whole.next == nil)
        for limit in 1...4 {
            var (groups, after): ([Part.Row], String?) = ([], nil)
            repeat {
                let next = try part(service, limit: limit, after: after)
                groups += next.groups
                after = next.next
            } while after != nil && groups.count <= 5
            #expect(groups == whole.groups, "\(limit)")
        }
    }

    @Test("A region has the name of its commonest topic, else of its largest group, and both if topics are the same")
    func names() throws {
        let titled = try part(Routes(store: FakeStore(try Community.version("v1"))))
        #expect(titled.groups.map(\.region) == ["Alps"] + Array(repeating: "dogs & wolves", count: 3) + [nil])
        let marked = try part(Routes(store: FakeStore(try Community.version("v1", mark: "Snow"))))
        #expect(marked.groups.compactMap(\.region) == ["snow: SnowAlps"] + Array(repeating: "snow: Snow", count: 3))
    }

    @Test("A group that was hidden since is not on the map, and gives its region no name")
    func hidden() throws {
        var service = Routes(store: FakeStore(try Community.version("v1")))
        service.community = FakeCommunity(hidden: [0, 3])
        let answer = try service.answer(.direct, "/v1/map")
        #expect(!answer.text.contains("Alps") && !answer.text.contains("dogs"))
        let groups = try part(service).groups
        #expect(groups.map(\.groupId) == [1, 2, 4].map { Community.groups[$0].id })
        #expect(groups[0].region == groups[1].region && groups[0].region == "Cats 🐈‍⬛")
    }

    @Test("A version without a map lists all groups beside it")
    func withoutMap() throws {
        let service = Routes(store: FakeStore(try Community.version("v1", places: nil)))
        let groups = try part(service).groups
        #expect(groups.count == 5 && groups.allSatisfy { $0.x == nil && $0.region == nil })
    }
}

extension PageTests {
    @Test("The map's page has a table of regions, and neither it nor its data has a hidden group")
    func map() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        #expect(try get(daemon, "/admin/map/groups").status == 303)
        let field = try #require(try signIn(daemon).cookie)
        let page = try get(daemon, "/admin/map", [field]).text
        #expect(page.contains("data-map=\"/admin/map/groups\"") && page.contains("/admin/groups?region=1"))
        #expect(page.contains("Beside the map") && page.contains("/admin/groups/alps"))
        #expect(try get(daemon, "/admin/map/groups?limit=2", [field]).text.contains("\"groupId\":\"alps\""))
        let region = try get(daemon, "/admin/groups?region=1", [field]).text
        #expect(region.contains("3 groups, page 1 of 1") && region.contains("&amp;region=1"))
        #expect(try get(daemon, "/admin/groups?region=beside", [field]).text.contains("1 group, page 1 of 1"))
        let secret = try secret(in: page)
        #expect(try post(daemon, "/admin/groups/alps/hidden", "hidden=yes&secret=\(secret)", [field]).status == 303)
        for path in ["/admin/map", "/admin/map/groups"] {
            #expect(try !get(daemon, path, [field]).text.contains("alps"), "\(path)")
        }
    }

    @Test("A version without a map says so, and one without joins in four weeks that its data are old")
    func noMap() throws {
        let quiet = [GroupReach](repeating: GroupReach(offered: 1), count: Community.groups.count)
        let store = FakeStore(try Community.version("v1", places: nil, reach: quiet))
        let daemon = try daemon { $0.deployment = .catalog(store, path: members.path) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        #expect(try get(daemon, "/admin/map", [field]).text.contains("This version has no map"))
        let table = try get(daemon, "/admin/groups", [field]).text
        #expect(table.contains("the data that were imported last end before them"))
        #expect(try get(daemon, "/admin/files/map.js").status == 200)
    }
}
