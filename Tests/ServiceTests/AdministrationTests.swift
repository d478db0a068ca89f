import CatalogStore
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import Service

@Suite("Hiding and curation over HTTP")
struct AdministrationTests {
    private let members: MemberCatalog
    private let routes: Routes

    init() throws {
        members = try MemberCatalog()
        var routes = try members.routes()
        routes.sessions = try SessionFile(path: members.path + "-sessions")
        self.routes = routes
    }

    private func ask(_ target: String, _ method: String = "GET", json: String? = nil) throws -> SocketClient.Response {
        try ask(target, method, .direct, json: json)
    }

    private func ask(_ target: String, _ method: String, _ transport: Transport, json: String? = nil) throws
        -> SocketClient.Response
    {
        try routes.answer(transport, target, method: method, json: json)
    }

    private struct List: Decodable, Equatable {
        struct Row: Decodable, Equatable {
            var groupId, origin: String
        }
        var recommendationId: String
        var recommendations: [Row]
        var groups: [String] { recommendations.map(\.groupId) }
    }

    private func list(_ session: String, of user: String = "bob") throws -> List {
        let answer = try ask("/v1/users/\(user)/recommendations?session=\(session)")
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(List.self, from: Data(answer.body))
    }

    private struct Explanation: Decodable {
        struct Reason: Decodable { var groupId: String }
        var standing: String
        var place: Int?
        var reasons: [Reason]
    }

    private func why(_ group: String, _ query: String = "", of user: String = "bob") throws -> Explanation {
        let answer = try ask("/v1/users/\(user)/recommendations/\(group)/why\(query)")
        return try JSONDecoder().decode(Explanation.self, from: Data(answer.body))
    }

    /// Every route whose answer contained the group "birds".
    private static let ofBirds = [
        "/v1/users/ann/recommendations?session=s", "/v1/groups/alps/similar", "/v1/groups/alps/similar?by=photos",
        "/v1/trending", "/v1/users/ann/recommendations?session=new", "/v1/photos/p/groups",
    ]

    private func addPhoto() throws {
        // Its pool is alps, and birds is a neighbour of that.
        try Database(path: members.path, mode: .readWrite).execute(
            "INSERT INTO photos (photo_key, photo_id) VALUES (1, 'p'); INSERT INTO pools VALUES (1, 1, NULL)")
    }

