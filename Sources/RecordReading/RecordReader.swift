/// Reads records from CSV, TSV or JSON Lines as a stream, in constant memory, and skips bad ones.
///
/// How the source is written, its `dialect`, is found by a look at its first megabyte, as far as it was not said.
///
/// In every format: a UTF-8 byte order mark at the start is skipped; a line ends with LF, CR LF or CR CR LF, the last
/// one also with the source; empty lines are skipped; a record with a NUL byte, with bytes that are not UTF-8 or of more
/// than `maximumRecordBytes` is rejected. A record with the wrong number of fields is rejected as a whole, with all its
/// lines. Of a record whose quotes are wrong, or that is too long, only the first line is rejected, and reading goes on
/// at the next line, so that one stray quote does not swallow a file. A header that comes again, as in files that were
/// put together, is passed over and counted; one with another order of columns holds from there on.
///
/// In JSON Lines, numbers, `true` and `false` become their text, arrays of texts are joined with `;` in columns that are
/// lists, null is an absent field, and of a repeated key the first value counts. A record with anything else in a
/// required column is rejected. In other columns it makes the field absent, and is one of the `faults`. The values of
/// columns that are not wanted do not matter.
///
///     var reader = try RecordReader(DialectChoice(format: .tsv), columns: [RecordColumn("user"), RecordColumn("group")],
///                                   source: "memberships.tsv", read: file.read)
///     while true {
///         switch try reader.next() {
///         case .record: reader.withField(0) { user in … }
///         case .rejected(let rejected): report(rejected)
///         case .end: return
///         }
///     }
public struct RecordReader: ~Copyable {
    // No property has a default value: with one, the compiler (6.3) complains that the throwing init may leave the
    // value partly initialized.

    /// How the source is written.
    public internal(set) var dialect: Dialect {
        didSet { rules = ScanRules(dialect) }
    }
    /// The dialect as the scan of a record needs it.
    var rules: ScanRules
    /// The name of the source, for messages.
    public let source: String
    /// How long a record may be in bytes, without its line feed, inclusive.
    public let maximumRecordBytes: Int
    /// The first line of the current or just rejected record, from 1.
    public internal(set) var line: Int

    @usableFromInline var input: InputBuffer
    /// The fields of the current record, in the order of the header; in JSON Lines, of the columns.
    @usableFromInline var bounds: [FieldBounds]
    /// The index in `bounds` of each column, or -1.
    @usableFromInline var fieldOfColumn: [Int]
    /// The values of a JSON object, one after the other; empty in other formats.
    @usableFromInline var jsonValues: [UInt8]
    @usableFromInline let isJSON: Bool
    /// Whether `\N` is no value; with escapes, the scan has made it empty.
    @usableFromInline let readsBackslashN: Bool
    @usableFromInline let nullWord: [UInt8]
    var table: ColumnTable
    /// Values of the current record that cannot be read, in columns that it need not have.
    public internal(set) var faults: [FieldFault]
    /// How often the header came again.
    public internal(set) var repeatedHeaders: Int
    /// Records with quotes over several lines, all of which could be records by themselves.
    public internal(set) var joinedLines: JoinedLines
    /// What may be the first field of a header that comes again.
    var headerGate: HeaderGate
    /// The header as it stands in the source, without its line feed; empty in JSON Lines.
    public internal(set) var headerBytes: [UInt8]
    /// Where the current or just rejected record stands in the buffer, without its line feed.
    var recordRange: Range<Int>
    /// The record as it stands in the source, if its fields were decoded in place; else empty.
    var encodedRecord: [UInt8]
    /// Whether the record is longer than the buffer holds of it.
    var isRecordCut: Bool
    /// The line after the current record.
    var nextLine: Int
    /// Whether the rest of a line that was given up is still to be skipped.
    var isSkippingLine: Bool
    /// How many bytes were scanned for records that had too many fields and then did not end well.
    var failedScanBytes: Int

