import CatalogStore
import Basics
import SQLite
import TestSupport
import Testing

@Suite("A thousand spoiled files")
struct ImportFuzzTests {
    /// Returns a valid file of a kind in a random dialect; its caller damages it.
    private func file(_ kind: ImportKind, _ random: inout SeededGenerator) -> [UInt8] {
        let names = kind.columnNames
        let rows = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
            names.map { name in value(name, &random) }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            return rows.flatMap { row in
                let members = zip(names, row).map { "\"\($0)\":\"\($1)\"" }
                return Array("{\(members.joined(separator: ","))}\n".utf8)
            }
        }
        let delimiter = [",", ";", "\t", "|"][Int.random(in: 0..<4, using: &random)]
        let isQuoted = Bool.random(using: &random)
        let lineEnd = Bool.random(using: &random) ? "\n" : "\r\n"
        let lines = ([names] + rows).map { row in
            row.map { isQuoted ? "\"\($0)\"" : $0 }.joined(separator: delimiter) + lineEnd
        }
        return Array(lines.joined().utf8)
    }

    private func value(_ column: String, _ random: inout SeededGenerator) -> String {
        let number = Int.random(in: 0..<9, using: &random)
        return switch column {
        case "visibility": "public"
        case "join_policy": "open"
        case "width", "height": "\(number)00"
        case "latitude", "longitude": "\(number).5"
        case "title", "name", "description", "tags", "topics", "interests": ["", "é", "two words", "\\N"][number % 4]
        case let name where name.hasSuffix("_at"): ["", "2024-05-01 10:00:00", "1714557600000", "\\N"][number % 4]
        default: "\(column.prefix(1))\(number)"
        }
    }

    private func spoil(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let nasty: [[UInt8]] = [
            [0], [34], [34, 34], [10], [13, 10], [44], [59], [9], [124], [0xFF], [0xC3], [123], [91], [92],
            [0xEF, 0xBB, 0xBF],
        ]
        for _ in 0..<[0, 1, 1, 2, 5, 20][Int.random(in: 0..<6, using: &random)] where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.insert(contentsOf: nasty[Int.random(in: nasty.indices, using: &random)], at: place)
            case 2: bytes.remove(at: place)
            default: bytes.removeSubrange(place..<min(bytes.count, place + 9))
            }
        }
    }

    @Test(
        "each ends in rows, in rejected lines that can be read again, or in one error that names the file",
        arguments: 0..<10)
    func spoiled(seed: UInt64) throws {
        let test = try CatalogUnderTest()
        let compressor = try #require(GzipCompressor(level: 1))
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let kind = ImportKind.ofGroups[Int.random(in: 0..<5, using: &random)]
            var bytes = file(kind, &random)
            spoil(&bytes, &random)
            if Int.random(in: 0..<6, using: &random) == 0, let packed = compressor.compressed(bytes) {
                bytes = packed
                if Bool.random(using: &random) { spoil(&bytes, &random) }
            }
            let path = try test.file(
                bytes, ["csv", "tsv", "jsonl", "txt", "csv.gz"][Int.random(in: 0..<5, using: &random)])
            var options = ImportOptions(rejectsPath: test.directory.path + "/rejected")
            options.maximumRejectedShare = 1
            let before = try test.catalog.facts.changeCount()
            do {
                let summary = try Importer(into: test.catalog, kind: kind, options: options).run([path])
                #expect((summary.rejected == 0) == (summary.reasonsPath == nil))
                guard !summary.rejectsPaths.isEmpty else { continue }
                // An import of the unchanged rejects rejects all of them again.
                options.isDryRun = true
                let again = try Importer(into: test.catalog, kind: kind, options: options).run(summary.rejectsPaths)
                #expect(again.rejected > 0)
            } catch {
                #expect(error.code == .badData && error.message.contains("file"), "\(error)")
                #expect(try test.catalog.facts.changeCount() == before)
            }
        }
        #expect(try test.lines("PRAGMA integrity_check") == ["ok"])
    }
}
