import HTTP
import Testing

@Suite("Route tables")
struct RouteTableTests {
    private static let rows: [(method: HTTPMethod, pattern: String, name: String)] = [
        (.get, "/", "root"),
        (.get, "/things", "list"),
        (.post, "/things", "add"),
        (.get, "/things/best", "best"),
        (.get, "/things/{id}", "one"),
        (.delete, "/things/{id}", "remove"),
        (.get, "/things/{id}/parts/{part}", "part"),
    ]

    private let table = RouteTable(rows.map { ($0.method, $0.pattern) })

    private func describe(_ method: HTTPMethod, _ segments: [String]) -> String {
        switch table.match(method, segments) {
        case .found(let row, let parameters): "\(Self.rows[row].name) \(Self.rows[row].pattern) \(parameters)"
        case .methodNotAllowed(let methods): "allowed \(methods)"
        case .notFound: "not found"
        }
    }

    @Test("A path is matched to a row and its parameters")
    func found() {
        #expect(describe(.get, []) == "root / []")
        #expect(describe(.get, ["things"]) == "list /things []")
        #expect(describe(.post, ["things"]) == "add /things []")
        #expect(describe(.get, ["things", "a/b"]) == #"one /things/{id} ["a/b"]"#)
        #expect(describe(.get, ["things", "a", "parts", "b"]) == #"part /things/{id}/parts/{part} ["a", "b"]"#)
    }

    @Test("The first of two matching patterns counts")
    func order() {
        #expect(describe(.get, ["things", "best"]) == "best /things/best []")
        #expect(describe(.delete, ["things", "best"]) == #"remove /things/{id} ["best"]"#)
    }

    @Test("A row for GET also answers HEAD")
    func head() {
        #expect(describe(.head, ["things"]) == "list /things []")
    }

    @Test("The wrong method for a path names the allowed methods")
    func notAllowed() {
        #expect(describe(.put, ["things"]) == "allowed [GET, HEAD, POST]")
        #expect(describe(.put, ["things", "best"]) == "allowed [GET, HEAD, DELETE]")
        #expect(describe(HTTPMethod(rawValue: "get"), ["things"]) == "allowed [GET, HEAD, POST]")
    }

    @Test("Any other path is not found")
    func notFound() {
        for segments in [
            ["thing"], ["things", ""], [""], ["things", "a", "parts"], ["things", "a", "parts", "b", "c"],
        ] {
            #expect(describe(.get, segments) == "not found")
        }
    }
}
