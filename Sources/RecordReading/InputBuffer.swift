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
