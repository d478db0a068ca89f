import CatalogStore
import Basics
import Foundation
import RecordReading
import TestSupport
import Testing

@Suite("Rejected lines, to be mended and imported again")
struct ImportRejectsTests {
    /// A file of groups in each dialect, with two bad lines that can be corrected.
    private static let dialects: [(ending: String, text: String)] = [
        ("csv", "colour,group_id,visibility\nred,a,public\nblue,b,secret\n\"x\ny\",c,\"se\"\"cret\"\n"),
        ("csv", "group_id;visibility\r\na;public\r\nb;secret\r\n\"c\";secret\r\n"),
        ("txt", "group_id|visibility\na|public\nb|secret\nc|secret\n"),
        ("tsv", "group_id\tvisibility\na\tpublic\nb\tsecret\nc\tsecret"),
        (
            "jsonl",
            "{\"group_id\":\"a\"}\n{\"group_id\":\"b\",\"visibility\":\"secret\"}\n"
                + "{\"visibility\":\"secret\",\"group_id\":\"c\"}\n"
        ),
    ]

    @Test("The file of rejects has header and dialect of its source, and can be imported when mended", arguments: 0..<5)
    func mending(number: Int) throws {
        let (ending, text) = Self.dialects[number]
        let test = try CatalogUnderTest()
        let stem = test.directory.path + "/bad"
        let summary = try test.importing(.groups, text, ending: ending) { $0.rejectsPath = stem }
        #expect(summary.rows == 1 && summary.rejected == 2)
        let path = try #require(summary.rejectsPaths.first)
        #expect(path == stem + (ending == "txt" ? ".csv" : ".\(ending)") && summary.rejectsPaths.count == 1)
        #expect(summary.reasonsPath == stem + "-reasons.tsv")
        let rejected = try String(contentsOfFile: path, encoding: .utf8)
        if ending != "jsonl" { #expect(rejected.hasPrefix(text.prefix { $0 != "\n" && $0 != "\r\n" })) }
        #expect(!rejected.contains("public") && rejected.contains("secret"))

        let mended = rejected.replacing("secret", with: "private").replacing("se\"\"cret", with: "private")
        try mended.write(toFile: path, atomically: true, encoding: .utf8)
        var options = ImportOptions(rejectsPath: stem)
        options.isStrict = number != 0
        let again = try Importer(into: test.catalog, kind: .groups, options: options).run([path])
        #expect(again.rows == 2 && again.rejected == 0)
        #expect(try test.content(.groups).map { String($0.prefix(1)) } == ["a", "b", "c"])
        // The imported file itself is not removed.
        #expect(test.content(of: (path as NSString).lastPathComponent) == mended)
    }

    @Test("Sources of one dialect share a file, others get their own, and the reasons name file and line")
    func several() throws {
        let test = try CatalogUnderTest()
        let bad = "users: \"\""
        let summary = try test.importing(
            .users, "user_id,name\n\"\",\"a\nb\"\n\"\",c\n", "user_id,name\n,d\n", "user_id\n\"\"\n",
            "user_id;name\n;\(bad)\n",
            change: { $0.rejectsPath = test.directory.path + "/r" })
        #expect(summary.rejected == 5)
        #expect(summary.rejectsPaths.map { ($0 as NSString).lastPathComponent } == ["r-2.csv", "r-3.csv", "r.csv"])
        #expect(test.content(of: "r.csv") == "user_id,name\n\"\",\"a\nb\"\n\"\",c\n,d\n")
        #expect(test.content(of: "r-2.csv") == "user_id\n\"\"\n")
        #expect(test.content(of: "r-3.csv") == "user_id;name\n;\(bad)\n")
        let reasons = try #require(test.content(of: "r-reasons.tsv")).split(separator: "\n").dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        #expect(reasons.map { $0[1] } == ["2", "4", "2", "2", "2"])
        #expect(
            reasons.map { ($0[4] as NSString).lastPathComponent + ":" + $0[5] } == [
                "r.csv:2", "r.csv:4", "r.csv:5", "r-2.csv:2", "r-3.csv:2",
            ])
    }

    @Test("The file of reasons takes another name than an input")
    func inputNamedLikeReasons() throws {
        let test = try CatalogUnderTest()
        let input = test.directory.path + "/r-reasons.tsv"
        try "user_id\tname\nu\tU\n\tx\n".write(toFile: input, atomically: true, encoding: .utf8)
        var options = ImportOptions(rejectsPath: test.directory.path + "/r")
        options.maximumRejectedShare = 1
        let summary = try Importer(into: test.catalog, kind: .users, options: options).run([input])
        #expect(summary.rejected == 1 && summary.reasonsPath == test.directory.path + "/r-reasons-2.tsv")
        #expect(test.content(of: "r-reasons.tsv") == "user_id\tname\nu\tU\n\tx\n")
        #expect(test.content(of: "r-reasons-2.tsv")?.hasPrefix("source\tline\treason") == true)
    }

