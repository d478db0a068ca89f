import Basics

/// The content of a file that is not records, with a command to convert it.
enum ForeignContent: Equatable {
    case utf16, utf32
    case zip, spreadsheet
    case zstandard, xz, bzip2
    case parquet, avro, arrow, sqlite
    case jsonArray, wrappedJSON
    case markup
    case tar, gzip
    case sqlDump, customDump
    case carriageReturns
    case drawnTable

    /// Detects foreign content in the first bytes of a file; nil if the bytes may be records.
    init?(firstBytes bytes: Span<UInt8>) {
        func begins(_ start: [UInt8]) -> Bool {
            bytes.count >= start.count && start.indices.allSatisfy { bytes[$0] == start[$0] }
        }
        func begins(_ text: String) -> Bool { begins(Array(text.utf8)) }
        if begins([0xFF, 0xFE, 0, 0]) || begins([0, 0, 0xFE, 0xFF]) {
            self = .utf32
        } else if begins([0xFF, 0xFE]) || begins([0xFE, 0xFF]) || Self.looksLikeUTF16(bytes) {
            self = .utf16
        } else if begins([0x50, 0x4B, 3, 4]) || begins([0x50, 0x4B, 5, 6]) {
            self = Self.isSpreadsheet(bytes) ? .spreadsheet : .zip
        } else if begins([0xD0, 0xCF, 0x11, 0xE0]) {
            self = .spreadsheet
        } else if begins([0x28, 0xB5, 0x2F, 0xFD]) {
            self = .zstandard
        } else if begins([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]) {
            self = .xz
        } else if begins("BZh"), bytes.count > 9, bytes[4] == 0x31, bytes[5] == 0x41, bytes[6] == 0x59 {
            self = .bzip2
        } else if begins("PAR1"), bytes.count > 4, bytes[4] < 0x20 || bytes[4] > 0x7E {
            self = .parquet
        } else if begins([0x4F, 0x62, 0x6A, 1]) {
            self = .avro
        } else if begins(Array("ARROW1".utf8) + [0]) {
            self = .arrow
        } else if begins(Array("SQLite format 3".utf8) + [0]) {
            self = .sqlite
        } else if bytes.count > 262, "ustar".utf8.enumerated().allSatisfy({ bytes[257 + $0] == $1 }) {
            self = .tar
        } else if begins([0x1F, 0x8B]) {
            self = .gzip
        } else if begins("PGDMP") {
            self = .customDump
        } else if Self.isSQL(bytes) {
            self = .sqlDump
        } else if Self.hasCarriageReturnsAlone(bytes) {
            self = .carriageReturns
        } else if let json = Self.json(bytes) {
            self = json
        } else if Self.isDrawnTable(bytes) {
            self = .drawnTable
        } else {
            return nil
        }
    }

    /// Whether every other byte is NUL in the first 32: a Latin text in UTF-16 without a byte order mark.
    private static func looksLikeUTF16(_ bytes: Span<UInt8>) -> Bool {
        let count = min(bytes.count, 32) & ~1
        guard count >= 4 else { return false }
        return [0, 1].contains { zero in
            stride(from: 0, to: count, by: 2).allSatisfy { bytes[$0 + zero] == 0 && bytes[$0 + 1 - zero] != 0 }
        }
    }

    /// Whether lines end in CR alone: there is a CR before the last byte, and no LF.
    private static func hasCarriageReturnsAlone(_ bytes: Span<UInt8>) -> Bool {
        var hasInnerReturn = false
        for index in bytes.indices {
            if bytes[index] == Byte.lineFeed { return false }
            if bytes[index] == Byte.carriageReturn, index + 1 < bytes.count { hasInnerReturn = true }
        }
        return hasInnerReturn
    }

    /// Whether the first or second line is a ruler of a table for people, such as `----+----` or `|----|----|`.
    private static func isDrawnTable(_ bytes: Span<UInt8>) -> Bool {
        var (line, dashes, crossings, isRuler) = (0, 0, 0, true)
        for index in bytes.indices {
            switch bytes[index] {
            case Byte.lineFeed:
                if isRuler, dashes > 2, crossings > 0 { return true }
                line += 1
                guard line < 2 else { return false }
                (dashes, crossings, isRuler) = (0, 0, true)
            case UInt8(ascii: "-"): dashes += 1
            case UInt8(ascii: "+"), UInt8(ascii: "|"): crossings += 1
            case UInt8(ascii: ":"), UInt8(ascii: " "), Byte.carriageReturn: break
            default: isRuler = false
            }
        }
        return false
    }