    /// Begins to read a source: reads its header.
    ///
    /// - Parameters:
    ///   - choice: what is said of the dialect; the rest is found.
    ///   - columns: the wanted columns. All accessors take an index into them.
    ///   - source: the name of the source, for messages.
    ///   - maximumRecordBytes: how long a record may be, at least 16 and at most 1 GiB.
    ///   - read: writes to the start of the memory that it is given, which has room for at least one byte, and returns
    ///     how many bytes it wrote; 0 at the end.
    /// - Throws: `RecordError` for a source without header, for a header that cannot be used, for what is no text of
    ///   records at all, and if reading fails.
    public init(
        _ choice: DialectChoice = DialectChoice(), columns: [RecordColumn], source: String,
        maximumRecordBytes: Int = 1_048_576,
        read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws(RecordError) {
        precondition((16...1 << 30).contains(maximumRecordBytes), "a record may have 16 bytes to 1 GiB")
        self = try Self.opened(
            unsafe InputBuffer(source: read), choice, columns: columns, source: source,
            maximumRecordBytes: maximumRecordBytes)
    }

    private static func opened(
        _ input: consuming InputBuffer, _ choice: DialectChoice, columns: [RecordColumn], source: String,
        maximumRecordBytes: Int
    ) throws(RecordError) -> RecordReader {
        let table = ColumnTable(columns)
        var input = input
        let dialect = try input.dialect(choice, source: source, table: table)
        var reader = RecordReader(
            input: input, dialect: dialect, table: table, source: source, maximumRecordBytes: maximumRecordBytes)
        if !reader.isJSON { try reader.readHeader() }
        return reader
    }

    private init(
        input: consuming InputBuffer, dialect: Dialect, table: ColumnTable, source: String, maximumRecordBytes: Int
    ) {
        self.input = input
        self.dialect = dialect
        rules = ScanRules(dialect)
        isJSON = dialect.format == .jsonLines
        readsBackslashN = !dialect.hasEscapes
        nullWord = Array((dialect.nullWord ?? "").utf8)
        headerBytes = []
        recordRange = 0..<0
        encodedRecord = []
        isRecordCut = false
        self.source = source
        self.maximumRecordBytes = maximumRecordBytes
        fieldOfColumn = Array(table.columns.indices)
        bounds = table.columns.map { _ in FieldBounds(start: -1, end: -1) }
        self.table = table
        faults = []
        repeatedHeaders = 0
        joinedLines = JoinedLines()
        headerGate = HeaderGate([])
        jsonValues = []
        line = 1
        nextLine = 1
        isSkippingLine = false
        failedScanBytes = 0
    }

    /// How many escapes were kept as they stand because the dialect has none.
    public var escapeCount: Int { input.escapeCount }

    /// How many bytes of the source were read as records or skipped.
    public var bytesRead: Int { input.bytesBefore + input.start }

    /// The columns of the source that were not asked for, as it writes them; at most the first hundred.
    public var unknownColumns: [String] { table.unknownNames }

    /// Whether a column of the source was not asked for.
    public var hasUnknownColumns: Bool { !table.unknownNames.isEmpty }

    /// The wanted column that a name of the source is most like; nil if it is like none that is missing.
    public func nearestMissingColumn(to name: String) -> String? { table.nearestMissing(to: name) }

    /// Reads the next record, good or bad.
    ///
    /// - Throws: `RecordError` if the source fails; the reader must not be used after that.
    public mutating func next() throws(RecordError) -> RecordEvent {
        isJSON ? try nextObject() : try nextDelimited()
    }

    /// Reads more of the source.
    mutating func readMore() throws(RecordError) { try fill(input.unreadCount + 1) }

    /// Reads ahead until so many bytes are unread, or to the end of the source.
    mutating func fill(_ byteCount: Int) throws(RecordError) {
        do {
            try input.fill(byteCount)
        } catch {
            throw RecordError(code: .readFailed, source: source, line: nextLine, message: "reading failed: \(error)")
        }
    }

    /// The part of the buffer that may hold the next record.
    var window: ScanWindow {
        let longest = input.start + maximumRecordBytes + 1
        return ScanWindow(
            start: input.start, stop: min(input.end, longest), isAtEnd: input.isAtEnd, isFull: input.end >= longest)
    }
}

extension RecordReader {
    /// Moves to the next line, past the rest of one that was given up; false at the end of the source.
    mutating func moveToNextLine() throws(RecordError) -> Bool {
        while true {
            if isSkippingLine { skipLine() }
            isRecordCut = false
            if !encodedRecord.isEmpty { encodedRecord.removeAll(keepingCapacity: true) }
            if !faults.isEmpty { faults.removeAll() }
            line = nextLine
            if input.unreadCount > 0 { return true }
            if input.isAtEnd { return false }
            try readMore()
        }
    }

