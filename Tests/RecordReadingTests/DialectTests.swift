import Basics
import RecordReading
import Testing

@Suite("Dialects of delimited text") struct Dialects {
    private func reader(_ text: String, _ columns: [RecordColumn], delimiter: RecordDelimiter? = nil)
        throws(Failure) -> RecordReader
    {
        let source = ByteSource(Array(text.utf8), chunk: 3)
        return unsafe try RecordReader(
            DialectChoice(delimiter: delimiter), columns: columns, source: "export.csv", read: source.read)
    }

    /// Returns the error that reading a text throws.
    private func failure(_ text: String, _ columns: [RecordColumn], delimiter: RecordDelimiter? = nil) -> Failure? {
        do throws(Failure) {
            _ = try reader(text, columns, delimiter: delimiter)
            return nil
        } catch {
            return error
        }
    }

    private let columns = [RecordColumn("group_id"), RecordColumn("title", isRequired: false)]

    @Test(
        "The delimiter is the one by which most columns are found",
        arguments: [
            ("group_id,title\n", RecordDelimiter.comma), ("group_id;title\n", .semicolon), ("group_id\ttitle\n", .tab),
            ("group_id|title\n", .bar), ("group_id\n", .comma), ("\"group_id\";\"title\"\r\n", .semicolon),
            ("\"a,b\";\"group_id\"\n", .semicolon),
            ("\n\ngroup_id;x,y,z\n", .semicolon),
        ])
    func found(header: String, delimiter: RecordDelimiter) throws {
        let found = try reader(header, [RecordColumn("group_id", isRequired: false), columns[1]])
        let foundDelimiter = found.dialect.delimiter
        #expect(foundDelimiter == delimiter)
    }

    @Test("Records are read by each delimiter", arguments: RecordDelimiter.allCases)
    func records(delimiter: RecordDelimiter) throws {
        let mark = String(decoding: [delimiter.byte], as: UTF8.self)
        let others = RecordDelimiter.allCases.filter { $0 != delimiter }
            .map { String(decoding: [$0.byte], as: UTF8.self) }.joined()
        let text = "group_id\(mark)title\n1\(mark)a\(others)b\n\"2\(mark)\"\(mark)\"x\"\"\ny\"\n"
        var reader = try reader(text, columns)
        #expect(try reader.next() == .record)
        #expect(reader.text(0) == "1" && reader.text(1) == "a\(others)b")
        #expect(try reader.next() == .record)
        #expect(reader.text(0) == "2\(mark)" && reader.text(1) == "x\"\ny")
        #expect(try reader.next() == .end)
        let format = reader.dialect.format
        #expect(format == (delimiter == .tab ? .tsv : .csv))
    }

    @Test("A delimiter that is given counts") func given() throws {
        var reader = try reader("group_id|x,title\n1|2,b\n", [RecordColumn("title")], delimiter: .comma)
        #expect(try reader.next() == .record)
        #expect(reader.text(0) == "b")
        #expect(failure("group_id;title\n", columns, delimiter: .bar)?.message.contains("there is no column") == true)
    }

    @Test("Columns are found by what the source calls them") func renamed() throws {
        let columns = [RecordColumn("group_id", sourceName: "gid"), RecordColumn("title", isRequired: false)]
        var reader = try reader("title;GID;group_id\nx;1;2\n", columns)
        #expect(try reader.next() == .record)
        #expect(reader.text(0) == "1" && reader.text(1) == "x")
        #expect(reader.unknownColumns == ["group_id"])
        // A column with a given name in the source must be there, even if it is not required.
        let error = failure(
            "group_id,title\n", [RecordColumn("title", isRequired: false, sourceName: "name")])
        #expect(error?.message.contains("there is no column \"name\"") == true)
    }

    @Test("The nearest column that is missing is named") func nearestColumns() throws {
        let columns = ["group_id", "title", "description"].map { RecordColumn($0, isRequired: false) }
        let reader = try reader("groupid,titel,colour,description\n", columns)
        #expect(reader.unknownColumns == ["groupid", "titel", "colour"])
        let (first, second) = (reader.nearestMissingColumn(to: "groupid"), reader.nearestMissingColumn(to: "titel"))
        let third = reader.nearestMissingColumn(to: "colour")
        #expect(first == "group_id" && second == "title" && third == nil)
    }
}

@Suite("Records as they stand in the source") struct RawRecords {
    /// Returns the outcomes of reading all bytes, each with its raw record.
    private func raw(_ bytes: [UInt8], _ format: RecordFormat, chunk: Int) throws -> [(outcome: Outcome, raw: [UInt8]?)]
    {
        var reader = try makeReader(bytes, format, required: false, limit: 64, chunk: chunk)
        var found: [(Outcome, [UInt8]?)] = []
        while true {
            switch try reader.next() {
            case .record: found.append((.record(reader.line, reader.text(0), reader.text(1)), reader.rawRecord))
            case .rejected(let record):
                found.append((.rejected(record.line, record.reason, record.excerpt), reader.rawRecord))
            case .end: return found
            }
        }
    }

    @Test("Read again, each means the same", arguments: [RecordFormat.csv, .tsv, .jsonLines])
    func roundTrip(format: RecordFormat) throws {
        var random = SeededGenerator(seed: 8)
        let delimiter = format == .tsv ? "\t" : ","
        // A quoted header shows that fields are quoted.
        let header = format == .jsonLines ? "" : "\"a\"\(delimiter)b\n"
        let pieces =
            format == .jsonLines
            ? ["{\"a\":\"x\",\"b\":\"\\\"\"}\n", "{\"a\":1}\n", "nonsense\n", "{\"a\":\n", "\n"]
            : ["x", delimiter, delimiter, "\"y\(delimiter)\n\"", "\"\"\"q\"\"\"", "\n", "\r\n", "é", "\"", "\0"]
        for _ in 0..<400 {
            let text = (0..<Int.random(in: 1..<30, using: &random)).map { _ in
                pieces[Int.random(in: pieces.indices, using: &random)]
            }.joined()
            for (outcome, record) in try raw(Array((header + text).utf8), format, chunk: 5) {
                guard let record else { continue }
                let again = try raw(Array(header.utf8) + record + [10], format, chunk: 4096)
                switch (outcome, again.first?.outcome) {
                case (.record(_, let fields), .record(_, let others)): #expect(fields == others)
                case (.rejected(_, .unclosedQuote, _), .rejected), (.rejected(_, .textAfterQuote, _), .rejected),
                    (.rejected(_, .joinedLines, _), .rejected):
                    break
                case (.rejected(_, let reason, _), .rejected(_, let other, _)): #expect(reason == other)
                default: Issue.record("\(outcome) became \(again) by \(record)")
                }
            }
        }
    }

    @Test("The header is kept, and a record that was not read whole is not there") func headers() throws {
        let long = String(repeating: "x", count: 100)
        let reader = try makeReader(Array("\u{FEFF}a;\"b \"\"c\"\"\"\r\n".utf8), nil, required: false)
        #expect(reader.headerBytes == Array("a;\"b \"\"c\"\"\"\r".utf8))
        let found = try raw(Array("a,b\n\(long),1\n1,2\n\"\(long)\n".utf8), .csv, chunk: 7)
        #expect(found.map { $0.raw } == [nil, Array("1,2".utf8), nil])
    }
}
