import Foundation
import Testing

@testable import Answers

@Suite("JSON writer")
struct JSONWriterTests {
    /// SplitMix64: the same texts in every run.
    private struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private func text(_ generator: inout SeededGenerator) -> String {
        let morsels: [Unicode.Scalar] = [
            "\"", "\\", "/", "\u{0}", "\u{1F}", "\n", "\u{7F}", "\u{2028}", "🌊", "é", "\u{301}", "\u{FFFF}",
        ]
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let any = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator)) ?? "x"
            scalars.append(Bool.random(using: &generator) ? any : morsels.randomElement(using: &generator) ?? "y")
        }
        return String(scalars)
    }

    @Test("Any text is read back unchanged, scalar by scalar")
    func texts() throws {
        var generator = SeededGenerator(state: 1)
        for _ in 0..<500 {
            let (key, value) = ("k" + text(&generator), text(&generator))
            let bytes = JSONWriter.object { $0.member(key, [value, value]) }
            let read = try JSONDecoder().decode([String: [String]].self, from: Data(bytes))
            #expect(
                read.first?.value.map { Array($0.unicodeScalars) } == [
                    Array(value.unicodeScalars), Array(value.unicodeScalars),
                ])
            #expect(read.first.map { Array($0.key.unicodeScalars) } == Array(key.unicodeScalars))
        }
    }

    @Test("Any finite number is read back unchanged, and others are null")
    func numbers() throws {
        var generator = SeededGenerator(state: 2)
        var values = [0.0, -0.0, 1, 0.1, 1e-5, 1e16, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -1.5]
        while values.count < 500 {
            let value = Double(bitPattern: generator.next())
            if value.isFinite { values.append(value) }
        }
        for value in values {
            let bytes = JSONWriter.object { json in
                json.member("double", value)
                json.member("none", Double.nan)
                json.member("infinite", -Double.infinity)
            }
            let read = try JSONDecoder().decode([String: Double?].self, from: Data(bytes))
            #expect(read["double"]??.bitPattern == value.bitPattern)
            #expect(read["none"] == .some(nil))
            #expect(read["infinite"] == .some(nil))
        }
        #expect(
            String(decoding: JSONWriter.object { $0.member("a", Float(1) / 3) }, as: UTF8.self) == #"{"a":0.33333334}"#)
    }

    @Test("Members, objects and lists are separated by commas")
    func structure() {
        let bytes = JSONWriter.object { json in
            json.objects("none", [Int]()) { $0.member("n", $1) }
            json.member("a", 1)
            json.objects("list", [1, 2]) { row, number in
                row.member("n", number)
                row.member("t", number == 1 ? [] : ["x", "y"])
            }
            json.object("o") { $0.member("yes", true) }
            json.object("empty") { _ in }
            json.member("z", UInt64.max)
        }
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                {"none":[],"a":1,"list":[{"n":1,"t":[]},{"n":2,"t":["x","y"]}],"o":{"yes":true},"empty":{},\
                "z":18446744073709551615}
                """)
    }
}
