import Basics
import CatalogStore
import Foundation
import Model
@testable import Service
import TestSupport
import Testing

@Suite("The lists of several members at once")
struct ListBatchTests {
    private struct Lists: Decodable {
        struct Entry: Decodable {
            var userId: String
            var list: List?
            var problem: Failure?
        }

        struct List: Decodable, Equatable {
            struct Row: Decodable, Equatable {
                var groupId: String
                var rank: Int
                var score: Double
            }

            var userId: String
            var known: Bool
            var recommendationId: String
            var recommendations: [Row]
            var next: String?
        }

        struct Failure: Decodable {
            var status: Int
            var field: String?
        }

        var modelVersion: String
        var lists: [Entry]
    }

    private let routes: Routes

    init() throws { routes = Routes(store: FakeStore(try Community.version("v1"))) }

    private func post(_ json: String, _ routes: Routes? = nil, _ transport: Transport = .direct) throws
        -> SocketClient.Response
    {
        try (routes ?? self.routes).answer(transport, "/v1/recommendations", method: "POST", json: json)
    }

    private func lists(_ json: String, _ routes: Routes? = nil) throws -> Lists {
        let answer = try post(json, routes)
        #expect(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(Lists.self, from: Data(answer.body))
    }

    private func list(_ target: String) throws -> Lists.List {
        let answer = try routes.answer(.direct, target)
        return try JSONDecoder().decode(Lists.List.self, from: Data(answer.body))
    }

