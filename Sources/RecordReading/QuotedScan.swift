/// Scans a record that may have escapes and fields quoted after RFC 4180, from the start of the window.
///
/// Fields beyond the bounds' count are counted but not stored, as in `scanPlain`.
///
/// - Parameter limitsFields: Whether to stop with `tooManyFields` at the first field beyond the bounds' count.
func scanCarefully(
    _ bytes: Span<UInt8>, _ window: ScanWindow, _ rules: ScanRules, limitsFields: Bool,
    into bounds: inout MutableSpan<FieldBounds>
) -> DelimitedScan {
    var scan = DelimitedScan(outcome: .complete, end: window.start)
    while true {
        let isQuoted = rules.hasQuotes && scan.end < window.stop && bytes[scan.end] == Byte.quote
        let field = isQuoted ? scan.quotedField(bytes, window, rules) : scan.plainField(bytes, window, rules)
        guard scan.outcome == .complete else { return scan }
        if field.hasDoubledQuotes || field.hasEscapes { scan.isEncoded = true }
        if scan.fieldCount < bounds.count {
            bounds[scan.fieldCount] = field
        } else if limitsFields {
            scan.outcome = .tooManyFields
            return scan
        }
        scan.fieldCount += 1
        guard isQuoted else {
            if scan.end == window.stop || bytes[scan.end] == Byte.lineFeed { return scan }
            scan.end += 1
            continue
        }
        guard scan.skipDelimiter(bytes, window, delimiter: rules.delimiter) else { return scan }
    }
}

extension DelimitedScan {
    /// Reads the field whose opening quote is at `end`, and leaves `end` after the closing one.
    fileprivate mutating func quotedField(_ bytes: Span<UInt8>, _ window: ScanWindow, _ rules: ScanRules) -> FieldBounds
    {
        var field = FieldBounds(start: end + 1, end: end + 1)
        var index = end + 1
        while index < window.stop {
            let byte = bytes[index]
            highBits |= byte
            switch byte {
            case Byte.quote:
                let next = index + 1
                if next == window.stop, !window.isAtEnd, !window.isFull {
                    outcome = .needsMore
                    return field
                }
                guard next < window.stop, bytes[next] == Byte.quote else {
                    field.end = index
                    end = next
                    return field
                }
                field.hasDoubledQuotes = true
                index = next
            case Byte.backslash where rules.hasEscapes:
                field.hasEscapes = true
                if index + 1 < window.stop { index = stepOverEscaped(bytes, index) }
            case Byte.lineFeed: innerLineFeeds += 1
            case Byte.nul: hasNul = true
            default: break
            }
            index += 1
        }
        outcome = window.isAtEnd || window.isFull ? .unclosedQuote : .needsMore
        end = window.stop
        return field
    }

    /// Steps over the byte after a backslash, and returns that byte's index.
    private mutating func stepOverEscaped(_ bytes: Span<UInt8>, _ backslash: Int) -> Int {
        let byte = bytes[backslash + 1]
        highBits |= byte
        if byte == Byte.lineFeed { innerLineFeeds += 1 }
        if byte == Byte.nul { hasNul = true }
        return backslash + 1
    }

    /// Reads the unquoted field that begins at `end`, and leaves `end` at the delimiter, the line feed or the stop.
    fileprivate mutating func plainField(_ bytes: Span<UInt8>, _ window: ScanWindow, _ rules: ScanRules) -> FieldBounds
    {
        let start = end
        var hasEscapes = false
        while end < window.stop, bytes[end] != rules.delimiter, bytes[end] != Byte.lineFeed {
            highBits |= bytes[end]
            if bytes[end] == Byte.nul { hasNul = true }
            if rules.hasEscapes, bytes[end] == Byte.backslash {
                hasEscapes = true
                if end + 1 < window.stop { end = stepOverEscaped(bytes, end) }
            }
            end += 1
        }
        if end == window.stop, !window.isAtEnd || window.isFull { outcome = window.isFull ? .tooLong : .needsMore }
        let endsRecord = end == window.stop || bytes[end] == Byte.lineFeed
        return FieldBounds(
            start: start, end: endsRecord ? Self.withoutCarriageReturn(bytes, from: start, to: end) : end,
            hasEscapes: hasEscapes)
    }

    /// Steps over the delimiter or the end of the line after a closing quote; returns whether it was a delimiter.
    fileprivate mutating func skipDelimiter(_ bytes: Span<UInt8>, _ window: ScanWindow, delimiter: UInt8) -> Bool {
        if end < window.stop, bytes[end] == delimiter {
            end += 1
            return true
        }
        var after = end
        while after < window.stop, bytes[after] == Byte.carriageReturn { after += 1 }
        if after == window.stop {
            if window.isFull {
                outcome = .tooLong
            } else if !window.isAtEnd {
                outcome = .needsMore
            }
            end = after
        } else if bytes[after] == Byte.lineFeed {
            end = after
        } else {
            outcome = .textAfterQuote
        }
        return false
    }
}
