import Glibc
import Model

/// Memory that threads fill in parallel, each its own part, and then only read.
///
/// Aligned to a cache line and followed by `slack` bytes of 0, so that reading ahead may go beyond the end. It is not
/// an `Array`, which cannot be aligned, nor be filled by several threads. Subscripts check bounds; `base` is for the
/// kernels and the loops around them.
@safe
final class Storage<Element: BitwiseCopyable>: @unchecked Sendable {
    static var alignment: Int { 64 }
    static var slack: Int { 256 }
    let count: Int
    let base: UnsafeMutablePointer<Element>
    /// What is freed at the end; nil for a mapped file.
    private let block: UnsafeMutableRawPointer?
    /// The file that the elements are in, which nobody writes; nil for memory of its own.
    private let region: ByteRegion?

    /// Elements without a value.
    convenience init(uninitialized count: Int) { unsafe self.init(count) { unsafe malloc($0) } }

    /// Elements whose bytes are 0; the memory of large ones is only taken when it is touched.
    convenience init(zeroed count: Int) { unsafe self.init(count) { unsafe calloc(1, $0) } }

    private init(_ count: Int, allocate: (Int) -> UnsafeMutableRawPointer?) {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        precondition(!overflow)
        guard let block = unsafe allocate(Self.alignment + bytes + Self.slack) else {
            fatalError("out of memory: \(bytes) bytes")
        }
        self.count = count
        region = nil
        unsafe self.block = block
        let aligned = unsafe block.alignedUp(toMultipleOf: Self.alignment)
        unsafe aligned.advanced(by: bytes).initializeMemory(as: UInt8.self, repeating: 0, count: Self.slack)
        unsafe base = aligned.bindMemory(to: Element.self, capacity: count)
    }

    /// The elements of a file, which are only read; the file must have them, at a multiple of the alignment, and the
    /// slack behind them.
    init(_ region: ByteRegion, at offset: Int, count: Int) {
        precondition(offset % Self.alignment == 0)
        self.count = count
        self.region = region
        unsafe block = nil
        let byteCount = count * MemoryLayout<Element>.stride
        unsafe base = unsafe region.withBytes(offset..<offset + byteCount + Self.slack) { bytes in
            guard let start = bytes.baseAddress else { preconditionFailure("slack is never empty") }
            return unsafe UnsafeMutableRawPointer(mutating: start).bindMemory(to: Element.self, capacity: count)
        }
    }

    /// Calls `body` with the bytes of all elements.
    func withBytes<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
        let bytes = unsafe UnsafeRawBufferPointer(start: base, count: count * MemoryLayout<Element>.stride)
        try unsafe body(bytes.bytes)
    }

    /// An element; the bounds are checked.
    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of bounds")
            return unsafe base[index]
        }
        set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of bounds")
            unsafe base[index] = newValue
        }
    }

    /// Sets the first elements.
    func fill(_ value: Element, count: Int) {
        precondition(count >= 0 && count <= self.count, "index out of bounds")
        unsafe base.update(repeating: value, count: count)
    }

    deinit { unsafe free(block) }
}
