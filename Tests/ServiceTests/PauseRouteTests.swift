import Foundation
import Model
import Recommendation
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("A list that its member has paused, over HTTP")
struct PauseRouteTests {
    private static let day: Int64 = 86_400_000

    private struct List: Decodable, Equatable {
        struct Row: Decodable, Equatable { var groupId: String }
        struct Interest: Decodable, Equatable { var name: String }

        var recommendationId: String
        var interests: [Interest]
        var recommendations: [Row]
        var paused: Bool
        var pausedUntilMilliseconds: Int64?

        var isEmpty: Bool { recommendations.isEmpty && interests.isEmpty }
    }

    private struct Changes: Decodable {
        var newState: String
        var destroyed, order: [String]
        var paused: Bool
        var pausedUntilMilliseconds: Int64?
    }

    private struct Batch: Decodable {
        struct Entry: Decodable { var list: List? }
        var lists: [Entry]
    }

    private let members: MemberCatalog
    private let clock: TestTime
    private let router: Router

    private final class TestTime: Sendable {
        let now = Atomic<Int64>(61_000_000)
    }

    init() throws {
        members = try MemberCatalog()
        let clock = TestTime()
        var routes = try members.routes()
        routes.sessions = try SessionFile(path: "\(members.path)-sessions")
        routes.clock = { clock.now.load(ordering: .relaxed) }
        routes.cacheBytes = 1 << 20
        (self.clock, router) = (clock, routes.router())
    }

    private func pass(_ milliseconds: Int64) { clock.now.add(milliseconds, ordering: .relaxed) }

    private func get<Body: Decodable>(_ target: String) throws -> Body {
        let answer = try router.answer("/v1/users/ann/" + target)
        #expect(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(Body.self, from: Data(answer.body))
    }

