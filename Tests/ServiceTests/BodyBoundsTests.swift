import Foundation
import Model
import Testing

@testable import Answers
@testable import Service

@Suite("Bounds of bodies")
struct BodyBoundsTests {
    /// A field of a body with its bounds, each from the declaration that `/openapi.json` shows.
    private struct Bound {
        /// The field in JSON, for example `["interactions", "position"]`.
        var path: [String]
        var schema: Schema

        /// The bounds as the article "Limits" says them, or nil if no number bounds the field.
        var words: String? { Self.words(schema) }

        private static func words(_ schema: Schema) -> String? {
            switch schema {
            case .array(let element, let counts?):
                "\(counts.lowerBound) to \(counts.upperBound) entries" + (words(element).map { " of \($0)" } ?? "")
            case .string(_, _, let lengths?, _): "\(lengths.lowerBound) to \(lengths.upperBound) characters"
            case .integer(let bounds?, _): "\(bounds.lowerBound) to \(bounds.upperBound)"
            default: nil
            }
        }

        /// Values at the bounds and next to them.
        var values: (inside: [Any], outside: [Any]) {
            switch schema {
            case .integer(let bounds?, _):
                ([bounds.lowerBound, bounds.upperBound], [bounds.lowerBound - 1, bounds.upperBound + 1])
            case .string([], _, let lengths?, _):
                (
                    [String(repeating: "é", count: lengths.upperBound)],
                    ["", String(repeating: "a", count: lengths.upperBound + 1), "a\0"]
                )
            case .string(let words, _, _, _) where !words.isEmpty: (words, ["another"])
            default: ([], [])
            }
        }
    }

    private static func bounds(_ schema: Schema, at path: [String] = []) -> [Bound] {
        switch schema {
        case .component(_, let schema): bounds(schema, at: path)
        case .object(let properties): properties.flatMap { bounds($0.schema, at: path + [$0.name]) }
        case .array(.component(_, let element), let counts):
            [Bound(path: path, schema: .array(.anyObject, counts))] + bounds(element, at: path)
        default: [Bound(path: path, schema: schema)]
        }
    }

    private static let endpoints = Endpoint.table(of: .standard).filter { $0.body != nil }

    @Test("A body in another encoding than UTF-8 is refused", arguments: [String.Encoding.utf16, .utf32LittleEndian])
    func encodings(encoding: String.Encoding) throws {
        let body = try #require(InterestsBody.example.data(using: encoding))
        let error = #expect(throws: Problem.self) { try InterestsBody(body: Array(body)) }
        #expect(error?.details.detail.contains("UTF-8") == true, "\(error.debugDescription)")
    }

    @Test("The article Limits has the bounds of every field")
    func article() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let path = "coterie/Documentation.docc/Limits.md"
        let article = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
        for endpoint in Self.endpoints {
            for bound in Self.bounds(try #require(endpoint.body).schema) {
                guard let words = bound.words else { continue }
                let row = "| `\(endpoint.name)` | `\(bound.path.joined(separator: "."))` | \(words) |"
                #expect(article.contains(row), "\(row)")
            }
        }
    }

    @Test("Every bound is checked as it is described, and named in the answer")
    func checked() throws {
        var count = 0
        for endpoint in Self.endpoints {
            let type = try #require(endpoint.body)
            for bound in Self.bounds(type.schema) {
                let field = bound.path.count == 2 ? "\(bound.path[0])[0].\(bound.path[1])" : bound.path[0]
                for value in bound.values.inside {
                    #expect(throws: Never.self, "\(field): \(value)") {
                        _ = try type.init(body: body(of: type, with: value, at: bound.path))
                    }
                }
                for value in bound.values.outside {
                    let problem = #expect(throws: Problem.self, "\(field): \(value)") {
                        _ = try type.init(body: body(of: type, with: value, at: bound.path))
                    }
                    #expect(problem?.details.field == field)
                    count += 1
                }
            }
        }
        #expect(count > 20)
    }

    @Test("A number of another kind or size than its field is named with its bounds")
    func numbers() {
        func problem(_ type: any RequestBody.Type, _ json: String) -> ProblemDetails? {
            #expect(throws: Problem.self, "\(json)") { _ = try type.init(body: Array(json.utf8)) }?.details
        }
        for (field, bounds) in [
            ("position", RecordedInteraction.positions), ("atMilliseconds", RequestTime.eventBounds),
            ("seconds", RecordedInteraction.viewSeconds),
        ] {
            let words = "it must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
            for number in ["3.7", "9223372036854775808", "1e300", "-1e400"] {
                let row = #"{"id":"1","kind":"view","groupId":"a","\#(field)":\#(number)}"#
                let found = problem(InteractionBatch.self, #"{"interactions":[\#(row)]}"#)
                #expect(found?.field == "interactions[0].\(field)")
                #expect(found?.detail.hasSuffix("is \(number): \(words)") == true, "\(found?.detail ?? "")")
            }
        }
        #expect(problem(ListBatch.self, #"{"userIds":["a"],"limit":2.5}"#)?.field == "limit")
        #expect(problem(PhotoQuery.self, #"{"vector":[1,1e400]}"#)?.field == "vector[1]")
        #expect(problem(InterestsBody.self, #"{"interests":["a"]"#)?.field == nil)
    }

    /// The example of a body with another value for a field.
    private func body(of type: any RequestBody.Type, with value: Any, at path: [String]) throws -> [UInt8] {
        let example = try JSONSerialization.jsonObject(with: Data(type.example.utf8))
        var object = try #require(example as? [String: Any])
        if path.count == 2 {
            var rows = try #require(object[path[0]] as? [[String: Any]])
            rows[0][path[1]] = value
            object[path[0]] = rows
        } else {
            object[path[0]] = value
        }
        return Array(try JSONSerialization.data(withJSONObject: object))
    }
}
