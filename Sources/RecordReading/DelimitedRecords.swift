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

extension RecordReader {
    /// Calls `body` with the bytes of a field of the current record, which are valid UTF-8 without NUL.
    ///
    /// Nothing is copied: the bytes are valid until the reader moves on. A column that the record does not have is
    /// empty.
    @inlinable
    public borrowing func withField<Result, Failure: Error>(
        _ column: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let field = fieldOfColumn[column]
        guard field >= 0, bounds[field].start >= 0 else { return try body(Span()) }
        let range = bounds[field].start..<bounds[field].end
        return format == .jsonLines
            ? try body(jsonValues.span.extracting(range))
            : try body(input.bytes.span.extracting(range))
    }

    /// Whether the current record has the column; in JSON Lines, with a value other than null.
    @inlinable
    public func isPresent(_ column: Int) -> Bool {
        let field = fieldOfColumn[column]
        return field >= 0 && bounds[field].start >= 0
    }

    /// Whether the field is empty, or the record does not have the column.
    @inlinable
    public func isEmpty(_ column: Int) -> Bool {
        let field = fieldOfColumn[column]
        return field < 0 || bounds[field].start == bounds[field].end
    }

    /// A copy of a field of the current record; empty if the record does not have the column.
    public borrowing func text(_ column: Int) -> String {
        withField(column) { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension RecordReader {
    /// Reads the first line that is not empty, and finds the wanted columns in it.
    mutating func readHeader() throws(RecordError) {
        let scan = try findHeader()
        headerBytes = Array(input.bytes[input.start..<scan.end])
        if scan.hasDoubledQuotes { joinDoubledQuotes() }
        let names = headerNames
        var fieldOfColumn = [Int](repeating: -1, count: table.columns.count)
        for (field, name) in names.enumerated() {
            guard let column = table.note(name) else { continue }
            guard fieldOfColumn[column] < 0 else {
                throw headerError(.repeatedColumn, "the header has the column \"\(table.columns[column].name)\" twice")
            }
            fieldOfColumn[column] = field
        }
        for (column, field) in zip(table.columns, fieldOfColumn) where field < 0 {
            guard column.isRequired || column.sourceName != nil else { continue }
            throw headerError(
                .missingColumn,
                "there is no column \"\(column.wantedName)\"; the header names \(Self.listed(names)). "
                    + "Rename or add the column")
        }
        self.fieldOfColumn = fieldOfColumn
        stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
    }

    /// Scans the header into `bounds`, one for each field, without stepping over it; finds out the delimiter if it is
    /// not known.
    private mutating func findHeader() throws(RecordError) -> DelimitedScan {
        guard !knowsDelimiter else { return try findHeader(delimiter) }
        // That by which most wanted columns are found; of equal ones that with most names, and the usual one first.
        let usual = format == .tsv ? RecordDelimiter.tab : .comma
        // With the usual one a header may be bad: then only one by which a wanted column is found is better.
        var best = (delimiter: usual, known: 0, names: Int.max)
        for candidate in [usual] + RecordDelimiter.allCases.filter({ $0 != usual }) {
            guard let scan = try? findHeader(candidate) else { continue }
            let (known, names) = (table.knownCount(headerNames), scan.fieldCount)
            if candidate == usual || (known, names) > (best.known, best.names) { best = (candidate, known, names) }
        }
        delimiter = best.delimiter
        format = delimiter == .tab ? .tsv : .csv
        knowsDelimiter = true
        return try findHeader(delimiter)
    }

    private mutating func findHeader(_ delimiter: RecordDelimiter) throws(RecordError) -> DelimitedScan {
        self.delimiter = delimiter
        bounds = [FieldBounds](repeating: FieldBounds(start: -1, end: -1), count: 16)
        while true {
            guard try moveToNextLine() else {
                throw headerError(.empty, "it is empty; its first line must name the columns")
            }
            let window = window
            let scan = scanRecord(window)
            switch scan.outcome {
            case .complete where isEmptyLine(window, scan.end): stepOver(scan.end, innerLineFeeds: 0)
            case .complete where scan.fieldCount <= bounds.count:
                bounds.removeLast(bounds.count - scan.fieldCount)
                if let fault = fault(in: window.start..<scan.end, hasNul: scan.hasNul, highBits: scan.highBits) {
                    throw headerError(
                        .badHeader,
                        "the header \(fault)\(fault == .notUTF8 ? "; " + encodingAdvice(forSource: source) : "")")
                }
                return scan
            case .complete, .tooManyFields:
                // The number of columns is not known yet.
                bounds += bounds
            case .needsMore, .startsWithQuote: try readMore()
            case .tooLong:
                let reason = RejectionReason.tooLong(maximumBytes: maximumRecordBytes)
                throw headerError(.badHeader, "the header \(reason); the first line must name the columns")
            case .unclosedQuote: throw headerError(.badHeader, "the header \(RejectionReason.unclosedQuote)")
            case .textAfterQuote: throw headerError(.badHeader, "the header \(RejectionReason.textAfterQuote)")
            }
        }
    }

    private var headerNames: [String] {
        bounds.map { String(decoding: input.bytes[$0.start..<$0.end], as: UTF8.self) }
    }

    /// The names of a header for a message; only the first 20.
    private static func listed(_ names: [String]) -> String {
        let shown = names.prefix(20).map { "\"\(excerpt(of: $0))\"" }.joined(separator: ", ")
        return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
    }

    private func headerError(_ code: RecordError.Code, _ message: String) -> RecordError {
        RecordError(code: code, source: source, line: line, message: message)
    }
}
