import Model
import ModelStore
import TestSupport
import Testing

@testable import HTTP
@testable import Service

@Suite("Answers that a client has already, and pages of other sites")
struct ConditionalRequestTests {
    private func service() throws -> Routes {
        var service = Routes(store: FakeStore(try Community.version("v1")))
        service.community = FakeCommunity()
        return service
    }

    private static let similar = "/v1/groups/alps/similar"

    @Test("An answer is not sent again to who has it, compressed or not", arguments: Transport.allCases)
    func entityTags(transport: Transport) throws {
        let service = try service()
        let first = try service.answer(transport, Self.similar)
        let tag = try #require(first.headers["etag"])
        #expect(tag.wholeMatch(of: /W\/"[0-9a-f]{16}"/) != nil)
        let compressed = try service.answer(
            transport, Self.similar + "?limit=200&by=both", headers: ["Accept-Encoding: gzip"])
        let plain = try service.answer(transport, Self.similar + "?limit=200&by=both")
        #expect(compressed.headers["etag"] == plain.headers["etag"])
        let shorter = try service.answer(transport, Self.similar + "?limit=1")
        #expect(shorter.headers["etag"] != tag)
        for known in [tag, "\"x\", \(tag)", String(tag.dropFirst(2)), "*", "W/\"\",\(tag)"] {
            let again = try service.answer(transport, Self.similar, headers: ["If-None-Match: \(known)"])
            #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag, "\(known)")
            #expect(again.headers["content-length"] == nil && again.headers["content-type"] == nil)
            #expect(again.headers["cache-control"] == first.headers["cache-control"])
        }
        for other in ["\"x\"", "W/\"0000000000000000\"", "", String(tag.dropLast())] {
            let again = try service.answer(transport, Self.similar, headers: ["If-None-Match: \(other)"])
            #expect(again.status == 200 && again.body == first.body, "\(other)")
        }
        #expect(try service.answer(transport, "/readyz").headers["etag"] == nil)
        #expect(try service.answer(transport, "/v1/groups/none/similar", headers: ["If-None-Match: *"]).status == 404)
    }

    @Test("Answers from the cache have the tag of those that were made")
    func cachedTags() throws {
        var service = try service()
        service.cacheBytes = 1 << 20
        let router = service.router()
        let answers = try (0..<2).map { _ in try router.answer(Self.similar) }
        let tag = try #require(answers[0].headers["etag"])
        #expect(answers[1].headers["etag"] == tag)
        #expect(try router.answer(Self.similar, headers: ["If-None-Match: \(tag)"]).status == 304)
        #expect(try router.answer(Self.similar).body == answers[0].body)
    }

    @Test("Pages of the sites that were named may read answers and errors, others may not")
    func crossOrigin() throws {
        var service = try service()
        let origin = "https://photos.example"
        func fields(_ target: String, _ headers: [String], _ method: String = "GET") throws -> [String: String] {
            try service.answer(.direct, target, method: method, headers: headers).headers
                .filter { $0.key.hasPrefix("access-control") }
        }
        #expect(try fields(Self.similar, ["Origin: \(origin)"]).isEmpty)
        service.crossOrigin = CrossOriginPolicy(origins: [origin, "http://localhost:3000"])
        for target in [Self.similar, "/v1/groups/none/similar", "/nowhere"] {
            let allowed = try fields(target, ["Origin: \(origin)"])
            #expect(allowed["access-control-allow-origin"] == origin)
            #expect(allowed["access-control-expose-headers"] == "ETag, Retry-After, X-Request-Id")
            for other in ["https://photos.example.org", "https://PHOTOS.example", "null", ""] {
                #expect(try fields(target, ["Origin: \(other)"]).isEmpty)
            }
        }
        #expect(try service.answer(.direct, Self.similar).headers["vary"] == "Origin")
        let preflight = try service.answer(
            .direct, "/v1/users/ann/interests", method: "OPTIONS",
            headers: ["Origin: \(origin)", "Access-Control-Request-Method: PUT"])
        #expect(preflight.status == 204 && preflight.headers["access-control-allow-origin"] == origin)
        #expect(preflight.headers["access-control-allow-methods"]?.contains("PUT") == true)
        #expect(preflight.headers["access-control-allow-headers"]?.contains("Authorization") == true)
        service.crossOrigin = CrossOriginPolicy(origins: ["*"])
        #expect(try fields(Self.similar, ["Origin: https://a.example"])["access-control-allow-origin"] == "*")
        #expect(try service.answer(.direct, Self.similar).headers["vary"] == nil)
    }

    @Test("A preflight request may ask for any header fields, and gets names alone")
    func preflightHeaders() throws {
        var service = try service()
        service.crossOrigin = CrossOriginPolicy(origins: ["capacitor://localhost"])
        func allowed(_ asked: String?) throws -> String? {
            let fields = asked.map { ["Access-Control-Request-Headers: \($0)"] } ?? []
            let answer = try service.answer(
                .direct, "/v1/users/ann/interests", method: "OPTIONS",
                headers: ["Origin: capacitor://localhost", "Access-Control-Request-Method: PUT"] + fields)
            #expect(answer.status == 204 && answer.headers["access-control-allow-origin"] == "capacitor://localhost")
            return answer.headers["access-control-allow-headers"]
        }
        #expect(
            try allowed("authorization,traceparent,sentry-trace, baggage")
                == "authorization, traceparent, sentry-trace, baggage")
        let standard = "Authorization, Content-Type, If-None-Match, X-Request-Id"
        for asked in [nil, "", "a b", "a, b:c", "é", String(repeating: "a", count: 2000)] {
            #expect(try allowed(asked) == standard, "\(asked ?? "nothing")")
        }
    }

    @Test("An origin is a scheme and a host, as browsers send it")
    func origins() {
        for text in [
            "*", "https://photos.example", "http://localhost:3000", "http://[::1]:80", "https://a-b.c",
            "capacitor://localhost", "tauri://localhost", "ionic://localhost", "chrome-extension://abc",
        ] {
            #expect(CrossOriginPolicy.isOrigin(text), "\(text)")
        }
        for text in [
            "", "photos.example", "https://photos.example/", "https://Photos.example", "9tp://a", "https://a b",
            "capacitor:localhost", "Tauri://localhost", "://localhost",
        ] {
            #expect(!CrossOriginPolicy.isOrigin(text), "\(text)")
        }
    }

    @Test("Ids with a slash, a percent sign or a dot are addressed as they are", arguments: Transport.allCases)
    func slashes(transport: Transport) throws {
        let ids = ["a/b", "/", "a//b", "..", ".", "a%2Fb", "100%", "../admin"]
        let groups = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { GroupFacts(id: $0) }
        let encoded = try EncodedModel(groups: groups, tables: [:])
        let manifest = try Community.version("v1").manifest
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        let service = Routes(store: FakeStore(.init(manifest: manifest, model: model)))
        for id in ids {
            let escaped = id.utf8.map { byte in
                let isPlain = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                return isPlain ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) + 256, radix: 16).suffix(2)
            }.joined()
            let answer = try service.answer(transport, "/v1/groups/\(escaped)/similar")
            #expect(answer.status == 200 && answer.text.contains(#""groupId":"\#(id)""#), "\(id): \(answer.text)")
        }
        #expect(try service.answer(transport, "/v1%2Fgroups/a/similar").status == 404)
        if transport == .socket { #expect(try service.answer(transport, "/v1/groups/a%00b/similar").status == 400) }
    }
}
