import Basics
import RecordReading
import Testing

/// The result of reading a source to its end.
private enum Reading: Equatable {
    case outcomes([Outcome])
    case failure(Failure)

    init(_ bytes: [UInt8], _ format: RecordFormat?, limit: Int, chunk: Int) {
        do throws(Failure) {
            self = .outcomes(
                try RecordReadingTests.outcomes(bytes, format, required: false, limit: limit, chunk: chunk))
        } catch {
            self = .failure(error)
        }
    }
}

/// Returns random bytes that are hard for readers of records.
private func nastyBytes(_ format: RecordFormat, using random: inout SeededGenerator, quotes: Bool = true) -> [UInt8] {
    let delimiter = format == .tsv ? "\t" : ","
    var pieces: [[UInt8]] = [
        "\n", "\n", "\r\n", "\r", delimiter, delimiter, "a", "bc", "é", "€", "\0", "\u{FEFF}", " ",
    ].map {
        Array($0.utf8)
    }
    pieces += [[0xC3], [0xA9], [0xE2, 0x82], [0xFF]]
    if quotes { pieces += ["\"", "\"", "\"\"", "\"\n", "\(delimiter)\"", "\"\(delimiter)"].map { Array($0.utf8) } }
    if format == .jsonLines {
        pieces += ["{", "}", "{\"a\":", "\"b\":1}", "[\"x\"]", ":", "\\", "{\"a\":1,\"b\":\"é\"}\n", "null"].map {
            Array($0.utf8)
        }
    }
    let header = format == .jsonLines || Int.random(in: 0..<8, using: &random) == 0 ? "" : "a\(delimiter)b\n"
    var bytes = Array(header.utf8)
    for _ in 0..<Int.random(in: 0..<60, using: &random) {
        bytes += pieces[Int.random(in: pieces.indices, using: &random)]
    }
    return bytes
}

