import Basics
import Foundation
import HTTP
import Model
import ModelStore
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("The description of the service")
struct DescriptionTests {
    private func service() throws -> Routes { Routes(store: FakeStore(try Community.version("v1"))) }

    private func checker(_ service: Routes) throws -> SchemaChecker {
        try SchemaChecker(service.answer(.direct, "/openapi.json").body)
    }

    @Test("References exist, operation names are unique, and all parameters of paths are declared")
    func document() throws {
        let checker = try checker(service())
        #expect(checker.document["openapi"] as? String == "3.1.0")
        #expect(!checker.references.isEmpty)
        for reference in checker.references { #expect(checker.target(of: reference) != nil, "\(reference)") }
        let paths = try #require(checker.document["paths"] as? [String: [String: [String: Any]]])
        var names: Set<String> = []
        for (pattern, operations) in paths {
            for operation in operations.values {
                #expect(names.insert(try #require(operation["operationId"] as? String)).inserted)
                let parameters = try #require(operation["parameters"] as? [[String: Any]])
                for parameter in parameters where parameter["in"] as? String == "path" {
                    #expect(pattern.contains("{\(parameter["name"] as? String ?? "")}"))
                }
            }
        }
        #expect(names.count == Endpoint.table(of: .standard).count)
        // Each schema that has a name is used, and names no member twice.
        let used = Set(checker.references)
        let components = try #require(checker.target(of: "#/components/schemas") as? [String: Any])
        #expect(components.count > 30)
        for (name, schema) in components {
            #expect(used.contains("#/components/schemas/\(name)"), "\(name)")
            let schema = schema as? [String: Any]
            let required = schema?["required"] as? [String] ?? []
            #expect(Set(required).count == required.count, "\(name)")
        }
    }

    @Test("Tags of answers, and the time after which to try again, are described")
    func headers() throws {
        let checker = try checker(service())
        let paths = try #require(checker.document["paths"] as? [String: [String: [String: Any]]])
        let similar = paths["/v1/groups/{id}/similar"]?["get"]?["responses"] as? [String: [String: Any]]
        for status in ["200", "304"] {
            #expect((similar?[status]?["headers"] as? [String: Any])?["ETag"] != nil, "\(status)")
        }
        let metrics = paths["/metrics"]?["get"]?["responses"] as? [String: Any]
        #expect(metrics?["200"] != nil && metrics?["304"] == nil)
        let problem = checker.target(of: "#/components/responses/Problem") as? [String: Any]
        #expect((problem?["headers"] as? [String: Any])?["Retry-After"] != nil)
    }

    /// Requests to every route, with what may go well and wrong there.
    private static let targets: [(pattern: String, targets: [String])] = [
        ("/healthz", ["/healthz", "/healthz?a=b"]),
        ("/readyz", ["/readyz"]),
        ("/openapi.json", ["/openapi.json"]),
        ("/metrics", ["/metrics", "/metrics?x="]),
        (
            "/v1/groups/{id}/similar",
            ["", "?by=photos", "?by=members&limit=1", "?by=both", "?limit=0", "?boost=group:birds%5E2"].map {
                "/v1/groups/alps/similar\($0)"
            }
                + ["/v1/groups/none/similar"]
        ),
        (
            "/v1/users/{id}/recommendations",
            ["ann", "bob", "none", "zo%C3%AB%20q"].map { "/v1/users/\($0)/recommendations" }
                + [
                    "photos=3", "after=none", "joinPolicy=open;invite&topics=owls", "joinPolicy=closed", "topics=;",
                    "boost=topic:owls%5E2&boost=group:birds%5E0.5", "boost=birds",
                ]
                .map { "/v1/users/ann/recommendations?\($0)" }
        ),
        (
            "/v1/users/{id}/recommendations/{group}/why",
            [
                "ann/recommendations/alps", "ann/recommendations/birds", "bob/recommendations/none",
                "x/recommendations/alps",
            ]
            .map { "/v1/users/\($0)/why" }
        ),
        (
            "/v1/users/{id}/interactions",
            ["ann/interactions", "ann/interactions?after=none", "ann/interactions?limit=0"].map { "/v1/users/\($0)" }
        ),
        (
            "/v1/users/{id}/changes",
            ["ann/changes", "none/changes", "ann/changes?since=ag&maxChanges=1", "ann/changes?since=old"].map {
                "/v1/users/\($0)"
            }
        ),
        ("/v1/users/{id}/groups", ["ann/groups", "ann/groups?limit=0", "none/groups"].map { "/v1/users/\($0)" }),
        ("/.well-known/apple-app-site-association", ["/.well-known/apple-app-site-association"]),
        ("/.well-known/assetlinks.json", ["/.well-known/assetlinks.json"]),
        ("/components/coterie-groups.js", ["/components/coterie-groups.js"]),
        ("/components/coterie-groups.ar.js", ["/components/coterie-groups.ar.js"]),
        ("/components/coterie-groups.de.js", ["/components/coterie-groups.de.js"]),
        ("/components/coterie-groups.es.js", ["/components/coterie-groups.es.js"]),
        ("/components/coterie-groups.fr.js", ["/components/coterie-groups.fr.js"]),
        ("/components/coterie-groups.ja.js", ["/components/coterie-groups.ja.js"]),
        ("/components/coterie-groups.pt.js", ["/components/coterie-groups.pt.js"]),
        ("/v1/users/{id}/interests", ["/v1/users/ann/interests"]),
        ("/v1/trending", ["/v1/trending", "/v1/trending?limit=0"]),
        ("/v1/map", ["/v1/map", "/v1/map?after=birds&limit=1", "/v1/map?limit=0"]),
        (
            "/v1/photos/{id}/groups",
            ["p1", "p2", "none"].map { "/v1/photos/\($0)/groups" } + ["/v1/photos/p1/groups?by=look"]
        ),
        ("/v1/users/{id}/photos", ["ann", "none"].map { "/v1/users/\($0)/photos" } + ["/v1/users/ann/photos?limit=0"]),
        ("/v1/users/{id}/contacts", ["ann", "none"].map { "/v1/users/\($0)/contacts" }),
        ("/v1/photos/{id}/similar", ["p1", "none"].map { "/v1/photos/\($0)/similar" }),
        ("/v1/admin/model", ["/v1/admin/model"]),
        ("/v1/admin/decisions", ["", "?limit=0", "?after=x"].map { "/v1/admin/decisions\($0)" }),
    ]

    /// Requests that change something, in an order in which they may.
    private static let changes: [(method: String, pattern: String, target: String, json: String?)] = [
        ("POST", "/v1/users/{id}/interactions", "/v1/users/ann/interactions", oneClick),
        ("POST", "/v1/users/{id}/interactions", "/v1/users/ann/interactions", "{}"),
        ("GET", "/v1/users/{id}/interactions", "/v1/users/ann/interactions", nil),
        ("PUT", "/v1/users/{id}/interests", "/v1/users/ann/interests", #"{"interests":["owls"]}"#),
        ("PUT", "/v1/users/{id}/interests", "/v1/users/ann/interests", #"{"interests":"owls"}"#),
        ("GET", "/v1/users/{id}/interests", "/v1/users/ann/interests", nil),
        ("DELETE", "/v1/users/{id}/interactions/{interaction}", "/v1/users/ann/interactions/1", nil),
        ("DELETE", "/v1/users/{id}/interactions/{interaction}", "/v1/users/ann/interactions/1", nil),
        ("DELETE", "/v1/users/{id}/interactions", "/v1/users/ann/interactions", nil),
        ("POST", "/v1/recommendations", "/v1/recommendations", #"{"userIds":["ann","none","","bob"],"limit":3}"#),
        ("POST", "/v1/recommendations", "/v1/recommendations", #"{"userIds":["ann"],"limit":21}"#),
        ("POST", "/v1/recommendations", "/v1/recommendations", #"{"userIds":["ann"],"boost":["group:birds^2"]}"#),
        ("POST", "/v1/photos/groups", "/v1/photos/groups", #"{"vector":[1,0],"unlike":[{"photoId":"p1"}]}"#),
        ("PUT", hidden, "/v1/admin/groups/birds/hidden", nil), ("PUT", hidden, "/v1/admin/groups/none/hidden", nil),
        ("PUT", hidden, "/v1/admin/groups/alps/hidden", nil), ("GET", "/v1/admin/hidden", "/v1/admin/hidden", nil),
        ("GET", "/v1/admin/hidden", "/v1/admin/hidden?limit=1", nil),
        ("DELETE", hidden, "/v1/admin/groups/birds/hidden", nil),
        ("PUT", curated, "/v1/admin/curation/birds", #"{"position":1,"expiresAtMilliseconds":99000000}"#),
        ("PUT", curated, "/v1/admin/curation/alps", #"{"startsAtMilliseconds":5000}"#),
        ("PUT", curated, "/v1/admin/curation/alps", #"{"position":0}"#),
        ("PUT", curated, "/v1/admin/curation/none", "{}"), ("PUT", curated, "/v1/admin/curation/birds", nil),
        ("GET", "/v1/admin/curation", "/v1/admin/curation", nil),
        ("DELETE", curated, "/v1/admin/curation/birds", nil),
        ("DELETE", "/v1/groups/{id}/memberships/{user}", "/v1/groups/alps/memberships/ann", nil),
        ("DELETE", "/v1/groups/{id}/memberships/{user}", "/v1/groups/alps/memberships/ann", nil),
        ("DELETE", "/v1/groups/{id}/pools/{photo}", "/v1/groups/alps/pools/none", nil),
        ("DELETE", "/v1/groups/{id}/posts/{user}", "/v1/groups/alps/posts/ann", nil),
        ("DELETE", "/v1/photos/{id}", "/v1/photos/none", nil), ("DELETE", "/v1/groups/{id}", "/v1/groups/alps", nil),
        ("DELETE", "/v1/groups/{id}", "/v1/groups/alps", nil),
        ("DELETE", "/v1/users/{id}", "/v1/users/ann?photos=remove", nil),
        ("DELETE", "/v1/users/{id}", "/v1/users/ann", nil),
    ]
    private static let hidden = "/v1/admin/groups/{id}/hidden"
    private static let curated = "/v1/admin/curation/{group}"
    private static let oneClick = #"{"interactions":[{"id":"1","kind":"click","groupId":"alps","position":1}]}"#

    @Test(
        "Routes that change something answer as described, with and without a recorder of changes",
        arguments: [false, true])
    func changes(isRecorded: Bool) throws {
        let members = try MemberCatalog()
        var service = try service()
        service.community = isRecorded ? try members.source() : nil
        let checker = try checker(service)
        for change in Self.changes {
            let answer = try service.answer(.direct, change.target, method: change.method, json: change.json)
            let comment: Comment = "\(change.method) \(change.target)"
            try expect(answer, of: change.pattern, change.method, isDescribedBy: checker, comment)
            #expect(isRecorded || answer.status == 501, comment)
        }
    }

    @Test("Every route answers as described, also without a model, a community, or its members")
    func answers() throws {
        let patterns = Set(Endpoint.table(of: .standard).map(\.pattern))
        #expect(Set(Self.targets.map(\.pattern) + Self.changes.map(\.pattern)) == patterns)
        let whole = try service()
        var bare = whole
        bare.community = nil
        var failing = whole
        failing.community = FakeCommunity(failure: Failure(.databaseFailed, "the catalog is away"))
        let store = FakeStore()
        store.state.withLock { $0.failure = Failure(.unavailable, "memory is away") }
        var statuses: Set<Int> = []
        for service in [whole, bare, failing, Routes(store: store)] {
            let checker = try checker(service)
            for (pattern, targets) in Self.targets {
                for target in targets {
                    let answer = try service.answer(.direct, target)
                    statuses.insert(answer.status)
                    try expect(answer, of: pattern, isDescribedBy: checker, "\(target)")
                }
            }
        }
        #expect(statuses == [200, 400, 404, 410, 501, 503])
    }

    @Test("Answers that a token decides are described")
    func refusals() throws {
        let bearers = try Bearers()
        var service = try service()
        service.access = bearers.policy(open: [.photos])
        let checker = try checker(service)
        for (pattern, targets) in Self.targets {
            for headers in [[], [try bearers.field("ann")]] {
                let answer = try service.answer(.direct, targets[0], headers: headers)
                try expect(answer, of: pattern, isDescribedBy: checker, "\(targets[0]) \(headers)")
            }
        }
        func security(_ pattern: String) -> [[String: [String]]]? {
            let path = (checker.document["paths"] as? [String: [String: [String: Any]]])?[pattern]
            return path?["get"]?["security"] as? [[String: [String]]]
        }
        #expect(
            security("/v1/users/{id}/recommendations") == [["memberToken": []], ["serviceToken": ["lists"]]])
        #expect(security("/v1/groups/{id}/similar") == [["serviceToken": []]])
        #expect(security("/v1/photos/{id}/groups") == [])
        #expect(security("/v1/admin/model") == [["adminToken": []]])
        #expect(security("/healthz") == [])
        // Open areas have a rate limit; routes for everybody have none.
        for (pattern, isLimited) in [("/v1/photos/{id}/groups", true), ("/v1/trending", true), ("/healthz", false)] {
            let schema = checker.schema("GET", pattern, status: 429, type: "application/problem+json")
            #expect((schema != nil) == isLimited, "\(pattern)")
        }
    }

    private func expect(
        _ answer: SocketClient.Response, of pattern: String, _ method: String = "GET",
        isDescribedBy checker: SchemaChecker, _ comment: Comment
    ) throws {
        let type = try #require(answer.headers["content-type"])
        let schema = try #require(checker.schema(method, pattern, status: answer.status, type: type), comment)
        guard type.hasSuffix("json") else { return }
        let value = try JSONSerialization.jsonObject(with: Data(answer.body))
        #expect(checker.complaints(value, schema) == [], comment)
    }
}
