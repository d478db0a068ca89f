import HTTP
@testable import Service
import TestSupport
import Testing

/// Every test runs straight against the router, and over a socket.
@Suite("Access")
struct AccessTests {
    private let bearers: Bearers
    private var service: Routes

    init() throws {
        bearers = try Bearers()
        service = Routes(store: FakeStore(try Community.version("v1")))
        service.access = bearers.policy()
    }

    private static let ofAnn = "/v1/users/ann/recommendations"
    private static let ofSite = ["/v1/groups/alps/similar", "/v1/photos/p1/groups", "/v1/map", "/metrics"]
    private static let ofAdmins = "/v1/admin/model"

    private func status(_ transport: Transport, _ target: String, _ headers: [String]) throws -> Int {
        let answer = try service.answer(transport, target, headers: headers)
        if answer.status >= 400 { _ = try ProblemBody(answer) }
        return answer.status
    }

    @Test("A token is valid for the routes of its role, and no others")
    func roles() throws {
        let member = [try bearers.field("ann")]
        let service = [try bearers.field("web", .service)]
        let admin = [try bearers.field("root", .admin)]
        #expect(try status(.direct, Self.ofAnn, member) == 200)
        #expect(try status(.direct, Self.ofAdmins, admin) == 200)
        for other in [service, admin] { #expect(try status(.direct, Self.ofAnn, other) == 403) }
        for other in [member, service] { #expect(try status(.direct, Self.ofAdmins, other) == 403) }
        for target in Self.ofSite {
            #expect(try status(.direct, target, service) == 200)
            for other in [member, admin] { #expect(try status(.direct, target, other) == 403) }
        }
    }

    @Test("A member's token is refused for other members' paths")
    func otherMember() throws {
        for subject in ["bob", "Ann", "ann ", "an", "annn", "e\u{301}lan"] {
            let headers = [try bearers.field(subject)]
            #expect(try status(.direct, Self.ofAnn, headers) == 403)
            // Equal to Swift, not the same bytes.
            #expect(try status(.direct, "/v1/users/%C3%A9lan/recommendations", headers) == 403)
        }
        // The answer must not reveal whether the user exists.
        #expect(try status(.direct, "/v1/users/nobody/recommendations", [bearers.field("ann")]) == 403)
        #expect(try status(.direct, "/v1/users/nobody/recommendations", [bearers.field("nobody")]) == 200)
    }

    @Test("Without a token only open routes are answered")
    func noToken() throws {
        for target in ["/healthz", "/readyz", "/openapi.json"] { #expect(try status(.direct, target, []) == 200) }
        for target in Self.ofSite + [Self.ofAnn, Self.ofAdmins] {
            let answer = try service.answer(.direct, target)
            #expect(answer.status == 401)
            #expect(answer.headers["www-authenticate"] == "Bearer")
        }
        // Neither are bad parameters judged, nor is it told what exists.
        #expect(try status(.direct, "/v1/users/nobody/recommendations?limt=1", []) == 401)
    }

    @Test("Areas are opened one by one")
    func openAreas() throws {
        let targets: [(Area, String)] = [
            (.groups, "/v1/groups/alps/similar"), (.photos, "/v1/photos/p1/groups"), (.map, "/v1/map"),
            (.metrics, "/metrics"),
        ]
        for area in Area.allCases {
            var service = service
            service.access = bearers.policy(open: [area])
            for (other, target) in targets {
                #expect(try service.answer(.direct, target).status == (other == area ? 200 : 401))
            }
            #expect(try service.answer(.direct, Self.ofAnn).status == 401)
            #expect(try service.answer(.direct, Self.ofAdmins).status == 401)
        }
    }

    @Test("The open answer about a photo says nothing of its owner")
    func openPhotos() throws {
        var service = service
        func mentionsOwner(_ fields: [String]) throws -> Bool {
            let answer = try service.answer(.direct, "/v1/photos/p2/groups", headers: fields)
            #expect(answer.status == 200)
            return answer.text.contains(#""kind":"owner""#)
        }
        #expect(try mentionsOwner([bearers.field("shop", .service)]))
        service.access = bearers.policy(open: [.photos])
        #expect(try !mentionsOwner([]))
    }

    @Test("Forged tokens are refused and never logged")
    func forged() throws {
        let good = try bearers.field("ann")
        let parts = good.dropFirst("Authorization: Bearer ".count).split(separator: ".").map(String.init)
        func bearer(_ header: String, _ claims: String, _ signature: String) -> String {
            "Authorization: Bearer \(header).\(claims).\(signature)"
        }
        let none = Forgery.part(#"{"alg":"none","kid":"first"}"#)
        let stronger = Forgery.part(#"{"alg":"HS512","kid":"first"}"#)
        let bobs = Forgery.part(#"{"sub":"ann","role":"admin","aud":"coterie","exp":99999999999}"#)
        let unkeyed = Forgery.token(
            header: #"{"alg":"HS256","kid":"first"}"#, claims: #"{"sub":"ann","aud":"coterie","exp":61060}"#, secret: []
        )
        let cases = [
            try bearers.field("ann", seconds: 0), try bearers.field("ann", from: 31),
            try bearers.field("ann", audience: "other"), bearer(none, parts[1], ""), bearer(none, parts[1], parts[2]),
            bearer(stronger, parts[1], parts[2]), bearer(parts[0], bobs, parts[2]),
            bearer(parts[0], parts[1], String(parts[2].reversed())), "Authorization: Bearer \(unkeyed)",
            "Authorization: \(parts.joined(separator: "."))", "Authorization: Basic YW5uOmFubg==",
            "Authorization: Bearer", "Authorization: Bearer  \(parts.joined(separator: "."))",
            "Authorization: Bearer \(String(repeating: "a", count: 5000))",
            "Authorization: Bearer \(parts.joined(separator: ".")), Bearer x",
        ]
        for field in cases {
            #expect(try status(.direct, Self.ofAnn, [field]) == 401, "\(field)")
            #expect(try status(.direct, Self.ofAdmins, [field]) == 401, "\(field)")
        }
        // Two fields, whichever is the good one.
        for pair in [[good, cases[0]], [cases[0], good], [good, good]] {
            #expect(try status(.direct, Self.ofAnn, pair) == 401)
        }
        #expect(try status(.direct, Self.ofAnn, [good]) == 200)
        #expect(service.lines.all.contains("refused"))
        for line in service.lines.raw {
            for secret in [parts[1], parts[2], unkeyed] { #expect(!line.contains(secret)) }
        }
    }

    @Test("The scheme's name may be in any case of letters", arguments: ["bearer", "BEARER", "bEaReR"])
    func scheme(name: String) throws {
        let token = try bearers.field("ann").split(separator: " ")[2]
        #expect(try status(.direct, Self.ofAnn, ["authorization: \(name) \(token)"]) == 200)
    }

    @Test("An escaped slash opens no other path, and an escaped NUL is refused", arguments: Transport.allCases)
    func escapes(transport: Transport) throws {
        let ann = [try bearers.field("ann")]
        for (target, expected) in [
            // The user "ann/recommendations" can be deleted, and not read.
            ("/v1/users/ann%2Frecommendations", 405), ("/v1/users/bob%2F..%2Fann/recommendations", 403),
            ("/v1%2fusers/ann", 404), ("/v1/users/ann%2f/recommendations", 403), ("/v1/admin%2Fmodel", 404),
            ("/v1/users/..%2Fadmin/recommendations", 403),
        ] {
            #expect(try status(transport, target, ann) == expected, "\(target)")
        }
        guard transport == .socket else { return }
        for target in ["/v1/users/ann%00/recommendations", "/v1/users/ann%00bob/recommendations", "/%00", "/v1/%zz"] {
            let answer = try service.answer(transport, target, headers: ann)
            #expect(answer.status == 400)
            #expect(answer.headers["x-request-id"] != nil)
            _ = try ProblemBody(answer)
        }
    }

    @Test("Answers that need a token may not be stored by shared caches")
    func caching() throws {
        let site = [try bearers.field("web", .service)]
        func caching(_ service: Routes, _ target: String, _ headers: [String]) throws -> String? {
            try service.answer(.direct, target, headers: headers).headers["cache-control"]
        }
        #expect(try caching(service, Self.ofAnn, [bearers.field("ann")]) == "private, no-cache")
        #expect(try caching(service, Self.ofSite[0], site) == "private, max-age=60")
        #expect(try caching(service, Self.ofAdmins, [bearers.field("root", .admin)]) == "no-store")
        var open = service
        open.access = bearers.policy(open: [.groups])
        #expect(try caching(open, Self.ofSite[0], []) == "public, max-age=60")
    }

    @Test("A verified token still expires, and is refused when its key is removed")
    func knownTokens() throws {
        let authenticator = Authenticator(keys: bearers.ring, checker: TokenChecker(audience: "coterie"))
        let value = try String(bearers.field("ann", seconds: 60).dropFirst("Authorization: ".count))
        let headers: HTTPHeaders = ["Authorization": value]
        for time in [0, 1, 59_999] {
            #expect(try authenticator.claims(in: headers, at: Bearers.now + Int64(time)).subject == "ann")
        }
        #expect(throws: Problem.self) { try authenticator.claims(in: headers, at: Bearers.now + 60_000) }
        // The key that signed it is still there, behind a new one.
        _ = try bearers.file.addKey(id: "second")
        #expect(try bearers.ring.refresh())
        #expect(try authenticator.claims(in: headers, at: Bearers.now).subject == "ann")
        // Now it is not.
        try bearers.replaceKeys()
        #expect(try bearers.ring.refresh())
        #expect(throws: Problem.self) { try authenticator.claims(in: headers, at: Bearers.now) }
    }

    @Test("Any bytes in the field are refused without a crash", arguments: 0..<2)
    func noise(seed: UInt64) throws {
        let router = service.router()
        let server = try HTTPServer(refusal: { router.refuse($0) }, handler: { router.respond(to: $0) })
        defer { server.stop() }
        var generator = SeededGenerator(seed: seed)
        let good = Array(try bearers.field("ann").utf8)
        for _ in 0..<150 {
            var field = good
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                // Neither line breaks, which end the field, nor the field's name.
                let offset = Int.random(in: 15..<field.count, using: &generator)
                let byte = UInt8.random(in: 0...255, using: &generator)
                field[offset] = byte == 10 || byte == 13 ? 0 : byte
            }
            guard field != good else { continue }
            let client = try #require(SocketClient(port: server.port))
            let head = "GET \(Self.ofAnn) HTTP/1.1\r\nHost: localhost\r\n"
            client.send(Array(head.utf8) + field + Array("\r\n\r\n".utf8))
            if let response = client.receive() { #expect([400, 401].contains(response.status)) }
        }
        let client = try #require(SocketClient(port: server.port))
        #expect(client.request("GET", Self.ofAnn, headers: [try bearers.field("ann")])?.status == 200)
    }
}