@Suite struct RecordProperties {
    @Test(arguments: RecordFormat.allCases)
    func chunkSizesMakeNoDifference(format: RecordFormat) {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<700 {
            let bytes = nastyBytes(format, using: &random)
            let limit = [16, 17, 24, 40, 1 << 20][Int.random(in: 0..<5, using: &random)]
            let whole = Reading(bytes, format, limit: limit, chunk: 4096)
            for chunk in [1, 2, 3, 7] {
                #expect(
                    Reading(bytes, format, limit: limit, chunk: chunk) == whole,
                    "chunk \(chunk), limit \(limit): \(bytes)")
            }
        }
    }

    @Test(arguments: [RecordFormat.csv, .tsv])
    func everyLineWithoutQuotesIsOneEvent(format: RecordFormat) throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<700 {
            let bytes =
                Array("a\(format == .csv ? "," : "\t")b\n".utf8) + nastyBytes(format, using: &random, quotes: false)
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let expected = lines.indices.dropFirst().filter { line in
                // Such a line is a repeated header.
                let bare = lines[line].filter { $0 != 13 }
                return !lines[line].allSatisfy { $0 == 13 } && bare != Array("a,b".utf8) && bare != Array("a\tb".utf8)
            }.map { $0 + 1 }
            #expect(try outcomes(bytes, format, limit: 16).map(\.line) == expected, "\(bytes)")
        }
    }

    @Test(arguments: [RecordFormat.csv, .tsv])
    func noLineIsLost(format: RecordFormat) {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<3000 {
            let bytes = nastyBytes(format, using: &random)
            guard case .outcomes(let found) = Reading(bytes, format, limit: 40, chunk: 4096) else { continue }
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // The header may be repeated.
            func bare(_ line: ArraySlice<UInt8>) -> [UInt8] {
                line.filter { ![13, 32, 34, 0xEF, 0xBB, 0xBF].contains($0) }
            }
            let header = lines.lazy.map(bare).first { !$0.isEmpty }
            for (event, following) in zip(found, found.map(\.line).dropFirst() + [lines.count + 1]) {
                // Between the lines of an event and the next event, only empty lines are allowed.
                let uncovered = (event.line + event.linesCovered..<max(event.line + event.linesCovered, following))
                #expect(following > event.line)
                // These records are rejected with all their lines.
                if case .rejected(_, .nul, _) = event { continue }
                if case .rejected(_, .notUTF8, _) = event { continue }
                if case .rejected(_, .fieldCount, let excerpt) = event, excerpt.contains("\"") { continue }
                #expect(
                    uncovered.allSatisfy { line in
                        let bare = bare(lines[line - 1])
                        return bare.isEmpty || bare == header
                    }, "\(event) in \(bytes)")
            }
        }
    }

    @Test(arguments: [RecordFormat.csv, .tsv])
    func whatWasWrittenIsReadBack(format: RecordFormat) throws {
        var random = SeededGenerator(seed: 4)
        let delimiter = format == .csv ? "," : "\t"
        let pieces = ["\"", "\"\"", ",", "\t", "\r", "\n", "\r\n", "é", "€", "𝄞", "a", " ", "{", "\u{FEFF}", ""]
        for round in 0..<500 {
            // With tabs, lines that are records by themselves must not be joined. A text therefore has no tab or no
            // line feed.
            let missing: Unicode.Scalar? = format == .csv ? nil : round % 4 < 2 ? "\t" : "\n"
            let pieces = pieces.filter { piece in !piece.unicodeScalars.contains { $0 == missing } }
            let newline = round % 2 == 0 ? "\n" : "\r\n"
            // A quoted header shows that fields are quoted.
            var text = ["\"a\"", "b", "c"].joined(separator: delimiter)
            var records: [[String]] = []
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                let fields = (0..<3).map { _ in
                    (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                        pieces[Int.random(in: pieces.indices, using: &random)]
                    }.joined()
                }
                records.append(fields)
                let written = fields.map { field in
                    let isPlain = !field.unicodeScalars.contains { "\",\t\r\n".unicodeScalars.contains($0) }
                    let doubled = field.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
                    return isPlain && Bool.random(using: &random) ? field : "\"\(doubled)\""
                }
                text += newline + written.joined(separator: delimiter)
            }
            if Bool.random(using: &random) { text += newline }
            let found = try outcomes(text, format, columns: ["a", "b", "c"], chunk: 5)
            let fields = found.map { outcome -> [[UInt8]] in
                guard case .record(_, let fields) = outcome else { return [] }
                return fields.map { Array(($0 ?? "absent").utf8) }
            }
            #expect(fields == records.map { $0.map { Array($0.utf8) } })
        }
    }

    // With tabs, a quote that would join lines that are records by themselves is a stray quote.
    @Test("A rejected record never changes where the next one begins", arguments: [RecordFormat.csv])
    func rejectedRecordsEndWhereTheyEnd(format: RecordFormat) throws {
        var random = SeededGenerator(seed: 5)
        let delimiter = format == .csv ? "," : "\t"
        let pieces = ["\"\"", delimiter, "\n", "\r\n", "é", "a", " ", "x\(delimiter)y", "\0", ""]
        for _ in 0..<500 {
            var text = "\"a\"\(delimiter)b\n"
            var line = 2
            var expected: [(line: Int, isRecord: Bool)] = []
            for _ in 0..<Int.random(in: 1..<8, using: &random) {
                let fields = (0..<Int.random(in: 1..<6, using: &random)).map { _ in
                    if Bool.random(using: &random) { return "plain" }
                    let inner = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                        pieces[Int.random(in: pieces.indices, using: &random)]
                    }
                    return "\"\(inner.joined())\""
                }
                let record = fields.joined(separator: delimiter)
                expected.append((line, fields.count == 2 && !record.contains("\0")))
                line += 1 + record.utf8.count { $0 == UInt8(ascii: "\n") }
                text += record + "\n"
            }
            let found = try outcomes(text, format, chunk: 7)
            #expect(found.map(\.line) == expected.map(\.line), "\(text.debugDescription)")
            let areRecords = found.map { if case .record = $0 { true } else { false } }
            #expect(areRecords == expected.map(\.isRecord), "\(text.debugDescription)")
        }
    }

    @Test func readingRandomBytesEnds() throws {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0..<300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            for format in [nil] + RecordFormat.allCases {
                guard case .outcomes(let found) = Reading(bytes, format, limit: 32, chunk: 11) else { continue }
                let newlines = bytes.count { $0 == UInt8(ascii: "\n") }
                #expect(found.count <= newlines + 1)
                #expect(zip(found, found.dropFirst()).allSatisfy { $0.line < $1.line })
            }
        }
    }
}
