import Basics
import RecordReading
import Testing

@Suite("Lines between records that are none")
struct StrayLineTests {
    /// Reads columns, and returns the number of records before the end or an error.
    private func read(
        _ text: String, _ format: RecordFormat? = nil, columns: [String] = ["group_id", "user_id"]
    ) -> (records: Int, error: Failure?) {
        let input = ByteSource(Array(text.utf8), chunk: 3)
        var count = 0
        do throws(Failure) {
            var reader = unsafe try RecordReader(
                DialectChoice(format: format), columns: columns.map { RecordColumn($0) }, source: "rows",
                read: input.read)
            while true {
                switch try reader.next() {
                case .record: count += 1
                case .rejected: break
                case .end: return (count, nil)
                }
            }
        } catch { return (count, error) }
    }

    @Test(
        "The error of a client and a line of a page end the reading, whatever the number of their fields",
        arguments: [
            "ERROR 2013 (HY000): Lost connection to MySQL server during query, at line 1",
            "ERROR 1317 (70100) at line 1: Query execution was interrupted", "psql: error: connection lost, again",
            "ERROR:  canceling statement due to statement timeout", "</html>", "<!DOCTYPE html>,x", "<BR />",
            "Runtime error near line 1: disk I/O error (10)", "ORA-01555: snapshot too old, rollback segment",
            "Traceback (most recent call last):", "server closed the connection unexpectedly",
        ])
    func strays(line: String) throws {
        let (records, error) = read("group_id,user_id\ng,u\n\(line)\nh,v\n")
        #expect(records == 1)
        #expect(error?.message.hasPrefix("rows, line 3: this line is") == true, "\(String(describing: error))")
        let json = read("{\"group_id\":\"g\",\"user_id\":\"u\"}\n\(line)\n", .jsonLines)
        #expect(json.records == 1 && json.error?.message.hasPrefix("rows, line 2: ") == true)
    }

    @Test(
        "Ids that begin alike are records",
        arguments: ["ERROR 404,u", "ERROR,u", "psql,u", "<b>,u", "mysql,u", "ORA,u", "Error: none,u", "E,u", "<,u"])
    func ids(line: String) { #expect(read("group_id,user_id\n\(line)\n").records == 1) }

    @Test("What follows the end of COPY's data is refused with its line", arguments: [RecordFormat?.none, .tsv, .copy])
    func end(format: RecordFormat?) throws {
        let data = "group_id\tuser_id\ng\tu\n\\.\n"
        for whole in [data, data + "\n\r\n"] {
            #expect(read(whole, format).records == 1 && read(whole, format).error == nil)
        }
        for more in ["h\tv\n", "\n--\n", "\"\n", "\n\n-- more\n"] {
            let (records, error) = read(data + more, format)
            #expect(records == 1)
            let message = try #require(error).message
            #expect(message.contains("ended with \\. in line 3") && !message.hasPrefix("rows, line 3:"))
        }
    }

    @Test("The end of COPY's data ends a file of one column, too; in quotes it is an id")
    func endOfOneColumn() throws {
        let whole = read("user_id\nu7\n\\.\r\n\n", columns: ["user_id"])
        #expect(whole.records == 1 && whole.error == nil)
        let refused = read("user_id\nu7\n\\.\nu8\n", columns: ["user_id"])
        #expect(refused.records == 1)
        let message = try #require(refused.error).message
        #expect(message.hasPrefix("rows, line 4:") && message.contains("ended with \\. in line 3"))
        #expect(read("user_id\nu7\n\"\\.\"\nu8\n", columns: ["user_id"]).records == 3)
    }
}

@Suite("Lists of ids")
struct IDListTests {
    @Test(
        "One id a line, with any end of line",
        arguments: ["a\nb c\n", "a\r\nb c\r\n", "\u{FEFF}a\nb c", "a\nb c\n\n\r\n", "a\nb c\n\\.\n\n"])
    func good(text: String) throws { #expect(try IDList.ids(in: Array(text.utf8), source: "f") == ["a", "b c"]) }

    @Test("An id may look odd, and an empty line keeps its place")
    func odd() throws {
        let ids = ["a,b", "", "ERROR 404", "<b>", "'x'", "-0", "1e400", "x\\N", "user  forgotten x", "名"]
        #expect(try IDList.ids(in: Array((ids.joined(separator: "\n") + "\n").utf8), source: "f") == ids)
    }

    @Test(
        "What is no list of ids is refused with the line",
        arguments: [
            ("", 1, "no id"), ("\n\n", 1, "no id"), ("user_id\na\n", 1, "header"), ("USER_ID,name\na,b\n", 1, "header"),
            ("user\na\n", 1, "header"), ("a\n  \n", 2, "only blanks"),
            ("a\nb\t2026\n", 2, "tab"), ("a\n\"b\"\n", 2, "quotes"), ("a\n\\N\n", 2, "\\N"), ("\\.\n", 1, "no id"),
            ("a\n\\.\nb\n", 3, "ended with \\. in line 2"),
            ("a\nERROR 2013 (HY000): Lost\n", 2, "error"), ("a\n</html>\n", 2, "page"), ("<html>\n", 1, "HTML"),
            ("coterie ledger 1 00ff\n00ff 5 0\n", 1, "forget --merge"),
            ("[\n {\"userId\": \"a\"}\n]\n", 1, "jq -r"), ("{\"userId\":\"a\"}\n{\"userId\":\"b\"}\n", 1, "JSON"),
            ("a\nb\0\n", 2, "NUL"), ("a\n\(String(repeating: "x", count: 256))\n", 2, "255"),
            ("COPY users FROM stdin;\na\n", 1, "SQL"), ("PGDMP\u{1}\n", 1, "pg_dump"),
            (String(repeating: "abc\n", count: 1023) + "abcd", 1024, "cut off"),
        ])
    func bad(text: String, line: Int, words: String) throws {
        let error = #expect(throws: Failure.self) { try IDList.ids(in: Array(text.utf8), source: "f") }
        let message = error?.message ?? ""
        #expect(message.hasPrefix("f, line \(line): ") && message.contains(words), "\(message)")
    }
}
