import Basics

extension RecordReader {
    mutating func nextDelimited() throws(Failure) -> RecordEvent {
        while true {
            guard try moveToNextLine() else { return .end }
            let window = window
            let scan = scanRecord(window)
            if scan.outcome != .needsMore, scan.outcome != .startsWithQuote { try refuseStrayLine(window) }
            switch scan.outcome {
            case .complete:
                let isEndMark = isEndMark(window, scan)
                guard !isEmptyLine(window, scan.end), !isEndMark else {
                    if isEndMark, endMarkLine == 0 { endMarkLine = line }
                    stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
                    continue
                }
                if endMarkLine > 0 { throw .afterEnd(markedIn: endMarkLine, source: source, line: line) }
                if mayBeHeader(scan.fieldCount), try obeyHeader(window.start..<scan.end) {
                    stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
                    continue
                }
                return finish(window, scan)
            case .needsMore: try readMore()
            case .startsWithQuote: try findQuotes()
            case _ where endMarkLine > 0: throw .afterEnd(markedIn: endMarkLine, source: source, line: line)
            case .tooLong: return giveUpLine(window, scan, .tooLong(maximumBytes: maximumRecordBytes))
            case .unclosedQuote: return giveUpLine(window, scan, .unclosedQuote)
            case .textAfterQuote, .tooManyFields:
                // The excerpt needs the rest of the line, which may not have been read yet.
                guard isLineWhole(window) else {
                    try readMore()
                    continue
                }
                let isText = scan.outcome == .textAfterQuote
                return giveUpLine(window, scan, isText ? .textAfterQuote : .tooManyFields(expected: bounds.count))
            }
        }
    }

    /// Whether a record is `\.` without quotes, which ends the data of COPY.
    private func isEndMark(_ window: ScanWindow, _ scan: DelimitedScan) -> Bool {
        scan.fieldCount == 1
            && DelimitedScan.withoutCarriageReturn(input.bytes.span, from: window.start, to: scan.end)
                == window.start + 2
            && input.bytes[window.start] == Byte.backslash && input.bytes[window.start + 1] == UInt8(ascii: ".")
    }

    /// Scans a record.
    ///
    /// Quotes cost time only in records that have them.
    mutating func scanRecord(_ window: ScanWindow) -> DelimitedScan {
        Self.scanRecord(input.bytes, window, rules, limitsFields: failsTooOften, into: &bounds)
    }

    private static func scanRecord(
        _ bytes: [UInt8], _ window: ScanWindow, _ rules: ScanRules, limitsFields: Bool, into bounds: inout [FieldBounds]
    ) -> DelimitedScan {
        var fields = bounds.mutableSpan
        if !rules.hasEscapes {
            let scan = scanPlain(
                bytes.span, window, delimiter: rules.delimiter, stopsAtQuotes: rules.stopsAtQuotes, into: &fields)
            guard scan.outcome == .startsWithQuote, rules.hasQuotes else { return scan }
        }
        return scanCarefully(bytes.span, window, rules, limitsFields: limitsFields, into: &fields)
    }

    /// Detects, at the first field that begins with a quote, whether fields are quoted.
    private mutating func findQuotes() throws(Failure) {
        try fill(Dialect.sampleBytes)
        let sample = input.sample(Dialect.sampleBytes)
        let isWhole = input.isAtEnd && sample.upperBound == input.end
        dialect.hasQuotes =
            dialect.quotes(shownBy: input.bytes.span.extracting(sample), isWhole: isWhole, fieldCount: bounds.count)
            ?? false
    }

    /// Whether records with too many fields are no longer scanned to their ends.
    ///
    /// Stray quotes, as in lines of `x","`, can join all lines of a file to one record that never ends well. Each line
    /// would then be scanned once for every line before it within the maximum length of a record.
    ///
    /// The limit for bytes of failed scans is therefore a multiple of the bytes read. Only a malicious file comes near
    /// it.
    private var failsTooOften: Bool { failedScanBytes > 16 * maximumRecordBytes + 4 * bytesRead }

    /// Gives up the first line of a record that was scanned in vain.
    private mutating func giveUpLine(
        _ window: ScanWindow, _ scan: DelimitedScan, _ reason: RejectionReason
    ) -> RecordEvent {
        if scan.fieldCount > bounds.count { failedScanBytes += scan.end - window.start }
        return giveUpLine(window, reason)
    }

    /// Checks a whole record and steps over it, even if it is rejected.
    private mutating func finish(_ window: ScanWindow, _ scan: DelimitedScan) -> RecordEvent {
        let range = window.start..<scan.end
        recordRange = range
        var event = RecordEvent.record
        if scan.fieldCount != bounds.count {
            event = reject(range, .fieldCount(found: scan.fieldCount, expected: bounds.count))
        } else if let reason = fault(in: range, hasNul: scan.hasNul, highBits: scan.highBits) {
            event = reject(range, reason)
        } else if scan.innerLineFeeds > 0, !dialect.hasEscapes,
            dialect.swallowsRecords(input.bytes.span, range, fieldCount: scan.fieldCount)
        {
            // A source that rarely quotes anything most likely has a stray quote here. A CSV text may well span lines.
            guard !dialect.mustShowQuotes else {
                return giveUpLine(window, scan, .joinedLines(scan.innerLineFeeds + 1))
            }
            joinedLines.note(line)
        }
        if event == .record, scan.isEncoded, let reason = decode(range) { event = reject(range, reason) }
        stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
        return event
    }

