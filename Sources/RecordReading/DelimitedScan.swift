/// The place of a field in the input buffer.
@usableFromInline
struct FieldBounds {
    /// The offset of the first byte, or -1 if the record does not have the field.
    @usableFromInline var start: Int
    /// The offset after the last byte.
    @usableFromInline var end: Int
    var hasDoubledQuotes = false
    var hasEscapes = false
}

/// The special bytes in a record of delimited text.
struct ScanRules {
    let delimiter: UInt8
    let hasQuotes: Bool
    let hasEscapes: Bool
    /// Whether the scan stops at a field that begins with a quote, to read or to detect quotes.
    var stopsAtQuotes = true
}

extension ScanRules {
    init(_ dialect: Dialect) {
        delimiter = dialect.delimiter.byte
        hasQuotes = dialect.hasQuotes == true
        hasEscapes = dialect.hasEscapes
        stopsAtQuotes = dialect.hasQuotes != false
    }
}

/// The part of the buffer that may hold the next record.
struct ScanWindow {
    let start: Int
    /// The offset after the last byte.
    let stop: Int
    /// Whether `stop` is the end of the source; meaningless if the window is full.
    let isAtEnd: Bool
    /// Whether the window is one byte longer than a record may be.
    ///
    /// A record that does not end in it is then too long.
    let isFull: Bool
}

/// The outcome of the scan of a record.
enum ScanOutcome {
    case complete
    case needsMore
    case tooLong
    case startsWithQuote
    case unclosedQuote
    case textAfterQuote
    case tooManyFields
}

/// The result of the scan of one record of delimited text.
struct DelimitedScan {
    var outcome: ScanOutcome
    /// The offset of the line feed that ends the record, or the end of the source.
    var end: Int
    var fieldCount = 0
    /// The number of line feeds inside the record, within quotes or escaped.
    var innerLineFeeds = 0
    /// The bitwise OR of all bytes that may be above ASCII; 0x80 or more if one of them is.
    var highBits: UInt8 = 0
    var hasNul = false
    /// Whether a field must be decoded.
    var isEncoded = false

    /// Returns the end of the last field of a record that ends at `end`.
    ///
    /// Carriage returns before `end` belong to the end of the line.
    static func withoutCarriageReturn(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var end = end
        while end > start, bytes[end - 1] == Byte.carriageReturn { end -= 1 }
        return end
    }
}

/// Scans a record without quoted fields.
///
/// Fields beyond the bounds' count are counted but not stored.
///
/// This is the hot loop of an import. With a comma or a tab as the delimiter, nearly all bytes are above both the
/// delimiter and the quote. Such bytes take one comparison.
///
/// - Parameter stopsAtQuotes: Whether to stop with `startsWithQuote` at the first field that begins with a quote.
func scanPlain(
    _ bytes: Span<UInt8>, _ window: ScanWindow, delimiter: UInt8, stopsAtQuotes: Bool,
    into bounds: inout MutableSpan<FieldBounds>
) -> DelimitedScan {
    var scan = DelimitedScan(outcome: .complete, end: 0)
    var fieldStart = window.start
    var highBits: UInt8 = 0
    var index = window.start
    // No byte above this one is special.
    let highestSpecial = max(delimiter, stopsAtQuotes ? Byte.quote : Byte.lineFeed)
    while index < window.stop {
        let byte = bytes[index]
        if byte > highestSpecial {
            highBits |= byte
        } else if byte == delimiter {
            if scan.fieldCount < bounds.count {
                bounds[scan.fieldCount] = FieldBounds(start: fieldStart, end: index)
            }
            scan.fieldCount += 1
            fieldStart = index + 1
        } else if byte == Byte.lineFeed {
            break
        } else if byte == Byte.quote, stopsAtQuotes, index == fieldStart {
            scan.outcome = .startsWithQuote
            return scan
        } else if byte == Byte.nul {
            scan.hasNul = true
        }
        index += 1
    }
    scan.highBits = highBits
    scan.end = index
    if index == window.stop, !window.isAtEnd || window.isFull {
        scan.outcome = window.isFull ? .tooLong : .needsMore
        return scan
    }
    if scan.fieldCount < bounds.count {
        let end = DelimitedScan.withoutCarriageReturn(bytes, from: fieldStart, to: index)
        bounds[scan.fieldCount] = FieldBounds(start: fieldStart, end: end)
    }
    scan.fieldCount += 1
    return scan
}
