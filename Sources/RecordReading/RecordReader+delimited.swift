extension RecordReader {
    mutating func nextDelimited() throws(RecordError) -> RecordEvent {
        while true {
            guard try moveToNextLine() else { return .end }
            let window = window
            let scan = scanRecord(window)
            switch scan.outcome {
            case .complete:
                guard !isEmptyLine(window, scan.end) else {
                    stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
                    continue
                }
                return finish(window, scan)
            case .needsMore, .startsWithQuote: try readMore()
            case .tooLong: return giveUpLine(window, .tooLong(maximumBytes: maximumRecordBytes))
            case .unclosedQuote: return giveUpLine(window, .unclosedQuote)
            case .textAfterQuote, .tooManyFields:
                // The rest of the line may not have been read yet, and is wanted for the excerpt.
                guard isLineWhole(window) else {
                    try readMore()
                    continue
                }
                let isText = scan.outcome == .textAfterQuote
                return giveUpLine(window, isText ? .textAfterQuote : .tooManyFields(expected: bounds.count))
            }
        }
    }

    /// Looks for a record; quotes cost time only where there are any.
    mutating func scanRecord(_ window: ScanWindow) -> DelimitedScan {
        Self.scanRecord(input.bytes, window, delimiter: format.delimiter, into: &bounds)
    }

    private static func scanRecord(
        _ bytes: [UInt8], _ window: ScanWindow, delimiter: UInt8, into bounds: inout [FieldBounds]
    ) -> DelimitedScan {
        var fields = bounds.mutableSpan
        let scan = scanPlain(bytes.span, window, delimiter: delimiter, into: &fields)
        guard scan.outcome == .startsWithQuote else { return scan }
        return scanQuoted(bytes.span, window, delimiter: delimiter, into: &fields)
    }

    /// Checks a whole record, and steps over it.
    private mutating func finish(_ window: ScanWindow, _ scan: DelimitedScan) -> RecordEvent {
        guard scan.fieldCount == bounds.count else {
            return giveUpLine(window, .fieldCount(found: scan.fieldCount, expected: bounds.count))
        }
        if let reason = fault(in: window.start..<scan.end, hasNul: scan.hasNul, highBits: scan.highBits) {
            let rejected = reject(window.start..<scan.end, reason)
            stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
            return rejected
        }
        if scan.hasDoubledQuotes { joinDoubledQuotes() }
        stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
        return .record
    }

    /// Makes the fields say what was written in them; only once it is certain that the record is not scanned again.
    mutating func joinDoubledQuotes() {
        for field in bounds.indices where bounds[field].hasDoubledQuotes {
            let end = input.joinDoubledQuotes(from: bounds[field].start, to: bounds[field].end)
            bounds[field].end = end
        }
    }
}
