import Basics
import Foundation
import Model
import ModelStore
import TestSupport
import Testing

@testable import Service

/// The members of a problem that tests look at.
struct ProblemBody: Decodable {
    var type: String
    var title: String
    var status: Int
    var detail: String
    var instance: String?
    var parameter: String?
    var minimum: Int?
    var maximum: Int?
    var allowed: [String]?
    var near: [String]?

    /// Reads an answer, and proves that it is a problem.
    init(_ answer: SocketClient.Response) throws {
        #expect(answer.headers["content-type"] == "application/problem+json")
        #expect(answer.headers["cache-control"] == "no-store")
        self = try JSONDecoder().decode(Self.self, from: Data(answer.body))
        #expect(status == answer.status)
        #expect(!title.isEmpty)
        #expect(!detail.isEmpty)
    }
}

@Suite("Problems")
struct ProblemTests {
    private func service() throws -> Routes { Routes(store: FakeStore(try Community.version("v1"))) }

    @Test(
        "Unknown paths are answered with 404",
        arguments: [
            "/", "/v1", "/v1/groups", "/v1/groups/alps/members", "/v1/groups//similar", "/healthz/",
            "/v1/groups/alps/similar/",
        ])
    func notFound(target: String) throws {
        let problem = try ProblemBody(service().answer(.direct, target))
        #expect(problem.status == 404)
        #expect(problem.type == "about:blank")
        #expect(problem.instance == target)
    }

