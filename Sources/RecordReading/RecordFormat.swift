/// How the records of a file are written.
public enum RecordFormat: String, Sendable, CaseIterable {
    /// Delimited text, quoted after RFC 4180; the first line names the columns, and tells the delimiter.
    case csv
    /// The same, delimited by tabulators; quoted only if the file shows that.
    case tsv
    /// The text format of PostgreSQL's COPY: tabulators, backslashes, no quotes.
    case copy
    /// As `mysql --batch` and INTO OUTFILE write: tabulators, backslashes, NULL; quoted only if the file shows that.
    case mysql
    /// JSON Lines: one object a line, whose keys are the columns.
    case jsonLines = "jsonl"

    /// The ending of a file's name without its dot.
    public var fileEnding: String { self == .copy || self == .mysql ? "tsv" : rawValue }

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
}

/// The bytes that are special in records.
enum Byte {
    static let nul = UInt8(0)
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
    static let backslash = UInt8(ascii: "\\")

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == tab || byte == lineFeed || byte == carriageReturn
    }
}

extension Span<UInt8> {
    /// Whether the bytes begin with the UTF-8 byte order mark, which is three bytes long.
    var startsWithByteOrderMark: Bool {
        count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF
    }

    /// The first byte that is not blank.
    var firstAfterBlanks: UInt8? {
        var index = 0
        while index < count, Byte.isBlank(self[index]) { index += 1 }
        return index < count ? self[index] : nil
    }
}

/// What stands between the fields of a record of delimited text.
public enum RecordDelimiter: String, Sendable, CaseIterable {
    /// `,`
    case comma
    /// A tabulator.
    case tab
    /// `;`, with which spreadsheets export where the comma is the decimal mark.
    case semicolon
    /// `|`
    case bar

    /// The delimiter as one byte.
    public var byte: UInt8 {
        switch self {
        case .comma: Byte.comma
        case .tab: Byte.tab
        case .semicolon: UInt8(ascii: ";")
        case .bar: UInt8(ascii: "|")
        }
    }

    /// Several of them, in a message.
    var plural: String { self == .tab ? "tabulators" : "\(rawValue)s" }
}

/// A column that the reader of records asks for.
public struct RecordColumn: Sendable, Equatable {
    /// Its name; in a source it may be written in any letter case, and with blanks and invisible characters around it.
    public let name: String
    /// Whether a source without it cannot be read; in JSON Lines, whether an object without it is rejected.
    public let isRequired: Bool
    /// What the source calls it; nil: by its own name.
    public let sourceName: String?
    /// Whether an array of texts in JSON Lines is a value of it.
    public let isList: Bool

    /// A column, required unless told otherwise.
    ///
    /// - Parameter sourceName: what the source calls it instead of its name; a header must then have that.
    public init(_ name: String, isRequired: Bool = true, sourceName: String? = nil, isList: Bool = false) {
        self.name = name
        self.isRequired = isRequired
        self.sourceName = sourceName
        self.isList = isList
    }

    /// The name to look for in a source.
    var wantedName: String { sourceName ?? name }
}

/// The columns that are asked for, and which of them a source has.
struct ColumnTable {
    let columns: [RecordColumn]
    /// The column of each name: in the form that names are compared in, and as the source was seen to write it.
    private var columnOfName: [String: Int]
    /// Whether the source has the column; in JSON Lines, whether it had it up to now.
    private(set) var isPresent: [Bool]
    /// The names that were not asked for, as the source writes them, in order; at most `maximumUnknownNames`.
    private(set) var unknownNames: [String] = []

    /// JSON Lines can bring new names on every line, which must not fill the memory.
    private static let maximumUnknownNames = 100
    private static let maximumKnownNames = 1000

    init(_ columns: [RecordColumn]) {
        self.columns = columns
        let names = columns.enumerated().map { (Self.comparable($1.wantedName), $0) }
        columnOfName = Dictionary(names) { _, _ in preconditionFailure("a column is asked for twice") }
        isPresent = columns.map { _ in false }
    }

    /// The column that a name of the source means, or nil if it was not asked for.
    func column(named name: String) -> Int? {
        if let column = columnOfName[name] { return column }
        return unknownNames.contains(name) ? nil : columnOfName[Self.comparable(name)]
    }

    /// The same, and the name is noted as present or unknown.
    mutating func note(_ name: String) -> Int? {
        if let column = column(named: name) {
            isPresent[column] = true
            if columnOfName.count < Self.maximumKnownNames { columnOfName[name] = column }
            return column
        }
        if unknownNames.count < Self.maximumUnknownNames, !unknownNames.contains(name) { unknownNames.append(name) }
        return nil
    }

    /// How many wanted columns some names mean.
    func knownCount(_ names: [String]) -> Int { Set(names.compactMap { columnOfName[Self.comparable($0)] }).count }

    /// The wanted column that a name of the source is most like; nil if it is like none that is missing.
    func nearestMissing(to name: String) -> String? {
        let missing = columns.indices.filter { !isPresent[$0] }.map { columns[$0].wantedName }
        return nearest(to: Self.comparable(name), among: missing, limit: 1).first
    }

    private static func comparable(_ name: String) -> String { withoutInvisible(name).lowercased() }
}

/// A name without blanks around it, and without characters that nobody sees, such as U+200B and U+FEFF.
public func withoutInvisible(_ text: String) -> String {
    var scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .format }[...]
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))
}
