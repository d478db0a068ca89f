import RecordReading
import Testing

@Suite struct DelimitedRecords {
    @Test func columnsAreFoundByNameInAnyOrderAndLetterCase() throws {
        #expect(
            try outcomes("\u{FEFF} B \tother\tA\n1\t2\t3\r\n\r\n\n4\t5\t6", .tsv) == [
                .record(2, "3", "1"), .record(5, "6", "4"),
            ])
    }

    @Test func quotedFieldsHoldDelimitersQuotesAndLines() throws {
        let text = "a,b\n\"x,y\",\"say \"\"hi\"\"\"\n\"two\nlines\",\"\"\nlast,\"\r\n\"\r\n"
        #expect(
            try outcomes(text, .csv) == [
                .record(2, "x,y", "say \"hi\""), .record(3, "two\nlines", ""), .record(5, "last", "\r\n"),
            ])
    }

    @Test func aQuoteInsideAnUnquotedFieldIsItself() throws {
        #expect(try outcomes("a\tb\n5\" disk\tx\"\"y\n", .tsv) == [.record(2, "5\" disk", "x\"\"y")])
    }

    @Test func oneStrayQuoteCostsOneLine() throws {
        let text = "a,b\n\"open,1\nx,2\ny,3\n"
        #expect(
            try outcomes(text, .csv) == [
                .rejected(2, .unclosedQuote, "\"open,1"), .record(3, "x", "2"), .record(4, "y", "3"),
            ])
    }
}
