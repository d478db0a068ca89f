/// A range of ranks that is searched together, so that its counters stay in the cache.
struct BlockShape: Sendable {
    let ranks: Range<Int>
    /// A column that is in this many of the ranks or more has a bitmap, else a list.
    let bitmapMinimum: Int

    /// The words of a bitmap: whole groups.
    var bitmapStride: Int { (ranks.count + groupSize - 1) / groupSize * (groupSize / 64) }

    /// The most ranks that a block can have: whole groups whose places, and how many there are, fit 16 bits.
    static let capacity = (1 << 16) - groupSize

    /// What the columns that are in so many of the ranks need: list elements (a length each before its places) and
    /// bitmaps.
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

/// The ranks that each column is in, for the ranks of one block.
///
/// A column that is in many of them has a bitmap, one that is in few has a list.
@safe
struct Block: Sendable {
    let ranks: Range<Int>
    let bitmapMinimum: Int
    let bitmapStride: Int
    /// The entries of the first rank, which has the most.
    let largestSize: Int
    /// For each column its descriptor; nothing when rows hold descriptors themselves.
    ///
    /// A descriptor is 0 when the column is in none of the ranks, a bitmap's number with `bitmapFlag`, or where the
    /// column's list begins.
    let descriptors: Storage<UInt32>?
    /// A length, then as many places within the block, ascending; the list at 0 is empty.
    let lists: Storage<UInt16>
    /// A bit for each place; bitmap 0 is empty.
    let bitmaps: Storage<UInt64>

    static let bitmapFlag: UInt32 = 1 << 31

    /// A block whose lists and bitmaps are still to be filled.
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
}

/// Blocks are scanned in groups of this many ranks.
let groupSize = 512