    @Test("After a clean import no file of an earlier one is left, and nobody else's is touched")
    func cleaning() throws {
        let test = try CatalogUnderTest()
        let stem = test.directory.path + "/r"
        for name in ["/r.tsv", "/r-2.csv"] {
            try "mine".write(toFile: test.directory.path + name, atomically: true, encoding: .utf8)
        }
        try test.importing(.users, "user_id,name\n,x\n") { $0.rejectsPath = stem }
        #expect(test.content(of: "r.csv") != nil && test.content(of: "r-reasons.tsv") != nil)
        // A dry run leaves the files unchanged.
        try test.importing(.users, "user_id\nu\n") {
            $0.rejectsPath = stem
            $0.isDryRun = true
        }
        #expect(test.content(of: "r.csv") != nil)
        try test.importing(.users, "user_id\nu\n") { $0.rejectsPath = stem }
        #expect(test.content(of: "r.csv") == nil && test.content(of: "r-reasons.tsv") == nil)
        #expect(test.content(of: "r.tsv") == "mine" && test.content(of: "r-2.csv") == "mine")
    }

    @Test("Beyond the share that may be rejected nothing is kept; the bound is inclusive", arguments: ImportKind.all())
    func share(kind: ImportKind) throws {
        let test = try CatalogUnderTest()
        let names = kind.columnNames.prefix(2)
        let isPair = kind.idCount == 2
        let header = names.prefix(isPair ? 2 : 1).joined(separator: ",") + kind.furtherColumn.name + "\n"
        let end = kind.furtherColumn.value + "\n"
        let good = (0..<99).map { (isPair ? "g\($0),e\($0)" : "e\($0)") + end }.joined()
        let bad = (isPair ? "g," : "\"\"") + end
        func run(_ text: String) throws -> ImportSummary {
            try test.importing(kind, text) { options in
                options.maximumRejectedShare = 0.01
                options.batchRows = 7
            }
        }
        let error = try #require(catalogError { _ = try run(header + good + bad + bad) })
        #expect(error.code == .badData)
        #expect(
            error.message.contains("2 of 101 \(kind.name) were rejected, 1.98 %, and at most 1 % may be"), "\(error)")
        #expect(error.message.contains("line 101: \(kind.columnNames[isPair ? 1 : 0]) is empty"), "\(error)")
        #expect(try test.content(kind).isEmpty && test.catalog.facts.changeCount() == 0)
        #expect(try test.rejects().count == 2)
        #expect(try run(header + good + bad).written == 99)
    }

    @Test("A replacing import that rejected something changes nothing, unless it is told to")
    func replacing() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\na\nb\nc\nd\n")
        let text = "group_id,visibility\na,private\nb,secret\nc,public\n"
        let error = try #require(catalogError { try test.importing(.groups, text) { $0.replaces = true } })
        #expect(error.code == .badData && error.message.contains("--allow-rejects"), "\(error)")
        #expect(try test.content(.groups).map { $0.prefix(7) } == ["a|~|~|0", "b|~|~|0", "c|~|~|0", "d|~|~|0"])
        let summary = try test.importing(.groups, text) {
            $0.replaces = true
            $0.allowsRejects = true
        }
        // The rejected group keeps its values, and is not shown any more.
        #expect(summary.removed == 1)
        #expect(try test.content(.groups).map { $0.prefix(7) } == ["a|~|~|1", "b|~|~|2", "c|~|~|0"])
    }

    @Test("A small gzip file of nothing but long bad lines is given up long before its end", arguments: [false, true])
    func bomb(isDryRun: Bool) throws {
        let test = try CatalogUnderTest()
        let path = test.directory.path + "/bomb.csv.gz"
        let line = "," + String(repeating: "0", count: 500_000) + "\n"
        let compressor = try #require(GzipCompressor(level: 1))
        let header = try #require(compressor.member(of: Array("user_id,name\n".utf8)))
        let lines = try #require(compressor.member(of: Array(String(repeating: line, count: 10).utf8)))
        // 600 MB once it is unpacked.
        let members = [header] + Array(repeating: lines, count: 120)
        try Data(members.joined()).write(to: URL(fileURLWithPath: path))
        var options = ImportOptions(rejectsPath: test.directory.path + "/r")
        options.isDryRun = isDryRun
        let error = try #require(
            catalogError { _ = try Importer(into: test.catalog, kind: .users, options: options).run([path]) })
        #expect(error.message.contains("users read so far were rejected, 100 %"), "\(error)")
        let written = try? FileManager.default.attributesOfItem(atPath: test.directory.path + "/r.csv")[.size] as? Int
        #expect(isDryRun ? written == nil : written.map { $0 < 100 << 20 } == true)
    }

    @Test("Where many lines may be bad, the first of them are kept")
    func manyKept() throws {
        let test = try CatalogUnderTest()
        let line = "," + String(repeating: "x", count: 1 << 20 - 100) + "\n"
        let text = "user_id,name\n" + String(repeating: line, count: 300) + "u,good\n"
        let summary = try test.importing(.users, text) { $0.rejectsPath = test.directory.path + "/r" }
        #expect(summary.rejected == 300 && summary.rows == 1)
        #expect((250..<300).contains(summary.keptRejects))
        #expect(try test.rejectedLines("/r-reasons.tsv") == summary.keptRejects + 1)
        #expect(try test.rejectedLines("/r.csv") == summary.keptRejects + 1)
    }

    @Test("A Latin-1 file is told with the command that makes it readable")
    func latin1() throws {
        let test = try CatalogUnderTest()
        let bytes = Array("user_id,name\n1,M".utf8) + [0xFC] + Array("ller\n2,x\n".utf8)
        let error = try #require(
            catalogError { try test.importing(.users, bytes: [bytes]) { $0.maximumRejectedShare = 0 } })
        #expect(
            error.message.contains("1 are not UTF-8") && error.message.contains("iconv -f WINDOWS-1252"), "\(error)")
    }
}
