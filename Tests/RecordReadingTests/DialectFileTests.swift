import Basics
@testable import RecordReading
import Testing

/// Files exactly as real programs write them.
private enum Written {
    /// The output of `mariadb --batch`, MariaDB 10.11.
    static let mysqlBatch = """
        group_id\ttitle\tcreated_at
        g1\ttab\\there\t2026-11-01 12:00:00
        g2\ttwo\\nlines\tNULL
        g3\t"open quote\t0000-00-00 00:00:00
        g4\tback\\\\slash C:\\\\new\t2026-11-01 00:00:00
        g5\tNULL\tNULL
        g7\tends with a quote"\t2026-11-01 00:00:00
        g8\tsay "hi"\t2026-11-01 00:00:00

        """
    /// The output of SELECT … INTO OUTFILE of the same server.
    static let outfile =
        "group_id\ttitle\tcreated_at\ng1\ttab\\\there\t2026-11-01 12:00:00\ng2\ttwo\\\nlines\t\\N\n"
        + "g4\tback\\\\slash C:\\\\new\t2026-11-01 00:00:00\ng5\t\\N\t\\N\n"
    /// The output of INTO OUTFILE … FIELDS TERMINATED BY ',' ENCLOSED BY '"' of the same server.
    static let enclosedOutfile =
        "\"group_id\",\"title\",\"created_at\"\n\"g1\",\"tab\there\",\"2026-11-01 12:00:00\"\n"
        + "\"g2\",\"two\\\nlines\",\\N\n\"g3\",\"\\\"open quote\",\"0000-00-00 00:00:00\"\n"
        + "\"g4\",\"back\\\\slash C:\\\\new\",\"2026-11-01 00:00:00\"\n\"g5\",\\N,\\N\n"
        + "\"g8\",\"say \\\"hi\\\"\",\"2026-11-01 00:00:00\"\n"
    /// The output of COPY … TO STDOUT WITH (HEADER), PostgreSQL 15.
    static let copy =
        "group_id\ttitle\tcreated_at\ng1\ttab\\there\t2026-11-01 12:00:00+00\ng2\ttwo\\nlines\\r\\b\\f\\v\t\\N\n"
        + "g3\t\"open quote\t\\N\ng4\tback\\\\slash \\\\N\t\\N\ng5\t\\N\t\\N\ng6\t\\\\N\t\\N\ng7\tends with a quote\"\t\\N\n"
    /// The output of `to_csv(sep="\\t", index=False)`, pandas 2.3.
    static let pandas =
        "group_id\ttitle\tn\ng1\ttwo\nlines\t1\n".replacing("two\nlines", with: "\"two\nlines\"")
        + "g2\t\"say \"\"hi\"\"\"\t2\ng3\tplain, text\t3\ng4\t\"tab\there\"\t4\n"
}

@Suite("Files say what dialect they are") struct DialectFiles {
    /// Returns the first two columns of all records, with `~` for no value, and the rejected records.
    private func read(
        _ text: String, _ choice: DialectChoice = DialectChoice(), chunk: Int = 7,
        check: (borrowing RecordReader) -> Void = { _ in }
    ) throws(Failure) -> [String] {
        let source = ByteSource(Array(text.utf8), chunk: chunk)
        let columns = ["group_id", "title"].map { RecordColumn($0, isRequired: $0 == "group_id") }
        var reader = unsafe try RecordReader(choice, columns: columns, source: "groups", read: source.read)
        var found: [String] = []
        while true {
            switch try reader.next() {
            case .record:
                let (id, title) = (reader.isNull(0) ? "~" : reader.text(0), reader.isNull(1) ? "~" : reader.text(1))
                found.append("\(id)=\(title)")
            case .rejected(let rejected): found.append("line \(rejected.line): \(rejected.reason)")
            case .end:
                check(reader)
                return found
            }
        }
    }

