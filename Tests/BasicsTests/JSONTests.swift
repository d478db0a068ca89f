import Basics
import Testing

@Suite("JSON")
struct JSONTests {
    private static func read(_ text: String) -> JSON? { JSON(Array(text.utf8)) }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(
        "What is read is written again, without blanks",
        arguments: [
            "null", "[true,false]", #"{"a":1,"b":[-0.5,1e3],"c":{}}"#, #""é\"\\/\u0001""#, "[]", "[[[]]]",
            #"{"":"","z":0,"a":[{"x":null}]}"#,
        ])
    func roundTrip(text: String) throws {
        let read = try #require(Self.read(text))
        #expect(Self.text(read.written()) == text)
        let blank = text.replacing(",", with: " ,\n\t").replacing(":", with: " : ")
        #expect(Self.read(" \(blank)\r\n") == read)
        #expect(JSON(Array(text.utf8), isStrict: true) == read)
        #expect(JSON(read.written(isIndented: true)) == read)
    }

    @Test("Each member and element has a line of its own, if wanted")
    func indentation() throws {
        let read = try #require(Self.read(#"{"a":[1,{"b":"x, y: {z}"}],"c":{},"d":[]}"#))
        #expect(
            Self.text(read.written(isIndented: true)) == """
                {
                  "a" : [
                    1,
                    {
                      "b" : "x, y: {z}"
                    }
                  ],
                  "c" : {},
                  "d" : []
                }
                """)
    }

    @Test(
        "Other bytes are no document",
        arguments: [
            "", " ", "nul", "tru", "[", "]", "[1", "[1,]", "[,1]", "{", "{1:2}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
            #"{"a":1 "b":2}"#, "1 2", "+1", "--1", "1e", "NaN", #"""#, #""\x""#, #""\u12""#,
            #""\ud83d""#, #""\udc00""#, "\"\n\"", "'a'",
        ])
    func broken(text: String) { #expect(Self.read(text) == nil) }

    @Test("A document that is nested too deeply is refused, and so are blanks and repeated names, if wanted")
    func limits() {
        let nested = Array(String(repeating: "[", count: 4).utf8) + Array(String(repeating: "]", count: 4).utf8)
        #expect(JSON(nested, depthLimit: 4) != nil && JSON(nested, depthLimit: 3) == nil)
        #expect(JSON([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == nil)
        for text in ["1 ", " 1", "[1, 2]", #"{"a": 1}"#, #"{"a":1,"a":2}"#] {
            #expect(JSON(Array(text.utf8), isStrict: true) == nil)
        }
    }

    @Test("Neither the order of members nor the form of numbers matters to a comparison")
    func comparison() {
        #expect(Self.read(#"{"a":1,"b":[2]}"#) == Self.read(#"{"b":[2.0],"a":1e0}"#))
        #expect(Self.read("[1,2]") != Self.read("[2,1]") && Self.read("1") != Self.read(#""1""#))
        #expect(Self.read(#"{"a":1}"#) != Self.read(#"{"a":1,"b":1}"#))
    }

    @Test("Values are told apart")
    func values() throws {
        let read = try #require(Self.read(#"{"a":"x","b":12,"c":[1.5]}"#))
        #expect(read["a"]?.text == "x" && read["b"]?.integer == 12 && read["c"]?.elements?.count == 1)
        #expect(read["c"]?.elements?[0].integer == nil && read["d"] == nil && read["a"]?["x"] == nil)
        #expect(read.members?.map(\.name) == ["a", "b", "c"])
    }

    @Test("Texts are found in any bytes, however they are escaped")
    func texts() {
        func texts(_ text: String) -> [String] { JSONText.texts(in: Array(text.utf8)) }
        let found = texts(#"{"a":["ann","\u0062ob","x\"y"],"eve":1,"s":"a\u00e9"}"#)
        #expect(found == ["a", "ann", "bob", "x\"y", "eve", "s", "aé"])
        #expect(texts(#"{"broken":[ "ann" "#) == ["broken", "ann"] && texts("none").isEmpty)
    }

    @Test("A text of pairs of escapes is one of characters; half a pair is told")
    func surrogates() {
        #expect(Self.read(#""\ud83d\ude00\u00e9""#)?.text == "😀é")
        for text in [#""a\ud83d""#, #""\ude00b""#, #""\ud83d\u0041""#] {
            var (read, index): ([UInt8], Int) = ([], 0)
            let bytes = Array(text.utf8)
            #expect(JSONText.read(bytes, at: &index, before: bytes.count, into: &read) == .halfSurrogate)
            #expect(index == bytes.count)
        }
    }

    @Test(
        "The place of half a pair is told",
        arguments: [
            (#"{"a":[{"b":"x"},{"b":"\ud83d"}]}"#, "a[1].b"), (#"["\udc00x"]"#, "[0]"), (#""\ud83d""#, ""),
            (#"{"\ud83d":1}"#, ""), (#"{"a":{"\ud83d":1}}"#, "a"), (#"{"a":"\ud83d\ude00"}"#, nil),
            (#"{"a":,"b":"\ud83d"}"#, nil), ("", nil),
        ] as [(String, String?)])
    func place(text: String, place: String?) {
        #expect(JSON.placeOfHalfSurrogate(in: Array(text.utf8)) == place)
    }

    private struct Note: Codable, Equatable {
        var path = "a/b"
        var count = 2
        var of: String?
    }

    @Test("Values are written with their keys in order, and read again")
    func coding() throws {
        let json = try JSON.encoded(Note())
        #expect(Self.text(json) == #"{"count":2,"path":"a/b"}"#)
        #expect(try JSON.decoded(Note.self, from: json) == Note())
        let indented = try JSON.encoded(Note(), isIndented: true)
        #expect(Self.text(indented) == "{\n  \"count\" : 2,\n  \"path\" : \"a/b\"\n}\n")
        #expect(throws: (any Error).self) { try JSON.decoded(Note.self, from: Array("{}".utf8)) }
    }

    @Test("The texts of bytes that are no JSON are found in one pass")
    func hostileTexts() {
        #expect(JSONText.texts(in: Array(#"{"a":"b","c \q","d":"e"#.utf8)) == ["a", "b", ",", ":"])
        // With a pass for each escaped mark, this would take hours.
        let marks = [UInt8(ascii: "\"")] + (0..<2_000_000).flatMap { _ in Array(#"\""#.utf8) }
        #expect(JSONText.texts(in: marks).isEmpty)
    }

    @Test("A folder that exists is made without looking into the one around it")
    func existingFolder() throws {
        try FileTree.makeDirectory("/", mode: 0o700)
    }
}
