import Glibc
import Model

/// The matrix in the form that is searched: ranks, renumbered columns and blocks.
///
/// Columns of only one rank make no pair and are left out. Heavy columns are numbered by descending degree, light ones
/// in their order.
struct PreparedMatrix: Sendable {
    let ranked: RankedRows
    /// The start of each rank's columns: ranks + 1 offsets into `columns`.
    let offsets: Storage<Int>
    /// The new numbers of each rank's columns, heavy ones first.
    ///
    /// If there is only one block, these are the columns' descriptors in that block instead.
    let columns: Storage<UInt32>
    /// The end of each rank's heavy columns, behind which its light ones begin; nil if rows hold descriptors.
    let heavyEnds: Storage<Int>?
    let blocks: [Block]
    /// The degree of each heavy column, or nil if rows hold descriptors.
    let degrees: Storage<UInt32>?
    let largestDegree: UInt32
    /// Σ d² over the columns: the number of counter increments if there were no bitmaps.
    let increments: Double

    var rankCount: Int { ranked.count }
}

extension PreparedMatrix {
    /// Prepares a matrix.
    ///
    /// - Parameters:
    ///   - matrix: rows × columns.
    ///   - minimumEntries: the fewest entries with which a row counts (inclusive).
    ///   - threads: the number of threads, 1 or more.
    ///   - blockRows: the ranks of a block, rounded up to a multiple of 64; nil for a size that suits the caches.
    init(_ matrix: BinaryMatrix, minimumEntries: Int, threads: Int, blockRows: Int? = nil) {
        let ranked = RankedRows(matrix, minimumEntries: minimumEntries)
        let shapes = BlockShape.several(ranked, most: blockRows)
        let whole = BlockShape(ranks: 0..<ranked.count, bitmapMinimum: .max)
        let sweep = ColumnSweep(matrix, ranked, threads: threads)
        let survey = ColumnSurvey(sweep, blocks: shapes, whole: whole, threads: threads)
        let layout = ColumnLayout(survey, sweep, shapes: shapes, whole: whole, mayBeSingle: blockRows == nil)
        layout.fill(threads: threads)
        self.init(
            ranked: ranked, offsets: layout.offsets, columns: layout.columns, heavyEnds: layout.heavyEnds,
            blocks: layout.blocks, degrees: layout.degrees,
            largestDegree: survey.chunks.reduce(0) { max($0, $1.largestDegree) },
            increments: survey.chunks.reduce(0) { $0 + $1.increments })
    }
}

/// The number of column numbers of each kind.
struct ColumnCounts: Sendable {
    let heavy: Int
    /// The number of light column numbers, some of which are unused.
    let light: Int
}

extension BlockShape {
    /// Divides ranks into blocks: small ones for large rows and larger ones for small rows.
    ///
    /// Large rows have many entries in each block, whose bounds then stay in the first-level cache. The first block is
    /// small, because it is compared with all rows before there are thresholds.
    static func several(_ ranked: RankedRows, most: Int? = nil) -> [BlockShape] {
        var shapes: [BlockShape] = []
        let firstSmall = ((0..<ranked.count).partitioningIndex { ranked.sizes[$0] <= smallSize } + 63) / 64 * 64
        var first = 0
        while first < ranked.count {
            let usual = first == 0 || ranked.sizes[first] >= 256 ? 4096 : 16384
            // The formula has one bound for every 64 ranks; blocks must begin at multiples of 64.
            let size = most.map { min(max(1, $0 + 63) / 64 * 64, usual) } ?? usual
            let end = min(ranked.count, first + size, first < firstSmall ? firstSmall : .max)
            // A bitmap costs a few instructions for each group.
            let groups = (end - first + groupSize - 1) / groupSize
            shapes.append(BlockShape(ranks: first..<end, bitmapMinimum: max(16, 6 * groups)))
            first = end
        }
        return shapes
    }
}

/// The rows that count, largest first.
///
/// A row's *rank* is its position in this order; equal sizes are in ascending order of the row. Adjacent ranks have
/// similar bounds.
struct RankedRows: Sendable {
    let rows: Storage<UInt32>
    /// The number of entries of each rank's row: n(i) of the formulas.
    let sizes: Storage<UInt32>

    var count: Int { rows.count }
}

extension RankedRows {
    init(_ matrix: BinaryMatrix, minimumEntries: Int) {
        var keys: [UInt64] = []
        for row in 0..<matrix.rowCount where matrix.size(ofRow: row) >= minimumEntries {
            keys.append(UInt64(~UInt32(matrix.size(ofRow: row))) << 32 | UInt64(row))
        }
        keys.sort()
        self.init(rows: Storage(uninitialized: keys.count), sizes: Storage(uninitialized: keys.count))
        for (rank, key) in keys.enumerated() {
            rows[rank] = UInt32(truncatingIfNeeded: key)
            sizes[rank] = ~UInt32(truncatingIfNeeded: key >> 32)
        }
    }
}

/// Memory that several threads fill, each its own part, and that is only read afterwards.
///
/// The memory is aligned to a cache line and followed by `slack` bytes of 0. Reading ahead may therefore go beyond the
/// end. An `Array` can neither be aligned nor be filled by several threads. Subscripts check bounds; `base` is for the
/// kernels and the loops around them.
@safe
final class Storage<Element: BitwiseCopyable>: @unchecked Sendable {
    static var alignment: Int { 64 }
    static var slack: Int { 256 }
    let count: Int
    let base: UnsafeMutablePointer<Element>
    /// The allocation to free at the end, or nil for a mapped file.
    private let block: UnsafeMutableRawPointer?
    /// The file region that holds the elements, which is never written; nil if the memory is allocated.
    private let region: ByteRegion?

    /// Allocates elements without values.
    convenience init(uninitialized count: Int) { unsafe self.init(count) { unsafe malloc($0) } }

    /// Allocates elements whose bytes are 0; large ones take memory only when it is touched.
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
        // The kernels read lines all over a large storage; with small pages, most need an address translation first.
        if bytes >= 1 << 23 { unsafe madvise(block.alignedUp(toMultipleOf: 4096), bytes - 4096, MADV_HUGEPAGE) }
        unsafe aligned.advanced(by: bytes).initializeMemory(as: UInt8.self, repeating: 0, count: Self.slack)
        unsafe base = aligned.bindMemory(to: Element.self, capacity: count)
    }

    /// Uses elements of a file, which are only read.
    ///
    /// The elements must begin at a multiple of the alignment and be followed by the slack.
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

    /// The element at an index; the bounds are checked.
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

    /// Sets the first `count` elements to a value.
    func fill(_ value: Element, count: Int) {
        precondition(count >= 0 && count <= self.count, "index out of bounds")
        unsafe base.update(repeating: value, count: count)
    }

    deinit { unsafe free(block) }
}
