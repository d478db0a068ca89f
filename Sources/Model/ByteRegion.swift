package import Basics
public import CPrefetch
import Glibc

/// Read-only bytes at a fixed address: a mapped file, or a copy in memory.
///
/// The address is valid as long as the region lives. All reads check the bounds, in debug and release builds. Numbers
/// are little-endian, as on every platform that Swift on Linux runs on.
@safe
package final class ByteRegion: @unchecked Sendable {
    // The bytes are never written after `init` and are freed only in `deinit`. Sharing them between threads is
    // therefore safe.
    private let bytes: UnsafeRawBufferPointer
    private let release: @Sendable (UnsafeRawBufferPointer) -> Void

    /// Takes ownership of bytes that are no longer written; `release` is called once with them, in `deinit`.
    package init(adopting bytes: UnsafeRawBufferPointer, release: @escaping @Sendable (UnsafeRawBufferPointer) -> Void)
    {
        unsafe self.bytes = unsafe bytes
        unsafe self.release = unsafe release
    }

    /// Copies bytes into memory that the region owns.
    package convenience init(copying source: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 64)
        unsafe copy.copyBytes(from: source)
        unsafe self.init(adopting: UnsafeRawBufferPointer(copy)) { unsafe $0.deallocate() }
    }

    /// Returns the first bytes of a file, mapped read-only.
    ///
    /// The mapping stays valid after the file is closed and its name removed. Only files that do not change any more
    /// are mapped. If a mapped file is truncated all the same, reading it ends the process.
    ///
    /// - Parameters:
    ///   - count: the number of bytes, or nil for the whole file, which must not be empty.
    ///   - isOwn: whether to map a private copy without a name, which takes as much space as the file. Without that
    ///     space, the file itself is mapped.
    package static func mapping(
        _ file: borrowing OpenFile, count: Int? = nil, isOwn: Bool = false
    ) throws(Failure) -> ByteRegion {
        let byteCount = if let count { count } else { try file.byteCount() }
        guard byteCount > 0 else { throw Failure(.corrupt, "\(file.path) is empty") }
        if isOwn, let copy = try? file.copyWithoutName(byteCount: byteCount) {
            return try mapping(copy, count: byteCount)
        }
        let address = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, file.descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw .system(file.unreadable, "map", file.path)
        }
        return unsafe ByteRegion(adopting: UnsafeRawBufferPointer(start: address, count: byteCount)) { bytes in
            unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
        }
    }

    deinit { unsafe release(bytes) }

    /// The number of bytes.
    package var count: Int { unsafe bytes.count }

    /// Returns the value of `type` whose first byte is at `offset`.
    @inline(__always)
    package func load<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
        // `loadUnaligned` checks the bounds in debug builds only.
        precondition(
            offset >= 0 && offset <= count - MemoryLayout<Value>.size, "no value at byte \(offset) of \(count)")
        return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// Prefetches the bytes of a range without waiting for them; the range must lie within the region.
    func prefetch(_ range: Range<Int>) {
        unsafe withBytes(range) { unsafe coterie_prefetch($0.baseAddress, $0.count) }
    }

    /// Calls `body` with the bytes of a range, which must lie within the region.
    package func withBytes<Result, Failure: Error>(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no bytes \(range) of \(count)")
        return try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
}

extension ByteRegion {
    /// Calls `body` with the neighbours in a range of bytes.
    ///
    /// Neighbour lists begin at a multiple of 4 bytes: sections begin at a multiple of 64, and each offset takes 8.
    @inline(__always)
    func withNeighbours<Result>(_ range: Range<Int>, _ body: (Span<Neighbour>) -> Result) -> Result {
        unsafe withBytes(range) { bytes in
            let neighbours = unsafe bytes.bindMemory(to: Neighbour.self)
            return unsafe body(neighbours.span)
        }
    }
}

extension Span where Element: BitwiseCopyable {
    /// Prefetches an element that will be read soon, without waiting for it.
    @inlinable @inline(__always)
    package func prefetch(_ index: Int) { prefetch(index..<index + 1) }

    /// Prefetches elements that will be read soon, without waiting for them.
    ///
    /// - Parameter range: a range of indexes; prefetching outside the span has no effect.
    @inlinable @inline(__always)
    package func prefetch(_ range: Range<Int>) {
        unsafe withUnsafeBufferPointer { elements in
            guard let start = elements.baseAddress else { return }
            unsafe coterie_prefetch(start + range.lowerBound, range.count * MemoryLayout<Element>.stride)
        }
    }
}

extension MutableSpan where Element: BitwiseCopyable {
    /// Prefetches an element that will be read soon, without waiting for it.
    @inlinable @inline(__always)
    package func prefetch(_ index: Int) { span.prefetch(index) }
}

/// A string that is compared by its UTF-8 bytes, as ids are.
///
/// Swift's `String` treats canonically equivalent spellings as equal.
package struct BytewiseString: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Whether two strings have the same UTF-8 bytes.
    package static func == (one: BytewiseString, other: BytewiseString) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    /// Hashes the bytes and then 255, which occurs in no UTF-8 text and so marks the end.
    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8.max)
    }
}

extension String {
    /// Whether two strings have the same UTF-8 bytes, which is when two ids are the same.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
