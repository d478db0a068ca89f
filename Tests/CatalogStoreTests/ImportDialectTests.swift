import CatalogStore
import Basics
import Foundation
import Testing

@Suite("Files as they are exported")
struct ImportDialectTests {
    @Test("Times in all forms, with and without a zone, and null as databases write it")
    func times() throws {
        let test = try CatalogUnderTest()
        let forms = [
            "2024-05-01 10:00:00", "2024-05-01T10:00:00Z", "2024-05-01 10:00:00+00", "2024-05-01 12:00:00.123+0200",
            "20240501T100000Z", "1714557600", "1714557600000", "1714557600000000",
        ]
        let rows = forms.enumerated().map { "g,\($0),\($1)\n" }.joined()
        let summary = try test.importing(
            .memberships, "group_id,user_id,joined_at\n\(rows)g,null,\\N\ng,none,\ng,never,9999-12-31\ng,\\N,1\n")
        #expect(summary.timesWithoutZone == 1 && summary.rejected == 1 && summary.rows == forms.count + 3)
        #expect(try Set(test.lines("SELECT ifnull(joined_at, 'null') FROM memberships")) == ["1714557600", "null"])
        #expect(try test.rejects().map { $0[2] } == ["user_id is empty"])
        let unknown = try #require(summary.findings.first)
        #expect(unknown.count == 1 && summary.findings.map(\.kind) == [.unreadableValues, .nullWordIDs])
        #expect(unknown.message.hasSuffix("joined_at \"9999-12-31\" is not in the years 1800 to 2200"))
        let east = try test.importing(.photos, "photo_id,taken_at,tags,user_id\np,2024-05-01 10:00,\\N,\\N\n") {
            $0.zone = ClockZone(offsetSeconds: 7200)
        }
        #expect(east.timesWithoutZone == 1 && east.rejected == 0)
        #expect(try test.content(.photos) == ["p|~|0|1714550400|~|~|~|~|~|~"])
    }

    @Test("Gzip by its content, of one or several members; a cut-off file changes nothing")
    func gzip() throws {
        let test = try CatalogUnderTest()
        let compressor = try #require(GzipCompressor(level: 6))
        let text = "user_id\n" + (0..<50_000).map { "user-\($0)\n" }.joined()
        let more = (0..<100).map { "more-\($0)\n" }.joined()
        let packed =
            try #require(compressor.compressed(Array(text.utf8)))
            + #require(compressor.compressed(Array(more.utf8))) + [0, 0, 0]
        let error = try #require(
            catalogError { try test.importing(.users, bytes: [Array(packed.prefix(packed.count / 2))]) })
        #expect(error.message.contains("cut off"), "\(error)")
        #expect(try test.content(.users).isEmpty)
        #expect(try test.importing(.users, bytes: [packed], ending: "csv").rows == 50_100)
        #expect(try test.importing(.users, bytes: [packed], ending: "gz").unchanged == 50_100)
    }

    @Test("Columns by other names, and unknown ones with the nearest known")
    func columns() throws {
        let test = try CatalogUnderTest()
        let text = "gid;uid;joind_at;colour\ng;u;1;red\n"
        let names = ["group_id": "gid", "user_id": "uid"]
        let summary = try test.importing(.memberships, text) { $0.sourceNames = names }
        #expect(summary.unknownColumns.map(\.name) == ["joind_at", "colour"])
        #expect(summary.unknownColumns.map(\.nearest) == ["joined_at", nil])
        for (name, ending) in [(text, "csv"), ("{\"gid\":\"g\",\"uid\":\"v\",\"joind_at\":3}\n", "jsonl")] {
            let error = try #require(
                catalogError {
                    try test.importing(.memberships, name, ending: ending) {
                        $0.sourceNames = names
                        $0.isStrict = true
                    }
                })
            #expect(error.message.contains("no column \"joind_at\"; did you mean joined_at?"), "\(error)")
        }
        #expect(try test.content(.memberships) == ["g|u|~"])
    }

    @Test("A dry run says what an import would do, with ten examples, and changes nothing", arguments: ImportKind.all())
    func dryRun(kind: ImportKind) throws {
        let test = try CatalogUnderTest()
        let isPair = kind.idCount == 2
        let header = kind.columnNames.prefix(isPair ? 2 : 1).joined(separator: ",") + kind.furtherColumn.name + "\n"
        let end = kind.furtherColumn.value + "\n"
        func rows(_ range: Range<Int>) -> String { range.map { (isPair ? "g,e\($0)" : "e\($0)") + end }.joined() }
        let bad = String(repeating: (isPair ? "g," : "\"\"") + end, count: 12)
        try test.importing(kind, header + rows(0..<4))
        let before = (try test.everything(), try test.catalog.facts.changeCount())
        func run(replaces: Bool, share: Double, isDry: Bool = true) throws -> ImportSummary {
            try test.importing(kind, header + rows(2..<6) + bad) {
                $0.isDryRun = isDry
                $0.replaces = replaces
                $0.allowsRejects = true
                $0.maximumRejectedShare = share
            }
        }
        let summary = try run(replaces: true, share: 1)
        #expect(summary.rows == 4 && summary.written == 2 && summary.unchanged == 2 && summary.removed == 2)
        #expect(summary.rejected == 12 && summary.examples.count == 10 && summary.failure == nil)
        #expect(summary.examples.first?.line == 6 && summary.rejectsPaths.isEmpty && summary.reasonsPath == nil)
        let refused = try run(replaces: false, share: 0.5)
        #expect(refused.failure?.code == .badData && refused.failure?.message.contains("12 of 16") == true)
        #expect(try test.everything() == before.0 && test.catalog.facts.changeCount() == before.1)
        #expect(try test.rejects().isEmpty)
        var real = try run(replaces: true, share: 1, isDry: false)
        #expect(real.removed == summary.removed && real.written == summary.written && real.created == summary.created)
        real = try run(replaces: true, share: 1)
        #expect(real.written == 0 && real.removed == 0)
    }
}
