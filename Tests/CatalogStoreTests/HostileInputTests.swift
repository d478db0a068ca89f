import Basics
import CatalogStore
import SQLite
import TestSupport
import Testing

@Suite("Hostile files")
struct HostileInputTests {
    @Test("ids of 255 bytes are kept, of 256 rejected, counted in bytes", arguments: ["x", "é", "🦅"])
    func idLength(letter: String) throws {
        let test = try CatalogUnderTest()
        let width = letter.utf8.count
        let longest = String(repeating: letter, count: 255 / width) + String(repeating: "y", count: 255 % width)
        #expect(longest.utf8.count == 255)
        let summary = try test.importing(
            .memberships, "group_id,user_id\n\(longest),\(longest)\n\(longest)z,u\ng,\(longest)z\n")
        #expect(summary.rows == 1 && summary.rejected == 2)
        #expect(try test.content(.memberships) == ["\(longest)|\(longest)|~"])
        #expect(try test.rejects().allSatisfy { $0[2].contains("256 bytes") })
    }

    @Test("unusual ids are kept unchanged")
    func oddIDs() throws {
        let test = try CatalogUnderTest()
        let ids = ["'; DROP TABLE groups; --", "%", "Zürich ✈ 東京", "\u{feff}x", "~", "|", "-", "0", "00", "+1"]
        try test.importing(.groups, "group_id\n" + ids.map { "\"\($0)\"\n" }.joined())
        #expect(Set(try test.catalog.facts.groups().map(\.id)) == Set(ids))
        #expect(try ids.allSatisfy { try test.catalog.facts.group(withID: $0)?.id == $0 })
        let sorted = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try test.catalog.facts.groups().map(\.id) == sorted)
    }

    @Test("byte order mark, CRLF, blank lines and a missing last line feed", arguments: ["csv", "tsv", "jsonl"])
    func dialects(ending: String) throws {
        let test = try CatalogUnderTest()
        let text =
            switch ending {
            case "csv": "\u{feff}user_id,name\r\n\r\nu1,\"a\r\nb\"\r\n\r\nu2,c"
            case "tsv": "\u{feff}user_id\tname\r\n\r\nu1\t\"a\r\nb\"\r\n\r\nu2\tc"
            default: "\u{feff}{\"user_id\":\"u1\",\"name\":\"a\\r\\nb\"}\r\n\r\n{\"user_id\":\"u2\",\"name\":\"c\"}"
            }
        let summary = try test.importing(.users, text, ending: ending)
        #expect(summary.rows == 2 && summary.rejected == 0)
        #expect(try test.content(.users) == ["u1|a\r\nb|~|~", "u2|c|~|~"])
    }

    @Test("NUL and broken UTF-8 are rejected line by line", arguments: ["csv", "tsv", "jsonl"])
    func badBytes(ending: String) throws {
        let test = try CatalogUnderTest()
        func line(_ id: [UInt8]) -> [UInt8] {
            ending == "jsonl" ? Array("{\"user_id\":\"".utf8) + id + Array("\"}\n".utf8) : id + [10]
        }
        let header = ending == "jsonl" ? [] : Array("user_id\n".utf8)
        let lines: [[UInt8]] = [[65, 0, 66], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF8, 1], [0xE2, 0x82]]
        let bytes = header + lines.flatMap(line) + line(Array("good".utf8)) + Array("\u{20AC}".utf8.prefix(2))
        let summary = try test.importing(.users, bytes: [bytes], ending: ending)
        #expect(summary.rows == 1 && summary.rejected == lines.count + 1)
        #expect(try test.content(.users) == ["good|~|~|~"])
        let first = ending == "jsonl" ? 1 : 2
        let expected = (first..<(first + lines.count)).map(String.init) + [String(first + lines.count + 1)]
        #expect(try test.rejects().map { $0[1] } == expected)
    }

    @Test("a line of 10 MB is rejected, and the next line is read", arguments: ["csv", "tsv", "jsonl"])
    func longLine(ending: String) throws {
        let test = try CatalogUnderTest()
        let isJSON = ending == "jsonl"
        let long = [UInt8](repeating: 120, count: 10_000_000)
        func line(_ id: [UInt8]) -> [UInt8] {
            isJSON ? Array("{\"user_id\":\"".utf8) + id + Array("\"}\n".utf8) : id + [10]
        }
        let bytes = (isJSON ? [] : Array("user_id\n".utf8)) + line([97]) + line(long) + line([98])
        let summary = try test.importing(.users, bytes: [bytes], ending: ending)
        #expect(summary.rows == 2 && summary.rejected == 1)
        #expect(try test.content(.users) == ["a|~|~|~", "b|~|~|~"])
        #expect(try test.rejects().map { $0[1] } == [isJSON ? "2" : "3"])
        #expect(try test.rejects().allSatisfy { $0[3].utf8.count < 1000 && $0[4].isEmpty && $0[5].isEmpty })
        #expect(test.content(of: "rejects.tsv") == nil)
    }

    @Test("a file without rows is an error that says so")
    func empty() throws {
        let test = try CatalogUnderTest()
        for text in ["", "\u{feff}", "\n\n"] {
            let error = catalogError { try test.importing(.users, text) }
            #expect(error?.code == .badData, "\(text.utf8.count) bytes")
        }
        #expect(catalogError { try test.importing(.users, "", ending: "jsonl") }?.message.contains("no row") == true)
        #expect(catalogError { try test.importing(.users, "user_id\n") }?.message.contains("no row") == true)
        #expect(try test.catalog.facts.changeCount() == 0)
    }

    @Test("any bytes give an error or rejected lines, and an intact catalog", arguments: 0..<6)
    func noise(seed: UInt64) throws {
        let test = try CatalogUnderTest()
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("\"\",,\n\n\t\r{}[]:\\uab0123456789 -".utf8) + [0, 0xC3, 0xA9, 0xFF]
        for round in 0..<60 {
            let kind = ImportKind.all()[round % 7]
            let ending = ["csv", "tsv", "jsonl"][round % 3]
            let header = kind.columnNames.joined(separator: ending == "tsv" ? "\t" : ",") + "\n"
            let noise = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            let bytes = (ending == "jsonl" || round % 7 == 0 ? [] : Array(header.utf8)) + noise
            do {
                try test.importing(kind, bytes: [bytes], ending: ending) { $0.batchRows = 3 }
            } catch { #expect((error as? Failure)?.code == .badData) }
        }
        #expect(try test.lines("PRAGMA integrity_check") == ["ok"])
        let bad = """
            SELECT count(*) FROM (SELECT group_id AS id FROM groups UNION ALL SELECT user_id FROM users
            UNION ALL SELECT photo_id FROM photos) WHERE length(CAST(id AS BLOB)) NOT BETWEEN 1 AND 255
            """
        #expect(try test.lines(bad) == ["0"])
    }
}
