/// The parts of a dialect that the caller knows; the rest is detected.
package struct DialectChoice: Sendable, Equatable {
    /// The format, or nil to detect it.
    package var format: RecordFormat?
    /// The delimiter, or nil to detect it.
    package var delimiter: RecordDelimiter?
    /// A word that means "no value" in every column.
    package var nullWord: String?

    /// Creates a choice; every part that is left out is detected.
    package init(format: RecordFormat? = nil, delimiter: RecordDelimiter? = nil, nullWord: String? = nil) {
        (self.format, self.delimiter, self.nullWord) = (format, delimiter, nullWord)
    }
}

/// The way a source is written, as given by the caller or detected in its first megabyte.
package struct Dialect: Sendable, Equatable {
    /// The bytes at the end of a line.
    package enum LineEnd: String, Sendable {
        /// LF, or no line feed at all.
        case lineFeed = "LF"
        /// CR LF, as on Windows.
        case carriageReturn = "CR LF"
        /// CR CR LF, from a program that turns the LF of CR LF into CR LF again.
        case twoCarriageReturns = "CR CR LF"
    }

    package internal(set) var format: RecordFormat
    /// The delimiter; meaningless in JSON Lines.
    package internal(set) var delimiter: RecordDelimiter
    /// Whether a field that begins with a quote is quoted after RFC 4180; nil until a field begins with a quote.
    package internal(set) var hasQuotes: Bool?
    /// A word that means "no value", besides the empty field and `\N`.
    package internal(set) var nullWord: String?
    /// The end of the first line.
    package internal(set) var lineEnd = LineEnd.lineFeed
    /// Whether the source begins with a byte order mark.
    package internal(set) var hasByteOrderMark = false
    /// Whether the delimiter was detected from the header.
    var isFound = false

    /// Whether a backslash begins an escape, of a control character such as `\t` or of the byte after it.
    package var hasEscapes: Bool { format == .copy || format == .mysql }

    /// Whether quotes count only if the source shows that its fields are quoted.
    ///
    /// Programs that write tabs or bars rarely quote anything. Programs that write commas quote the fields that contain
    /// them.
    var mustShowQuotes: Bool {
        switch format {
        case .tsv, .mysql: true
        case .csv: isFound && delimiter == .bar
        case .copy, .jsonLines: false
        }
    }

    /// The length of the sample at the beginning of a source, in bytes.
    static let sampleBytes = 1 << 20

    /// Detects the dialect of a source from its beginning.
    ///
    /// - Parameters:
    ///   - sample: The first bytes of the source.
    ///   - isWhole: Whether the sample is the whole source.
    ///   - table: The wanted columns, for the detection of the delimiter.
    init(_ choice: DialectChoice, sample: Span<UInt8>, isWhole: Bool, source: String, table: ColumnTable) {
        hasByteOrderMark = sample.startsWithByteOrderMark
        let text = sample.extracting((hasByteOrderMark ? 3 : 0)..<sample.count)
        nullWord = choice.nullWord ?? (choice.format == .mysql ? "NULL" : nil)
        lineEnd = Self.lineEnd(text)
        // Only the file's name can tell an empty file of JSON Lines from a file without a header.
        let isJSON = RecordFormat(fileName: source) == .jsonLines || text.firstAfterBlanks == UInt8(ascii: "{")
        format = choice.format ?? (isJSON ? .jsonLines : .csv)
        delimiter = choice.delimiter ?? (format == .tsv || format == .copy ? .tab : .comma)
        guard format != .jsonLines else { return }
        if choice.delimiter == nil, format == .csv || format == .mysql {
            isFound = true
            delimiter = Self.delimiter(text, usual: format == .mysql ? .tab : .comma, table)
        }
        if choice.format == nil, delimiter == .tab { format = .tsv }
        hasQuotes = mustShowQuotes ? quotes(shownBy: text, isWhole: isWhole, fieldCount: nil) : format != .copy
    }

    private static func lineEnd(_ text: Span<UInt8>) -> LineEnd {
        var index = 0
        while index < text.count, text[index] != Byte.lineFeed { index += 1 }
        guard index < text.count, index > 0, text[index - 1] == Byte.carriageReturn else { return .lineFeed }
        return index > 1 && text[index - 2] == Byte.carriageReturn ? .twoCarriageReturns : .carriageReturn
    }

    /// Returns the delimiter that finds the most wanted columns in the header.
    ///
    /// Ties go to the delimiter that finds the most names, then to the usual one.
    private static func delimiter(
        _ text: Span<UInt8>, usual: RecordDelimiter, _ table: ColumnTable
    ) -> RecordDelimiter {
        // The header may be malformed with the usual delimiter. Another one is then better only if it finds a wanted
        // column.
        var best = (delimiter: usual, known: 0, names: Int.max)
        for candidate in [usual] + RecordDelimiter.allCases.filter({ $0 != usual }) {
            guard let names = headerNames(text, candidate) else { continue }
            let (known, count) = (table.knownCount(names), names.count)
            if candidate == usual || (known, count) > (best.known, best.names) { best = (candidate, known, count) }
        }
        return best.delimiter
    }

    /// Returns the names in the first line that is not empty, or nil if that line cannot be read as a header.
    private static func headerNames(_ text: Span<UInt8>, _ delimiter: RecordDelimiter) -> [String]? {
        var start = 0
        while start < text.count, text[start] == Byte.lineFeed || text[start] == Byte.carriageReturn { start += 1 }
        guard start < text.count else { return nil }
        let window = ScanWindow(start: start, stop: text.count, isAtEnd: true, isFull: false)
        let rules = ScanRules(delimiter: delimiter.byte, hasQuotes: true, hasEscapes: false)
        var bounds = [FieldBounds](repeating: FieldBounds(start: -1, end: -1), count: 1024)
        var fields = bounds.mutableSpan
        let scan = scanCarefully(text, window, rules, limitsFields: false, into: &fields)
        guard scan.outcome == .complete, !scan.hasNul else { return nil }
        return bounds.prefix(scan.fieldCount).map { field in
            String(decoding: (field.start..<field.end).map { text[$0] }, as: UTF8.self)
        }
    }
}

