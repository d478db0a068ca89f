import Basics
import Glibc

/// A buffer of bytes that were read from a source, but not yet as records.
///
/// Memory: 256 KiB, plus twice the largest number of bytes that were ever unread at once. The first megabyte is unread
/// at once, because the dialect is detected in it.
@usableFromInline
@safe
struct InputBuffer: ~Copyable {
    /// The memory; the unread bytes are `start ..< end`.
    @usableFromInline private(set) var bytes: [UInt8]
    /// The start of the unread bytes.
    ///
    /// A reader of these bytes moves it on.
    var start = 0
    /// The end of the unread bytes.
    private(set) var end = 0
    /// Whether the source has no more bytes.
    private(set) var isAtEnd = false
    /// The number of bytes of the source that came before offset 0 of the memory.
    private(set) var bytesBefore = 0
    /// The number of lines before the header that were skipped.
    private(set) var linesBefore = 0

    var countsEscapes = true
    /// The number of backslashes so far that may begin an escape other than `\N`.
    private(set) var escapeCount = 0
    private var endsInBackslash = false

    private let source: (UnsafeMutableRawBufferPointer) throws -> Int
    private static let chunkBytes = 256 << 10

    init(source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        unsafe self.source = source
        bytes = [UInt8](repeating: 0, count: Self.chunkBytes)
    }

    var unreadCount: Int { end - start }

    /// Reads at least as many bytes again as are unread, or to the end of the source.
    ///
    /// All offsets become invalid.
    ///
    /// An incomplete record is scanned again from its start. Since the unread bytes double each time, all scans
    /// together take time proportional to the record. This holds even if the source provides small pieces.
    mutating func readMore() throws {
        moveToFront()
        let wanted = end + max(1, end)
        if bytes.count < wanted + Self.chunkBytes / 2 {
            bytes.append(contentsOf: repeatElement(0, count: wanted + Self.chunkBytes - bytes.count))
        }
        while end < wanted, !isAtEnd {
            let count = try unsafe bytes.withUnsafeMutableBytes { memory in
                // Read no more than fits into a cache of the processor.
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

    /// Counts the escapes in the bytes that were just read.
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
                // `memchr` of the C library looks at many bytes at a time.
                guard next < to, let place = unsafe memchr(base + next, Int32(Byte.backslash), to - next) else {
                    return false
                }
                next = unsafe UnsafeRawPointer(place) - base + 1
            }
        }
        escapeCount += found
    }

    /// The bytes that databases write after a backslash, except `N`.
    private static let escaped = "\\\"bfnrtv0\t\n"

    /// Decodes a field in place: a doubled quote becomes one quote, and an escape becomes the byte it stands for.
    ///
    /// - Returns: The end of the shortened field.
    mutating func decode(_ field: FieldBounds) -> Int {
        var (write, read) = (field.start, field.start)
        // `\N` means "no value": the field becomes empty.
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
    /// Reads ahead until at least `byteCount` bytes are unread, or to the end of the source.
    mutating func fill(_ byteCount: Int) throws {
        while unreadCount < byteCount, !isAtEnd { try readMore() }
    }

    /// The range of the unread bytes, cut to `byteCount` bytes.
    func sample(_ byteCount: Int) -> Range<Int> { start..<min(end, start + byteCount) }

    /// Detects the dialect of a source, and skips a byte order mark and a line that names the delimiter.
    ///
    /// - Throws: `Failure` if the source is not records, and a command to convert it.
    mutating func dialect(_ choice: DialectChoice, source: String, table: ColumnTable) throws(Failure) -> Dialect {
        do {
            try fill(Dialect.sampleBytes)
        } catch  where unreadCount > 0 {
            // The records before the failure are still read; the next read meets the failure again.
        } catch {
            throw Failure.unreadable(source, line: 1, "reading failed: \(error)")
        }
        var choice = choice
        if let line = SeparatorLine(bytes.span.extracting(sample(16))) {
            start += line.byteCount
            linesBefore = 1
            choice.delimiter = choice.delimiter ?? line.delimiter
        }
        let dialect = try look(choice, source: source, table: table)
        if dialect.hasByteOrderMark { start += 3 }
        countsEscapes = dialect.format != .jsonLines && !dialect.hasEscapes
        return dialect
    }

    private func look(_ choice: DialectChoice, source: String, table: ColumnTable) throws(Failure) -> Dialect {
        let sample = bytes.span.extracting(sample(Dialect.sampleBytes))
        if let foreign = ForeignContent(firstBytes: sample) {
            throw .unreadable(source, line: 1, foreign.message(source: source))
        }
        let isWhole = isAtEnd && unreadCount == sample.count
        return Dialect(choice, sample: sample, isWhole: isWhole, source: source, table: table)
    }
}
