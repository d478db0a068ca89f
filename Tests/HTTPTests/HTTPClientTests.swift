import Basics
@testable import HTTP
import TestSupport
import Testing

@Suite("The HTTP client")
struct HTTPClientTests {
    @Test("Sends what it is told to, byte for byte, and gives what it gets")
    func answers() throws {
        let server = try HTTPServer(handler: { request in
            guard request.method != .head else { return .now(HTTPResponse(status: .ok, text: "twelve bytes")) }
            let text = [
                request.method.rawValue, String(decoding: request.target, as: UTF8.self),
                request.headers["X-Test"] ?? "-", request.headers["Authorization"] ?? "-",
                String(decoding: request.body, as: UTF8.self),
            ]
            return .now(HTTPResponse(status: .conflict, text: text.joined(separator: "|")))
        })
        defer { server.stop() }
        let client = try HTTPClient("http://127.0.0.1:\(server.port)/")
        func text(_ answer: HTTPClient.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }
        let first = try client.answer(to: "GET", "/a/../b%2Fc?d=%20e", headers: ["X-Test": "f"])
        #expect(first.status == 409 && text(first) == "GET|/a/../b%2Fc?d=%20e|f|-|\n" && first.microseconds > 0)
        let body = String(repeating: "g", count: 5000)
        #expect(text(try client.answer(to: "POST", "/h", body: Array(body.utf8))) == "POST|/h|-|-|\(body)\n")
        #expect(text(try client.answer(to: "DELETE", "/i", headers: ["Authorization": "j"])) == "DELETE|/i|-|j|\n")
        #expect(try client.answer(to: "HEAD", "/k").body.isEmpty)
        #expect(text(try client.answer(to: "GET", "/l")) == "GET|/l|-|-|\n")
    }

    @Test("Says that nobody answers, and what is no address")
    func failures() throws {
        let server = try HTTPServer(handler: { _ in .now(HTTPResponse(status: .noContent)) })
        let port = server.port
        server.stop()
        let client = try HTTPClient("http://127.0.0.1:\(port)")
        let error = #expect(throws: Failure.self) { _ = try client.answer(to: "GET", "/") }
        #expect(error?.code == .unavailable)
        #expect(throws: Failure.self) { _ = try HTTPClient("127.0.0.1:80") }
    }
}
