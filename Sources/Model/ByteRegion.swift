public import CPrefetch

/// Read-only bytes that stay where they are while the region lives: a mapped file, or a copy in memory.
///
/// All reads are checked against the bounds, in programs of every build. Numbers are little-endian, as on every
/// platform that Swift on Linux runs on.
@safe
public final class ByteRegion: @unchecked Sendable {
    // Never written after init, and freed only in deinit, which is why sharing it is sound.
    private let bytes: UnsafeRawBufferPointer
    private let release: @Sendable (UnsafeRawBufferPointer) -> Void

    /// Takes over bytes that nobody writes any more; `release` is called once, with the same bytes.
    public init(adopting bytes: UnsafeRawBufferPointer, release: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
        unsafe self.bytes = unsafe bytes
        unsafe self.release = unsafe release
    }

    /// Copies bytes into memory of its own.
    public convenience init(copying source: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 64)
        unsafe copy.copyBytes(from: source)
        unsafe self.init(adopting: UnsafeRawBufferPointer(copy)) { unsafe $0.deallocate() }
    }

    deinit { unsafe release(bytes) }

    /// How many bytes there are.
    public var count: Int { unsafe bytes.count }

    /// The value of `type` whose first byte is at `offset`.
    @inline(__always)
    func load<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
        // The buffer itself checks in debug builds only.
        precondition(
            offset >= 0 && offset <= count - MemoryLayout<Value>.size, "no value at byte \(offset) of \(count)")
        return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// Asks for the bytes of a range, which must lie within the region, and does not wait for them.
    func prefetch(_ range: Range<Int>) {
        unsafe withBytes(range) { unsafe coterie_prefetch($0.baseAddress, $0.count) }
    }

    /// Calls `body` with the bytes of a range, which must lie within the region.
    public func withBytes<Result, Failure: Error>(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no bytes \(range) of \(count)")
        return try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
}

extension ByteRegion {
    /// Calls `body` with the neighbours that a range holds.
    ///
    /// Lists begin at a multiple of 4 bytes: sections begin at one of 64, and offsets take 8 each.
    @inline(__always)
    func withNeighbours<Result>(_ range: Range<Int>, _ body: (Span<Neighbour>) -> Result) -> Result {
        unsafe withBytes(range) { bytes in
            let neighbours = unsafe bytes.bindMemory(to: Neighbour.self)
            return unsafe body(neighbours.span)
        }
    }
}

extension Span where Element: BitwiseCopyable {
    /// Asks memory for an element that will be read soon, and does not wait for it.
    @inlinable @inline(__always)
    public func prefetch(_ index: Int) { prefetch(index..<index + 1) }

    /// Asks memory for elements that will be read soon, and does not wait for them.
    ///
    /// - Parameter range: of indexes; what lies outside the span is asked for in vain.
    @inlinable @inline(__always)
    public func prefetch(_ range: Range<Int>) {
        unsafe withUnsafeBufferPointer { elements in
            guard let start = elements.baseAddress else { return }
            unsafe coterie_prefetch(start + range.lowerBound, range.count * MemoryLayout<Element>.stride)
        }
    }
}

extension MutableSpan where Element: BitwiseCopyable {
    /// Asks memory for an element that will be read soon, and does not wait for it.
    @inlinable @inline(__always)
    public func prefetch(_ index: Int) { span.prefetch(index) }
}

/// A string compared by its UTF-8 bytes, as ids are: Swift's `String` takes canonically equivalent spellings for equal.
public struct BytewiseString: Hashable, Sendable {
    /// The string itself.
    public let text: String

    /// A string that is to be compared by its bytes.
    public init(_ text: String) { self.text = text }

    /// Whether both have the same UTF-8 bytes.
    public static func == (one: BytewiseString, other: BytewiseString) -> Bool { one.text.hasSameBytes(as: other.text) }

    /// Hashes the bytes, and 255, which is in no UTF-8 text, as their end.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8.max)
    }
}

extension String {
    /// Whether two strings have the same UTF-8 bytes, as ids must to be the same.
    public func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
