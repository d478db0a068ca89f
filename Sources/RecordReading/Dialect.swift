/// What is said of how a source is written; the rest is found by a look at it.
public struct DialectChoice: Sendable, Equatable {
    /// The format; nil to find it.
    public var format: RecordFormat?
    /// The delimiter; nil to find it.
    public var delimiter: RecordDelimiter?
    /// A word that stands for no value in every column.
    public var nullWord: String?

    /// A choice.
    public init(format: RecordFormat? = nil, delimiter: RecordDelimiter? = nil, nullWord: String? = nil) {
        (self.format, self.delimiter, self.nullWord) = (format, delimiter, nullWord)
    }
}

/// How a source is written, as it was said or as its first megabyte shows.
public struct Dialect: Sendable, Equatable {
    /// How lines end.
    public enum LineEnd: String, Sendable {
        /// LF, or no line has an end.
        case lineFeed = "LF"
        /// As on Windows.
        case carriageReturn = "CR LF"
        /// As a program writes that makes CR LF of the LF of CR LF.
        case twoCarriageReturns = "CR CR LF"
    }

    /// The format.
    public internal(set) var format: RecordFormat
    /// The delimiter; without meaning in JSON Lines.
    public internal(set) var delimiter: RecordDelimiter
    /// Whether a field that begins with a quote is quoted after RFC 4180; nil as long as no field begins with one.
    public internal(set) var hasQuotes: Bool?
    /// A word that stands for no value, beside the empty field and `\N`.
    public internal(set) var nullWord: String?
    /// How the first line ends.
    public internal(set) var lineEnd = LineEnd.lineFeed
    /// Whether the source begins with a byte order mark.
    public internal(set) var hasByteOrderMark = false
    /// Whether the delimiter was found, and not said.
    var isFound = false

    /// Whether a backslash stands before a letter that means a control character, or before one that means itself.
    public var hasEscapes: Bool { format == .copy || format == .mysql }

    /// Whether quotes mean something only if the source shows that they do.
    ///
    /// Programs that write tabulators or bars mostly quote nothing; a comma is always quoted.
    var mustShowQuotes: Bool {
        switch format {
        case .tsv, .mysql: true
        case .csv: isFound && delimiter == .bar
        case .copy, .jsonLines: false
        }
    }

    /// The length of the beginning that is looked at, in bytes.
    static let sampleBytes = 1 << 20

    /// Looks at the beginning of a source.
    ///
    /// - Parameters:
    ///   - sample: the first bytes.
    ///   - isWhole: whether they are all there are.
    ///   - table: the wanted columns, by which the delimiter is found.
    init(_ choice: DialectChoice, sample: Span<UInt8>, isWhole: Bool, source: String, table: ColumnTable) {
        hasByteOrderMark = sample.startsWithByteOrderMark
        let text = sample.extracting((hasByteOrderMark ? 3 : 0)..<sample.count)
        nullWord = choice.nullWord ?? (choice.format == .mysql ? "NULL" : nil)
        lineEnd = Self.lineEnd(text)
        // Only the name tells an empty file of JSON Lines from one without a header.
        let isJSON = RecordFormat(fileName: source) == .jsonLines || text.firstAfterBlanks == UInt8(ascii: "{")
        format = choice.format ?? (isJSON ? .jsonLines : .csv)
        delimiter = choice.delimiter ?? (format == .tsv || format == .copy ? .tab : .comma)
        guard format != .jsonLines else { return }
        if choice.delimiter == nil, format == .csv || format == .mysql {
            isFound = true
            delimiter = Self.delimiter(text, isWhole: isWhole, usual: format == .mysql ? .tab : .comma, table)
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

    /// The delimiter by which most wanted columns are found in the header; of equal ones that with most names, and the
    /// usual one first.
    private static func delimiter(
        _ text: Span<UInt8>, isWhole: Bool, usual: RecordDelimiter, _ table: ColumnTable
    ) -> RecordDelimiter {
        // With the usual one a header may be bad: then only one by which a wanted column is found is better.
        var best = (delimiter: usual, known: 0, names: Int.max)
        for candidate in [usual] + RecordDelimiter.allCases.filter({ $0 != usual }) {
            guard let names = headerNames(text, isWhole: isWhole, candidate) else { continue }
            let (known, count) = (table.knownCount(names), names.count)
            if candidate == usual || (known, count) > (best.known, best.names) { best = (candidate, known, count) }
        }
        return best.delimiter
    }

    /// The names in the first line that is not empty; nil if it is none of names with a delimiter between them.
    private static func headerNames(_ text: Span<UInt8>, isWhole: Bool, _ delimiter: RecordDelimiter) -> [String]? {
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
    /// Whether fields that begin with a quote are quoted; nil if none begins with one.
    ///
    /// A header with quoted names decides. A quoted field speaks for it if it would be cut or changed without quotes, or
    /// if its record has nothing else. A field that begins with a quote and is not quoted speaks against it, as does one that
    /// would swallow lines which are records by themselves.
    ///
    /// - Parameter fieldCount: how many fields a record has; nil if the text begins with the header.
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

    /// How many bytes may be scanned in vain: stray quotes must not make a look at the text take long.
    private static let failedBytesLimit = 8 << 20

    /// Whether a record that can be read with quotes would be another one without them.
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

    /// Whether every line of a record that quotes stretch over several lines has as many fields as the record.
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
    /// What it is, and why it is taken for that.
    public var description: String {
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

    /// Whether something of it could be mistaken, and is worth a look.
    public var isUnusual: Bool {
        mustShowQuotes && hasQuotes != nil || hasEscapes || nullWord != nil || lineEnd == .twoCarriageReturns
    }
}
