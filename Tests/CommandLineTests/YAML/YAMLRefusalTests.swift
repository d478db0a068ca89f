@testable import CommandLine
import TestSupport
import Testing

@Suite("What is refused in YAML")
struct YAMLRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let text: String
        let place: String
        let message: String
        var testDescription: String { text }

        init(_ text: String, _ place: String, _ message: String) {
            self.text = text
            self.place = place
            self.message = message
        }
    }

    private static let notYAML = "this is not YAML"
    private static let again = "the key \"a\" stands here again: it is on line 1 already"
    private static let secondDocument = "a second document begins here: one file holds one document"
    private static let advice = "write the value itself, or put the text into quotes"

    private func failure(_ bytes: [UInt8]) -> YAMLError? {
        #expect(throws: YAMLError.self) { try YAMLFile.parse(bytes, file: "f") }
    }

    @Test(
        "is said with file, line and column",
        arguments: [
            Refusal("a: 1\nb: 2\na: 3\n", "3:1", again),
            Refusal("x: {a: 1, 'a': 2}", "1:11", again),
            Refusal("a: &b 1\n", "1:4", "an anchor (&name) stands here: \(advice)"),
            Refusal("a: *b\n", "1:4", "an alias (*name) stands here: \(advice)"),
            Refusal("a:\n  - !!int 7\n", "2:5", "a tag (!name) stands here: \(advice)"),
            Refusal("a: 1\n---\nb: 2\n", "2:1", secondDocument),
            Refusal("? [a]\n: 1\n", "1:3", "a key must be a text"),
            Refusal(
                "serve:\n  port: 1\n host: x\n", "3:2",
                "\(notYAML): did not find expected key, while parsing a block mapping that begins on line 1"),
            Refusal(
                "a: 'unfinished\n", "2:1",
                "\(notYAML): found unexpected end of stream, while scanning a quoted scalar that begins on line 1"),
            Refusal(
                "a: [1, 2\n", "2:1",
                "\(notYAML): did not find expected ',' or ']', while parsing a flow sequence that begins on line 1"),
            Refusal("ä: \u{1}", "1:4", "this is not YAML in UTF-8: control characters are not allowed"),
        ])
    func refused(refusal: Refusal) {
        let error = failure(Array(refusal.text.utf8))
        #expect(error?.description == "f:\(refusal.place): \(refusal.message)")
    }

    @Test("are bytes that are not UTF-8, and a NUL")
    func bytes() {
        #expect(failure(Array("a: 1\nb: \"".utf8) + [0xFF, 0x22])?.place == YAMLPlace(file: "f", line: 2, column: 5))
        #expect(failure(Array("a: 1\n".utf8) + [0] + Array("b: 2".utf8))?.place?.line == 2)
        #expect(
            failure([0xFF, 0xFE] + Array("a".utf8).flatMap { [$0, 0] })?.message.hasPrefix("this is not YAML") == true)
    }

    @Test("is a file that is nested too deeply or too long, and no deeper one takes long")
    func bounds() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(throws: Never.self) { try YAMLFile.parse(nested(YAMLFile.maximumDepth), file: "f") }
        let deep = "values are nested more than 32 deep"
        #expect(failure(nested(YAMLFile.maximumDepth + 1))?.message == deep)
        #expect(failure(Array(String(repeating: "[", count: 1 << 20).utf8))?.message == deep)
        #expect(failure(Array(String(repeating: "- ", count: 1 << 19).utf8))?.message == deep)
        let longest = [UInt8](repeating: UInt8(ascii: "a"), count: YAMLFile.maximumByteCount)
        #expect(try YAMLFile.parse(longest, file: "f").text().utf8.count == longest.count)
        #expect(failure(longest + [UInt8(ascii: "a")])?.message == "the file is longer than 1048576 bytes")
    }

    @Test("is a file that is not there, and a folder")
    func unreadable() throws {
        let directory = try TemporaryDirectory()
        let missing = #expect(throws: YAMLError.self) { try YAMLFile.read(directory.path + "/missing.yaml") }
        #expect(missing?.description.hasSuffix("missing.yaml cannot be read: No such file or directory") == true)
        #expect(throws: YAMLError.self) { try YAMLFile.read(directory.path) }
    }
}
