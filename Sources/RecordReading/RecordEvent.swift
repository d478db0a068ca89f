import Basics

/// An event in the stream of records.
package enum RecordEvent: Sendable, Equatable {
    /// A record.
    ///
    /// Its fields can be read until the reader moves on.
    case record
    /// A record that was rejected; reading goes on after it.
    case rejected(RejectedRecord)
    case end
}

/// A rejected record, with the reason.
package struct RejectedRecord: Sendable, Equatable {
    /// The line where the record begins, counted from 1.
    package let line: Int
    package let reason: RejectionReason
    /// At most 200 bytes of the record's first line, with control characters escaped.
    package let excerpt: String
}

/// The reason why a record was rejected.
package enum RejectionReason: Sendable, Hashable, CustomStringConvertible {
    /// The record has more bytes than the maximum.
    case tooLong(maximumBytes: Int)
    /// An opening quote has no closing one before the end of the source, or within the maximum length of a record.
    case unclosedQuote
    /// A closing quote is followed by something other than a delimiter or the end of the line.
    case textAfterQuote
    /// The record has fewer or more fields than the header.
    case fieldCount(found: Int, expected: Int)
    /// A record with quotes has more fields than the header, and its end is unknown.
    ///
    /// The reader stops to look for the ends of such records after too many failures.
    case tooManyFields(expected: Int)
    /// The record contains a NUL byte.
    case nul
    /// The record contains bytes that are not UTF-8.
    case notUTF8
    /// Quotes join this number of lines, each of which is a record by itself.
    case joinedLines(Int)
    /// The line does not begin like a JSON object.
    case notAnObject
    /// The JSON object is cut off or malformed after a key; nil means before the first key.
    case brokenObject(after: String?)
    /// The value does not fit its column, with a phrase that says why, such as "is an object".
    case unsupportedValue(column: String, cause: String)
    /// Two keys of the object mean the same column.
    case repeatedColumn(String)
    /// A required column is missing or null.
    case missingColumn(String)

    /// A message about the record, to follow "line 7: ".
    package var description: String {
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

/// A value that cannot be read, in a column that is not required.
package struct FieldFault: Sendable, Equatable {
    package let column: Int
    /// The reason why the value cannot be read.
    package let reason: RejectionReason
}

/// The records whose quotes span several lines, where every line could be a record by itself.
package struct JoinedLines: Sendable, Equatable {
    /// The number of such records.
    package private(set) var count = 0
    /// The line where the first such record begins, or 0 if there is none.
    package private(set) var firstLine = 0

    mutating func note(_ line: Int) {
        if count == 0 { firstLine = line }
        count += 1
    }
}

extension Failure {
    /// Returns the failure of a source that is unreadable; a fault of a single record is a `RejectedRecord` instead.
    ///
    /// - Parameters:
    ///   - source: the name of the source, usually of a file.
    ///   - line: the line where the fault was noticed, counted from 1.
    ///   - message: the fault, and the action that helps.
    static func unreadable(_ source: String, line: Int, _ message: String) -> Failure {
        Failure(.badData, "\(source), line \(line): \(message)")
    }

    /// Returns the error of a line after `\.`: it is of another table, or of a command.
    static func afterEnd(markedIn end: Int, source: String, line: Int) -> Failure {
        unreadable(
            source, line: line,
            "the data ended with \\. in line \(end): leave out what follows, or make it a file of its own")
    }
}

/// Returns the beginning of some bytes as a text that is safe to show, at most `limit` bytes of them.
///
/// Control characters, and invisible ones that change the layout of a line, are escaped as `\n`, `\t`, `\r` or `\u{…}`.
/// Bytes that are not UTF-8 become U+FFFD. A character that the limit would cut is left out.
func excerpt(of bytes: Span<UInt8>, limit: Int = 200) -> String {
    var end = min(limit, bytes.count)
    if end < bytes.count {
        // Go back to the start of the character at the limit, which is at most three bytes away.
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

/// Returns a name or a value from the input, short and safe to show; invisible characters become code points.
package func shown(_ text: String) -> String { excerpt(of: text) }

/// Returns a name from the input, short and safe to show.
func excerpt(of text: String) -> String { excerpt(of: text.utf8Span.span, limit: 60) }
