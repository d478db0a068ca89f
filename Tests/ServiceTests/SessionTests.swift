import Foundation
import HTTP
import Model
import ModelStore
import Recommendation
import TestSupport
import Testing

@testable import Service

@Suite("Sessions")
struct SessionTests {
    private let members: MemberCatalog
    private let store: FakeStore
    private static let minute: Int64 = 60_000
    private static let start: Int64 = 61_000_000

    init() throws {
        members = try MemberCatalog()
        store = FakeStore(try Community.version("v1"))
    }

    /// The routes of a daemon that has just been started, at a moment in minutes.
    private func routes(_ minutes: Int64) throws -> Routes {
        var routes = try members.routes(store)
        routes.sessions = try SessionFile(path: members.path + "-sessions")
        routes.now = Self.start + minutes * Self.minute
        return routes
    }

    private struct List: Decodable, Equatable {
        struct Row: Decodable, Equatable {
            var rank: Int
            var groupId: String
        }
        var modelVersion, recommendationId: String
        var bucket: Int
        var recommendations: [Row]
        var next: String?
        var groups: [String] { recommendations.map(\.groupId) }
    }

    private func list(_ minutes: Int64, _ query: String = "", of user: String = "bob") throws -> List {
        let answer = try routes(minutes).answer(.direct, "/v1/users/\(user)/recommendations\(query)")
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(List.self, from: Data(answer.body))
    }

