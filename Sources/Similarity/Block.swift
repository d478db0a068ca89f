/// A range of ranks that is searched together, so that its counters stay in the cache; its ranks are the *targets* of a
/// source row, numbered from 0 within the block.
struct BlockShape: Sendable, Equatable {
    let ranks: Range<Int>
    /// A column with at least this many targets has a bitmap, another one a list.
    let bitmapMinimum: Int

    /// The words of a bitmap, which covers whole groups.
    var bitmapStride: Int { (ranks.count + groupSize - 1) / groupSize * (groupSize / 64) }

    /// The most ranks of a block: whole groups, such that targets and their number fit 16 bits.
    static let capacity = (1 << 16) - groupSize

    /// What the columns need: list elements (each list begins with its length) and bitmaps.
    ///
    /// - Parameter counts: how many targets each column has.
    func room(_ counts: Storage<UInt32>, _ columnCount: Int) -> (listLength: Int, bitmapCount: Int) {
        var room = (listLength: 0, bitmapCount: 0)
        for column in 0..<columnCount {
            let count = Int(counts[column])
            guard count > 0 else { continue }
            if count >= bitmapMinimum { room.bitmapCount += 1 } else { room.listLength += count + 1 }
        }
        return room
    }
}

/// The targets of each column within one block: a bitmap if they are many, a list if they are few.
@safe
struct Block: Sendable {
    let ranks: Range<Int>
    let bitmapMinimum: Int
    let bitmapStride: Int
    /// The entries of the first rank, which has most.
    let largestSize: Int
    /// The descriptor of each column; nil when rows hold descriptors themselves.
    ///
    /// A descriptor is 0 for a column without targets, a bitmap's number with `bitmapFlag`, or the start of a list.
    let descriptors: Storage<UInt32>?
    /// Lists: a length, then as many targets, ascending; the list at 0 is empty.
    let lists: Storage<UInt16>
    /// Bitmaps: a bit for each target; bitmap 0 is empty.
    let bitmaps: Storage<UInt64>

    static let bitmapFlag: UInt32 = 1 << 31

    /// A block whose lists and bitmaps are not filled yet.
    init(_ shape: BlockShape, _ ranked: RankedRows, columnCount: Int?, listLength: Int, bitmapCount: Int) {
        ranks = shape.ranks
        bitmapMinimum = shape.bitmapMinimum
        bitmapStride = shape.bitmapStride
        largestSize = Int(ranked.sizes[ranks.lowerBound])
        descriptors = columnCount.map { Storage(zeroed: $0) }
        precondition(listLength < Int(Self.bitmapFlag))
        lists = Storage(uninitialized: listLength)
        lists[0] = 0
        bitmaps = Storage(zeroed: bitmapCount * shape.bitmapStride)
    }

    /// A block that is filled.
    init(
        _ shape: BlockShape, _ ranked: RankedRows, descriptors: Storage<UInt32>?, lists: Storage<UInt16>,
        bitmaps: Storage<UInt64>
    ) {
        ranks = shape.ranks
        bitmapMinimum = shape.bitmapMinimum
        bitmapStride = shape.bitmapStride
        largestSize = Int(ranked.sizes[ranks.lowerBound])
        self.descriptors = descriptors
        self.lists = lists
        self.bitmaps = bitmaps
    }
}

/// Blocks are scanned in groups of this many ranks.
let groupSize = 512
