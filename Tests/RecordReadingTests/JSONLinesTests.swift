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
            {"a":123456789012345678901,"b":2.5e-1}
            """
        #expect(
            try outcomes("\u{FEFF}" + text, .jsonLines) == [
                .record(1, "x", "1"), .record(2, "-2.5", "true"), .record(3, "x;y z", ""), .record(5, "é\n\"", "é"),
                .record(6, "9223372036854775808", "1000"), .record(7, "123456789012345678901", "0.25"),
            ])
    }

    @Test func objectsOfExtendedJSONAreTheirValues() throws {
        let lines = [
            #"{"a":{"$oid":"507f1f77bcf86cd799439011"},"b":{ "$date" : {"$numberLong":"1356048000000"} }}"#,
            #"{"a":{"$numberInt":"7"},"b":{"$date":"2012-12-21T00:00:00Z"}}"#, #"{"a":{"$oid":"x","y":1},"b":1}"#,
            #"{"a":{"$ref":"x"},"b":1}"#, #"{"a":{"$date":{"$date":{"$oid":"x"}}},"b":1}"#,
        ]
        let bad = RejectionReason.unsupportedValue(column: "a", cause: "is an object")
        #expect(
            try outcomes(lines.joined(separator: "\n"), .jsonLines) == [
                .record(1, "507f1f77bcf86cd799439011", "1356048000000"), .record(2, "7", "2012-12-21T00:00:00Z"),
                .rejected(3, bad, lines[2]), .rejected(4, bad, lines[3]), .rejected(5, bad, lines[4]),
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
            ("[1]", .notAnObject), ("{\"a\":1,\"b\":2", .brokenObject(after: "b")),
            ("{\"a\":1,\"b\":2} x", .brokenObject(after: "b")), ("{\"a\":007,\"b\":2}", .brokenObject(after: "a")),
            ("nonsense", .notAnObject), ("\"a\"", .notAnObject),
            ("{\"a\":{\"x\":1},\"b\":2}", .unsupportedValue(column: "a", cause: "is an object")),
            (
                "{\"a\":[1],\"b\":2}",
                .unsupportedValue(column: "a", cause: "is an array of other things than texts")
            ),
            (
                "{\"a\":[null],\"b\":2}",
                .unsupportedValue(column: "a", cause: "is an array of other things than texts")
            ),
            (
                "{\"a\":9.007199254740993e15,\"b\":2}",
                .unsupportedValue(column: "a", cause: "is a number that cannot be kept exactly")
            ),
            ("{\"a\":NaN,\"b\":2}", .unsupportedValue(column: "a", cause: "is NaN")),
            (
                "{\"a\":\"x\\ud83d\",\"b\":2}",
                .unsupportedValue(column: "a", cause: "has half of a surrogate pair")
            ),
            ("{\"a\":1}", .missingColumn("b")), ("{\"a\":1,\"b\":null}", .missingColumn("b")),
            ("{\"a\":1,\"A\":2,\"b\":3}", .repeatedColumn("a")),
            ("{\"a\":1,\"a\":1,\"b\":3}", .repeatedColumn("a")),
            ("{\"a\":null,\"\\u0061\":1,\"b\":3}", .repeatedColumn("a")),
            ("{\"a\":\"\\u0000\",\"b\":3}", .unsupportedValue(column: "a", cause: "has a NUL character")),
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

    @Test func ofTwoBadValuesTheFirstIsNamed() throws {
        let line = "{\"b\":{},\"c\":1,\"a\":[{}]}"
        let reason = RejectionReason.unsupportedValue(column: "b", cause: "is an object")
        #expect(try outcomes(line, .jsonLines) == [.rejected(1, reason, line)])
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

    @Test("What stands in columns that nobody wants rejects nothing")
    func unwantedValues() throws {
        let lines = [
            "{\"x\":NaN,\"a\":1,\"b\":2}", "{\"a\":1,\"x\":[-Infinity,{\"y\":\"}]\\\"\"}],\"b\":2,\"z\":\"\\ud83d\"}",
            "\u{FEFF}{\"a\":1,\"b\":2,\"x\":\"\\q\"}",
        ]
        #expect(
            try outcomes(lines.joined(separator: "\n"), .jsonLines) == [
                .record(1, "1", "2"), .record(2, "1", "2"), .record(3, "1", "2"),
            ])
    }

    @Test("A value that cannot be read, in a column that is not required, makes it absent")
    func faults() throws {
        let text = "{\"a\":1,\"b\":\"x\\udc00y\"}\n{\"a\":2,\"b\":[1]}\n{\"a\":3,\"b\":\"\\ud83d\\ude00\"}\n"
        let source = ByteSource(Array(text.utf8), chunk: 5)
        var reader = unsafe try RecordReader(
            columns: [RecordColumn("a"), RecordColumn("b", isRequired: false)], source: "test", read: source.read)
        for cause in ["has half of a surrogate pair", "is an array"] {
            #expect(try reader.next() == .record)
            let isPresent = reader.isPresent(1)
            #expect(!isPresent)
            let faults = reader.faults
            #expect(faults.map(\.column) == [1])
            #expect(faults.first?.reason == .unsupportedValue(column: "b", cause: cause))
        }
        #expect(try reader.next() == .record)
        let rest = reader.faults.count
        #expect(reader.text(1) == "\u{1F600}" && rest == 0)
    }
}
