import Basics
import RecordReading
import Testing

@Suite struct Headers {
    private func error(_ text: String, limit: Int = 1 << 20) -> String? { error(Array(text.utf8), limit: limit) }

    /// Returns the error that reading some bytes as CSV throws.
    private func error(_ bytes: [UInt8], limit: Int = 1 << 20) -> String? {
        do throws(Failure) {
            _ = try outcomes(bytes, .csv, limit: limit)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func badHeadersAreErrors() {
        #expect(error("")?.contains("it is empty") == true)
        #expect(error("\n\r\n")?.contains("it is empty") == true)
        #expect(error("\u{FEFF}")?.contains("it is empty") == true)
        #expect(error("a,c\n")?.contains("there is no column \"b\"") == true)
        #expect(error("a,b,A \n")?.contains("twice") == true)
        #expect(error("a,\"b\n1,2\n")?.contains(": the header ") == true)
        #expect(error("a,\"b\"c\n1,2\n")?.contains(": the header ") == true)
        #expect(error("a,b\u{0}\n")?.contains(": the header ") == true)
        #expect(error([0xFF, UInt8(ascii: "\n")])?.contains(": the header ") == true)
        #expect(error("a,b," + String(repeating: "x", count: 20) + "\n", limit: 16)?.contains(": the header ") == true)
        #expect(error("x,x,b,a\n") == nil, "columns that are not asked for may be named as they like")
    }

    @Test func aMissingColumnIsReportedWithThoseFound() {
        #expect(throws: Failure.self) { try outcomes("\n\nuser,b\n", .csv) }
        do throws(Failure) {
            _ = try outcomes("\n\nuser,b\n", .csv)
        } catch {
            #expect(
                error.description == """
                    test, line 3: there is no column "a"; the header names "user", "b". Rename or add the column
                    """)
        }
    }

    @Test func aWideHeaderIsReportedInPart() {
        do throws(Failure) {
            _ = try outcomes((0..<23).map { "c\($0)" }.joined(separator: "\t"), .tsv)
            Issue.record("the missing column was not noticed")
        } catch {
            #expect(error.message.contains("\"c18\", \"c19\" and 3 more. "))
        }
    }

    @Test func aFailureOfTheSourceIsReportedWithTheLine() throws {
        struct Broken: Error, CustomStringConvertible { var description: String { "disk on fire" } }
        var parts = ["a,b\n1,2\n", "3,"]
        var reader = unsafe try RecordReader(columns: [RecordColumn("a")], source: "pipe") { memory in
            guard !parts.isEmpty else { throw Broken() }
            let part = Array(parts.removeFirst().utf8)
            unsafe memory.copyBytes(from: part)
            return part.count
        }
        #expect(try reader.next() == .record)
        do throws(Failure) {
            _ = try reader.next()
            Issue.record("the failure was not noticed")
        } catch {
            #expect(error.description == "pipe, line 3: reading failed: disk on fire")
        }
    }

    @Test func columnsAreReported() throws {
        let reader = try makeReader(
            Array("x\tB\t\"y \"\"z\"\"\"\n".utf8), .tsv, columns: ["a", "b"], required: false)
        #expect(reader.unknownColumns == ["x", "y \"z\""])
        let format = reader.dialect.format
        #expect(format == .tsv)
    }

    @Test func aHeaderMayHaveManyColumns() throws {
        let names = (0..<1000).map { "c\($0)" }
        let text = names.joined(separator: ",") + "\n" + names.indices.map(String.init).joined(separator: ",") + "\n"
        #expect(try outcomes(text, .csv, columns: ["c999", "c0", "c17"]) == [.record(2, "999", "0", "17")])
    }

    @Test(arguments: [
        ("a.csv", RecordFormat.csv), ("A.TSV", .tsv), ("x/y.z.jsonl", .jsonLines), ("a.ndjson", .jsonLines),
        ("a.csv.gz", .csv), ("a.txt", nil), ("csv", nil), ("a.", nil), ("", nil), ("tsv.gz", nil),
    ])
    func formatFromName(name: String, format: RecordFormat?) {
        #expect(RecordFormat(fileName: name) == format)
    }

    @Test(arguments: [
        ("{\"a\":1}", RecordFormat.jsonLines), ("\u{FEFF}\n  {", .jsonLines), ("a\tb\n", .tsv), ("\ta\n", .tsv),
        ("a,b\nc\td", .csv), ("\n\na,b", .csv), ("a", .csv),
    ])
    func formatFromContent(text: String, format: RecordFormat) throws {
        let found = try makeReader(Array(text.utf8), nil, required: false).dialect.format
        #expect(found == format)
    }

    @Test func theFormatIsDetected() throws {
        #expect(try outcomes("\u{FEFF}a\tb\n1\t2\n", nil, chunk: 1) == [.record(2, "1", "2")])
        #expect(try outcomes("{\"a\":1,\"b\":2}", nil, chunk: 1) == [.record(1, "1", "2")])
    }
}
