import Glibc

/// The bytes of a source that were read and whose records were not.
///
/// Memory: 256 KiB, and twice as much as was ever unread at once: at the beginning, a look at the first megabyte.
@usableFromInline
@safe
struct InputBuffer: ~Copyable {
    /// The memory; the unread bytes are `start ..< end`.
    @usableFromInline private(set) var bytes: [UInt8]
    /// Where the unread bytes begin; whoever reads them moves it on.
    var start = 0
    /// Where the unread bytes end.
    private(set) var end = 0
    /// Whether the source has no more.
    private(set) var isAtEnd = false
    /// How many bytes of the source were read before the one at offset 0 of the memory.
    private(set) var bytesBefore = 0

    /// Whether `escapeCount` is of use.
    var countsEscapes = true
    /// How many backslashes were read that could stand for something else with what follows them, but for `\N`.
    private(set) var escapeCount = 0
    private var endsInBackslash = false

    private let source: (UnsafeMutableRawBufferPointer) throws -> Int
    private static let chunkBytes = 256 << 10

    init(source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        unsafe self.source = source
        bytes = [UInt8](repeating: 0, count: Self.chunkBytes)
    }

    var unreadCount: Int { end - start }

    /// Reads more, at least as much again as is unread, or to the end of the source; offsets become invalid.
    ///
    /// A record that is not complete is scanned again from its start. Doubling the unread bytes each time keeps the sum
    /// of all scans proportional to the record, however small the pieces are that the source provides.
    mutating func readMore() throws {
        moveToFront()
        let wanted = end + max(1, end)
        if bytes.count < wanted + Self.chunkBytes / 2 {
            bytes.append(contentsOf: repeatElement(0, count: wanted + Self.chunkBytes - bytes.count))
        }
        while end < wanted, !isAtEnd {
            let count = try unsafe bytes.withUnsafeMutableBytes { memory in
                // No more than fits into a cache of the processor.
                let limit = min(memory.count, end + Self.chunkBytes)
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end..<limit])
                let count = try unsafe source(room)
                precondition(count >= 0 && count <= room.count, "a source of records wrote beyond its memory")
                return count
            }
            if countsEscapes { countEscapes(end..<end + count) }
            end += count
            isAtEnd = count == 0
        }
    }

    private mutating func moveToFront() {
        guard start > 0 else { return }
        let (from, to) = (start, end)
        unsafe bytes.withUnsafeMutableBytes { memory in
            unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[from..<to]))
        }
        bytesBefore += start
        end -= start
        start = 0
    }

    /// Counts the escapes in bytes that were just read.
    private mutating func countEscapes(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        var found = 0
        let (from, to, isOpen) = (range.lowerBound, range.upperBound, endsInBackslash)
        var next = isOpen ? from : from - 1
        endsInBackslash = unsafe bytes.withUnsafeBytes { memory in
            guard let base = memory.baseAddress else { return false }
            while true {
                if next >= from {
                    if next == to { return true }
                    if unsafe Self.escaped.utf8.contains(memory[next]) { found += 1 }
                }
                next += 1
                // The C library looks at many bytes at a time.
                guard next < to, let place = unsafe memchr(base + next, Int32(Byte.backslash), to - next) else {
                    return false
                }
                next = unsafe UnsafeRawPointer(place) - base + 1
            }
        }
        escapeCount += found
    }

    /// What databases write behind a backslash, but for `N`.
    private static let escaped = "\\\"bfnrtv0\t\n"

    /// Makes one quote of each doubled quote in a field, and what an escape stands for of each escape.
    ///
    /// - Returns: the end of the shortened field.
    mutating func decode(_ field: FieldBounds) -> Int {
        var (write, read) = (field.start, field.start)
        // Nothing of a text is `\N` but of no value.
        if field.hasEscapes, field.end - read == 2, bytes[read + 1] == UInt8(ascii: "N") { return read }
        while read < field.end {
            if field.hasEscapes, bytes[read] == Byte.backslash, read + 1 < field.end {
                bytes[write] = Self.meaning(ofEscaped: bytes[read + 1])
                read += 2
            } else {
                bytes[write] = bytes[read]
                read += field.hasDoubledQuotes && bytes[read] == Byte.quote ? 2 : 1
            }
            write += 1
        }
        return write
    }

    private static func meaning(ofEscaped byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "t"): Byte.tab
        case UInt8(ascii: "n"): Byte.lineFeed
        case UInt8(ascii: "v"): 11
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "r"): Byte.carriageReturn
        case UInt8(ascii: "0"): Byte.nul
        default: byte
        }
    }
}

extension InputBuffer {
    /// Reads ahead until so many bytes are unread, or to the end of the source.
    mutating func fill(_ byteCount: Int) throws {
        while unreadCount < byteCount, !isAtEnd { try readMore() }
    }

    /// The unread bytes, at most so many.
    func sample(_ byteCount: Int) -> Range<Int> { start..<min(end, start + byteCount) }

    /// Looks at the beginning of a source, and skips a byte order mark.
    ///
    /// - Throws: `RecordError.Code.foreign` for what is no text of records, with what makes it one.
    mutating func dialect(_ choice: DialectChoice, source: String, table: ColumnTable) throws(RecordError) -> Dialect {
        do {
            try fill(Dialect.sampleBytes)
        } catch  where unreadCount > 0 {
            // The records before the failure are read; then it is met again.
        } catch {
            throw RecordError(code: .readFailed, source: source, line: 1, message: "reading failed: \(error)")
        }
        let dialect = try look(choice, source: source, table: table)
        if dialect.hasByteOrderMark { start += 3 }
        countsEscapes = dialect.format != .jsonLines && !dialect.hasEscapes
        return dialect
    }

    private func look(_ choice: DialectChoice, source: String, table: ColumnTable) throws(RecordError) -> Dialect {
        let sample = bytes.span.extracting(sample(Dialect.sampleBytes))
        if let foreign = ForeignContent(firstBytes: sample) {
            throw RecordError(code: .foreign, source: source, line: 1, message: foreign.message(source: source))
        }
        let isWhole = isAtEnd && unreadCount == sample.count
        return Dialect(choice, sample: sample, isWhole: isWhole, source: source, table: table)
    }
}