    /// Skips to after the next line feed; all unread bytes if there is none.
    private mutating func skipLine() {
        guard let end = lineFeed(in: input.start..<input.end) else {
            input.start = input.end
            return
        }
        input.start = end + 1
        nextLine += 1
        isSkippingLine = false
    }

    /// Moves past a record that ends at `end`, and past the line feed there.
    mutating func stepOver(_ end: Int, innerLineFeeds: Int) {
        input.start = min(end + 1, input.end)
        nextLine = line + innerLineFeeds + 1
    }

    /// Rejects a record and skips only its first line; the window must hold that line, or be full.
    mutating func giveUpLine(_ window: ScanWindow, _ reason: RejectionReason) -> RecordEvent {
        let end = lineFeed(in: window.start..<window.stop)
        let rejected = reject(window.start..<(end ?? window.stop), reason)
        recordRange = window.start..<(end ?? window.stop)
        isRecordCut = end == nil && window.isFull
        if end == nil, window.isFull {
            isSkippingLine = true
            input.start = window.stop
        } else {
            stepOver(end ?? window.stop, innerLineFeeds: 0)
        }
        return rejected
    }

    /// Whether reading more would not add to the first line of the window.
    func isLineWhole(_ window: ScanWindow) -> Bool {
        window.isFull || window.isAtEnd || lineFeed(in: window.start..<window.stop) != nil
    }

    /// Whether the window has nothing before `end` but carriage returns.
    func isEmptyLine(_ window: ScanWindow, _ end: Int) -> Bool {
        DelimitedScan.withoutCarriageReturn(input.bytes.span, from: window.start, to: end) == window.start
    }

    /// The event for a rejected record, with an excerpt of its first line.
    func reject(_ range: Range<Int>, _ reason: RejectionReason) -> RecordEvent {
        // 201 bytes: the excerpt must know whether something follows the 200 it may show.
        let beginning = range.lowerBound..<min(range.upperBound, range.lowerBound + 201)
        let end = lineFeed(in: beginning) ?? beginning.upperBound
        let bytes = input.bytes.span
        let shown = range.lowerBound..<DelimitedScan.withoutCarriageReturn(bytes, from: range.lowerBound, to: end)
        return .rejected(RejectedRecord(line: line, reason: reason, excerpt: excerpt(of: bytes.extracting(shown))))
    }

    /// What is wrong with the bytes of a record as a text, if anything.
    func fault(in range: Range<Int>, hasNul: Bool, highBits: UInt8) -> RejectionReason? {
        if hasNul { return .nul }
        guard highBits >= 0x80 else { return nil }
        do {
            _ = try UTF8Span(validating: input.bytes.span.extracting(range))
            return nil
        } catch {
            return .notUTF8
        }
    }

    /// The first line feed of a range of the buffer.
    func lineFeed(in range: Range<Int>) -> Int? {
        let bytes = input.bytes.span
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == Byte.lineFeed { return index }
            index += 1
        }
        return nil
    }
}

extension RecordReader {
    /// How many bytes the current or just rejected record has, without the line feed; as far as it was read.
    public var recordBytes: Int { recordRange.count }

    /// The bytes of the current or just rejected record as its source writes them, without the line feed at the end; of
    /// a record of which only the first line was given up, that line.
    ///
    /// Nil if the record is longer than one may be: then its end was not kept.
    public var rawRecord: [UInt8]? {
        guard !isRecordCut else { return nil }
        return encodedRecord.isEmpty ? Array(input.bytes[recordRange]) : encodedRecord
    }
}