    @Test("Each list is the one that the member gets alone, in the order of the request")
    func same() throws {
        let answer = try post(#"{"userIds":["zoë q","ann","none","ann"]}"#, routes, .direct)
        let lists = try JSONDecoder().decode(Lists.self, from: Data(answer.body))
        #expect(lists.modelVersion == "v1")
        #expect(lists.lists.map(\.userId) == ["zoë q", "ann", "none", "ann"])
        for (entry, path) in zip(lists.lists, ["zo%C3%AB%20q", "ann", "none", "ann"]) {
            #expect(try entry.list == list("/v1/users/\(path)/recommendations"))
            #expect(entry.list?.recommendations.isEmpty == false && entry.problem == nil)
        }
        #expect(lists.lists.map { $0.list?.known } == [true, true, false, true])
    }

    @Test("Limit and filters act as in a member's own list")
    func filters() throws {
        let few = try lists(#"{"userIds":["ann"],"limit":1}"#).lists[0].list
        #expect(few?.recommendations.count == 1 && few?.next == nil)
        for (json, query) in [
            (#""joinPolicy":["invite","approval"]"#, "joinPolicy=invite;approval"),
            (#""minimumMembers":22"#, "minimumMembers=22"),
            (#""exclude":["birds","none"]"#, "exclude=birds;none"), (#""topics":["owls"]"#, "topics=owls"),
            (
                #""boost":["group:dogs & wolves^10","topic:owls^2"]"#,
                "boost=topic:owls%5E2&boost=group:dogs%20%26%20wolves%5E10"
            ),
        ] {
            let all = try list("/v1/users/ann/recommendations")
            let own = try list("/v1/users/ann/recommendations?\(query)")
            #expect(try lists(#"{"userIds":["ann"],\#(json)}"#).lists[0].list == own)
            #expect(own != all)
        }
    }

    @Test("An id that can have no list is an entry with its problem, and the others have their lists")
    func badIDs() throws {
        let members = try MemberCatalog()
        _ = try Catalog(path: members.path, mode: .recording)
            .removal.forget(["bob"], withPhotos: false, atMilliseconds: 1)
        let long = String(repeating: "x", count: 513)
        let found = try lists(#"{"userIds":["ann","","\#(long)","a\u0000b","bob","eve"]}"#, members.routes())
        #expect(found.lists.map { $0.problem?.status } == [nil, 400, 400, 400, 404, nil])
        #expect(found.lists.map { $0.problem?.field } == [nil, "userIds[1]", "userIds[2]", "userIds[3]", nil, nil])
        #expect(found.lists.map { $0.list == nil } == [false, true, true, true, true, false])
    }

    @Test(
        "What is wrong with the whole batch is refused, and named",
        arguments: [
            (#"{}"#, "userIds"), (#"{"userIds":[]}"#, "userIds"), (#"{"userIds":["ann",1]}"#, "userIds[1]"),
            (#"{"userIds":["ann"],"limit":21}"#, "limit"), (#"{"userIds":["ann"],"limit":0}"#, "limit"),
            (#"{"userIds":["ann"],"minimumMembers":-1}"#, "minimumMembers"),
            (#"{"userIds":["ann"],"topics":[""]}"#, "topics[0]"),
            (#"{"userIds":["ann"],"joinPolicy":["open","shut"]}"#, "joinPolicy[1]"), ("[", ""),
            (#"{"userIds":["ann"],"boost":["topic:owls^2","owls^2"]}"#, "boost[1]"),
            (#"{"userIds":["ann"],"boost":[\#(String(repeating: #""topic:a^2","#, count: 20))"topic:a^2"]}"#, "boost"),
        ])
    func badBatches(json: String, field: String) throws {
        let answer = try post(json)
        #expect(try ProblemBody(answer).status == 400)
        #expect(field.isEmpty || answer.text.contains(#""field":"\#(field)""#), "\(answer.text)")
    }

    @Test("A hundred members are answered, and no more")
    func size() throws {
        func json(_ count: Int) -> String {
            #"{"userIds":[\#((0..<count).map { "\"u\($0)\"" }.joined(separator: ","))]}"#
        }
        #expect(try lists(json(100)).lists.count == 100)
        #expect(try post(json(101)).status == 400)
    }

    @Test("No session is kept or used, but a member's session stays")
    func sessions() throws {
        var routes = routes
        let folder = try TemporaryDirectory()
        let file = try SessionFile(path: folder.path + "/sessions")
        routes.sessions = file
        _ = try post(#"{"userIds":["ann","bob"]}"#, routes)
        #expect(try file.plan(ofUser: "ann", session: nil, at: routes.now) == nil)
        let own = try routes.answer(.direct, "/v1/users/ann/recommendations")
        let kept = try file.plan(ofUser: "ann", session: nil, at: routes.now)
        #expect(own.status == 200 && kept != nil)
        _ = try post(#"{"userIds":["ann"]}"#, routes)
        #expect(try file.plan(ofUser: "ann", session: nil, at: routes.now) == kept)
    }

    @Test("Without members or a version, the whole batch says so")
    func nothing() throws {
        var bare = routes
        bare.community = nil
        #expect(try post(#"{"userIds":["ann"]}"#, bare).status == 501)
        #expect(try post(#"{"userIds":["ann"]}"#, Routes(store: FakeStore())).status == 503)
    }
}

@Suite("The scope of services that act for members")
struct ScopeTests {
    private let bearers: Bearers
    private let members: MemberCatalog
    private var service: Routes

    init() throws {
        bearers = try Bearers()
        members = try MemberCatalog()
        service = try members.routes()
        service.access = bearers.policy()
    }

    private static let allowed: [(method: String, target: String, json: String?)] = [
        ("GET", "/v1/users/ann/recommendations", nil), ("HEAD", "/v1/users/bob/recommendations?session=s", nil),
        ("GET", "/v1/users/ann/recommendations/birds/why", nil),
        ("POST", "/v1/users/ann/interactions", #"{"interactions":[{"id":"1","kind":"click","groupId":"alps"}]}"#),
        ("PUT", "/v1/users/bob/interests", #"{"interests":["owls"]}"#),
        ("POST", "/v1/recommendations", #"{"userIds":["ann","bob"]}"#),
    ]
    private static let forbidden: [(method: String, target: String, json: String?)] = [
        ("GET", "/v1/users/ann/interactions", nil), ("DELETE", "/v1/users/ann/interactions", nil),
        ("DELETE", "/v1/users/ann/interactions/1", nil), ("GET", "/v1/users/ann/interests", nil),
        ("GET", "/v1/admin/model", nil), ("GET", "/v1/admin/hidden", nil),
    ]

    private func status(_ request: (method: String, target: String, json: String?), _ field: String) throws -> Int {
        try service.answer(.direct, request.target, method: request.method, headers: [field], json: request.json).status
    }

    @Test("It opens lists, recording and interests of any member, and nothing else")
    func scope() throws {
        let scoped = try bearers.field("site", .service, scopes: [.lists])
        let plain = try bearers.field("site", .service)
        for request in Self.allowed {
            #expect(try status(request, scoped) == 200, "\(request)")
            #expect(try status(request, plain) == 403, "\(request)")
            #expect(try status(request, bearers.field("root", .admin)) == 403, "\(request)")
        }
        for request in Self.forbidden {
            #expect(try status(request, scoped) == 403, "\(request)")
            #expect(try status(request, plain) == 403, "\(request)")
        }
        for target in ["/v1/groups/alps/similar", "/metrics"] {
            for field in [scoped, plain] { #expect(try status(("GET", target, nil), field) == 200) }
        }
        // A member's token has no scopes, and no member asks for lists of others.
        let member = try bearers.field("ann", .member, scopes: [.lists])
        #expect(try status(("POST", "/v1/recommendations", #"{"userIds":["ann"]}"#), member) == 403)
        #expect(try status(("GET", "/v1/users/bob/recommendations", nil), member) == 403)
    }

    @Test("Who lacks it is told so (RFC 6750)")
    func challenge() throws {
        let answer = try service.answer(
            .direct, "/v1/users/ann/recommendations", headers: [bearers.field("site", .service)])
        #expect(answer.headers["www-authenticate"] == #"Bearer error="insufficient_scope", scope="lists""#)
    }

    @Test("A batch without a token that opens it takes no place among those that wait")
    func refusedBatch() throws {
        #expect(try service.answer(.direct, "/v1/recommendations", method: "POST", json: "{").status == 401)
    }
}
