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
            case .tooLong: return giveUpLine(window, scan, .tooLong(maximumBytes: maximumRecordBytes))
            case .unclosedQuote: return giveUpLine(window, scan, .unclosedQuote)
            case .textAfterQuote, .tooManyFields:
                // The rest of the line may not have been read yet, and is wanted for the excerpt.
                guard isLineWhole(window) else {
                    try readMore()
                    continue
                }
                let isText = scan.outcome == .textAfterQuote
                return giveUpLine(window, scan, isText ? .textAfterQuote : .tooManyFields(expected: bounds.count))
            }
        }
    }

    /// Scans a record; quotes cost time only where there are any.
    mutating func scanRecord(_ window: ScanWindow) -> DelimitedScan {
        Self.scanRecord(
            input.bytes, window, delimiter: delimiter.byte, limitsFields: failsTooOften, into: &bounds)
    }

    private static func scanRecord(
        _ bytes: [UInt8], _ window: ScanWindow, delimiter: UInt8, limitsFields: Bool, into bounds: inout [FieldBounds]
    ) -> DelimitedScan {
        var fields = bounds.mutableSpan
        let scan = scanPlain(bytes.span, window, delimiter: delimiter, into: &fields)
        guard scan.outcome == .startsWithQuote else { return scan }
        return scanQuoted(bytes.span, window, delimiter: delimiter, limitsFields: limitsFields, into: &fields)
    }

    /// Whether records with too many fields are no longer scanned to their ends.
    ///
    /// Stray quotes can join all lines of a file to one record that never ends well, such as lines of `x","`. Each line
    /// would then be scanned as often as there are lines before it within the longest record. So the bytes of scans
    /// that failed are limited to a multiple of the bytes read; a file that is not made to fail never comes near it.
    private var failsTooOften: Bool { failedScanBytes > 16 * maximumRecordBytes + 4 * bytesRead }

    /// Gives up the first line of a record that was scanned in vain.
    private mutating func giveUpLine(
        _ window: ScanWindow, _ scan: DelimitedScan, _ reason: RejectionReason
    ) -> RecordEvent {
        if scan.fieldCount > bounds.count { failedScanBytes += scan.end - window.start }
        return giveUpLine(window, reason)
    }

    /// Checks a whole record, and steps over it, also if it is rejected.
    private mutating func finish(_ window: ScanWindow, _ scan: DelimitedScan) -> RecordEvent {
        let range = window.start..<scan.end
        recordRange = range
        var event = RecordEvent.record
        if scan.fieldCount != bounds.count {
            event = reject(range, .fieldCount(found: scan.fieldCount, expected: bounds.count))
        } else if let reason = fault(in: range, hasNul: scan.hasNul, highBits: scan.highBits) {
            event = reject(range, reason)
        } else if scan.hasDoubledQuotes {
            joinDoubledQuotes()
            hasJoinedQuotes = true
        }
        stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
        return event
    }

    /// Makes one quote of each doubled one in the fields; only when the record will not be scanned again.
    mutating func joinDoubledQuotes() {
        for field in bounds.indices where bounds[field].hasDoubledQuotes {
            let end = input.joinDoubledQuotes(from: bounds[field].start, to: bounds[field].end)
            bounds[field].end = end
        }
    }
}
