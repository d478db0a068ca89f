import RecordReading
import Testing

@Suite struct JSONLines {
    @Test func valuesBecomeText() throws {
        let text = """
            {"a":"x","b":1}
            {"b":true,"A ":-2.5}
            {"a":["x","y z"],"b":[]}\r

            {"a":"\\u00e9\\n\\"","b":"é","c":{"d":[1]}}
            {"a":9223372036854775808,"b":1e3}
            """
        #expect(
            try outcomes("\u{FEFF}" + text, .jsonLines) == [
                .record(1, "x", "1"), .record(2, "-2.5", "true"), .record(3, "x;y z", ""), .record(5, "é\n\"", "é"),
                .record(6, "9223372036854775808", "1000"),
            ])
    }

    @Test func nullIsAnAbsentField() throws {
        #expect(
            try outcomes("{\"a\":null}\n{\"b\":\"\"}\n{}", .jsonLines, required: false) == [
                .record(1, nil, nil), .record(2, nil, ""), .record(3, nil, nil),
            ])
    }

    @Test func badLinesAreRejected() throws {
        let lines: [(String, RejectionReason)] = [
            ("[1]", .notAnObject), ("{\"a\":1,\"b\":2", .notAnObject), ("{\"a\":1,\"b\":2} x", .notAnObject),
            ("nonsense", .notAnObject), ("\"a\"", .notAnObject),
            ("{\"a\":{\"x\":1},\"b\":2}", .unsupportedValue(column: "a")),
            ("{\"a\":[1],\"b\":2}", .unsupportedValue(column: "a")),
            ("{\"a\":[null],\"b\":2}", .unsupportedValue(column: "a")),
            ("{\"a\":123456789012345678901,\"b\":2}", .unsupportedValue(column: "a")),
            ("{\"a\":1}", .missingColumn("b")), ("{\"a\":1,\"b\":null}", .missingColumn("b")),
            ("{\"a\":1,\"A\":2,\"b\":3}", .repeatedColumn("a")),
            ("{\"a\":\"\\u0000\",\"b\":3}", .nul),
            ("{\"a\":\"\u{0}\",\"b\":3}", .nul),
        ]
        for (line, reason) in lines {
            let found = try outcomes("{\"a\":1,\"b\":2}\n\(line)\n{\"a\":3,\"b\":4}", .jsonLines)
            #expect(found.first == .record(1, "1", "2"))
            #expect(found.last == .record(3, "3", "4"))
            guard found.count == 3, case .rejected(2, let foundReason, _) = found[1] else {
                Issue.record("\(line) gave \(found)")
                continue
            }
            #expect(foundReason == reason)
        }
    }

    @Test func ofTwoBadValuesAlwaysTheSameIsNamed() throws {
        let line = "{\"b\":{},\"c\":1,\"a\":[{}]}"
        for _ in 0..<100 {
            #expect(try outcomes(line, .jsonLines) == [.rejected(1, .unsupportedValue(column: "a"), line)])
        }
    }

    @Test func theFirstValueOfARepeatedKeyCounts() throws {
        #expect(try outcomes("{\"a\":1,\"b\":3,\"a\":2}", .jsonLines) == [.record(1, "1", "3")])
    }

    @Test func deepNestingIsRejected() throws {
        let deep = String(repeating: "[", count: 500_000)
        let text = "{\"a\":\(deep)\n{\"x\":\(deep)\n{\"a\":1}\n"
        let found = try outcomes(text, .jsonLines, columns: ["a"])
        #expect(found.map(\.line) == [1, 2, 3])
        #expect(found.last == .record(3, "1"))
    }

    @Test func linesTooLongAndNotUTF8AreRejected() throws {
        let long = "{\"a\":\"\(String(repeating: "x", count: 100))\"}"
        let bytes = Array("\(long)\n{\"a\":\"".utf8) + [0xC3] + Array("\"}\n{\"a\":1}".utf8)
        #expect(
            try outcomes(bytes, .jsonLines, columns: ["a"], limit: 40) == [
                .rejected(1, .tooLong(maximumBytes: 40), String(long.prefix(41))),
                .rejected(2, .notUTF8, "{\"a\":\"\u{FFFD}\"}"), .record(3, "1"),
            ])
    }

    @Test func anEmptySourceHasNoRecords() throws {
        #expect(try outcomes("", .jsonLines) == [])
        #expect(try outcomes(" \n\r\n", .jsonLines) == [])
    }

    @Test func columnsBecomeKnownLineByLine() throws {
        var reader = try makeReader(Array("{\"x\":1,\"b\":2}\n".utf8), .jsonLines, required: false)
        #expect(reader.unknownColumns == [])
        #expect(try reader.next() == .record)
        #expect(!reader.isPresent(0) && reader.isPresent(1))
        #expect(reader.unknownColumns == ["x"])
    }
}