    /// Decodes the fields in place.
    ///
    /// The record must not be scanned again after that.
    ///
    /// - Returns: The reason why the record is rejected, if it is.
    mutating func decode(_ range: Range<Int>) -> RejectionReason? {
        encodedRecord.append(contentsOf: input.bytes[range])
        for field in bounds.indices where bounds[field].hasDoubledQuotes || bounds[field].hasEscapes {
            bounds[field].end = input.decode(bounds[field])
            if bounds[field].hasEscapes, input.bytes[bounds[field].start..<bounds[field].end].contains(Byte.nul) {
                return .nul
            }
        }
        return nil
    }
}

extension RecordReader {
    /// Calls `body` with the bytes of a field of the current record, which are valid UTF-8 without NUL.
    ///
    /// The bytes are not copied, and are valid until the reader moves on. A column that the record does not have is
    /// empty.
    @inlinable
    package borrowing func withField<Result, Failure: Error>(
        _ column: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let field = fieldOfColumn[column]
        guard field >= 0, bounds[field].start >= 0 else { return try body(Span()) }
        let range = bounds[field].start..<bounds[field].end
        return isJSON
            ? try body(jsonValues.span.extracting(range))
            : try body(input.bytes.span.extracting(range))
    }

    /// Whether the current record has the column; in JSON Lines, whether its value is not null.
    @inlinable
    package func isPresent(_ column: Int) -> Bool {
        let field = fieldOfColumn[column]
        return field >= 0 && bounds[field].start >= 0
    }

    /// Whether the field is empty, or the record does not have the column.
    @inlinable
    package func isEmpty(_ column: Int) -> Bool {
        let field = fieldOfColumn[column]
        return field < 0 || bounds[field].start == bounds[field].end
    }

    /// Whether the current record has no value in a column.
    ///
    /// This is true of a missing field, an empty field, `\N` (the null of databases) and the dialect's null word.
    @inlinable
    package func isNull(_ column: Int) -> Bool {
        isEmpty(column)
            || withField(column) { field in
                if readsBackslashN, field.count == 2, field[0] == UInt8(ascii: "\\"), field[1] == UInt8(ascii: "N") {
                    return true
                }
                return !nullWord.isEmpty && field.count == nullWord.count
                    && field.indices.allSatisfy { field[$0] == nullWord[$0] }
            }
    }