    @discardableResult
    private func post(_ rows: String..., status: Int = 200) throws -> SocketClient.Response {
        let answer = try router.answer(
            "/v1/users/ann/interactions", method: "POST", headers: ["Content-Type: application/json"],
            body: Array(#"{"interactions":[\#(rows.joined(separator: ","))]}"#.utf8))
        #expect(answer.status == status, "\(answer.text)")
        return answer
    }

    private let path = "recommendations?session=s"

    @Test("No groups are shown until it ends by itself, and then there is a list again")
    func ends() throws {
        let before: List = try get(path)
        let state: Changes = try get("changes?session=s")
        #expect(!before.isEmpty && !before.paused && !state.paused && before.pausedUntilMilliseconds == nil)
        try post(#"{"id":"1","kind":"pause","days":2}"#)
        let end = 61_000_000 + 2 * Self.day
        let paused: List = try get(path)
        #expect(paused.isEmpty && paused.paused && paused.pausedUntilMilliseconds == end)
        // Another session has no groups either, and neither has a later page.
        let other: List = try get("recommendations?after=alps")
        #expect(other.isEmpty && other.paused)
        let changes: Changes = try get("changes?session=s&since=\(state.newState)")
        #expect(changes.paused && changes.pausedUntilMilliseconds == end && changes.order.isEmpty)
        #expect(Set(changes.destroyed) == Set(before.recommendations.map(\.groupId)))
        // What is already made is not shown from the cache after the end.
        pass(2 * Self.day - 1)
        let last: List = try get(path)
        #expect(last.paused)
        pass(1)
        let after: List = try get(path)
        #expect(!after.paused && after.pausedUntilMilliseconds == nil && !after.isEmpty)
    }

    @Test("A pause for good lasts until it is ended; joins, what is recorded and what is similar go on meanwhile")
    func forGood() throws {
        let before: List = try get(path)
        try post(#"{"id":"1","kind":"pause"}"#)
        pass(400 * Self.day)
        let paused: List = try get(path)
        #expect(paused.isEmpty && paused.paused && paused.pausedUntilMilliseconds == nil)
        let joined = try #require(before.recommendations.first?.groupId)
        try post(#"{"id":"2","kind":"join","groupId":"\#(joined)"}"#)
        #expect(try router.answer("/v1/groups/alps/similar?by=photos").status == 200)
        let recorded = try router.answer("/v1/users/ann/interactions").text
        #expect(recorded.contains(#"{"id":"1","kind":"pause","atMilliseconds":61000000}"#))
        let why = try router.answer("/v1/users/ann/recommendations/\(Self.escaped(joined))/why").text
        #expect(why.contains(#""standing":"joined""#), "\(why)")
        pass(1000)
        try post(#"{"id":"3","kind":"resume"}"#)
        let after: List = try get("recommendations")
        #expect(!after.paused && !after.isEmpty && !after.recommendations.map(\.groupId).contains(joined))
    }

    private static func escaped(_ id: String) -> String {
        id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? id
    }

    @Test("Why says that the list is paused, and a batch says so for each member")
    func others() throws {
        let before: List = try get("recommendations")
        try post(#"{"id":"1","kind":"pause","days":1}"#)
        for row in before.recommendations {
            let why = try router.answer("/v1/users/ann/recommendations/\(Self.escaped(row.groupId))/why?session=t").text
            #expect(why.contains(#""standing":"paused","explanation":"the list is paused until 1970-01-02T"#), "\(why)")
        }
        let answer = try router.answer(
            "/v1/recommendations", method: "POST", headers: ["Content-Type: application/json"],
            body: Array(#"{"userIds":["ann","bob"]}"#.utf8))
        let lists = try JSONDecoder().decode(Batch.self, from: Data(answer.body)).lists
        #expect(lists.map { $0.list?.paused } == [true, false])
        #expect(lists.map { $0.list?.isEmpty } == [true, false])
    }

    @Test("The later of two statements counts, and one that is sent again changes nothing")
    func order() throws {
        try post(#"{"id":"1","kind":"pause","days":3}"#)
        pass(10_000)
        try post(#"{"id":"2","kind":"resume"}"#)
        #expect(try post(#"{"id":"1","kind":"pause","days":3}"#).text.contains(#""recorded":0,"repeated":1"#))
        var list: List = try get(path)
        #expect(!list.paused && !list.isEmpty)
        try post(#"{"id":"1","kind":"pause","days":4}"#, status: 409)
        pass(10_000)
        try post(#"{"id":"3","kind":"pause","days":365}"#)
        list = try get(path)
        #expect(list.paused && list.isEmpty)
    }

    @Test("Forgetting what the member did ends it, also when the catalog has it", arguments: [false, true])
    func forgetting(isApplied: Bool) throws {
        try post(#"{"id":"1","kind":"pause"}"#)
        if isApplied { #expect(try members.count("SELECT count(*) FROM interactions WHERE kind = 11") == 1) }
        var list: List = try get(path)
        #expect(list.paused)
        #expect(try router.answer("/v1/users/ann/interactions", method: "DELETE").status == 200)
        list = try get(path)
        #expect(!list.paused && !list.isEmpty)
        #expect(try members.count("SELECT count(*) FROM interactions WHERE kind = 11") == 0)
    }

    @Test("A new member may begin with a pause")
    func newcomer() throws {
        let target = "/v1/users/newcomer/recommendations"
        let answer = try router.answer(
            "/v1/users/newcomer/interactions", method: "POST", headers: ["Content-Type: application/json"],
            body: Array(#"{"interactions":[{"id":"1","kind":"pause"}]}"#.utf8))
        #expect(answer.status == 200)
        for _ in 0..<2 {
            let list = try JSONDecoder().decode(List.self, from: Data(router.answer(target).body))
            #expect(list.paused && list.isEmpty)
            #expect(try members.count("SELECT count(*) FROM users WHERE user_id = 'newcomer'") == 1)
        }
    }

    @Test(
        "What is no pause is refused with the name of the field",
        arguments: [
            (#"{"id":"1","kind":"pause","days":0}"#, "interactions[0].days"),
            (#"{"id":"1","kind":"pause","days":366}"#, "interactions[0].days"),
            (#"{"id":"1","kind":"resume","days":1}"#, "interactions[0].days"),
            (#"{"id":"1","kind":"join","groupId":"alps","days":1}"#, "interactions[0].days"),
            (#"{"id":"1","kind":"pause","groupId":"alps"}"#, "interactions[0].groupId"),
            (#"{"id":"1","kind":"pause","seconds":5}"#, "interactions[0].seconds"),
        ])
    func refused(_ row: String, _ field: String) throws {
        let answer = try post(row, status: 400)
        #expect(answer.text.contains(#""field":"\#(field)""#), "\(answer.text)")
        let list: List = try get(path)
        #expect(!list.paused)
    }
}
