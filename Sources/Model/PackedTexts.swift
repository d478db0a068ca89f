/// Texts one behind another in one array of bytes.
///
/// For lists of thousands or millions of which few are ever looked at: a `String` each would take several times the
/// memory, and more time to make and to copy than all that is done with them. In a model file, `TextColumn` reads the
/// same shape in place.
public struct PackedTexts: Sendable, Equatable {
    @usableFromInline var bytes: [UInt8] = []
    /// Where each text ends.
    @usableFromInline var ends: [Int] = []

    /// No texts.
    public init() {}

    /// How many there are.
    @inlinable public var count: Int { ends.count }

    /// The bytes of all texts together.
    public var byteCount: Int { bytes.count }

    /// Roughly the memory it takes, in bytes.
    public var memoryByteCount: Int { bytes.capacity + ends.capacity * MemoryLayout<Int>.stride }

    /// Adds a text.
    ///
    /// - Parameter text: its bytes, which are UTF-8.
    @inlinable
    public mutating func append(_ text: some Collection<UInt8>) {
        bytes.append(contentsOf: text)
        ends.append(bytes.count)
    }

    /// Adds a text.
    ///
    /// - Parameter text: its bytes, which are UTF-8.
    @inlinable
    public mutating func append(_ text: Span<UInt8>) {
        unsafe text.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// Adds a text at an index from `count` on; the texts between are empty.
    public mutating func append(_ text: some Collection<UInt8>, at index: Int) {
        precondition(index >= count, "texts are added in ascending order of their indexes")
        while count < index { ends.append(bytes.count) }
        append(text)
    }

    @inlinable
    func range(at index: Int) -> Range<Int> {
        index < ends.count ? (index == 0 ? 0 : ends[index - 1])..<ends[index] : bytes.count..<bytes.count
    }

    /// The bytes of a text; none for an index from `count` on.
    @inlinable
    public func bytes(at index: Int) -> ArraySlice<UInt8> { bytes[range(at: index)] }

    /// A text; empty for an index from `count` on.
    public subscript(index: Int) -> String { String(decoding: bytes(at: index), as: UTF8.self) }

    /// Whether a text has these bytes.
    @inlinable
    public func isEqual(_ index: Int, to text: Span<UInt8>) -> Bool {
        let range = range(at: index)
        guard range.count == text.count else { return false }
        for offset in 0..<range.count {
            if bytes[range.lowerBound + offset] != text[offset] { return false }
        }
        return true
    }
}

extension PackedTexts {
    /// Asks memory for where a text begins and ends, and does not wait for it; the index must be below `count`.
    public func prefetchRange(at index: Int) {
        ends.span.prefetch(max(0, index - 1)..<index + 1)
    }

    /// Asks memory for a text, whose range was asked for before, and does not wait for it.
    public func prefetchText(at index: Int) {
        bytes.span.prefetch(range(at: index))
    }
}