    /// Records interactions of one kind a minute after the start.
    private func post(_ kind: String, _ groups: [String], _ id: String, of user: String = "bob") throws {
        let interactions = groups.map { #"{"id":"\#(id) \#($0)","kind":"\#(kind)","groupId":"\#($0)"}"# }
        let answer = try routes(1).answer(
            .direct, "/v1/users/\(user)/interactions", method: "POST",
            json: #"{"interactions":[\#(interactions.joined(separator: ","))]}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("A session without an id ends after half an hour without a request, across restarts and buckets")
    func inactivity() throws {
        let first = try list(0)
        var last = first
        // Twelve hours are two buckets on.
        for minutes in stride(from: 29, through: 29 * 25, by: 29) { last = try list(Int64(minutes)) }
        #expect(last == first)
        let next = try list(29 * 25 + 32)
        #expect(next.recommendationId != first.recommendationId && next.bucket > first.bucket)
    }

    @Test("A session with the client's id lasts a day, and other sessions have their own lists")
    func ownID() throws {
        let first = try list(0, "?session=a")
        let other = try list(400, "?session=b")
        #expect(other.recommendationId != first.recommendationId)
        #expect(try list(0, "?session=a", of: "ann").groups != first.groups)
        #expect(try list(23 * 60, "?session=a") == first)
        // A minute before a day is over the session goes on; exactly a day after its last request it has ended.
        #expect(try list(400 + 24 * 60 - 1, "?session=b") == other)
        #expect(try list(23 * 60 + 24 * 60, "?session=a").recommendationId != first.recommendationId)
        // Keeping a new list removes the sessions that have ended, and no others.
        #expect(try list(400 + 2 * (24 * 60 - 1), "?session=b") == other)
    }

    @Test("A list of other filters has a session of its own, and keeps to its filters")
    func filters() throws {
        let whole = try list(0, "?session=a")
        let open = try list(1, "?session=a&joinPolicy=open")
        #expect(Set(open.groups) == Set(whole.groups).subtracting(["cats 🐈", "dogs & wolves"]) && !open.groups.isEmpty)
        #expect(try list(400, "?session=a&joinPolicy=open") == open && list(400, "?session=a") == whole)
        // The same filters in another order are the same list.
        let two = try list(2, "?session=a&joinPolicy=open;approval&minimumMembers=21")
        #expect(try list(400, "?minimumMembers=21&session=a&joinPolicy=approval;open") == two)
        #expect(!two.groups.contains("alps") && two.groups.count < whole.groups.count)
        #expect(try list(3, "?exclude=birds;none").groups.contains("birds") == false)
        // Without an id, half an hour as always.
        let unnamed = try list(0, "?topics=none")
        #expect(try unnamed.groups.isEmpty && list(29, "?topics=none") == unnamed)
        #expect(try list(29 + 31 + 360, "?topics=none").bucket > unnamed.bucket)
    }

    @Test("A list of other boosts has a session of its own, and keeps to its boosts")
    func boosts() throws {
        let whole = try list(0, "?session=a", of: "ann")
        let boosted = try list(1, "?session=a&boost=group:dogs%20%26%20wolves%5E10", of: "ann")
        #expect(whole.groups.first == "birds" && boosted.groups.first == "dogs & wolves")
        #expect(Set(boosted.groups) == Set(whole.groups))
        #expect(try list(400, "?session=a", of: "ann") == whole)
        // Written in another way, it is the same boost.
        #expect(try list(400, "?boost=group:dogs%20%26%20wolves%5E10.0&session=a", of: "ann") == boosted)
        let two = try list(2, "?session=a&boost=topic:Owls%5E2&boost=group:birds%5E0.5", of: "ann")
        #expect(try list(400, "?session=a&boost=group:birds%5E0.50&boost=topic:owls%5E2", of: "ann") == two)
        #expect(two.recommendationId != whole.recommendationId || two.groups != boosted.groups)
    }

    @Test("Forgetting a member's interactions ends the sessions of that member only")
    func forgetting() throws {
        let (first, other) = (try list(0, "?session=a"), try list(0, of: "ann"))
        let target = "/v1/users/bob/interactions"
        #expect(try routes(1).answer(.direct, target, method: "DELETE").status == 200)
        #expect(try list(1, of: "ann") == other)
        // Else it would still be the list of the bucket in which the session began.
        #expect(try list(400, "?session=a").bucket > first.bucket)
    }

    @Test("A new version changes neither a session's list nor its id")
    func newVersion() throws {
        let first = try list(0)
        let next = try Community.version("v2")
        store.add(next)
        try store.makeCurrent(next.manifest.version)
        let second = try list(1)
        #expect(second.modelVersion == "v2" && second.recommendations == first.recommendations)
        #expect(second.recommendationId == first.recommendationId)
    }

    @Test("A group that a new version changes leaves the lists whose filters it no longer passes, and no other list")
    func filtersOfNewVersion() throws {
        let (whole, open) = (try list(0, "?session=a"), try list(0, "?session=a&joinPolicy=open"))
        let place = try #require(Community.groups.firstIndex { $0.id == "birds" })
        var groups = Community.groups
        groups[place].joinPolicy = .invite
        try serve(
            EncodedModel(
                groups: groups, sizes: Community.sizes,
                tables: [.photos: Community.photos, .members: Community.members]), groups.count)
        #expect(open.groups.contains("birds") && open.groups.count > 1)
        #expect(try list(1, "?session=a&joinPolicy=open").groups == open.groups.filter { $0 != "birds" })
        #expect(try list(1, "?session=a").recommendations == whole.recommendations)
        let why = try routes(1).answer(
            .direct, "/v1/users/bob/recommendations/birds/why?session=a&joinPolicy=open")
        #expect(why.text.contains(#""standing":"filtered""#), "\(why.text)")
    }

    @Test("Joined and dismissed groups leave the list, the others keep their order, and undoing restores them")
    func patches() throws {
        let first = try list(0)
        // No other group is a neighbour of it by members or photos but one.
        try post("dismiss", ["cats 🐈"], "1")
        let second = try list(2)
        #expect(second.recommendationId == first.recommendationId)
        #expect(Set(second.groups) == Set(first.groups).subtracting(["cats 🐈"]))
        let unmoved = first.groups.filter { $0 != "cats 🐈" && $0 != "alps" }
        #expect(second.groups.filter { $0 != "alps" } == unmoved)
        try post("undismiss", ["cats 🐈"], "2")
        #expect(try list(2) == first)
        try post("join", ["birds"], "3")
        #expect(try Set(list(2).groups) == Set(first.groups).subtracting(["birds"]))
        try post("leave", ["birds"], "4")
        #expect(try list(2) == first)
    }

    @Test("A list that was empty when its session began is filled as soon as there is a group for it")
    func empty() throws {
        let groups = Community.groups.map(\.id)
        try post("dismiss", groups, "1")
        for _ in 0..<2 { #expect(try list(2, "?session=a").groups.isEmpty) }
        try post("undismiss", groups, "2")
        #expect(try !list(2, "?session=a").groups.isEmpty)
    }

    @Test(
        "Each group comes at most once on all pages, and none is left out that stays in the list",
        arguments: 1...12 as ClosedRange<UInt64>)
    func changingPages(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let groups = try publishRandomVersion(of: 24, seed: seed)
        // In every second reading, the session has ended between two pages.
        let (step, limit) = (seed.isMultiple(of: 2) ? 1 : 25 * 60, Int.random(in: 1...5, using: &random))
        var (minutes, next, seen): (Int64, String?, [String]) = (0, "", [])
        var staying = Set(try list(minutes, "?limit=200", of: "ann").groups)
        #expect(staying.count > 5)
        while let after = next?.addingPercentEncoding(withAllowedCharacters: .alphanumerics) {
            let page = try list(minutes, "?limit=\(limit)\(after.isEmpty ? "" : "&after=\(after)")", of: "ann")
            seen += page.groups
            next = page.next
            minutes += Int64(step)
            for number in 0..<Int.random(in: 0...2, using: &random) {
                let kind = try #require(["join", "leave", "dismiss", "undismiss"].randomElement(using: &random))
                let group = try #require(groups.randomElement(using: &random))
                try post(kind, [group], "\(seen.count) \(minutes) \(number)", of: "ann")
            }
            if next != nil { staying.formIntersection(try list(minutes, "?limit=200", of: "ann").groups) }
        }
        #expect(Set(seen).count == seen.count, "\(seen)")
        #expect(staying.subtracting(seen).isEmpty, "\(seen)")
    }

    /// Makes a version of groups with random neighbours current, and returns their ids.
    private func publishRandomVersion(of count: Int, seed: UInt64) throws -> [String] {
        let ids = (0..<count).map { "group \($0 + 10)" }
        for id in ids { try members.execute("INSERT INTO groups (group_id) VALUES ('\(id)')") }
        try members.execute(
            "INSERT INTO memberships (group_key, user_key) SELECT group_key, 1 FROM groups WHERE group_id = '\(ids[3])'"
        )
        let tables = Dictionary(
            uniqueKeysWithValues: RelationTable.standard.requiredRelations.enumerated().map { number, relation in
                let seed = 2 * seed + UInt64(number)
                return (relation, SampleModel.table(groupCount: count, limit: 12, seed: seed, isFull: true))
            })
        let encoded = try EncodedModel(
            groups: ids.map { GroupFacts(id: $0, title: $0) }, sizes: SampleModel.sizes(count), tables: tables)
        try serve(encoded, count)
        return ids
    }

    /// Makes a model of so many groups current, as the version v2.
    private func serve(_ encoded: EncodedModel, _ count: Int) throws {
        var manifest = try Community.version("v2").manifest
        manifest.groups = .init(included: count, leftOutPrivate: 0)
        store.add(
            LoadedVersion(manifest: manifest, model: try ModelVersion(ByteRegion(copying: encoded.fileBytes))))
        try store.makeCurrent(manifest.version)
    }

    @Test("The text of seen groups is read back, and no other text is")
    func seenGroups() throws {
        var seen = SeenGroups()
        for number in 0..<300 { seen.insert("group-\(number)") }
        let text = try #require(seen.text)
        #expect(SeenGroups(text) == seen && text.utf8.count <= SeenGroups.lengthLimit)
        #expect(seen.contains("group-7") && !seen.contains("group-300"))
        for other in ["", "~", "~AAAA", "group-1", String(text.dropLast()), text + "A"] {
            #expect(SeenGroups(other) == nil, "\(other)")
        }
        for number in 300..<1000 { seen.insert("group-\(number)") }
        #expect(seen.text == nil)
        let plain = try list(0, "?limit=2").groups[1].addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        #expect(try list(0, "?limit=2&after=\(plain ?? "")").groups == Array(list(0).groups[2..<4]))
    }

    @Test("A semicolon inside an excluded id is escaped; if there is no such group, its parts are meant")
    func excludedSemicolon() throws {
        let encoded = try EncodedModel(
            groups: ["a", "a;b", "b", "c"].map { GroupFacts(id: $0, title: "") }, tables: [:])
        let model = VisibleModel(try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
        func words(_ query: String) throws -> FilterWords {
            let query = try HTTPRequest.QueryParameter.list(of: Array(query.utf8))
            return try RequestParameters(query, declared: Parameter.filters).filters
        }
        for (query, groups) in [
            ("exclude=a%3Bb", [1]), ("exclude=a;b", [0, 2]), ("exclude=a%3Bb;c", [1, 3]), ("exclude=b%3Bc", [2, 3]),
        ] as [(String, Set<UInt32>)] {
            #expect(try words(query).filter(in: model).excluded == groups, "\(query)")
        }
        #expect(try words("exclude=a%3Bb").text != words("exclude=a;b").text)
        #expect(try words("exclude=a%3Bb").text != words("exclude=a%253Bb").text)
        // A client that escapes every semicolon may send long lists.
        let many = (0..<Parameter.listLimit).map { "group-\($0)" }.joined(separator: "%3B")
        #expect(try words("exclude=\(many)").excluded.count == Parameter.listLimit)
        #expect(throws: Problem.self) { try words("exclude=\(many)%3Bmore") }
    }

    @Test("Pages continue through the frozen list, even if the group between two pages leaves it")
    func pages() throws {
        let whole = try list(0)
        var groups: [String] = []
        var query = "?limit=2"
        for _ in 0..<3 {
            let page = try list(1, query)
            #expect(page.recommendations.map(\.rank) == page.recommendations.indices.map { groups.count + $0 + 1 })
            groups += page.groups
            guard let next = page.next?.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else { break }
            query = "?limit=2&after=\(next)"
        }
        #expect(groups == whole.groups)
        #expect(try list(1, "?limit=2&after=\(query.split(separator: "=").last ?? "")").next == nil)
        // A page that is just full is the last one if nothing follows.
        #expect(try list(1, "?limit=\(whole.groups.count)").next == nil)
        #expect(try routes(1).answer(.direct, "/v1/users/bob/recommendations?after=none").status == 404)
    }

    @Test("A damaged file is renamed, and a new one begun")
    func damage() throws {
        let path = members.path + "-sessions"
        for session in 0..<30 { _ = try list(0, "?session=\(session)") }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 8192))
        try file.close()
        #expect(try list(0).groups == list(1).groups)
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
    }
}
