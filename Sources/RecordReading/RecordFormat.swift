/// How the records of a file are written.
public enum RecordFormat: String, Sendable, CaseIterable {
    /// Delimited text, quoted after RFC 4180; the first line names the columns, and tells the delimiter.
    case csv
    /// The same, delimited by tabulators.
    case tsv
    /// JSON Lines: one object a line, whose keys are the columns.
    case jsonLines = "jsonl"

    /// The format by the extension of a file's name: `.csv`, `.tsv`, `.jsonl` or `.ndjson`, in any letter case.
    ///
    /// A last extension `.gz` or `.zst` is ignored. Nil for any other extension, also for `.txt`, which may be CSV or
    /// TSV: then the first bytes decide.
    public init?(fileName: String) {
        var parts = fileName.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        if parts.last == "gz" || parts.last == "zst" { parts.removeLast() }
        guard parts.count > 1, let ending = parts.last else { return nil }
        switch ending {
        case "csv": self = .csv
        case "tsv": self = .tsv
        case "jsonl", "ndjson": self = .jsonLines
        default: return nil
        }
    }

    /// The format by the first bytes of a file: `{` means JSON Lines, a tab in the first line TSV, anything else CSV.
    ///
    /// A byte order mark, and blanks and empty lines at the start, are ignored.
    public init(firstBytes: Span<UInt8>) {
        var index = firstBytes.startsWithByteOrderMark ? 3 : 0
        while index < firstBytes.count, Byte.isBlank(firstBytes[index]) {
            // A tab may be the delimiter after an empty first name.
            if firstBytes[index] == Byte.tab {
                self = .tsv
                return
            }
            index += 1
        }
        self = .csv
        guard index < firstBytes.count else { return }
        if firstBytes[index] == UInt8(ascii: "{") { self = .jsonLines }
        while self == .csv, index < firstBytes.count, firstBytes[index] != Byte.lineFeed {
            if firstBytes[index] == Byte.tab { self = .tsv }
            index += 1
        }
    }
}

/// The bytes that are special in records.
enum Byte {
    static let nul = UInt8(0)
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == tab || byte == lineFeed || byte == carriageReturn
    }
}

extension Span<UInt8> {
    /// Whether the bytes begin with the UTF-8 byte order mark, which is three bytes long.
    var startsWithByteOrderMark: Bool {
        count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF
    }
}
