/// What the reader found next.
public enum RecordEvent: Sendable, Equatable {
    /// A record, whose fields can be read until the reader moves on.
    case record
    /// A record that was rejected; reading goes on after it.
    case rejected(RejectedRecord)
    /// The end of the source.
    case end
}

/// A rejected record, and why it was rejected.
public struct RejectedRecord: Sendable, Equatable {
    /// The line where it begins, from 1.
    public let line: Int
    /// Why it was rejected.
    public let reason: RejectionReason
    /// At most 200 bytes of its first line, with control characters escaped.
    public let excerpt: String

    /// A rejected record.
    public init(line: Int, reason: RejectionReason, excerpt: String) {
        self.line = line
        self.reason = reason
        self.excerpt = excerpt
    }
}

/// Why a record was rejected.
public enum RejectionReason: Sendable, Hashable, CustomStringConvertible {
    /// More bytes than a record may have.
    case tooLong(maximumBytes: Int)
    /// An opening quote without a closing one before the end, or within the bytes that a record may have.
    case unclosedQuote
    /// Something other than a delimiter or the end of the line after a closing quote.
    case textAfterQuote
    /// Fewer or more fields than the header.
    case fieldCount(found: Int, expected: Int)
    /// More fields than the header, in a record with quotes whose end was not looked for, because that failed too
    /// often.
    case tooManyFields(expected: Int)
    /// A NUL byte.
    case nul
    /// Bytes that are not UTF-8.
    case notUTF8
    /// Quotes over lines that are records by themselves, so many.
    case joinedLines(Int)
    /// A line that does not begin as a JSON object does.
    case notAnObject
    /// A JSON object that breaks off, or is none, behind a key; nil before the first.
    case brokenObject(after: String?)
    /// A value that is none of the column's, and what is wrong with it: "is an object".
    case unsupportedValue(column: String, cause: String)
    /// Two keys of an object that mean one column.
    case repeatedColumn(String)
    /// A column that must be there is missing or null.
    case missingColumn(String)

    /// What is wrong, to be read after "line 7: ".
    public var description: String {
        switch self {
        case .tooLong(let maximumBytes): "is longer than \(maximumBytes) bytes"
        case .unclosedQuote:
            "has an opening quote that is never closed; a quote in a text is written twice, within quotes"
        case .textAfterQuote: "has text after a closing quote; a quote in a text is written twice, within quotes"
        case .fieldCount(let found, let expected):
            "has \(found) field\(found == 1 ? "" : "s"), the header has \(expected)"
        case .tooManyFields(let expected): "has more fields than the header, which has \(expected)"
        case .nul: "has a NUL byte"
        case .notUTF8: "is not UTF-8"
        case .joinedLines(let count):
            "has an opening quote that would make one record of \(count) lines, each of which is one by itself"
        case .notAnObject: "is not a JSON object"
        case .brokenObject(let key): "is not JSON" + (key.map { " behind the key \"\(excerpt(of: $0))\"" } ?? "")
        case .unsupportedValue(let column, let cause): "has a \"\(column)\" that \(cause)"
        case .repeatedColumn(let column): "has \"\(column)\" twice"
        case .missingColumn(let column): "has no \"\(column)\""
        }
    }
}

/// A value that cannot be read, in a column that a record need not have.
public struct FieldFault: Sendable, Equatable {
    /// The index of the column.
    public let column: Int
    /// What is wrong.
    public let reason: RejectionReason
}

/// Records with quotes over several lines, all of which could be records by themselves.
public struct JoinedLines: Sendable, Equatable {
    /// How many records.
    public private(set) var count = 0
    /// The line where the first begins; 0 if there is none.
    public private(set) var firstLine = 0

    mutating func note(_ line: Int) {
        if count == 0 { firstLine = line }
        count += 1
    }
}

/// Why a source of records cannot be read at all; what is wrong with a single record is a `RejectedRecord`.
public struct RecordError: Error, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable, Equatable {
        /// The source has no header line.
        case empty
        /// The header cannot be read: too long, not UTF-8, a quote that is never closed.
        case badHeader
        /// A column that must be there is not.
        case missingColumn
        /// A column that is asked for stands twice in the header.
        case repeatedColumn
        /// It is something else than records: a spreadsheet, another encoding, JSON that is not JSON Lines.
        case foreign
        /// The source itself failed: the disk, the pipe, the decompression.
        case readFailed
    }

    /// What went wrong.
    public let code: Code
    /// The name of the source, mostly a file's.
    public let source: String
    /// The line where it was noticed, from 1.
    public let line: Int
    /// What is wrong and what to do, for a person.
    public let message: String

    /// Source, line and message in one line.
    public var description: String { "\(source), line \(line): \(message)" }
}

/// The beginning of some bytes as a text that is safe to show: at most `limit` bytes of it.
///
/// Control characters and the invisible ones that change how a line is laid out are escaped as `\n`, `\t`, `\r` or
/// `\u{…}`; bytes that are not UTF-8 become U+FFFD, and a character that the limit cuts is left out.
func excerpt(of bytes: Span<UInt8>, limit: Int = 200) -> String {
    var end = min(limit, bytes.count)
    if end < bytes.count {
        // Back to the start of the character that the limit falls into, which is at most three bytes away.
        var back = end
        while back > 0, end - back < 3, bytes[back] & 0xC0 == 0x80 { back -= 1 }
        if bytes[back] >= 0xC0 { end = back }
    }
    var beginning: [UInt8] = []
    beginning.reserveCapacity(end)
    for index in 0..<end { beginning.append(bytes[index]) }
    var result = ""
    for scalar in String(decoding: beginning, as: UTF8.self).unicodeScalars {
        switch scalar {
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator,
                .spaceSeparator where scalar != " ":
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
    return result
}

/// A name or a value from the input, short and safe to show: invisible characters are code points.
public func shown(_ text: String) -> String { excerpt(of: text) }

/// A name from the input, short and safe to show.
func excerpt(of text: String) -> String { excerpt(of: text.utf8Span.span, limit: 60) }
