import Answers
import Basics
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Service

@Suite("The router")
struct RouterTests {
    private func service() throws -> Routes { Routes(store: FakeStore(try Community.version("v1"))) }

    @Test("A request keeps a valid request id")
    func requestIdentifiers() throws {
        let service = try service()
        for name in ["a", "A-b_c.9", String(repeating: "x", count: 64)] {
            for target in ["/healthz", "/nowhere", "/v1/groups/alps/similar?limit=0"] {
                let answer = try service.answer(.direct, target, headers: ["X-Request-Id: \(name)"])
                #expect(answer.headers["x-request-id"] == name)
            }
        }
        for name in ["a b", "a,b", "\"", "é", "<script>", String(repeating: "x", count: 65)] {
            let given = try service.answer(.direct, "/healthz", headers: ["X-Request-Id: \(name)"])
            let made = try #require(given.headers["x-request-id"])
            #expect(made != name)
            #expect(made.wholeMatch(of: /[0-9a-z]+-[0-9a-z]+/) != nil)
        }
    }

    @Test("Every request id that the daemon makes is unique")
    func newIdentifiers() throws {
        let router = try service().router()
        let names = try (0..<100).map { _ in try router.answer("/healthz").headers["x-request-id"] }
        #expect(Set(names).count == 100)
    }

    @Test("OPTIONS lists the allowed methods")
    func options() throws {
        let answer = try service().answer(.direct, "/v1/groups/alps/similar", method: "OPTIONS")
        #expect(answer.status == 204)
        #expect(answer.headers["allow"] == "GET, HEAD, OPTIONS")
        #expect(try service().answer(.direct, "/nowhere", method: "OPTIONS").status == 404)
    }

    @Test("OPTIONS of the whole server is answered, as load balancers ask it", arguments: Transport.allCases)
    func wholeServer(transport: Transport) throws {
        for target in ["*", "/", "http://test"] {
            let answer = try service().answer(transport, target, method: "OPTIONS")
            #expect(answer.status == 204, "\(target)")
            #expect(answer.headers["allow"]?.contains("GET") == true, "\(target)")
        }
        #expect(try service().answer(transport, "/", method: "GET").status == 404)
        let router = try service().router()
        let server = try HTTPServer(refusal: { router.refuse($0) }, handler: { router.respond(to: $0) })
        defer { server.stop() }
        let client = try #require(SocketClient(port: server.port))
        client.send("OPTIONS / HTTP/1.0\r\n\r\n")
        #expect(client.receive()?.status == 204)
    }

    @Test(
        "Only clients that accept gzip get it",
        arguments: [
            ("gzip", true), ("GZIP", true), ("x-gzip", true), ("br, gzip;q=0.5", true), ("*", true),
            ("gzip ; q=1", true),
            ("", false), ("br", false), ("gzip;q=0", false), ("gzip;q=0.000, *", false), ("*;q=0", false),
            ("identity, *;q=0", false), ("gzipped", false), (";", false),
        ])
    func acceptance(field: String, isTaken: Bool) {
        #expect(ResponseCompressor.takesGzip(field) == isTaken)
    }

    @Test("Long answers are compressed on demand, short ones never")
    func compression() throws {
        let service = try service()
        let target = "/openapi.json"
        let plain = try service.answer(.direct, target)
        #expect(plain.body.count > ResponseCompressor.minimumByteCount)
        #expect(plain.headers["content-encoding"] == nil)
        #expect(plain.headers["vary"] == "Accept-Encoding")
        let small = try service.answer(.direct, target, headers: ["Accept-Encoding: gzip"])
        #expect(small.headers["content-encoding"] == "gzip")
        #expect(small.headers["vary"] == "Accept-Encoding")
        #expect(small.body.count < plain.body.count / 2)
        #expect(small.body == GzipCompressor(level: 1)?.compressed(plain.body))
        let health = try service.answer(.direct, "/healthz", headers: ["Accept-Encoding: gzip"])
        #expect(health.headers["content-encoding"] == nil)
        #expect(health.headers["vary"] == nil)
    }

    @Test(
        "Answers of 1024 bytes or more are compressed, shorter ones are not", arguments: [(1023, false), (1024, true)])
    func compressionBound(byteCount: Int, isCompressed: Bool) throws {
        var response = HTTPResponse(status: .ok, body: [UInt8](repeating: 0, count: byteCount))
        let request = try HTTPRequest(method: .get, target: "/", headers: ["Accept-Encoding": "gzip"])
        ResponseCompressor().compress(&response, for: request)
        #expect((response.headers["content-encoding"] == "gzip") == isCompressed)
    }

    @Test("A route that takes JSON refuses any other type")
    func bodies() throws {
        struct Anything: RequestBody {
            static let schemaName = "Anything"
            static let fields: [BodyField<Anything>] = []
            static let example = "{}"
        }
        var service = try service()
        service.endpoints.append(
            Endpoint(
                "echo", .post, "/v1/echo", .open, summary: "What was sent", body: Anything.self,
                content: .json({ _ in Anything.schema }), caching: .never,
                handler: { (call: Call) throws(Problem) in .content("application/json", call.body) }))
        let router = service.router()
        for type in ["application/json", "Application/JSON; charset=utf-8", "application/json ;x=y"] {
            let answer = try router.answer(
                "/v1/echo", method: "POST", headers: ["Content-Type: \(type)"], body: Array("{}".utf8))
            #expect(answer.status == 200)
            #expect(answer.text == "{}")
        }
        for headers in [[], ["Content-Type: text/plain"], ["Content-Type: application/jsonp"]] {
            let answer = try router.answer("/v1/echo", method: "POST", headers: headers, body: Array("{}".utf8))
            #expect(try ProblemBody(answer).status == 415)
        }
        #expect(try router.answer("/v1/echo").headers["allow"] == "POST, OPTIONS")
        let checker = try SchemaChecker(router.answer("/openapi.json").body)
        #expect(checker.schema("POST", "/v1/echo", status: 415, type: "application/problem+json") != nil)
    }

    @Test("Ids that are too long are refused, with the parameter's name")
    func longIdentifiers() throws {
        let id = String(repeating: "%C3%A9", count: Parameter.identifierLimit)
        #expect(try service().answer(.direct, "/v1/groups/\(id)/similar").status == 404)
        let problem = try ProblemBody(service().answer(.direct, "/v1/groups/\(id)x/similar"))
        #expect(problem.status == 400)
        #expect(problem.parameter == "id")
    }

    @Test("A version that is too old is stale, and still served")
    func staleness() throws {
        var service = try service()
        let days: Int64 = 86_400_000
        for (age, isStale) in [(14 * days, false), (14 * days + 1000, true)] {
            service.now = 1_000_000 + age
            let answer = try service.answer(.direct, "/readyz")
            #expect(answer.status == 200)
            #expect(answer.text.contains("\"stale\":\(isStale)"))
        }
        service.community = FakeCommunity(knowsPhotos: false)
        #expect(try service.answer(.direct, "/readyz").text.contains(#""missing":["photos"]"#))
        service.community = nil
        #expect(try service.answer(.direct, "/readyz").text.contains(#""missing":["memberships","photos"]"#))
    }
}