extension Dialect {
    /// Returns whether fields that begin with a quote are quoted, or nil if no field begins with one.
    ///
    /// A header with quoted names decides. Otherwise every record with a quote may vote, and a tie means "not quoted":
    ///
    /// - For: a field would be cut or changed without quotes, or all fields of the record are quoted.
    /// - Against: a field begins with a quote but is malformed, or its quotes swallow lines that are records by
    ///   themselves.
    ///
    /// - Parameter fieldCount: The number of fields in a record, or nil if the text begins with the header.
    func quotes(shownBy text: Span<UInt8>, isWhole: Bool, fieldCount: Int?) -> Bool? {
        let rules = ScanRules(delimiter: delimiter.byte, hasQuotes: true, hasEscapes: hasEscapes)
        var bounds = [FieldBounds](repeating: FieldBounds(start: -1, end: -1), count: fieldCount ?? 1024)
        var (votesFor, votesAgainst, isSeen, start, failedBytes) = (0, 0, false, 0, 0)
        var expected = fieldCount
        while start < text.count, failedBytes < Self.failedBytesLimit {
            let window = ScanWindow(start: start, stop: text.count, isAtEnd: isWhole, isFull: false)
            var fields = bounds.mutableSpan
            var scan = scanPlain(text, window, delimiter: delimiter.byte, stopsAtQuotes: true, into: &fields)
            let hasQuote = scan.outcome == .startsWithQuote
            if hasQuote { scan = scanCarefully(text, window, rules, limitsFields: false, into: &fields) }
            guard scan.outcome != .needsMore else {
                isSeen = isSeen || hasQuote
                break
            }
            let isHeader = expected == nil
            if isHeader, scan.end > start, scan.outcome == .complete { expected = scan.fieldCount }
            guard hasQuote else {
                start = scan.end + 1
                continue
            }
            isSeen = true
            let isRecord = scan.outcome == .complete && scan.fieldCount == expected
            let swallows =
                isRecord && scan.innerLineFeeds > 0
                && swallowsRecords(text, start..<scan.end, fieldCount: scan.fieldCount)
            if isHeader, isRecord { return true }
            if isRecord, !swallows {
                if needsQuotes(text, bounds.prefix(scan.fieldCount)) { votesFor += 1 }
                start = scan.end + 1
            } else {
                if swallows || scan.outcome != .complete { votesAgainst += 1 }
                failedBytes += scan.end - start
                while start < text.count, text[start] != Byte.lineFeed { start += 1 }
                start += 1
            }
        }
        return isSeen ? votesFor > votesAgainst : nil
    }

