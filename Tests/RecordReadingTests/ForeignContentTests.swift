import Basics
import RecordReading
import Testing

@Suite("What is something else than records") struct ForeignContents {
    private func message(_ bytes: [UInt8], source: String = "my file") -> String? {
        let input = ByteSource(bytes, chunk: 2)
        do throws(Failure) {
            _ = unsafe try RecordReader(columns: [RecordColumn("a")], source: source, read: input.read)
            return nil
        } catch {
            return ["the header", "it is empty"].contains { error.message.contains($0) } ? nil : error.message
        }
    }

    private static let contents: [(start: [UInt8], words: String)] = [
        (text("PK\u{3}\u{4}\u{14}\0rest"), "zip archive; unpack it by: unzip -p 'my file'"),
        (text("PK\u{3}\u{4}") + [UInt8](repeating: 0, count: 26) + text("[Content_Types].xml"), "spreadsheet"),
        ([0xD0, 0xCF, 0x11, 0xE0, 0xA1], "spreadsheet"),
        (text("PAR1\u{15}\u{4}"), "Parquet; make it CSV by: duckdb"),
        ([0x28, 0xB5, 0x2F, 0xFD, 4], "zstd -dc 'my file'"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 1], "xz -dc"),
        (text("BZh91AY&SY12"), "bzip2 -dc"),
        (text("Obj\u{1}x"), "Avro"),
        (text("ARROW1\0\0"), "Arrow"),
        (text("SQLite format 3\0x"), "sqlite3 -readonly -csv -header"),
        (text("[{\"a\":1}]"), "jq -c '.[]' 'my file'"),
        (text("\u{FEFF} \n[\n"), "JSON array"),
        (text("{\n  \"a\": 1\n}"), "jq -c ."),
        (text("<!doctype html>"), "XML or HTML"),
        (text("PGDMP\u{1}\u{E}\0"), "dump of pg_dump"),
        (text("--\n-- PostgreSQL database dump\n--\n"), "psql --csv"),
        (text("\nCOPY public.members (group_id, user_id) FROM stdin;\ng\tu\n\\.\n"), "SQL"),
        (text("-- MySQL dump 10.13\n"), "SQL"), (text("/*M!999999\\- enable the sandbox mode */\n"), "SQL"),
        (text("INSERT INTO `members` VALUES (1,2);\n"), "SQL"), (text("PRAGMA foreign_keys=OFF;\n"), "SQL"),
        (text(" a | b \n---+---\n 1 | 2 \n"), "psql --csv"),
        (text("+---+---+\n| a | b |\n"), "mysql --batch"),
        (text("| a | b |\r\n|:--|--:|\r\n"), "table for people"),
        ([0xFF, 0xFE, 0x61, 0], "iconv -f UTF-16"),
        ([0xFE, 0xFF, 0, 0x61], "iconv -f UTF-16"),
        ([0x61, 0, 0x2C, 0, 0x62, 0], "UTF-16"),
        ([0, 0x61, 0, 0x2C], "UTF-16"),
        ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "iconv -f UTF-32"),
    ]

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The heads of files that were cut there.
    @Test("What is shorter than its head is no other content", arguments: ["PAR1", "BZh91AY&S", "ustar", "PK"])
    func cut(head: String) { #expect(message(Self.text(head)) == nil) }

    @Test("It is named, with the command that makes it readable", arguments: contents)
    func named(bytes: [UInt8], words: String) throws {
        let message = try #require(self.message(bytes))
        #expect(message.contains(words), "\(message)")
    }

    @Test(
        "Records that begin alike are records",
        arguments: [
            "PKW,a\n", "PAR1,a\n", "BZh,a\n", "Obj,a\n", "ARROW1,a\n", "a\n[1]\n", "{\"a\":1}\n", "{ \"a\":1}\n",
            "SQLite format 3,a\n",
            "{}\n", "", "a\0b\n", "a", "a\n---\n", "a,b\n---,|\n",
        ])
    func records(text: String) { #expect(message(Array(text.utf8)) == nil) }

    @Test("Names are quoted for the shell") func quoting() {
        let array = Array("[".utf8)
        #expect(message(array, source: "a/b-1.json")?.hasSuffix("jq -c '.[]' a/b-1.json") == true)
        #expect(message(array, source: "it's")?.hasSuffix(#""it's""#) == true)
        #expect(message(array, source: "standard input")?.hasSuffix("jq -c '.[]' FILE") == true)
    }

    @Test("A header in Latin-1 is told with the command") func latin1() {
        do throws(Failure) {
            _ = try outcomes([0x61, 0x2C, 0xFC, 10], nil)
            Issue.record("it was read")
        } catch {
            #expect(
                error.message.contains("the header") && error.message.contains("iconv -f WINDOWS-1252 -t UTF-8 test"))
        }
    }
}