    /// Returns a copy of a field of the current record, which is empty if the record does not have the column.
    package borrowing func text(_ column: Int) -> String {
        withField(column) { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension RecordReader {
    /// Reads the first line that is not empty, and finds the wanted columns in it.
    mutating func readHeader() throws(Failure) {
        let scan = try findHeader()
        headerBytes = Array(input.bytes[input.start..<scan.end])
        if scan.isEncoded { _ = decode(input.start..<scan.end) }
        try take(headerNames)
        stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
    }

    /// Finds the wanted columns among the names of a header.
    private mutating func take(_ names: [String]) throws(Failure) {
        var fieldOfColumn = [Int](repeating: -1, count: table.columns.count)
        for (field, name) in names.enumerated() {
            guard let column = table.note(name) else { continue }
            guard fieldOfColumn[column] < 0 else {
                throw failure("the header has the column \"\(table.columns[column].name)\" twice")
            }
            fieldOfColumn[column] = field
        }
        for (column, field) in zip(table.columns, fieldOfColumn) where field < 0 {
            guard column.isRequired || column.sourceName != nil else { continue }
            throw failure(
                "there is no column \"\(column.wantedName)\"; the header names \(Self.listed(names)). "
                    + "Rename or add the column")
        }
        self.fieldOfColumn = fieldOfColumn
        headerGate = HeaderGate(names + headerGate.names + table.columns.map(\.wantedName))
    }

    /// Whether a record could be a header, judged by its first field in `bounds` or by the number of its fields.
    func mayBeHeader(_ fieldCount: Int) -> Bool {
        guard fieldCount == bounds.count else { return fieldCount <= Self.maximumRepeatedNames }
        let (start, end) = (bounds[0].start, bounds[0].end)
        return end > start && headerGate.admits(length: end - start, last: input.bytes[end - 1])
    }

    /// The largest number of columns of a repeated header with more or fewer columns than the header before.
    private static var maximumRepeatedNames: Int { 1024 }

    /// Returns whether a record is a repeated header, and adopts its columns and their order.
    ///
    /// A repeated header has all required columns, and no wanted column twice. In addition, one of these must hold:
    ///
    /// - It has as many fields as the header before, and all of them are names of that header.
    /// - At least two of its fields are names of wanted columns.
    mutating func obeyHeader(_ range: Range<Int>) throws(Failure) -> Bool {
        let names = input.bytes[range].split(separator: dialect.delimiter.byte, omittingEmptySubsequences: false)
            .map { field in
                let name = String(decoding: field, as: UTF8.self).filter { $0 != "\u{FEFF}" && $0 != "\r" }
                let isQuoted = name.count > 1 && name.first == "\"" && name.last == "\""
                return isQuoted && dialect.hasQuotes == true ? String(name.dropFirst().dropLast()) : name
            }
        let known = names.map { table.column(named: $0) }
        let isEvery = zip(names, known).allSatisfy { name, column in
            column.map { fieldOfColumn[$0] >= 0 } ?? headerGate.names.contains(name)
        }
        let isWhole = isEvery && names.count == bounds.count
        let knownCount = known.count { $0 != nil }
        guard isWhole || knownCount > 1, knownCount == Set(known.compactMap(\.self)).count,
            table.columns.indices.allSatisfy({ !table.columns[$0].isRequired || known.contains($0) })
        else { return false }
        repeatedHeaders += 1
        let isSame =
            known.count == bounds.count
            && fieldOfColumn.enumerated().allSatisfy { column, field in
                field < 0 ? !known.contains(column) : known[field] == column
            }
        guard !isSame else { return true }
        try take(names)
        let hasMark = input.bytes[range].starts(with: [0xEF, 0xBB, 0xBF])
        headerBytes = Array(input.bytes[range].dropFirst(hasMark ? 3 : 0))
        bounds = [FieldBounds](repeating: FieldBounds(start: -1, end: -1), count: names.count)
        return true
    }

    /// Scans the header into `bounds`, one for each field, without stepping over it.
    private mutating func findHeader() throws(Failure) -> DelimitedScan {
        bounds = [FieldBounds](repeating: FieldBounds(start: -1, end: -1), count: 16)
        while true {
            guard try moveToNextLine() else {
                throw failure("it is empty; its first line must name the columns")
            }
            let window = window
            let scan = scanRecord(window)
            switch scan.outcome {
            case .complete where isEmptyLine(window, scan.end): stepOver(scan.end, innerLineFeeds: 0)
            case .complete where scan.fieldCount <= bounds.count:
                bounds.removeLast(bounds.count - scan.fieldCount)
                if let fault = fault(in: window.start..<scan.end, hasNul: scan.hasNul, highBits: scan.highBits) {
                    throw failure(
                        "the header \(fault)\(fault == .notUTF8 ? "; " + encodingAdvice(forSource: source) : "")")
                }
                return scan
            case .complete, .tooManyFields:
                // The number of columns is not known yet.
                bounds += bounds
            case .needsMore: try readMore()
            case .startsWithQuote: dialect.hasQuotes = true
            case .tooLong:
                let reason = RejectionReason.tooLong(maximumBytes: maximumRecordBytes)
                throw failure("the header \(reason); the first line must name the columns")
            case .unclosedQuote: throw failure("the header \(RejectionReason.unclosedQuote)")
            case .textAfterQuote: throw failure("the header \(RejectionReason.textAfterQuote)")
            }
        }
    }

    private var headerNames: [String] {
        bounds.map { String(decoding: input.bytes[$0.start..<$0.end], as: UTF8.self) }
    }

    /// Returns the first 20 names of a header for a message, with the number of the others.
    private static func listed(_ names: [String]) -> String {
        let shown = names.prefix(20).map { "\"\(excerpt(of: $0))\"" }.joined(separator: ", ")
        return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
    }

    private func failure(_ message: String) -> Failure { .unreadable(source, line: line, message) }
}

/// A quick check of a record's first field, which nearly every field fails that is not a name of the header.
struct HeaderGate {
    let names: Set<String>
    /// The lengths of names in bytes, one bit each; lengths above 63 share the last bit.
    private var lengths: UInt64 = 0
    /// The last bytes of names, one bit each.
    private var lastBytes: UInt64 = 0

    init(_ names: [String]) {
        self.names = Set(names)
        for name in names {
            // A header inside the file may have a byte order mark (3 bytes), and then two quotes that no longer count
            // as quotes.
            for more in [0, 3, 5] { lengths |= 1 << UInt64(min(name.utf8.count + more, 63)) }
            if let last = name.utf8.last { lastBytes |= Self.bit(last) }
        }
        lastBytes |= Self.bit(Byte.quote)
    }

    /// Whether a field with this length and this last byte could be a name.
    func admits(length: Int, last: UInt8) -> Bool {
        lengths & (1 << UInt64(min(length, 63))) != 0 && lastBytes & Self.bit(last) != 0
    }

    /// Returns the bit of a byte; upper and lower case have the same bit.
    private static func bit(_ byte: UInt8) -> UInt64 { 1 << UInt64(byte >= 0x40 ? byte & 0x1F : 32 + (byte & 0x1F)) }
}