    /// The most bytes that failed scans may read.
    ///
    /// Without a limit, stray quotes would make the detection slow.
    private static let failedBytesLimit = 8 << 20

    /// Whether a record that was read with quotes would be a different one without them.
    private func needsQuotes(_ text: Span<UInt8>, _ fields: ArraySlice<FieldBounds>) -> Bool {
        var isAllQuoted = true
        for field in fields where field.start < field.end {
            guard field.start > 0, text[field.start - 1] == Byte.quote else {
                isAllQuoted = false
                continue
            }
            // Spreadsheets quote commas, too.
            let isSpecial = (field.start..<field.end).contains {
                let byte = text[$0]
                return byte == delimiter.byte || byte == Byte.lineFeed || byte == Byte.quote || byte == Byte.comma
            }
            if isSpecial { return true }
        }
        return isAllQuoted
    }

    /// Whether a record over several lines swallows records: each of its lines has as many fields as the record.
    func swallowsRecords(_ text: Span<UInt8>, _ range: Range<Int>, fieldCount: Int) -> Bool {
        var fields = 1
        for index in range {
            if text[index] == delimiter.byte {
                fields += 1
            } else if text[index] == Byte.lineFeed {
                guard fields == fieldCount else { return false }
                fields = 1
            }
        }
        return fields == fieldCount
    }
}

extension Dialect: CustomStringConvertible {
    /// A sentence about the dialect and the evidence for it, for a person.
    package var description: String {
        guard format != .jsonLines else { return "JSON Lines" }
        let name = format == .copy || format == .mysql ? " as \(format.rawValue) writes it" : ""
        var parts = [
            "text with \(delimiter.plural) between fields\(name)"
                + (isFound ? ", by which most columns of the header are found" : ", as was said")
        ]
        switch (mustShowQuotes, hasQuotes) {
        case (true, true): parts.append("fields are quoted: some cannot be read otherwise")
        case (true, false): parts.append("quotes are a part of texts: no field needs them to be read")
        default: break
        }
        if hasEscapes { parts.append("backslashes stand for control characters") }
        if let nullWord { parts.append("\(excerpt(of: nullWord)) is no value") }
        if lineEnd != .lineFeed { parts.append("lines end in \(lineEnd.rawValue)") }
        if hasByteOrderMark { parts.append("a byte order mark was passed over") }
        return parts.joined(separator: "; ")
    }

    /// Whether a part of the dialect was easy to mistake and deserves a look by a person.
    package var isUnusual: Bool {
        mustShowQuotes && hasQuotes != nil || hasEscapes || nullWord != nil || lineEnd == .twoCarriageReturns
    }
}

/// A first line that names the delimiter for a spreadsheet, such as `sep=;`.
struct SeparatorLine {
    let delimiter: RecordDelimiter
    /// The length of the line with its end, and with a byte order mark before it.
    let byteCount: Int

    /// Reads the line at the beginning of a source; nil if there is none.
    init?(_ text: Span<UInt8>) {
        var index = text.startsWithByteOrderMark ? 3 : 0
        func take(_ bytes: String.UTF8View) -> Bool {
            guard index + bytes.count <= text.count else { return false }
            // Bit 5 tells lower case from upper case.
            let isSame = bytes.enumerated().allSatisfy { text[index + $0] == $1 || text[index + $0] | 0x20 == $1 }
            if isSame { index += bytes.count }
            return isSame
        }
        let isQuoted = take("\"".utf8)
        guard take("sep=".utf8), index < text.count,
            let delimiter = RecordDelimiter.allCases.first(where: { $0.byte == text[index] })
        else { return nil }
        index += 1
        if isQuoted, !take("\"".utf8) { return nil }
        while index < text.count, text[index] == Byte.carriageReturn { index += 1 }
        guard index < text.count, text[index] == Byte.lineFeed else { return nil }
        self.delimiter = delimiter
        byteCount = index + 1
    }
}