    @Test(
        "Other methods are refused with those allowed", arguments: ["POST", "DELETE", "get"])
    func notAllowed(method: String) throws {
        for target in ["/healthz", "/v1/groups/alps/similar", "/v1/users/ann/recommendations", "/v1/photos/p1/groups"] {
            let answer = try service().answer(.direct, target, method: method)
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == "GET, HEAD, OPTIONS")
            #expect(try ProblemBody(answer).status == 405)
        }
    }

    @Test(
        "A limit out of bounds is refused with its bounds",
        arguments: ["0", "201", "-1", "", "ten", "1.5", "%2B5", "1e2", "99999999999999999999", "%D9%A1"])
    func limits(limit: String) throws {
        for target in ["/v1/groups/alps/similar", "/v1/users/ann/recommendations", "/v1/photos/p1/groups"] {
            let problem = try ProblemBody(service().answer(.direct, "\(target)?limit=\(limit)"))
            #expect(problem.status == 400)
            #expect(problem.type == "urn:coterie:problem:bad-parameter")
            #expect(problem.parameter == "limit")
            #expect([problem.minimum, problem.maximum] == [1, 200])
            #expect(problem.instance == target)
        }
    }

    @Test("Bounds are inclusive", arguments: ["1", "200", "020"])
    func limitsInclusive(limit: String) throws {
        #expect(try service().answer(.direct, "/v1/groups/alps/similar?limit=\(limit)").status == 200)
    }

    @Test("An unknown choice is refused with what may be chosen")
    func choice() throws {
        let problem = try ProblemBody(service().answer(.direct, "/v1/groups/alps/similar?by=Photos"))
        #expect(problem.status == 400)
        #expect(
            problem.detail
                == #"the parameter "by" is "Photos": it must be one of photos, members, themes, places, looks, "#
                + "favourites, conversation, both")
        #expect(
            problem.allowed
                == ["photos", "members", "themes", "places", "looks", "favourites", "conversation", "both"])
    }

    @Test("Unknown and repeated parameters are refused by name")
    func parameters() throws {
        let misspelt = try ProblemBody(service().answer(.direct, "/v1/groups/alps/similar?limt=5"))
        #expect(misspelt.status == 400)
        #expect(misspelt.parameter == "limt")
        #expect(
            misspelt.allowed
                == ["by", "limit", "topics", "joinPolicy", "minimumMembers", "minimumPostsPerWeek", "exclude", "boost"])
        let twice = try ProblemBody(service().answer(.direct, "/v1/groups/alps/similar?limit=5&limit=6"))
        #expect(twice.status == 400)
        #expect(twice.parameter == "limit")
        #expect(try ProblemBody(service().answer(.direct, "/healthz?a=b")).parameter == "a")
    }

    @Test(
        "A boost of another form is refused by name, and so are more than twenty",
        arguments: ["owls", "topic:owls", "topic:owls%5E11", "tag:owls%5E2", "topic:%5E2", ""])
    func boosts(boost: String) throws {
        for target in ["/v1/groups/alps/similar", "/v1/users/ann/recommendations"] {
            // A good one before it does not help.
            let query = "boost=group:birds%5E2&boost=\(boost)"
            let problem = try ProblemBody(service().answer(.direct, "\(target)?\(query)"))
            #expect(problem.status == 400 && problem.parameter == "boost")
            #expect(problem.detail.contains("write topic:NAME^FACTOR"))
            func many(_ count: Int) -> String {
                "\(target)?" + (0..<count).map { "boost=topic:a\($0)%5E2" }.joined(separator: "&")
            }
            #expect(try service().answer(.direct, many(20)).status == 200)
            #expect(try ProblemBody(service().answer(.direct, many(21))).parameter == "boost")
        }
    }

    @Test("The answer for an unknown group suggests similar ids")
    func near() throws {
        let group = try ProblemBody(service().answer(.direct, "/v1/groups/bird/similar"))
        #expect(group.status == 404)
        #expect(group.type == "urn:coterie:problem:unknown-group")
        #expect(group.near == ["alps", "birds", "cats 🐈", "dogs & wolves", "élan"])
    }

    @Test("The answer for a hidden group is that for a group that never existed")
    func hiddenGroup() throws {
        var service = try service()
        service.community = FakeCommunity(hidden: [1, 4])
        let hidden = try ProblemBody(service.answer(.direct, "/v1/groups/birds/similar"))
        let unknown = try ProblemBody(service.answer(.direct, "/v1/groups/bird/similar"))
        for problem in [hidden, unknown] {
            #expect(problem.status == 404 && problem.type == "urn:coterie:problem:unknown-group")
            #expect(problem.near == ["alps", "cats 🐈", "dogs & wolves"])
        }
        #expect(hidden.detail.replacing("birds", with: "bird") == unknown.detail)
    }

    @Test("suggestions are the same as if hidden groups did not exist", arguments: 0..<20)
    func nearHidden(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let groups = (0..<Int.random(in: 0...14, using: &generator)).map {
            GroupFacts(id: "\(UnicodeScalar(UInt8(97 + $0)))m")
        }
        func model(_ groups: [GroupFacts]) throws -> ModelVersion {
            try ModelVersion(ByteRegion(copying: EncodedModel(groups: groups, tables: [:]).fileBytes))
        }
        let hidden = Set(groups.indices.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 })
        let all = VisibleModel(try model(groups), SiteDecisions(hidden: Set(hidden.map { UInt32($0) }), curated: nil))
        let shown = VisibleModel(try model(groups.indices.filter { !hidden.contains($0) }.map { groups[$0] }))
        for id in ["", "zz"] + groups.flatMap({ [$0.id, $0.id + "m"] }) where shown.index(ofID: id) == nil {
            let near = all.ids(near: id)
            #expect(near == shown.ids(near: id))
            #expect(near.count == min(6, shown.groupCount))
        }
    }

    @Test("The answer for an unknown photo suggests nothing")
    func unknownPhoto() throws {
        let problem = try ProblemBody(service().answer(.direct, "/v1/photos/p3/groups"))
        #expect(problem.status == 404)
        #expect(problem.near == nil)
    }

    @Test("Without a catalog, routes that need one answer 501")
    func noCatalog() throws {
        var service = try service()
        service.community = FakeCommunity(knowsPhotos: false)
        #expect(try ProblemBody(service.answer(.direct, "/v1/photos/p1/groups")).status == 501)
        #expect(try service.answer(.direct, "/v1/users/ann/recommendations").status == 200)
        service.community = nil
        #expect(try ProblemBody(service.answer(.direct, "/v1/photos/p1/groups")).status == 501)
        #expect(try ProblemBody(service.answer(.direct, "/v1/users/ann/recommendations")).status == 501)
    }

    @Test("A catalog that cannot be read is answered with 503")
    func failingCommunity() throws {
        var service = try service()
        service.community = FakeCommunity(failure: Failure(.databaseFailed, "the catalog is away"))
        for target in ["/v1/users/ann/recommendations", "/v1/photos/p1/groups"] {
            let answer = try service.answer(.direct, target)
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] == "1")
            #expect(try ProblemBody(answer).detail == "the catalog is away")
        }
    }
}
