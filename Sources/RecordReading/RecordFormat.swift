/// The format of a file of records.
package enum RecordFormat: String, Sendable, CaseIterable {
    /// Delimited text, quoted after RFC 4180. The first line names the columns and shows the delimiter.
    case csv
    /// Delimited text with tabs; quoted only if the file shows that its fields are quoted.
    case tsv
    /// The text format of PostgreSQL's COPY: tabs, backslash escapes, no quotes.
    case copy
    /// The format of `mysql --batch` and INTO OUTFILE: tabs, backslash escapes, NULL; quoted only if the file shows
    /// that.
    case mysql
    /// JSON Lines: one object a line, with a key for each column.
    case jsonLines = "jsonl"

    /// The extension of a file's name, without its dot.
    package var fileEnding: String { self == .copy || self == .mysql ? "tsv" : rawValue }

    /// Creates the format from the extension of a file's name: `.csv`, `.tsv`, `.jsonl` or `.ndjson`, in any letter
    /// case.
    ///
    /// A last extension `.gz` or `.zst` is ignored. Any other extension gives `nil`, and the first bytes must decide.
    /// This includes `.txt`, which may be CSV or TSV.
    package init?(fileName: String) {
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

/// The bytes with a special meaning in records.
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

/// The byte between the fields of a record of delimited text.
package enum RecordDelimiter: String, Sendable, CaseIterable {
    /// `,`
    case comma
    case tab
    /// `;`, the usual choice of spreadsheets in countries with a decimal comma.
    case semicolon
    /// `|`
    case bar

    package var byte: UInt8 {
        switch self {
        case .comma: Byte.comma
        case .tab: Byte.tab
        case .semicolon: UInt8(ascii: ";")
        case .bar: UInt8(ascii: "|")
        }
    }

    /// The plural of the delimiter's name, for a message.
    var plural: String { self == .tab ? "tabulators" : "\(rawValue)s" }
}

/// A column that the caller wants to read.
package struct RecordColumn: Sendable, Equatable {
    /// The name of the column; a source may write it in any letter case, with blanks and invisible characters
    /// around it.
    package let name: String
    /// Whether a source without the column is refused; in JSON Lines, whether an object without it is rejected.
    package let isRequired: Bool
    /// The column's name in the source, if it is not `name`.
    package let sourceName: String?
    /// Whether the column accepts an array of texts in JSON Lines.
    package let isList: Bool
    /// Whether the column accepts an array of numbers in JSON Lines, which it then has as it is written.
    package let isVector: Bool

    /// Whether the column has ids, as which JSON Lines may give texts and whole numbers.
    package let isID: Bool

    /// Creates a column, which is required by default.
    ///
    /// - Parameter sourceName: The column's name in the source, if it is not `name`. A header must then have that name.
    package init(
        _ name: String, isRequired: Bool = true, sourceName: String? = nil, isList: Bool = false,
        isVector: Bool = false, isID: Bool = false
    ) {
        self.name = name
        self.isRequired = isRequired
        self.sourceName = sourceName
        self.isList = isList
        self.isVector = isVector
        self.isID = isID
    }

    var wantedName: String { sourceName ?? name }

    /// Returns the form of a source's name that is compared with the names of columns.
    package static func comparable(_ name: String) -> String { withoutInvisible(name).lowercased() }
}

/// The wanted columns, and the columns that the source was seen to have.
struct ColumnTable {
    let columns: [RecordColumn]
    /// The index of the column for each name, in its comparable form and as the source was seen to write it.
    private var columnOfName: [String: Int]
    /// Whether the source has each column; in JSON Lines, whether it was seen so far.
    private(set) var isPresent: [Bool]
    /// The names of columns that are not wanted, as the source writes them, in its order; at most
    /// `maximumUnknownNames`.
    private(set) var unknownNames: [String] = []

    /// JSON Lines can bring new names on every line, so the number of stored names needs a limit.
    private static let maximumUnknownNames = 100
    private static let maximumKnownNames = 1000

    init(_ columns: [RecordColumn]) {
        self.columns = columns
        let names = columns.enumerated().map { (RecordColumn.comparable($1.wantedName), $0) }
        columnOfName = Dictionary(names) { _, _ in preconditionFailure("a column is asked for twice") }
        isPresent = columns.map { _ in false }
    }

    /// Returns the index of the column with a name of the source, or nil if that column is not wanted.
    func column(named name: String) -> Int? {
        if let column = columnOfName[name] { return column }
        return unknownNames.contains(name) ? nil : columnOfName[RecordColumn.comparable(name)]
    }

    /// Returns the index of the column with a name of the source, and notes the name as present or unknown.
    mutating func note(_ name: String) -> Int? {
        if let column = column(named: name) {
            isPresent[column] = true
            if columnOfName.count < Self.maximumKnownNames { columnOfName[name] = column }
            return column
        }
        if unknownNames.count < Self.maximumUnknownNames, !unknownNames.contains(name) { unknownNames.append(name) }
        return nil
    }

    /// Returns the number of wanted columns among some names.
    func knownCount(_ names: [String]) -> Int {
        Set(names.compactMap { columnOfName[RecordColumn.comparable($0)] }).count
    }

    /// Returns the missing wanted column with the name nearest to `name`, or nil if none is near.
    func nearestMissing(to name: String) -> String? {
        let missing = columns.indices.filter { !isPresent[$0] }.map { columns[$0].wantedName }
        return nearest(to: RecordColumn.comparable(name), among: missing, limit: 1).first
    }

    /// Whether a name is nearly that of a column.
    func isNear(_ name: String, _ column: Int) -> Bool {
        let wanted = columns[column].wantedName
        return RecordColumn.comparable(name) != wanted
            && nearest(to: RecordColumn.comparable(name), among: [wanted], limit: 1).first == wanted
    }
}

/// Returns a name without blanks around it, and without invisible characters such as U+200B and U+FEFF anywhere.
package func withoutInvisible(_ text: String) -> String {
    var scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .format }[...]
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))
}