    @Test("A hidden group is gone from the next answer, also in running sessions, and back when it is unhidden")
    func hiding() throws {
        try addPhoto()
        let before = try list("s", of: "ann")
        for target in Self.ofBirds { #expect(try ask(target).text.contains(#""groupId":"birds""#), "\(target)") }
        let target = "/v1/admin/groups/birds/hidden"
        #expect(try ask(target, "PUT").text == #"{"groupId":"birds","hidden":true,"changed":true}"#)
        #expect(try ask(target, "PUT").text == #"{"groupId":"birds","hidden":true,"changed":false}"#)
        for target in Self.ofBirds {
            let answer = try ask(target)
            #expect(answer.status == 200 && !answer.text.lowercased().contains("birds"), "\(target)")
        }
        #expect(try ask("/v1/groups/birds/similar").status == 404)
        #expect(try !ask("/v1/groups/bird/similar").text.contains("birds"))
        let after = try list("s", of: "ann")
        #expect(after.recommendationId == before.recommendationId)
        #expect(after.groups == before.groups.filter { $0 != "birds" })
        for query in ["", "?session=s"] {
            let explanation = try why("birds", query, of: "ann")
            #expect(explanation.standing == "hidden" && explanation.place == nil && explanation.reasons.isEmpty)
        }
        #expect(try ask(target, "DELETE").text == #"{"groupId":"birds","hidden":false,"changed":true}"#)
        #expect(try list("s", of: "ann") == before)
    }

    @Test("A hidden group is no reason and no interest for its members, and removing it moves no other group")
    func hiddenReason() throws {
        let before = try list("s", of: "ann")
        let target = "/v1/users/ann/recommendations?session=s"
        #expect(try ask(target).text.contains("Alps"))
        _ = try ask("/v1/admin/groups/alps/hidden", "PUT")
        let answer = try ask(target)
        #expect(answer.status == 200 && !answer.text.lowercased().contains("alps"), "\(answer.text)")
        #expect(try list("s", of: "ann").groups == before.groups)
        #expect(try why("birds", of: "ann").reasons.isEmpty && why("alps", of: "ann").standing == "hidden")
        _ = try ask("/v1/admin/groups/alps/hidden", "DELETE")
        #expect(try list("s", of: "ann") == before)
    }

    @Test("Interactions with a hidden group are refused")
    func interactions() throws {
        _ = try ask("/v1/admin/groups/birds/hidden", "PUT")
        let json = #"{"interactions":[{"id":"1","kind":"join","groupId":"birds"}]}"#
        #expect(try ask("/v1/users/ann/interactions", "POST", json: json).status == 404)
    }

    @Test("Hidden groups are listed in pages")
    func pages() throws {
        for group in ["secret", "birds", "alps"] {
            #expect(try ask("/v1/admin/groups/\(group)/hidden", "PUT", .direct).status == 200)
        }
        #expect(
            try ask("/v1/admin/hidden?limit=2", "GET", .direct).text == #"""
                {"groups":[{"groupId":"alps","hiddenAtMilliseconds":61000000},\#
                {"groupId":"birds","hiddenAtMilliseconds":61000000}],"next":"birds"}
                """#)
        #expect(
            try ask("/v1/admin/hidden?after=birds", "GET", .direct).text
                == #"{"groups":[{"groupId":"secret","hiddenAtMilliseconds":61000000}]}"#)
        // A page that is just full is the last one if nothing follows.
        #expect(try !ask("/v1/admin/hidden?limit=3", "GET", .direct).text.contains("next"))
    }

    @Test("Curated groups are in new lists, in order and in their time; running sessions keep their lists")
    func curation() throws {
        let running = try list("running")
        #expect(!running.recommendations.contains { $0.origin == "curated" })
        let target = "/v1/admin/curation/"
        #expect(try ask(target + "alps", "PUT", json: "{}").status == 200)
        #expect(
            try ask(target + "birds", "PUT", json: #"{"position":1,"expiresAtMilliseconds":61001999}"#).status == 200)
        #expect(
            try ask(target + "%C3%A9lan", "PUT", json: #"{"startsAtMilliseconds":61001000}"#).text == #"""
                {"groups":[{"groupId":"birds","position":1,"expiresAtMilliseconds":61001000,"isValid":true},\#
                {"groupId":"alps","position":2,"isValid":true},\#
                {"groupId":"élan","position":3,"startsAtMilliseconds":61001000,"isValid":false}]}
                """#)
        func curated(_ session: String) throws -> [String] {
            try list(session).recommendations.filter { $0.origin == "curated" }.map(\.groupId)
        }
        #expect(try curated("a") == ["birds", "alps"])
        #expect(try list("running") == running)
        _ = try ask("/v1/admin/groups/birds/hidden", "PUT")
        #expect(try curated("b") == ["alps"])
        #expect(try ask("/v1/admin/curation").text.contains(#""groupId":"birds","position":1,"expires"#))
        #expect(try ask(target + "alps", "DELETE").text.contains(#""groupId":"élan","position":2"#))
        #expect(try ask(target + "alps", "DELETE").status == 200)
        #expect(try curated("c").isEmpty)
    }

    @Test("Hiding and curating refuse what they cannot do, and change nothing")
    func refusals() throws {
        let bad: [(target: String, method: String, json: String?, status: Int)] = [
            ("groups/bird/hidden", "PUT", nil, 404), ("groups/bird/hidden", "DELETE", nil, 404),
            ("curation/bird", "PUT", "{}", 404), ("curation/bird", "DELETE", nil, 404),
            ("curation/secret", "PUT", "{}", 409), ("curation/secret", "PUT", nil, 409),
            ("curation/birds", "PUT", "[]", 400), ("curation/birds", "PUT", #"{"position":0}"#, 400),
            ("curation/birds", "PUT", #"{"position":"1"}"#, 400),
            ("curation/birds", "PUT", #"{"startsAtMilliseconds":-1}"#, 400),
            ("curation/birds", "PUT", #"{"expiresAtMilliseconds":253402300800000}"#, 400),
            ("curation/birds", "PUT", #"{"startsAtMilliseconds":2000,"expiresAtMilliseconds":2999}"#, 400),
        ]
        for (target, method, json, status) in bad {
            let answer = try ask("/v1/admin/" + target, method, json: json)
            #expect(answer.status == status, "\(method) \(target) \(json ?? ""): \(answer.text)")
            _ = try ProblemBody(answer)
        }
        #expect(try ask("/v1/admin/groups/bird/hidden", "PUT").text.contains(#""near":["#))
        #expect(try ask("/v1/admin/hidden").text == #"{"groups":[]}"#)
        #expect(try ask("/v1/admin/curation").text == #"{"groups":[]}"#)
        var routes = routes
        routes.community = nil
        for target in ["hidden", "curation"] {
            #expect(try routes.answer(.direct, "/v1/admin/\(target)").status == 501)
        }
    }

    @Test("Why gives a group's rank in the session's list, and says what only a new list would have")
    func sessionWhy() throws {
        let frozen = try list("s", of: "ann")
        let last = try #require(frozen.groups.last)
        let target = try #require(last.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let first = try #require(frozen.groups.first)
        // Another that leaves the list makes room.
        _ = try ask("/v1/admin/groups/\(first)/hidden", "PUT")
        let explanation = try why(target, "?session=s", of: "ann")
        #expect(explanation.standing == "listed" && explanation.place == frozen.groups.count - 1)
        // A list that was made while a group was hidden stays without it.
        _ = try list("without", of: "ann")
        _ = try ask("/v1/admin/groups/\(first)/hidden", "DELETE")
        #expect(try why(first, "?session=without", of: "ann").standing == "inNextList")
        #expect(try why(first, "?session=s", of: "ann").place == 1)
        #expect(try why(first, "?session=none", of: "ann").standing == "listed")
        #expect(try why("alps", "?session=s", of: "ann").standing == "joined")
    }
}
