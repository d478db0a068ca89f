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

    @Test(
        "Have no member's id in any field, whatever a client puts it into", arguments: ["ann", "zoë/7", "u-1\"x", "x"])
    func idsNowhere(id: String) throws {
        let pseudonyms = try Pseudonyms(key: Self.key)
        let quoted = String(decoding: try JSONEncoder().encode(id), as: UTF8.self)
        let inText = String(quoted.dropFirst().dropLast())
        let inPath = try #require(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let interaction = """
            {"id":"\(inText)-1","kind":"join","groupId":"owls","recommendationId":"list of \(inText)",\
            "variant":\(quoted),"note":\(quoted),\(quoted):1,"more":{"kind":"for \(inText)","ids":[\(quoted)]}}
            """
        let problem = HTTPResponse(
            status: .notFound, headers: [:],
            body: Array(#"{"detail":"\#(inText) is no group, nor is \"\#(inText)\"","instance":"/v1/\#(inPath)"}"#.utf8)
        )
        let listed = HTTPResponse.content(
            "application/json",
            Array(#"{"userId":\#(quoted),"interactions":[{"id":"\#(inText)-1","note":\#(quoted)}]}"#.utf8))
        let exchanges = try [
            exchange(
                .post, "/v1/users/\(inPath)/interactions",
                headers: ["If-None-Match": id, "Accept": id, "Content-Type": id],
                body: #"{"interactions":[\#(interaction)]}"#, pseudonyms: pseudonyms),
            exchange(
                .get, "/v1/users/\(inPath)/interactions?after=\(inPath)-1", answer: listed, pseudonyms: pseudonyms),
            exchange(.delete, "/v1/users/\(inPath)/interactions/\(inPath)-1", pseudonyms: pseudonyms),
            exchange(.get, "/v1/users/\(inPath)/recommendations?session=of+\(inPath)", pseudonyms: pseudonyms),
            exchange(.get, "/v1/groups/\(inPath)/similar?by=\(inPath)", answer: problem, pseudonyms: pseudonyms),
            exchange(.post, "/v1/recommendations", body: "[\(quoted)]", answer: problem, pseudonyms: pseudonyms),
            exchange(
                .post, "/v1/recommendations", body: #"{"userIds":[\#(quoted)],"exclude":[\#(quoted)]}"#,
                answer: .content("application/json", Array(#"{"lists":[{"userId":\#(quoted)}]}"#.utf8)),
                pseudonyms: pseudonyms),
        ].map { try #require($0) }
        #expect(exchanges[0].requestBody.count > 100)
        for exchange in exchanges {
            let line = String(decoding: ExchangeLine(exchange: exchange, bodyOf: nil).bytes, as: UTF8.self)
            // A text of one letter is part of any other: it must not stand alone.
            for form in Set([id, inText, inPath, inText.replacing("\\", with: "\\\\")]) {
                let found = line.ranges(of: form).contains { range in
                    let before = line[..<range.lowerBound].last, after = line[range.upperBound...].first
                    return ![before, after].contains { $0.map { $0.isLetter || $0.isNumber } ?? false }
                }
                #expect(!found, "\(form) in \(line)")
            }
        }
    }

    @Test("Name members by pseudonyms wherever their ids stand, and groups as they are")
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
            String(decoding: list.body, as: UTF8.self) == #"{"userId":"\#(ann)","rows":[{"groupId":"bob"}],"bob":1}"#)

        let problem = #"{"detail":"there is no user \"bob\"","instance":"/v1/users/bob"}"#
        let batch = try #require(
            try exchange(
                .post, "/v1/recommendations", body: #"{"user\u0049ds":["bob"],"exclude":["bob"]}"#,
                answer: .content(
                    "application/json", Array(#"{"lists":[{"userId":"bob","problem":\#(problem)}]}"#.utf8)),
                pseudonyms: pseudonyms))
        #expect(
            String(decoding: batch.requestBody, as: UTF8.self) == #"{"userIds":["\#(bob)"],"exclude":["\#(bob)"]}"#
        )
        #expect(
            String(decoding: batch.body, as: UTF8.self)
                == #"{"lists":[{"userId":"\#(bob)","problem":{"detail":"there is no user \"\#(bob)\"","#
                + #""instance":"/v1/recommendations"}}]}"#)
        #expect(try exchange(.delete, "/v1/groups/g/memberships/bob", pseudonyms: pseudonyms)?.member == bob)
        #expect(try exchange(.get, "/v1/user/bob", pseudonyms: pseudonyms) == nil)
        let cut = try exchange(.post, "/v1/recommendations", body: #"{"userIds":["bob"#, pseudonyms: pseudonyms)
        #expect(cut?.requestBody.isEmpty == true)
        // A route without a body reads none.
        #expect(
            try exchange(.put, "/v1/users/bob/memberships/g", body: #"{"id":1}"#, pseudonyms: pseudonyms)?
                .requestBody.isEmpty != false)
    }

    @Test("Have only the fields that the route knows, and no pages")
    func knownFields() throws {
        let pseudonyms = try Pseudonyms(key: Self.key)
        let cases = [
            (#"{"limit":7,"note":"bob"}"#, #"{"limit":7}"#), (#"{"x":[1,{"limit":2}],"limit":7}"#, #"{"limit":7}"#),
            (#"{ "a" : "}" , "limit" : 7 , "b" : {"c":"\"]"} }"#, #"{"limit":7}"#), (#"{"a":1}"#, "{}"),
            (#"{"a":1,"b":2}"#, "{}"), (#"{"limit":7,"a":1,"b":null}"#, #"{"limit":7}"#),
            (#"{"exclude":["a","limit"],"a":1}"#, #"{"exclude":["a","limit"]}"#), (#"["bob"]"#, ""), ("bob", ""),
            (#"{"a":"#, ""), (#"{"a":"b"#, ""),
        ]
        for (body, kept) in cases {
            let made = try exchange(.post, "/v1/recommendations", body: body, pseudonyms: pseudonyms)
            #expect(made.map { String(decoding: $0.requestBody, as: UTF8.self) } == kept, "\(body)")
        }
        let page = Endpoint(
            "member", .get, "/admin/members", .page(nil), summary: "A page", content: .page, caching: .never
        ) { _ throws(Problem) in .content("text/html", []) }
        let answered = AnsweredRequest(
            request: try HTTPRequest(method: .get, target: "/admin/members", headers: [:], body: []),
            response: .content("text/html", Array("<p>bob".utf8)), endpoint: page, atMilliseconds: 7, nanoseconds: 5)
        #expect(ExchangeMaker(pseudonyms: pseudonyms).exchange(answered, withBody: true) == nil)
        #expect(ExchangeMaker(pseudonyms: nil).exchange(answered, withBody: true)?.body == Array("<p>bob".utf8))
    }

    @Test("That come faster than they can be written are left out and counted; no answer waits")
    func fullQueue() throws {
        let folder = try TemporaryDirectory()
        let lines = Lines()
        // The clock is what holds the thread that writes.
        let isHeld = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let recorder = try TapeRecorder(
            TapeSettings(folder: folder.path, TapeHeader(release: "1", settings: "", memberNames: .ids)),
            log: lines.log, queueLimit: 3
        ) {
            isHeld.signal()
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
        // The thread is held before it takes any.
        isHeld.wait()
        add(1000)
        mayGoOn.signal()
        while !lines.all.contains(where: { $0.hasPrefix("requests come faster") }) { usleep(1000) }
        add(1)
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
        #expect(recorded == 4 && dropped == 997)
        #expect(lines.all.contains { $0.hasPrefix("requests come faster than they can be recorded") })
        #expect(sample("coterie_tape_up") == 0)
        let reader = try TapeReader(folder.path)
        var read: [Exchange] = []
        while let exchange = try reader.next() { read.append(exchange) }
        // What is missing leaves a gap, so that a replay knows of it.
        #expect(read.map(\.sequence) == [1, 2, 3, 1001])
        #expect(reader.condition.missingCount == UInt64(dropped) && !reader.condition.isWhole)
        #expect(read.allSatisfy { $0.body == Array("up".utf8) })
    }
}
