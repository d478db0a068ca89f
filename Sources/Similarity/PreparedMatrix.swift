import Glibc
import Model

/// The matrix in the form that is searched: ranks, renumbered columns, and blocks.
///
/// Columns of only one rank make no pair and are left out. Heavy columns are numbered by degree, largest first, light
/// ones in their order.
struct PreparedMatrix: Sendable {
    let ranked: RankedRows
    /// Where each rank's columns begin: ranks + 1 offsets into `columns`.
    let offsets: Storage<Int>
    /// Each rank's columns by their new numbers, first the heavy ones; if there is only one block, their descriptors in
    /// it instead.
    let columns: Storage<UInt32>
    /// Where each rank's heavy columns end and its light ones begin; nil when rows hold descriptors.
    let heavyEnds: Storage<Int>?
    let blocks: [Block]
    /// The degree of each heavy column; nil when rows hold descriptors.
    let degrees: Storage<UInt32>?
    let largestDegree: UInt32
    /// Σ d² over the columns: the number of increments without bitmaps.
    let increments: Double

    var rankCount: Int { ranked.count }

    /// - Parameter blockRows: the ranks of a block, rounded up to a multiple of 64; nil for what suits the caches.
    init(
        _ matrix: BinaryMatrix, minimumEntries: Int, bitmaps: BitmapUse, threads: Int, blockRows: Int? = nil
    ) {
        let ranked = RankedRows(matrix, minimumEntries: minimumEntries)
        let shapes = BlockShape.several(ranked, bitmaps, most: blockRows)
        let whole = BlockShape(0..<ranked.count, bitmaps.forSingleBlock)
        let sweep = ColumnSweep(matrix, ranked, threads: threads)
        let survey = ColumnSurvey(sweep, blocks: shapes, whole: whole, threads: threads)
        let layout = ColumnLayout(survey, sweep, shapes: shapes, whole: whole, mayBeSingle: blockRows == nil)
        layout.fill(threads: threads)
        self.ranked = ranked
        offsets = layout.offsets
        columns = layout.columns
        heavyEnds = layout.heavyEnds
        blocks = layout.blocks
        degrees = layout.degrees
        largestDegree = survey.chunks.reduce(0) { max($0, $1.largestDegree) }
        increments = survey.chunks.reduce(0) { $0 + $1.increments }
    }

    /// A matrix that was prepared before.
    init(
        _ ranked: RankedRows, offsets: Storage<Int>, columns: Storage<UInt32>, heavyEnds: Storage<Int>?,
        blocks: [Block], degrees: Storage<UInt32>?, largestDegree: UInt32, increments: Double
    ) {
        self.ranked = ranked
        self.offsets = offsets
        self.columns = columns
        self.heavyEnds = heavyEnds
        self.blocks = blocks
        self.degrees = degrees
        self.largestDegree = largestDegree
        self.increments = increments
    }
}

/// How many numbers columns have.
struct ColumnCounts: Sendable {
    let heavy: Int
    /// Some are not used.
    let light: Int
}

/// From which density on a column of a block has a bitmap: where that is faster.
enum BitmapUse: Sendable {
    /// Adding up bits: each bitmap costs a few instructions for 512 ranks.
    case counting
    /// Adding a weight where a bit is set: each bitmap costs one instruction for as many ranks as a vector of the path
    /// holds 64-bit numbers.
    case weighing(ProcessorPath)
    /// No bitmaps.
    case none

    /// With a single block, rows hold descriptors instead of columns, and a column's weight comes from the length of
    /// its list: weighing then needs lists.
    var forSingleBlock: BitmapUse {
        if case .counting = self { self } else { .none }
    }

    /// The least number of targets for a bitmap of so many groups.
    func minimum(groups: Int) -> Int {
        switch self {
        case .counting: max(16, 6 * groups)
        case .weighing(.avx512): 32 * groups
        case .weighing(.avx2): 80 * groups
        case .weighing(.portable): 256 * groups
        case .none: .max
        }
    }
}

extension BlockShape {
    /// Small blocks for large rows, so that their wide counters stay in the first-level cache; larger blocks for small
    /// rows, which have few entries in each and need counters of only 8 bits.
    static func several(_ ranked: RankedRows, _ bitmaps: BitmapUse, most: Int? = nil) -> [BlockShape] {
        var shapes: [BlockShape] = []
        var first = 0
        while first < ranked.count {
            let usual = ranked.sizes[first] >= 256 ? 4096 : 16384
            // The formula has a bound for every 64 ranks: blocks begin at multiples.
            let size = most.map { min(max(1, $0 + 63) / 64 * 64, usual) } ?? usual
            let end = min(ranked.count, first + size)
            shapes.append(BlockShape(first..<end, bitmaps))
            first = end
        }
        return shapes
    }

    init(_ ranks: Range<Int>, _ bitmaps: BitmapUse) {
        self.ranks = ranks
        bitmapMinimum = bitmaps.minimum(groups: (ranks.count + groupSize - 1) / groupSize)
    }
}

/// The rows that count, largest first.
///
/// A row's *rank* is its index in the order by size, largest first, equal sizes by ascending row. Adjacent ranks then
/// need the same counter width and have a similar least useful count.
struct RankedRows: Sendable {
    let count: Int
    /// The row of each rank.
    let rows: Storage<UInt32>
    /// The entries of each rank's row: n(i) of the formulas.
    let sizes: Storage<UInt32>

    init(_ matrix: BinaryMatrix, minimumEntries: Int) {
        var keys: [UInt64] = []
        for row in 0..<matrix.rowCount where matrix.size(ofRow: row) >= minimumEntries {
            keys.append(UInt64(~UInt32(matrix.size(ofRow: row))) << 32 | UInt64(row))
        }
        keys.sort()
        count = keys.count
        rows = Storage(uninitialized: count)
        sizes = Storage(uninitialized: count)
        for (rank, key) in keys.enumerated() {
            rows[rank] = UInt32(truncatingIfNeeded: key)
            sizes[rank] = ~UInt32(truncatingIfNeeded: key >> 32)
        }
    }

    /// Rows that were ranked before.
    init(rows: Storage<UInt32>, sizes: Storage<UInt32>) {
        count = rows.count
        self.rows = rows
        self.sizes = sizes
    }
}

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
