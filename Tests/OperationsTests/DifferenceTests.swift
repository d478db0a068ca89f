import Basics
import Foundation
@testable import Operations
import TestSupport
import Testing

extension Difference {
    /// Creates a difference of a kind, without groups.
    init(_ kind: Kind, overlap: Double? = nil) {
        self.init(recorded: (200, []), answer: nil, rules: .init())
        self.kind = kind
        self.overlap = overlap
    }
}

@Suite("Differences of answers")
struct DifferenceTests {
    private func answer(_ groups: [String], version: String = "v1", score: Double = 1, more: String = "") -> [UInt8] {
        let rows = groups.enumerated().map { index, group in
            #"{"rank":\#(index + 1),"groupId":"\#(group)","score":\#(score),"reasons":[{"groupId":"r"}]}"#
        }
        return Array(
            #"{"modelVersion":"\#(version)","recommendations":[\#(rows.joined(separator: ","))]\#(more)}"#.utf8)
    }

    private func difference(_ before: [UInt8], _ now: [UInt8], _ rules: ReplayRules = .init()) -> Difference {
        Difference(recorded: (200, before), answer: (200, now), rules: rules)
    }

    @Test("Are told apart by their kinds")
    func kinds() {
        let before = answer(["a", "b", "c"])
        #expect(difference(before, answer(["a", "b", "c"], version: "v2")) == Difference(.identical, overlap: 1))
        #expect(difference(before, answer(["a", "b", "c"], score: 2)) == Difference(.otherValues, overlap: 1))
        #expect(difference(before, answer(["c", "b", "a"])) == Difference(.reordered, overlap: 1))
        let other = difference(before, answer(["d", "b", "a", "e"]))
        #expect(other.kind == .otherGroups && other.overlap == 0.5 && other.came == ["d", "e"] && other.went == ["c"])
        let gone = difference(before, answer([]))
        #expect(gone.kind == .otherGroups && gone.overlap == 0 && gone.went == ["a", "b", "c"])
        #expect(Difference(recorded: (200, before), answer: (404, before), rules: .init()).kind == .otherStatus)
        #expect(Difference(recorded: (200, before), answer: nil, rules: .init()).kind == .failed)
        #expect(difference(Array("x".utf8), Array("x".utf8)).kind == .identical)
        #expect(difference(Array("x".utf8), Array("y".utf8)).kind == .otherValues)
    }

    @Test("The overlap is that of the first ten, the mean over lists")
    func overlap() {
        let letters = "abcdefghijklmnop".map(String.init)
        // Of ten, three moved below.
        let moved = Array(letters[3...12]) + Array(letters[0..<3])
        #expect(difference(answer(letters), answer(moved)).overlap == 0.7)
        func batch(_ lists: [[String]]) -> [UInt8] {
            let texts = lists.map { String(decoding: answer($0), as: UTF8.self) }
            return Array(#"{"lists":[\#(texts.joined(separator: ","))]}"#.utf8)
        }
        #expect(difference(batch([["a"], ["b", "c"]]), batch([["a"], ["c", "d"]])).overlap == 0.75)
        #expect(difference(Array("{}".utf8), Array(#"{"a":[1]}"#.utf8)).overlap == nil)
    }

    @Test("Rules leave out and round what they say")
    func rules() throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/rules.yaml"
        try "ignore: [recommendations.reasons, '*']\nround: {'**.score': 2}\nleave-out: [/v1/trending]\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let rules = try ReplayRules(path: file)
        #expect(rules.leftOut == ["/v1/trending"])
        #expect(rules.normalised(try #require(JSON(answer(["a"])))) == .object([]))
        var rounding = ReplayRules()
        rounding.rounded = rules.rounded
        #expect(difference(answer(["a"], score: 1.001), answer(["a"], score: 1.004), rounding).kind == .identical)
        #expect(difference(answer(["a"], score: 1.001), answer(["a"], score: 1.006), rounding).kind == .otherValues)
        for wrong in ["ignore: [a..b]", "round: {a: 99}", "drop: []", "ignore: {a: b}"] {
            try wrong.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(throws: (any Error).self, "\(wrong)") { try ReplayRules(path: file) }
        }
    }

    @Test(
        "Paths match names from the outside to the inside",
        arguments: [
            ("a", ["a"], true), ("a", ["a", "b"], false), ("a.b", ["a", "b"], true), ("*.b", ["a", "b"], true),
            ("*.b", ["b"], false), ("**.b", ["b"], true), ("**.b", ["a", "c", "b"], true), ("a.**", ["a"], true),
            ("a.**.c", ["a", "b", "b", "c"], true), ("a.**.c", ["a", "b"], false),
        ])
    func paths(text: String, names: [String], isMatch: Bool) throws {
        #expect(try #require(MemberPath(text)).matches(names) == isMatch)
    }
}
