import HTTP
import Testing

@Suite("Request targets")
struct RequestTargetTests {
    private func request(_ target: String) throws(HTTPError) -> HTTPRequest {
        try HTTPRequest(method: .get, target: target)
    }

    @Test(
        "A path is split first and decoded afterwards",
        arguments: [
            ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//a", ["", "a"]), ("/a%2Fb/c", ["a/b", "c"]),
            ("/a%2fb", ["a/b"]), ("/a%3Fb", ["a?b"]), ("/a%25b", ["a%b"]), ("/%252F", ["%2F"]), ("/a+b", ["a+b"]),
            ("/na%C3%AFve", ["naïve"]), ("/naïve", ["naïve"]), ("/%F0%9F%8C%8A", ["🌊"]), ("/a%0Ab", ["a\nb"]),
            ("/../b", ["..", "b"]), ("http://host/a/b", ["a", "b"]), ("http://host", []), ("HTTPS://host:1?a=/b", []),
            ("/a%23", ["a#"]),
        ] as [(String, [String])])
    func segments(target: String, expected: [String]) throws {
        #expect(try request(target).segments == expected)
    }

    @Test(
        "A bad target is a bad request",
        arguments: [
            "", "a", "*", "/%", "/%4", "/%zz", "/%4g", "/%00", "/a%00b", "/a b", "/a\u{7F}", "/a\u{1}", "/%C3",
            "/%C3%28",
            "/%ED%A0%80", "/%F8%88%80%80%80", "/a?b=%zz", "/a?%00=b", "/a?b=%FF", "/a?%=", "/%+1", "/%-1", "http:/a",
            "http://", "http:///a", "http://a b/", "http://a@b/", "ftp://host/",
        ])
    func badTargets(target: String) {
        let error = #expect(throws: HTTPError.self) { _ = try request(target) }
        #expect(error?.status == .badRequest)
    }

    @Test("Only OPTIONS may name the whole server")
    func wholeServer() throws {
        let request = try HTTPRequest(method: .options, target: "*")
        #expect(request.segments.isEmpty && request.query.isEmpty && request.rawPath == "*")
        for (method, target) in [("GET", "*"), ("POST", "*"), ("OPTIONS", "**"), ("OPTIONS", "*/a"), ("OPTIONS", "")] {
            #expect(throws: HTTPError.self) {
                try HTTPRequest(method: HTTPMethod(rawValue: method), target: target)
            }
        }
    }

    @Test(
        "A text that was encoded twice is decoded as often as it was encoded",
        arguments: [
            ("a", []), ("a%40b", ["a@b"]), ("a%2540b", ["a%40b", "a@b"]), ("100%", []), ("a%zz", []), ("%C3", []),
            ("%25", ["%"]),
        ] as [(String, [String])])
    func decodings(text: String, expected: [String]) {
        #expect(PercentEncoding.decodings(of: text) == expected)
    }

    @Test("A query is a list of names and values")
    func query() throws {
        let query = try request("/a?b=1&c=%26+%2B&b=2&d&=e&&f=g=h?").query.map { "\($0.name)|\($0.value)" }
        #expect(query == ["b|1", "c|& +", "b|2", "d|", "|e", "f|g=h?"])
    }

    @Test("A list in a query is divided before it is decoded")
    func elements() throws {
        let elements = try request("/a?b=c;d%3Be;f+g;&h&i=;").query.map(\.elements)
        #expect(elements == [["c", "d;e", "f g", ""], [""], ["", ""]])
    }

    @Test("The raw path keeps its escapes")
    func rawPath() throws {
        #expect(try request("/a%2Fb/c?d=e").rawPath == "/a%2Fb/c")
    }

    @Test("A bad escape is named")
    func message() {
        let error = #expect(throws: HTTPError.self) { _ = try request("/a%zz") }
        #expect(error?.message == "the address has the bad escape \"%zz\": write a percent sign as %25")
    }

    @Test("Header names are compared without regard to case")
    func headers() {
        let headers: HTTPHeaders = ["Content-Type": "a", "X-Thing": "b", "x-thing": "c"]
        #expect(headers["content-TYPE"] == "a")
        #expect(headers["x-things"] == nil)
        #expect(headers["X-THING"] == "b" && headers.count(of: "X-THING") == 2)
        // Only letters have a case: these differ in the same bit.
        #expect((["@": "a"] as HTTPHeaders)["`"] == nil)
    }
}
