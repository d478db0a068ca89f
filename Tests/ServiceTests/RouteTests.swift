import Foundation
import Model
import ModelStore
import TestSupport
import Testing

@testable import Service

/// Every test runs straight against the routes, and over a socket.
@Suite("Routes")
struct RouteTests {
    private func service() throws -> Routes { Routes(store: FakeStore(try Community.version("v1"))) }

    @Test("Similar groups in one relation")
    func similarInOneRelation() throws {
        let photos = try service().answer(.direct, "/v1/groups/alps/similar?by=photos")
        #expect(
            photos.text == #"""
                {"modelVersion":"v1","degraded":false,"groupId":"alps","by":"photos","neighbours":[{"rank":1,\#
                "groupId":"birds","title":"Birds \"of\" a\\feather\u000a\u0001","score":0.5,"common":4,\#
                "photoCount":11},{"rank":2,"groupId":"cats 🐈","title":"Cats 🐈‍⬛","score":0.25,"common":2,\#
                "photoCount":12}]}
                """#)
        #expect(photos.status == 200)
        #expect(photos.headers["content-type"] == "application/json")
        #expect(photos.headers["cache-control"] == "public, max-age=60")
        let members = try service().answer(.direct, "/v1/groups/dogs%20%26%20wolves/similar?limit=1&by=members")
        #expect(
            members.text == """
                {"modelVersion":"v1","degraded":false,"groupId":"dogs & wolves","by":"members","neighbours":[{"rank":1,\
                "groupId":"alps","title":"Alps","score":0.25,"common":3,"memberCount":20}]}
                """)
    }

    @Test("A group without neighbours has an empty list")
    func noNeighbours() throws {
        #expect(
            try service().answer(.direct, "/v1/groups/%C3%A9lan/similar?by=photos").text.hasSuffix(
                #""neighbours":[]}"#))
    }

    private struct Blend: Decodable, Equatable {
        struct Row: Decodable, Equatable {
            struct Relation: Decodable, Equatable {
                var relation: String
                var share: Double
                var common: Int
            }
            var rank: Int
            var groupId: String
            var score: Double
            var photoCount: Int
            var memberCount: Int
            var relations: [Relation]
        }
        var by: String
        var neighbours: [Row]
    }

    @Test("Both relations are blended, and each says its share")
    func similarInBoth() throws {
        let answer = try service().answer(.direct, "/v1/groups/alps/similar")
        let blend = try JSONDecoder().decode(Blend.self, from: Data(answer.body))
        #expect(blend.by == "both")
        // Scores over the mean best of their relation: photos 5/12, members 11/32.
        #expect(blend.neighbours.map(\.groupId) == ["birds", "dogs & wolves", "cats 🐈"])
        let birds = try #require(blend.neighbours.first)
        #expect(abs(birds.score - (0.5 * 12 / 5 + 0.5 * 32 / 11)) < 1e-12)
        #expect(birds.relations.map(\.relation) == ["members", "photos"])
        #expect(birds.relations.map(\.common) == [6, 4])
        #expect(abs(birds.relations.map(\.share).reduce(0, +) - 1) < 1e-12)
        #expect(birds.photoCount == 11)
        #expect(birds.memberCount == 21)
        #expect(blend.neighbours.map(\.rank) == [1, 2, 3])
    }

    private struct Lists: Decodable {
        struct Row: Decodable {
            struct Reason: Decodable {
                var groupId: String
                var title: String
                var relation: String
                var share: Double
                var common: Int
            }
            var rank: Int
            var groupId: String
            var title: String
            var score: Double
            var memberCount: Int
            var photoCount: Int
            var joinPolicy: String
            var origin: String
            var interest: String?
            var reasons: [Reason]
        }
        struct Interest: Decodable {
            var name: String
            var share: Double
            var groupIds: [String]
        }
        var modelVersion: String
        var userId: String
        var bucket: Int
        var interests: [Interest]
        var recommendations: [Row]
    }

    @Test("Recommendations leave out joined groups, and give reasons")
    func recommendations() throws {
        let answer = try service().answer(.direct, "/v1/users/zo%C3%AB%20q/recommendations")
        #expect(answer.status == 200)
        #expect(answer.headers["cache-control"] == "private, no-cache")
        let lists = try JSONDecoder().decode(Lists.self, from: Data(answer.body))
        #expect(lists.modelVersion == "v1")
        #expect(lists.userId == "zoë q")
        #expect(lists.interests.flatMap(\.groupIds).sorted() == ["alps", "dogs & wolves"])
        #expect(lists.interests.map(\.share).reduce(0, +) == 1)
        #expect(lists.recommendations.map(\.rank) == [1, 2, 3])
        let rows = Dictionary(uniqueKeysWithValues: lists.recommendations.map { ($0.groupId, $0) })
        #expect(rows.keys.sorted() == ["birds", "cats 🐈", "élan"])
        let birds = try #require(rows["birds"])
        #expect(birds.title == Community.groups[1].title && birds.joinPolicy == "open" && birds.origin == "personal")
        #expect(birds.memberCount == 21 && birds.photoCount == 11)
        #expect(
            birds.reasons.map { "\($0.groupId) \($0.title) \($0.relation)" } == [
                "alps Alps members", "alps Alps photos",
            ])
        let interest = lists.interests.first { $0.groupIds.contains("alps") }
        #expect(birds.interest == interest?.name)
        #expect(rows["cats 🐈"]?.joinPolicy == "approval")
        let élan = try #require(rows["élan"])
        #expect(élan.reasons.map(\.groupId) == ["dogs & wolves"] && élan.reasons.map(\.share) == [1])
        #expect(élan.score == 0.125 * 32 / 11)
    }

    @Test("A member of no group gets trending groups, then popular ones")
    func nothingJoined() throws {
        let answer = try service().answer(.direct, "/v1/users/bob/recommendations")
        let lists = try JSONDecoder().decode(Lists.self, from: Data(answer.body))
        #expect(lists.interests.isEmpty)
        #expect(Set(lists.recommendations.prefix(2).map(\.groupId)) == ["dogs & wolves", "birds"])
        #expect(Set(lists.recommendations.dropFirst(2).map(\.groupId)) == ["élan", "cats 🐈", "alps"])
        #expect(lists.recommendations.map(\.origin) == ["trending", "trending", "popular", "popular", "popular"])
        #expect(lists.recommendations.allSatisfy { $0.interest == nil && $0.reasons.isEmpty })
    }

    private struct Explanation: Decodable {
        struct Reason: Decodable { var groupId: String }
        var standing, explanation: String
        var place: Int?
        var interest: String?
        var reasons: [Reason]
    }

    @Test("The explanation of a group agrees with the list")
    func why() throws {
        let list = try service().answer(.direct, "/v1/users/ann/recommendations")
        let rows = try JSONDecoder().decode(Lists.self, from: Data(list.body)).recommendations
        for row in rows {
            let path = try #require(row.groupId.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let answer = try service().answer(.direct, "/v1/users/ann/recommendations/\(path)/why")
            let explanation = try JSONDecoder().decode(Explanation.self, from: Data(answer.body))
            #expect(explanation.standing == "listed" && explanation.place == row.rank)
            #expect(explanation.interest == row.interest)
            #expect(explanation.reasons.map(\.groupId) == row.reasons.map(\.groupId))
        }
        let joined = try service().answer(.direct, "/v1/users/ann/recommendations/alps/why")
        let explanation = try JSONDecoder().decode(Explanation.self, from: Data(joined.body))
        #expect(explanation.standing == "joined" && explanation.place == nil)
        #expect(try service().answer(.direct, "/v1/users/ann/recommendations/none/why").status == 404)
    }

    @Test("Trending groups have their counts")
    func trending() throws {
        #expect(
            try service().answer(.direct, "/v1/trending?limit=1").text == """
                {"modelVersion":"v1","degraded":false,"groups":[{"rank":1,"groupId":"dogs & wolves","title":"",\
                "score":3.5,"joiners":4,"posters":2,"usualWeek":1.5}]}
                """)
    }

    @Test("Groups for a photo come with reasons of every kind")
    func photo() throws {
        // Invitation-only groups are left out, unless the owner is a member.
        let pooled = try service().answer(.direct, "/v1/photos/p1/groups?limit=200")
        let first = try JSONDecoder().decode(PhotoLists.self, from: Data(pooled.body)).groups
        #expect(first.prefix(2).map(\.groupId) == ["birds", "cats 🐈"])
        #expect(
            first.prefix(2).map { $0.reasons.map(\.kind) } == [
                ["similarGroup", "similarGroup", "popular"], ["similarGroup", "sharedPools", "popular"],
            ])
        #expect(first[1].reasons[1].photos == 2 && first[1].reasons[2].photos == 12)
        #expect(first.allSatisfy { abs($0.reasons.reduce(0) { $0 + $1.share } - 1) < 1e-9 })
        let answer = try service().answer(.direct, "/v1/photos/p2/groups?limit=200")
        #expect(answer.headers["cache-control"] == "private, no-cache")
        let lists = try JSONDecoder().decode(PhotoLists.self, from: Data(answer.body))
        let kinds = Dictionary(uniqueKeysWithValues: lists.groups.map { ($0.groupId, $0.reasons.map(\.kind)) })
        #expect(kinds["dogs & wolves"] == ["owner", "similarGroup", "popular"])
        #expect(kinds["alps"] == ["place", "owner", "similarGroup", "popular"])
        #expect(kinds["élan"] == ["tags", "similarGroup", "popular"])
        let reasons = Dictionary(uniqueKeysWithValues: lists.groups.map { ($0.groupId, $0.reasons[0]) })
        #expect(reasons["dogs & wolves"]?.photos == 3 && reasons["dogs & wolves"]?.isMember == false)
        #expect(reasons["élan"]?.tags == ["snow"])
        #expect(reasons["alps"]?.latitude == 46.55 && reasons["alps"]?.longitude == 8.05)
    }

    private struct PhotoLists: Decodable {
        struct Row: Decodable {
            struct Reason: Decodable {
                var kind: String
                var share: Double
                var photos: Int?
                var isMember: Bool?
                var tags: [String]?
                var latitude, longitude: Double?
            }
            var groupId: String
            var reasons: [Reason]
        }
        var groups: [Row]
    }

    @Test("HEAD has the status and the header of GET", arguments: Transport.allCases)
    func head(transport: Transport) throws {
        for target in ["/healthz", "/readyz", "/v1/groups/alps/similar", "/v1/users/none/recommendations"] {
            let get = try service().answer(transport, target)
            let head = try service().answer(transport, target, method: "HEAD")
            #expect(head.status == get.status)
            #expect(head.headers["content-type"] == get.headers["content-type"])
            #expect(head.headers["content-length"] == get.headers["content-length"])
            if transport == .socket { #expect(head.body.isEmpty) }
        }
    }

    @Test("Health and readiness")
    func health() throws {
        #expect(try service().answer(.direct, "/healthz").text == #"{"status":"alive"}"#)
        let ready = try service().answer(.direct, "/readyz")
        #expect(ready.status == 200)
        #expect(
            ready.text == """
                {"status":"ready","modelVersion":"v1","degraded":false,"modelAgeSeconds":60000,"groupCount":5,\
                "stale":false,"store":{"location":"memory","reachable":true},"missing":[]}
                """)
        #expect(ready.headers["cache-control"] == "no-store")
    }

    @Test("Without a version only health is served")
    func noVersion() throws {
        let service = Routes(store: FakeStore())
        #expect(try service.answer(.direct, "/healthz").status == 200)
        for target in ["/readyz", "/v1/groups/alps/similar", "/v1/users/ann/recommendations", "/v1/photos/p1/groups"] {
            let answer = try service.answer(.direct, target)
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] == "5")
            #expect(try ProblemBody(answer).type == "urn:coterie:problem:no-model")
        }
        // A request that can never succeed is refused, not postponed.
        #expect(try service.answer(.direct, "/v1/groups/alps/similar?limt=1").status == 400)
        #expect(try service.answer(.direct, "/v1/nothing").status == 404)
    }
}
