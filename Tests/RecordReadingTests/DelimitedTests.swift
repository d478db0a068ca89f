import Basics
@testable import RecordReading
import Testing

@Suite struct DelimitedRecords {
    @Test func columnsAreFoundByNameInAnyOrderAndCase() throws {
        #expect(
            try outcomes("\u{FEFF} B \tother\tA\n1\t2\t3\r\n\r\n\n4\t5\t6", .tsv) == [
                .record(2, "3", "1"), .record(5, "6", "4"),
            ])
    }

    @Test func quotedFieldsMayHaveDelimitersQuotesAndNewlines() throws {
        let text = "a,b\n\"x,y\",\"say \"\"hi\"\"\"\n\"two\nlines\",\"\"\nlast,\"\r\n\"\r\n"
        #expect(
            try outcomes(text, .csv) == [
                .record(2, "x,y", "say \"hi\""), .record(3, "two\nlines", ""), .record(5, "last", "\r\n"),
            ])
        #expect(try outcomes("a\tb\n\"x\ty\"\t\"\"\"\"\n", .tsv) == [.record(2, "x\ty", "\"")])
    }

    @Test func aQuoteInsideAnUnquotedFieldIsLiteral() throws {
        #expect(try outcomes("a\tb\n5\" disk\tx\"\"y\n", .tsv) == [.record(2, "5\" disk", "x\"\"y")])
    }

    @Test func onlyCarriageReturnsAtTheEndOfARecordAreStripped() throws {
        #expect(
            try outcomes("a,b\n\r1,2\r3\r\n4,5\r\r\n6,\"7\"\r\n8,9\r", .csv) == [
                .record(2, "\r1", "2\r3"), .record(3, "4", "5"), .record(4, "6", "7"), .record(5, "8", "9"),
            ])
        #expect(try outcomes("a,b\n1,\"2\"\r", .csv) == [.record(2, "1", "2")])
        #expect(try outcomes("a,b\n1,\"2\"\rx\n", .csv) == [.rejected(2, .textAfterQuote, "1,\"2\"\\rx")])
    }

    @Test func emptyFieldsCountAndEmptyLinesAreSkipped() throws {
        #expect(
            try outcomes("a,b\n,\n\n\r\n \nx,\n", .csv) == [
                .record(2, "", ""), .rejected(5, .fieldCount(found: 1, expected: 2), " "), .record(6, "x", ""),
            ])
        #expect(try outcomes("a\n\n\"\"\n", .csv, columns: ["a"]) == [.record(3, "")])
    }

    @Test(arguments: ["sep=;\n", "SEP=;\r\n", "\"sep=;\"\n", "\u{FEFF}sep=;\n"])
    func aFirstLineMayNameTheDelimiter(line: String) throws {
        let text = line + "a;b,c\n1;2\n"
        #expect(try outcomes(text, .csv, columns: ["a", "b,c"]) == [.record(3, "1", "2")])
        #expect(throws: Failure.self) { try outcomes("sep=:\na;b\n1;2\n", .csv) }
    }

    @Test func aStrayQuoteRejectsOneLine() throws {
        let text = "a,b\n\"open,1\nx,2\ny,3\n"
        #expect(
            try outcomes(text, .csv) == [
                .rejected(2, .unclosedQuote, "\"open,1"), .record(3, "x", "2"), .record(4, "y", "3"),
            ])
    }

    @Test func aStrayQuoteThatALaterQuoteClosesRejectsOneLine() throws {
        let text = "a,b\n\"open,1\nx,2\ny,\"3\"\n\"z\",4\n"
        #expect(
            try outcomes(text, .csv) == [
                .rejected(2, .textAfterQuote, "\"open,1"), .record(3, "x", "2"), .record(4, "y", "3"),
                .record(5, "z", "4"),
            ])
    }

    @Test func aQuoteUnclosedWithinTheLimitRejectsOneLine() throws {
        let filler = (0..<40).map { "x,\($0)\n" }.joined()
        let found = try outcomes("a,b\n\"open,1\n" + filler, .csv, limit: 64)
        #expect(found.first == .rejected(2, .unclosedQuote, "\"open,1"))
        #expect(found.dropFirst() == (0..<40).map { Outcome.record($0 + 3, "x", "\($0)") }[...])
    }

    @Test func aWrongNumberOfFieldsIsReportedWithBothNumbers() throws {
        #expect(
            try outcomes("a,b\n1\n1,2,3\n\"1\",2,3\n4,5\n", .csv) == [
                .rejected(2, .fieldCount(found: 1, expected: 2), "1"),
                .rejected(3, .fieldCount(found: 3, expected: 2), "1,2,3"),
                .rejected(4, .fieldCount(found: 3, expected: 2), "\"1\",2,3"), .record(5, "4", "5"),
            ])
        #expect(RejectionReason.fieldCount(found: 3, expected: 2).description == "has 3 fields, the header has 2")
    }

    @Test func aRecordWithTheWrongNumberOfFieldsIsRejectedWithAllItsLines() throws {
        let tooMany = "a,b\n1,2,\"x\nphantom,3\",\"4\n\"\n5,6\n"
        #expect(
            try outcomes(tooMany, .csv) == [
                .rejected(2, .fieldCount(found: 4, expected: 2), "1,2,\"x"), .record(5, "5", "6"),
            ])
        let tooFew = "a,b\n\"x\nphantom,3\"\n5,6\n"
        #expect(
            try outcomes(tooFew, .csv) == [
                .rejected(2, .fieldCount(found: 1, expected: 2), "\"x"), .record(4, "5", "6"),
            ])
    }

    @Test func aStrayQuoteAfterTooManyFieldsRejectsOneLine() throws {
        #expect(
            try outcomes("a,b\n1,2,\"open\n5,6\n", .csv) == [
                .rejected(2, .unclosedQuote, "1,2,\"open"), .record(3, "5", "6"),
            ])
        #expect(
            try outcomes("a,b\n1,2,\"open\n5,\"6\"\n", .csv) == [
                .rejected(2, .textAfterQuote, "1,2,\"open"), .record(3, "5", "6"),
            ])
    }

    @Test("Reading takes linear time where every line begins a record that never ends", .timeLimit(.minutes(1)))
    func quotesThatJoinAllLines() throws {
        let lines = 60_000
        let text = "a,b\n" + String(repeating: "x\",\"\n", count: lines) + "1,2\n"
        let found = try outcomes(text, .csv, limit: 1 << 16)
        #expect(found.count == lines + 1)
        #expect(found.last == .record(lines + 2, "1", "2"))
    }

    @Test func nulAndInvalidUTF8RejectTheWholeRecord() throws {
        let bytes =
            Array("a,b\n\"x\n".utf8) + [0xFF] + Array("\n\",1\n2,3\n\u{0},4\n".utf8) + [0xC3] + Array(",5\né,6".utf8)
        #expect(
            try outcomes(bytes, .csv) == [
                .rejected(2, .notUTF8, "\"x"), .record(5, "2", "3"), .rejected(6, .nul, "\\u{0},4"),
                .rejected(7, .notUTF8, "\u{FFFD},5"), .record(8, "é", "6"),
            ])
    }

    @Test func theLimitOfBytesIsInclusive() throws {
        let full = String(repeating: "x", count: 18)
        #expect(
            try outcomes("a,b\n\(full),1\n\(full),12\n\(full),3", .csv, limit: 20) == [
                .record(2, full, "1"), .rejected(3, .tooLong(maximumBytes: 20), full + ",12"), .record(4, full, "3"),
            ])
        #expect(
            try outcomes("a,b\n\(full),12", .csv, limit: 20) == [
                .rejected(2, .tooLong(maximumBytes: 20), full + ",12")
            ])
    }

    @Test func aLineOfManyMegabytesIsSkippedInConstantMemory() throws {
        let huge = [UInt8](repeating: UInt8(ascii: "x"), count: 10 << 20)
        let bytes = Array("a\tb\n1\t2\n".utf8) + huge + Array("\n3\t4\n\"".utf8) + huge + Array("\n5\t6\n".utf8)
        let source = ByteSource(bytes, chunk: .max)
        var reader = unsafe try RecordReader(
            DialectChoice(format: .tsv), columns: [RecordColumn("a"), RecordColumn("b")], source: "test",
            maximumRecordBytes: 1 << 16,
            read: source.read)
        var events: [RecordEvent] = []
        var lines: [Int] = []
        repeat {
            events.append(try reader.next())
            lines.append(reader.line)
        } while events.last != .end
        let excerpt = String(repeating: "x", count: 200)
        #expect(
            events == [
                .record, .rejected(RejectedRecord(line: 3, reason: .tooLong(maximumBytes: 1 << 16), excerpt: excerpt)),
                .record,
                .rejected(
                    RejectedRecord(line: 5, reason: .tooLong(maximumBytes: 1 << 16), excerpt: "\"" + excerpt.dropLast())
                ), .record,
                .end,
            ])
        #expect(lines == [2, 3, 4, 5, 6, 7])
        #expect(reader.bytesRead == bytes.count)
        #expect(source.largestRequest < 1 << 20)
    }

    @Test func fieldsAreReadWithoutCopying() throws {
        var reader = try makeReader(Array("a,b\nx,\n".utf8), .csv, columns: ["b", "a", "c"], required: false)
        #expect(try reader.next() == .record)
        #expect(reader.isPresent(0) && reader.isEmpty(0))
        #expect(reader.isPresent(1) && !reader.isEmpty(1))
        #expect(!reader.isPresent(2) && reader.isEmpty(2))
        #expect(reader.withField(1) { $0.count == 1 && $0[0] == UInt8(ascii: "x") })
        #expect(reader.withField(2) { $0.isEmpty })
        #expect(reader.text(2) == "")
        #expect(try reader.next() == .end)
        #expect(try reader.next() == .end)
    }

    @Test func anExcerptEscapesControlCharactersAndCutsNoCharacter() throws {
        let long = String(repeating: "é", count: 101)
        #expect(
            try outcomes("a,b\n\u{1B}[31m\u{202E}\t\n-\(long)", .csv) == [
                .rejected(2, .fieldCount(found: 1, expected: 2), "\\u{1B}[31m\\u{202E}\\t"),
                .rejected(3, .fieldCount(found: 1, expected: 2), "-" + String(repeating: "é", count: 99)),
            ])
    }
}
