/// The bytes of a source that were read and whose records were not.
///
/// Memory: 256 KiB, and twice as much as was ever unread at once.
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
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end...])
                let count = try unsafe source(room)
                precondition(count >= 0 && count <= room.count, "a source of records wrote beyond its memory")
                return count
            }
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

    /// Makes one quote of each doubled quote in a range, and returns the end of the shortened range.
    mutating func joinDoubledQuotes(from: Int, to: Int) -> Int {
        var write = from
        var read = from
        while read < to {
            bytes[write] = bytes[read]
            read += bytes[read] == Byte.quote ? 2 : 1
            write += 1
        }
        return write
    }
}

extension InputBuffer {
    /// Skips a byte order mark, and finds out the format if it is not given.
    ///
    /// - Throws: `RecordError.Code.foreign` for what is no text of records, with what makes it one.
    mutating func prepare(format: RecordFormat?, source: String) throws(RecordError) -> RecordFormat {
        // Enough for the first line of nearly all files, which need not be complete.
        do {
            while unreadCount < 4096, !isAtEnd { try readMore() }
        } catch  where unreadCount > 0 {
            // The records before the failure are read; then it is met again.
        } catch {
            throw RecordError(code: .readFailed, source: source, line: 1, message: "reading failed: \(error)")
        }
        let content = beginning(ofSource: source)
        if let foreign = content.foreign {
            throw RecordError(code: .foreign, source: source, line: 1, message: foreign.message(source: source))
        }
        if content.hasByteOrderMark { start += 3 }
        return format ?? content.format
    }

    /// What the first bytes tell, and the name of the source.
    private func beginning(ofSource source: String)
        -> (foreign: ForeignContent?, format: RecordFormat, hasByteOrderMark: Bool)
    {
        let first = bytes.span.extracting(start..<min(end, start + 4096))
        // Only the name tells an empty file of JSON Lines from one without a header.
        let isJSONLines = RecordFormat(fileName: source) == .jsonLines
        return (
            ForeignContent(firstBytes: first), isJSONLines ? .jsonLines : RecordFormat(firstBytes: first),
            first.startsWithByteOrderMark
        )
    }
}