    /// Whether the first line that is not empty is one of SQL: a comment, or a command as dumps have it.
    private static func isSQL(_ bytes: Span<UInt8>) -> Bool {
        var start = bytes.startsWithByteOrderMark ? 3 : 0
        while start < bytes.count, Byte.isBlank(bytes[start]) { start += 1 }
        var end = start
        while end < bytes.count, end - start < 1000, bytes[end] != Byte.lineFeed { end += 1 }
        let line = String(decoding: (start..<end).map { bytes[$0] }, as: UTF8.self).lowercased()
        if line.hasPrefix("copy ") { return line.contains(" from stdin") }
        return line == "--" || line == "begin;"
            || [
                "-- ", "/*!", "/*m!", "\\restrict ", "\\connect ", "insert into ", "create table ", "drop table ",
                "set names ", "pragma foreign_keys", "begin transaction;", "use `",
            ].contains { line.hasPrefix($0) }
    }

    private static func isSpreadsheet(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 30 else { return false }
        let name = (30..<min(bytes.count, 60)).map { bytes[$0] }
        return ["[Content_Types].xml", "_rels/", "xl/", "mimetype"].contains { name.starts(with: $0.utf8) }
    }

    /// Returns the kind of JSON that is not JSON Lines, or markup, judged by the first bytes that are not blank.
    private static func json(_ bytes: Span<UInt8>) -> ForeignContent? {
        var index = bytes.startsWithByteOrderMark ? 3 : 0
        while index < bytes.count, Byte.isBlank(bytes[index]) {
            if bytes[index] == Byte.tab { return nil }
            index += 1
        }
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "["): return .jsonArray
        case UInt8(ascii: "<"): return .markup
        case UInt8(ascii: "{"):
            index += 1
            while index < bytes.count, bytes[index] == 0x20 || bytes[index] == Byte.carriageReturn { index += 1 }
            return index < bytes.count && bytes[index] == Byte.lineFeed ? .wrappedJSON : nil
        default: return nil
        }
    }

    /// Returns a message that names the content and the command to make records of it.
    func message(source: String) -> String {
        let file = ShellWords.file(source)
        return switch self {
        case .tar: "this is a tar archive; unpack it by: tar -xOf \(file)"
        case .gzip: "this was compressed with gzip twice; unpack it once by: gzip -dc \(file)"
        case .sqlDump:
            "this is SQL, such as a dump; have the client write the rows of one table: psql --csv, mysql --batch, "
                + "sqlite3 -csv -header"
        case .customDump:
            "this is a dump of pg_dump; restore it, and have psql --csv write the rows of one table"
        case .carriageReturns: "its lines end in CR alone; make that LF by: tr '\\r' '\\n' <\(file)"
        case .utf16: "this is UTF-16; make it UTF-8 by: iconv -f UTF-16 -t UTF-8 \(file)"
        case .utf32: "this is UTF-32; make it UTF-8 by: iconv -f UTF-32 -t UTF-8 \(file)"
        case .zip: "this is a zip archive; unpack it by: unzip -p \(file)"
        case .spreadsheet: "this is a spreadsheet; make it CSV by: libreoffice --headless --convert-to csv \(file)"
        case .zstandard: "this is compressed with Zstandard; unpack it by: zstd -dc \(file)"
        case .xz: "this is compressed with xz; unpack it by: xz -dc \(file)"
        case .bzip2: "this is compressed with bzip2; unpack it by: bzip2 -dc \(file)"
        case .parquet:
            "this is Parquet; make it CSV by: duckdb -csv -c \(ShellWords.quoted("FROM read_parquet('\(source)')"))"
        case .avro: "this is Avro; make it JSON Lines by: avro-tools tojson \(file)"
        case .arrow: "this is an Arrow file; make it CSV by pyarrow.feather.read_table and pyarrow.csv.write_csv"
        case .sqlite:
            "this is a SQLite database; make a table of it CSV by: sqlite3 -readonly -csv -header \(file) 'SELECT …'"
        case .jsonArray: "this is a JSON array; make it JSON Lines by: jq -c '.[]' \(file)"
        case .wrappedJSON: "this is JSON over several lines; make it JSON Lines by: jq -c . \(file)"
        case .drawnTable:
            "this is a table for people; have the client write CSV: psql --csv, mysql --batch, sqlite3 -csv -header"
        case .markup: "this is XML or HTML, and not CSV, TSV or JSON Lines"
        }
    }
}

/// Returns advice on a source that is not UTF-8.
package func encodingAdvice(forSource source: String) -> String {
    "if it is Latin-1 or Windows-1252, make it UTF-8 by: iconv -f WINDOWS-1252 -t UTF-8 \(ShellWords.file(source))"
}