    @Test("What mysql --batch writes, read as such: escapes, NULL, and quotes that are none")
    func batch() throws {
        let found = try read(Written.mysqlBatch, DialectChoice(format: .mysql))
        #expect(
            found == [
                "g1=tab\there", "g2=two\nlines", "g3=\"open quote", "g4=back\\slash C:\\new", "g5=~",
                "g7=ends with a quote\"", "g8=say \"hi\"",
            ])
    }

    @Test("Without that, no line is lost, and the escapes are counted")
    func batchWithoutFormat() throws {
        let found = try read(Written.mysqlBatch) { reader in
            #expect(reader.escapeCount == 4)
            #expect(reader.dialect.format == .tsv && reader.dialect.hasQuotes == false)
        }
        #expect(found.count == 7 && found[2] == "g3=\"open quote" && found[5] == "g7=ends with a quote\"")
        #expect(found[0] == "g1=tab\\there")
    }

    @Test("What INTO OUTFILE writes: escaped tabulators and line ends, and quotes where it has them")
    func outfile() throws {
        for format in [RecordFormat.copy, .mysql] {
            let found = try read(Written.outfile, DialectChoice(format: format))
            #expect(found == ["g1=tab\there", "g2=two\nlines", "g4=back\\slash C:\\new", "g5=~"])
        }
        let found = try read(Written.enclosedOutfile, DialectChoice(format: .mysql)) { reader in
            #expect(reader.dialect.delimiter == .comma && reader.dialect.hasQuotes == true)
        }
        #expect(
            found == [
                "g1=tab\there", "g2=two\nlines", "g3=\"open quote", "g4=back\\slash C:\\new", "g5=~", "g8=say \"hi\"",
            ])
    }

    @Test("What COPY writes: an escaped backslash before an N is a text, and \\N is no value")
    func copy() throws {
        let found = try read(Written.copy, DialectChoice(format: .copy))
        #expect(
            found == [
                "g1=tab\there", "g2=two\nlines\r\u{8}\u{C}\u{B}", "g3=\"open quote", "g4=back\\slash \\N", "g5=~",
                "g6=\\N", "g7=ends with a quote\"",
            ])
    }

    @Test("A rejected record with escapes stands in the source as it was") func rawEscapes() throws {
        let source = ByteSource(Array("a\tb\nx\\ty\t1\tz\nx\\\ty\t\\0\n".utf8), chunk: 4)
        var reader = unsafe try RecordReader(
            DialectChoice(format: .copy), columns: [RecordColumn("a")], source: "a", read: source.read)
        let first = RejectedRecord(line: 2, reason: .fieldCount(found: 3, expected: 2), excerpt: "x\\ty\\t1\\tz")
        #expect(try reader.next() == .rejected(first))
        #expect(reader.rawRecord == Array("x\\ty\t1\tz".utf8))
        guard case .rejected(let second) = try reader.next() else {
            Issue.record("a NUL was not noticed")
            return
        }
        #expect(second.reason == .nul)
        #expect(reader.rawRecord == Array("x\\\ty\t\\0".utf8))
    }

    @Test("Tabulators with quotes, as data frames write them, show that they are quoted")
    func pandas() throws {
        let expected = ["g1=two\nlines", "g2=say \"hi\"", "g3=plain, text", "g4=tab\there"]
        #expect(try read(Written.pandas) == expected)
        // The same holds if the first quote comes long after the first megabyte.
        let plain = (0..<120_000).map { "p\($0)\tplain\t0\n" }.joined()
        let header = "group_id\ttitle\tn\n"
        let late = header + plain + Written.pandas.dropFirst(header.count)
        let found = try read(late, chunk: 1 << 20) { #expect($0.dialect.hasQuotes == true) }
        #expect(found.suffix(4) == expected[...] && found.count == 120_004)
        let stray = try read(header + plain + "g3\t\"open\t1\ng4\tshut\"\t2\n", chunk: 1 << 20)
        #expect(stray.suffix(2) == ["g3=\"open", "g4=shut\""])
    }

    @Test("A field in quotes alone shows nothing, but a record of them, or a header, does", arguments: ["\t", "|"])
    func weakEvidence(mark: String) throws {
        func text(_ lines: [String]) -> String { lines.map { $0.replacing(",", with: mark) + "\n" }.joined() }
        #expect(try read(text(["group_id,title", "g1,\"Hello\""])) == ["g1=\"Hello\""])
        #expect(try read(text(["\"group_id\",title", "g1,\"Hello\""])) == ["g1=Hello"])
        #expect(try read(text(["group_id,title", "\"g1\",\"Hello\"", "\"g2\",\"You\""])) == ["g1=Hello", "g2=You"])
    }

    @Test("A stray quote among quoted fields rejects its line, and swallows no other")
    func strayQuote() throws {
        let quoted = "group_id\ttitle\ng0\t\"a \"\"b\"\"\"\ng1\t\"c \"\"d\"\"\"\ng2\t\"e\tf\"\n"
        let found = try read(quoted + "g3\t\"open quote\ng4\tx\ng5\ty\ng7\tends with a quote\"\n")
        #expect(found.prefix(3) == ["g0=a \"b\"", "g1=c \"d\"", "g2=e\tf"])
        #expect(found.dropFirst(3).first?.contains("would make one record of 4 lines") == true, "\(found)")
        #expect(found.suffix(3) == ["g4=x", "g5=y", "g7=ends with a quote\""])
        // It may swallow the next line alone.
        let two = try read(quoted + "g3\t\"open quote\ng4\tends with a quote\"\n")
        #expect(two.dropFirst(3).first?.contains("would make one record of 2 lines") == true, "\(two)")
        #expect(two.last == "g4=ends with a quote\"")
    }

    @Test("Lines that quotes join in CSV, and that are records by themselves, are counted")
    func joinedInCSV() throws {
        let found = try read("group_id,title\ng1,\"a\nb\"\ng3,\"open\ng4,x\ng7,shut\"\n") { reader in
            #expect(reader.joinedLines.count == 1 && reader.joinedLines.firstLine == 4)
        }
        #expect(found == ["g1=a\nb", "g3=open\ng4,x\ng7,shut"])
    }

    @Test(
        "A header that comes again is passed over, with a byte order mark or CR LF or in quotes",
        arguments: ["group_id,title,n\n", "\u{FEFF}group_id,title,n\r\n", "\u{FEFF}\"group_id\",\"title\",\"n\"\n"])
    func repeatedHeader(header: String) throws {
        let found = try read("group_id,title,n\ng1,x,1\n\(header)g2,y,2\n") { #expect($0.repeatedHeaders == 1) }
        #expect(found == ["g1=x", "g2=y"])
    }

    @Test("One with another order of columns, or with other columns, holds from there on")
    func changedHeader() throws {
        let found = try read("group_id,title,n\ng1,x,1\ntitle,group_id\ny,g2\nn,title,group_id\n0,z,g3\n") { reader in
            #expect(reader.repeatedHeaders == 2)
            #expect(reader.headerBytes == Array("n,title,group_id".utf8))
        }
        #expect(found == ["g1=x", "g2=y", "g3=z"])
    }

    @Test("A record that looks a little like a header is a record")
    func almostHeader() throws {
        let found = try read("group_id,title\ngroup_id,what it is\ng1,title\ntitle,x\n") {
            #expect($0.repeatedHeaders == 0)
        }
        #expect(found == ["group_id=what it is", "g1=title", "title=x"])
    }

    @Test("CR CR LF ends a line, with and without quotes")
    func twoCarriageReturns() throws {
        let found = try read("group_id,title\r\r\ng1,x\r\r\n\r\r\ng2,\"y\"\r\r\n") {
            #expect($0.dialect.lineEnd == .twoCarriageReturns)
        }
        #expect(found == ["g1=x", "g2=y"])
    }

    @Test(
        "Invisible characters around the names of columns do not matter",
        arguments: ["\u{A0}group_id", "group_id\u{200B}", "\u{FEFF}\u{FEFF}group_id", "gr\u{AD}oup_id\u{3000}"])
    func invisible(name: String) throws {
        #expect(try read("\(name),title\u{A0}\ng1,x\n") == ["g1=x"])
    }

    @Test("A null word is no value in any column") func nullWord() throws {
        let text = "group_id,title\nNULL,x\ng1,NULL\ng2,NULLS\n"
        #expect(try read(text, DialectChoice(nullWord: "NULL")) == ["~=x", "g1=~", "g2=NULLS"])
        #expect(try read(text).first == "NULL=x")
    }

    @Test("What a dialect is, and why, can be said") func descriptions() throws {
        var said: [String] = []
        for (text, choice) in [
            ("group_id\ttitle\ng\t\"x\n", DialectChoice()), (Written.pandas, DialectChoice()),
            ("\u{FEFF}group_id;title\r\n", DialectChoice()), ("group_id\ttitle\n", DialectChoice(format: .mysql)),
        ] { _ = try read(text, choice) { said.append($0.dialect.description) } }
        #expect(
            said == [
                "text with tabulators between fields, by which most columns of the header are found; quotes are a part "
                    + "of texts: no field needs them to be read",
                "text with tabulators between fields, by which most columns of the header are found; fields are quoted: "
                    + "some cannot be read otherwise",
                "text with semicolons between fields, by which most columns of the header are found; lines end in "
                    + "CR LF; a byte order mark was passed over",
                "text with tabulators between fields as mysql writes it, by which most columns of the header are found; "
                    + "backslashes stand for control characters; NULL is no value",
            ])
    }
}
