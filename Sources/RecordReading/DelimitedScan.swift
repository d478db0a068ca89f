/// Where a field lies in the input buffer.
@usableFromInline
struct FieldBounds {
    /// The first byte; -1 for a field that is not there.
    @usableFromInline var start: Int
    /// After the last byte.
    @usableFromInline var end: Int
    /// Whether it has doubled quotes.
    var hasDoubledQuotes = false
    /// Whether it has backslashes that are escapes.
    var hasEscapes = false
}

/// What is special in a record of delimited text.
struct ScanRules {
    let delimiter: UInt8
    let hasQuotes: Bool
    let hasEscapes: Bool
    /// Whether it matters that a field begins with a quote, if only to find out about quotes.
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
    /// After the last byte.
    let stop: Int
    /// Whether `stop` is the end of the source; meaningless if the window is full.
    let isAtEnd: Bool
    /// Whether the window has one byte more than a record may have: a record that does not end in it is too long.
    let isFull: Bool
}

/// How the scan of a record ended.
enum ScanOutcome {
    case complete
    case needsMore
    case tooLong
    case startsWithQuote
    case unclosedQuote
    case textAfterQuote
    case tooManyFields
}

/// What was found in one record of delimited text.
struct DelimitedScan {
    var outcome: ScanOutcome
    /// The offset of the line feed that ends the record, or the end of the source.
    var end: Int
    var fieldCount = 0
    /// The line feeds within quotes.
    var innerLineFeeds = 0
    /// The bitwise or of all bytes that may be above ASCII: 0x80 or more if one is.
    var highBits: UInt8 = 0
    var hasNul = false
    /// Whether a field must be decoded.
    var isEncoded = false

    /// The end of the last field of a record that ends at `end`: carriage returns before that are part of the line's
    /// end.
    static func withoutCarriageReturn(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var end = end
        while end > start, bytes[end - 1] == Byte.carriageReturn { end -= 1 }
        return end
    }
}

/// Scans a record without quoted fields.
///
/// - Parameter stopsAtQuotes: stops with `startsWithQuote` at the first field that begins with a quote.
///
/// Fields beyond the bounds' count are counted and not kept. This is the hot loop of an import: where the delimiter is
/// a comma or a tabulator, nearly all bytes are above it and the quote, and take one comparison.
func scanPlain(
    _ bytes: Span<UInt8>, _ window: ScanWindow, delimiter: UInt8, stopsAtQuotes: Bool,
    into bounds: inout MutableSpan<FieldBounds>
) -> DelimitedScan {
    var scan = DelimitedScan(outcome: .complete, end: 0)
    var fieldStart = window.start
    var highBits: UInt8 = 0
    var index = window.start
    // Above it no byte is special.
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
