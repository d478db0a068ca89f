package import Basics

/// A stream of records from CSV, TSV or JSON Lines, read in constant memory; bad records are skipped.
///
/// The parts of the `dialect` that the caller did not give are detected in the first megabyte.
///
/// In every format:
///
/// - A UTF-8 byte order mark at the start is skipped.
/// - A line ends with LF, CR LF or CR CR LF. The last line may also end with the source.
/// - Empty lines are skipped.
/// - A record is rejected if it has a NUL byte, bytes that are not UTF-8, or more than `maximumRecordBytes` bytes.
///
/// In delimited text:
///
/// - A first line such as `sep=;` names the delimiter.
/// - A record with the wrong number of fields is rejected as a whole, with all its lines.
/// - If a record has malformed quotes or is too long, only its first line is rejected. Reading goes on at the next
///   line, so one stray quote does not swallow a file.
/// - A repeated header, as in concatenated files, is skipped and counted. Its order of columns holds from there on.
/// - A line `\.` ends the data, as COPY writes it. A source with more lines after it is refused.
/// - A source with a line of a page, or an error of the program that wrote it, is refused at that line.
///
/// In JSON Lines:
///
/// - Numbers, `true` and `false` become their text. Null is an absent field.
/// - An array of texts is joined with `;` if its column is a list.
/// - An object such as `{"$oid": "…"}` or `{"$date": "…"}`, as MongoDB writes it, is its value.
/// - A record with two keys for one wanted column is rejected: programs differ in which of them counts.
/// - A record with any other value in a required column is rejected. In other columns, such a value makes the field
///   absent and is listed in `faults`.
/// - The values of columns that are not wanted do not matter.
///
///     let columns = [RecordColumn("user"), RecordColumn("group")]
///     var reader = try RecordReader(
///         DialectChoice(format: .tsv), columns: columns, source: "memberships.tsv", read: file.read)
///     while true {
///         switch try reader.next() {
///         case .record: reader.withField(0) { user in … }
///         case .rejected(let rejected): report(rejected)
///         case .end: return
///         }
///     }
package struct RecordReader: ~Copyable {
    // No property has a default value: with one, the compiler (6.3) complains that the throwing init may leave the
    // value partly initialized.

    /// The dialect of the source.
    package internal(set) var dialect: Dialect {
        didSet { rules = ScanRules(dialect) }
    }
    /// The dialect in the form that the scan of a record needs.
    var rules: ScanRules
    /// The name of the source, for messages.
    package let source: String
    /// The maximum length of a record in bytes, inclusive, without its line feed.
    package let maximumRecordBytes: Int
    /// The first line of the current or just rejected record, counted from 1.
    package internal(set) var line: Int

    @usableFromInline var input: InputBuffer
    /// The fields of the current record, in the order of the header; in JSON Lines, in the order of the columns.
    @usableFromInline var bounds: [FieldBounds]
    /// The index in `bounds` of each wanted column, or -1.
    @usableFromInline var fieldOfColumn: [Int]
    /// The values of a JSON object, concatenated; empty in other formats.
    @usableFromInline var jsonValues: [UInt8]
    @usableFromInline let isJSON: Bool
    /// Whether `\N` means "no value".
    ///
    /// In a dialect with escapes, the decoder has already emptied such a field.
    @usableFromInline let readsBackslashN: Bool
    @usableFromInline let nullWord: [UInt8]
    var table: ColumnTable
    /// The unreadable values of the current record, all in columns that are not required.
    package internal(set) var faults: [FieldFault]
    /// The number of repeated headers so far.
    package internal(set) var repeatedHeaders: Int
    /// The records whose quotes span several lines, where every line could be a record by itself.
    package internal(set) var joinedLines: JoinedLines
    /// A quick check for the first field of a repeated header.
    var headerGate: HeaderGate
    /// The header as the source writes it, without its line feed; empty in JSON Lines.
    package internal(set) var headerBytes: [UInt8]
    /// The place of the current or just rejected record in the buffer, without its line feed.
    var recordRange: Range<Int>
    /// The record as the source writes it, if its fields were decoded in place; otherwise empty.
    var encodedRecord: [UInt8]
    /// Whether the buffer holds only a part of the record.
    var isRecordCut: Bool
    /// The line after the current record.
    var nextLine: Int
    /// Whether the rest of an abandoned line is still to be skipped.
    var isSkippingLine: Bool
    /// The line of the last record if that ends with the source, without a line feed; otherwise 0.
    package internal(set) var unendedLine: Int
    /// The number of bytes scanned for records that had too many fields and then failed.
    var failedScanBytes: Int
    /// The line of the mark that ends the data of COPY, or 0 before it.
    var endMarkLine: Int

    /// Opens a source and reads its header.
    ///
    /// - Parameters:
    ///   - choice: The known parts of the dialect; the rest is detected.
    ///   - columns: The wanted columns. All accessors take an index into them.
    ///   - source: The name of the source, for messages.
    ///   - maximumRecordBytes: The maximum length of a record in bytes, at least 16 and at most 1 GiB.
    ///   - read: Writes bytes to the start of the given memory, which has room for at least one. Returns the number of
    ///     bytes written, or 0 at the end.
    /// - Throws: `Failure` if there is no header, if the header is unusable, if the source is not records, or if
    ///   reading fails.
    package init(
        _ choice: DialectChoice = DialectChoice(), columns: [RecordColumn], source: String,
        maximumRecordBytes: Int = 1_048_576,
        read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws(Failure) {
        precondition((16...1 << 30).contains(maximumRecordBytes), "a record may have 16 bytes to 1 GiB")
        self = try Self.opened(
            unsafe InputBuffer(source: read), choice, columns: columns, source: source,
            maximumRecordBytes: maximumRecordBytes)
    }

    private static func opened(
        _ input: consuming InputBuffer, _ choice: DialectChoice, columns: [RecordColumn], source: String,
        maximumRecordBytes: Int
    ) throws(Failure) -> RecordReader {
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
        let firstLine = 1 + input.linesBefore
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
        line = firstLine
        nextLine = firstLine
        isSkippingLine = false
        unendedLine = 0
        failedScanBytes = 0
        endMarkLine = 0
    }

    /// The number of escapes that were kept unchanged because the dialect has none.
    package var escapeCount: Int { input.escapeCount }

    /// The number of bytes of the source that were read as records or skipped.
    package var bytesRead: Int { input.bytesBefore + input.start }

    /// The columns of the source that are not wanted, as the source writes them; at most the first hundred.
    package var unknownColumns: [String] { table.unknownNames }

    /// Whether the source has a column that is not wanted.
    package var hasUnknownColumns: Bool { !table.unknownNames.isEmpty }

    /// Whether the source lacks a wanted column; in JSON Lines, so far.
    package func isMissing(_ column: Int) -> Bool { !table.isPresent[column] }

    /// Returns the missing wanted column with the name nearest to `name`, or nil if none is near.
    package func nearestMissingColumn(to name: String) -> String? { table.nearestMissing(to: name) }

    /// Whether the name of an unknown column is nearly that of a wanted one.
    package func isNear(_ name: String, _ column: Int) -> Bool { table.isNear(name, column) }

    /// Reads the next record, good or bad.
    ///
    /// - Throws: `Failure` if the source fails. The reader must not be used after that.
    package mutating func next() throws(Failure) -> RecordEvent {
        isJSON ? try nextObject() : try nextDelimited()
    }

    mutating func readMore() throws(Failure) { try fill(input.unreadCount + 1) }

    /// Reads ahead until at least `byteCount` bytes are unread, or to the end of the source.
    mutating func fill(_ byteCount: Int) throws(Failure) {
        do {
            try input.fill(byteCount)
        } catch {
            throw Failure.unreadable(source, line: nextLine, "reading failed: \(error)")
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
    /// Moves to the next line, past the rest of an abandoned one; returns false at the end of the source.
    mutating func moveToNextLine() throws(Failure) -> Bool {
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

    /// Skips to the byte after the next line feed, or skips all unread bytes if there is none.
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
        unendedLine = end >= input.end ? line : 0
        input.start = min(end + 1, input.end)
        nextLine = line + innerLineFeeds + 1
    }

    /// Rejects a record, but skips only its first line.
    ///
    /// The window must hold that line, or be full.
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

    /// Whether the window holds its first line as far as it will ever do.
    func isLineWhole(_ window: ScanWindow) -> Bool {
        window.isFull || window.isAtEnd || lineFeed(in: window.start..<window.stop) != nil
    }

    /// Whether the window has nothing but carriage returns before `end`.
    func isEmptyLine(_ window: ScanWindow, _ end: Int) -> Bool {
        DelimitedScan.withoutCarriageReturn(input.bytes.span, from: window.start, to: end) == window.start
    }

    /// Returns the event for a rejected record, with an excerpt of its first line.
    func reject(_ range: Range<Int>, _ reason: RejectionReason) -> RecordEvent {
        // One byte more than the excerpt's 200 shows whether the excerpt must be cut.
        let beginning = range.lowerBound..<min(range.upperBound, range.lowerBound + 201)
        let end = lineFeed(in: beginning) ?? beginning.upperBound
        let bytes = input.bytes.span
        let shown = range.lowerBound..<DelimitedScan.withoutCarriageReturn(bytes, from: range.lowerBound, to: end)
        return .rejected(RejectedRecord(line: line, reason: reason, excerpt: excerpt(of: bytes.extracting(shown))))
    }

    /// Returns the reason why the bytes of a record are not a valid text, if they are not.
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

    /// Returns the offset of the first line feed in a range of the buffer.
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
    /// The number of bytes of the current or just rejected record that were read, without the line feed.
    package var recordBytes: Int { recordRange.count }

    /// The reason why the source seems to be cut off, once all of it is read; nil if it does not seem to be.
    ///
    /// Many whole files lack the last line feed. Few of them also have one of these properties.
    package var cutReason: String? {
        guard unendedLine > 0 else { return nil }
        if dialect.hasEscapes { return "a program that writes escapes ends every line" }
        if dialect.lineEnd != .lineFeed, input.bytes[input.end - 1] == Byte.carriageReturn {
            return "half a line end is there"
        }
        // Programs write blocks. One that is stopped, or whose disk is full, leaves whole blocks.
        return bytesRead % Self.blockBytes == 0 ? "its length is that of whole blocks of 4,096 bytes" : nil
    }

    static var blockBytes: Int { 4096 }

    /// Returns the likely text of a column in the record that was just rejected, or nil if it is not found.
    ///
    /// The record is read as far as the column, whatever is wrong with it. Bytes that are not UTF-8 become U+FFFD.
    package func likelyText(ofRejected column: Int) -> String? {
        let bytes = encodedRecord.isEmpty ? input.bytes[recordRange] : encodedRecord[...]
        guard isJSON else {
            return fieldOfColumn[column] < 0 ? nil : likelyField(fieldOfColumn[column], of: bytes)
        }
        return likelyValue(of: table.columns[column].wantedName, in: bytes)
    }

    private func likelyField(_ number: Int, of bytes: ArraySlice<UInt8>) -> String? {
        var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
        for field in 0...number {
            var isQuoted = false
            if dialect.hasQuotes == true, rest.first == Byte.quote {
                rest = rest.dropFirst()
                isQuoted = true
            }
            let end = isQuoted ? rest.firstIndex(of: Byte.quote) : rest.firstIndex(of: dialect.delimiter.byte)
            guard field == number || end != nil else { return nil }
            let text = rest[..<(end ?? rest.endIndex)]
            if field == number {
                return String(decoding: text.prefix { $0 != Byte.lineFeed && $0 != Byte.carriageReturn }, as: UTF8.self)
            }
            rest = rest[(end ?? rest.endIndex)...].dropFirst()
            if isQuoted, rest.first == dialect.delimiter.byte { rest = rest.dropFirst() }
        }
        return nil
    }

    /// Returns the text or number behind the first key with a name; nil if there is none, or if it has escapes.
    private func likelyValue(of name: String, in bytes: ArraySlice<UInt8>) -> String? {
        let key = Array("\"\(name.lowercased())\"".utf8)
        var rest = bytes
        while let start = rest.firstIndex(of: Byte.quote) {
            rest = rest[start...]
            guard rest.prefix(key.count).elementsEqual(key, by: { $0 == $1 || $0 | 0x20 == $1 }) else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(key.count).drop { Byte.isBlank($0) }
            guard rest.first == UInt8(ascii: ":") else { continue }
            rest = rest.dropFirst().drop { Byte.isBlank($0) }
            let isText = rest.first == Byte.quote
            let value =
                isText
                ? rest.dropFirst().prefix { $0 != Byte.quote }
                : rest.prefix { $0 != Byte.comma && $0 != UInt8(ascii: "}") && !Byte.isBlank($0) }
            return value.contains(Byte.backslash) ? nil : String(decoding: value, as: UTF8.self)
        }
        return nil
    }

    /// The bytes of the current or just rejected record as the source writes them, without the last line feed.
    ///
    /// If only the record's first line was given up, these are the bytes of that line. `nil` if the record is too long,
    /// because its end was not kept.
    package var rawRecord: [UInt8]? {
        guard !isRecordCut else { return nil }
        return encodedRecord.isEmpty ? Array(input.bytes[recordRange]) : encodedRecord
    }
}
