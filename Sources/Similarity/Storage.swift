import Glibc

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
    private let block: UnsafeMutableRawPointer

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
        unsafe self.block = block
        let aligned = unsafe block.alignedUp(toMultipleOf: Self.alignment)
        unsafe aligned.advanced(by: bytes).initializeMemory(as: UInt8.self, repeating: 0, count: Self.slack)
        unsafe base = aligned.bindMemory(to: Element.self, capacity: count)
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
