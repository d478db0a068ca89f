import Dispatch
import Foundation
import HTTP
import Model
@testable import Service
import TestSupport
import Testing

@Suite("Requests on a tape")
struct TapeTests {
    private static let endpoints = Endpoint.table(of: .standard)

    private func exchange(
        _ method: HTTPMethod, _ target: String, headers: HTTPHeaders = [:], body: String = "",
        answer: HTTPResponse = .content("application/json", []), pseudonyms: Pseudonyms? = nil
    ) throws -> Exchange? {
        let request = try HTTPRequest(method: method, target: target, headers: headers, body: Array(body.utf8))
        let table = RouteTable(Self.endpoints.map { ($0.method, $0.pattern) })
        var endpoint: Endpoint?
        if case .found(let row, _) = table.match(method, request.segments) { endpoint = Self.endpoints[row] }
        return ExchangeMaker(pseudonyms: pseudonyms).exchange(
            AnsweredRequest(
                request: request, response: answer, endpoint: endpoint, atMilliseconds: 7, nanoseconds: 5_999),
            withBody: true)
    }

    private static let key = Array("a key of sixteen".utf8)

    @Test("Have no tokens, in header fields or in queries")
    func tokens() throws {
        let exchange = try #require(
            try exchange(
                .get, "/v1/users/a%2Fb/recommendations?limit=5&access_token=secret&session=s%20t",
                headers: ["Authorization": "Bearer secret", "Cookie": "secret", "Accept": "*/*"]))
        #expect(exchange.target == "/v1/users/a%2Fb/recommendations?limit=5&session=s%20t")
        #expect(exchange.member == "a/b" && exchange.route == "/v1/users/{id}/recommendations")
        #expect(exchange.requestHeaders == ["Accept": "*/*"] && exchange.microseconds == 5)
        #expect(!exchange.isChange)
        #expect(try self.exchange(.get, "/nowhere?token=secret")?.target == "/nowhere")
        #expect(try self.exchange(.post, "/v1/users/a/interactions", body: "{}")?.isChange == true)
        #expect(try self.exchange(.post, "/v1/recommendations", body: "{}")?.isChange == false)
    }

    @Test("Name members by pseudonyms wherever their ids stand, and nothing else")
    func members() throws {
        let pseudonyms = try Pseudonyms(key: Self.key)
        let (ann, bob) = (pseudonyms.pseudonym(of: "ann \"1\""), pseudonyms.pseudonym(of: "bob"))
        let list = try #require(
            try exchange(
                .get, "/v1/users/ann%20%221%22/recommendations?session=bob&limit=2",
                answer: .content(
                    "application/json", Array(#"{"userId":"ann \"1\"","rows":[{"groupId":"bob"}], "bob":1}"#.utf8)),
                pseudonyms: pseudonyms))
        #expect(list.target == "/v1/users/\(ann)/recommendations?session=\(bob)&limit=2" && list.member == ann)
        #expect(
            String(decoding: list.body, as: UTF8.self) == #"{"userId":"\#(ann)","rows":[{"groupId":"bob"}], "bob":1}"#)

        let problem = #"{"detail":"there is no user \"bob\"","instance":"/v1/users/bob"}"#
        let batch = try #require(
            try exchange(
                .post, "/v1/recommendations", body: #"{"user\u0049ds":["bob"],"exclude":["bob"]}"#,
                answer: .content(
                    "application/json", Array(#"{"lists":[{"userId":"bob","problem":\#(problem)}]}"#.utf8)),
                pseudonyms: pseudonyms))
        #expect(
            String(decoding: batch.requestBody, as: UTF8.self) == #"{"user\u0049ds":["\#(bob)"],"exclude":["bob"]}"#)
        #expect(
            String(decoding: batch.body, as: UTF8.self)
                == #"{"lists":[{"userId":"\#(bob)","problem":{"detail":"there is no user \"\#(bob)\"","#
                + #""instance":"/v1/recommendations"}}]}"#)
        #expect(try exchange(.delete, "/v1/groups/g/memberships/bob", pseudonyms: pseudonyms)?.member == bob)
        #expect(try exchange(.get, "/v1/user/bob", pseudonyms: pseudonyms) == nil)
        let cut = try exchange(.post, "/v1/recommendations", body: #"{"userIds":["bob"#, pseudonyms: pseudonyms)
        #expect(cut?.requestBody.isEmpty == true)
    }

    @Test("That come faster than they can be written are left out and counted; no answer waits")
    func fullQueue() throws {
        let folder = try TemporaryDirectory()
        let lines = Lines()
        // The clock is what holds the thread that writes.
        let mayGoOn = DispatchSemaphore(value: 0)
        let recorder = try TapeRecorder(
            TapeSettings(folder: folder.path, release: "1", settings: ""), log: lines.log, queueLimit: 3
        ) {
            mayGoOn.wait()
            mayGoOn.signal()
            return 5_000
        }
        let request = try HTTPRequest(method: .get, target: "/healthz")
        func add(_ count: Int) {
            for _ in 0..<count {
                recorder.add(
                    AnsweredRequest(
                        request: request, response: .content("text/plain", Array("up".utf8)), endpoint: nil,
                        atMilliseconds: 5, nanoseconds: 1))
            }
        }
        // What the thread has taken already, before it was held, is not waiting any more.
        add(1000)
        mayGoOn.signal()
        recorder.stop()
        var metrics = MetricsText()
        recorder.write(to: &metrics)
        let text = String(decoding: metrics.bytes, as: UTF8.self)
        func sample(_ name: String) -> Int? {
            text.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
                .flatMap { Int($0) }
        }
        let recorded = try #require(sample("coterie_tape_exchanges_total"))
        let dropped = try #require(sample("coterie_tape_dropped_total"))
        #expect(recorded + dropped == 1000 && recorded >= 3 && recorded <= 6, "\(recorded)")
        #expect(lines.all.contains { $0.hasPrefix("requests come faster than they can be recorded") })
        #expect(sample("coterie_tape_up") == 0)
        let reader = try TapeReader(folder.path)
        var read: [Exchange] = []
        while let exchange = try reader.next() { read.append(exchange) }
        #expect(read.map(\.sequence) == (1...UInt64(recorded)).map { $0 })
        #expect(read.allSatisfy { $0.body == Array("up".utf8) })
    }
}
