/// The shape of a block: a range of ranks that is searched together and whose counters fit the cache.
///
/// The ranks of a block are the *targets* of a source row, numbered from 0 within the block.
struct BlockShape: Sendable, Equatable {
    let ranks: Range<Int>
    /// The fewest targets for which a column gets a bitmap (inclusive); columns with fewer get a list.
    let bitmapMinimum: Int

    /// The number of 64-bit words of a bitmap, which covers whole groups.
    var bitmapStride: Int { (ranks.count + groupSize - 1) / groupSize * (groupSize / 64) }

    /// The most entries of a small row; small rows have their own blocks.
    static let smallSize = 64

    /// The most ranks of a block: whole groups; target numbers and the number of targets fit 16 bits.
    static let capacity = (1 << 16) - groupSize

    /// Returns the memory that the block's columns need.
    ///
    /// - Parameters:
    ///   - counts: the number of targets of each column.
    ///   - degrees: the degrees of all columns, or nil if light columns are stored like heavy ones.
    ///   - columnCount: the number of columns.
    func room(_ counts: Storage<UInt32>, degrees: Storage<UInt32>?, _ columnCount: Int) -> BlockRoom {
        var room = BlockRoom()
        for column in 0..<columnCount {
            let count = Int(counts[column])
            guard count > 0 else { continue }
            if let degrees, degrees[column] < ColumnSurvey.heavyDegree {
                room.valueCount += 1
                if count > 1 { room.listLength += count + 1 }
            } else if count >= bitmapMinimum {
                room.bitmapCount += 1
            } else {
                room.listLength += count + 1
            }
        }
        return room
    }
}

/// The amount of data that a block stores.
struct BlockRoom: Sendable {
    /// The number of elements in all lists, including the length at the start of each list.
    var listLength = 0
    var bitmapCount = 0
    /// The number of light columns with a target.
    var valueCount = 0

    static func += (sum: inout BlockRoom, other: BlockRoom) {
        sum.listLength += other.listLength
        sum.bitmapCount += other.bitmapCount
        sum.valueCount += other.valueCount
    }
}

/// The targets of each column within one block, as a bitmap if there are many and as a list if there are few.
@safe
struct Block: Sendable {
    let ranks: Range<Int>
    let bitmapMinimum: Int
    let bitmapStride: Int
    /// The number of entries of the first rank, which has the most.
    let largestSize: Int
    /// The descriptor of each heavy column, or nil if rows hold descriptors themselves.
    ///
    /// A descriptor is 0 for a column without targets. Otherwise it is a bitmap's number with `bitmapFlag`, or the
    /// start of a list.
    let descriptors: Storage<UInt32>?
    /// The light columns, or nil if rows hold descriptors.
    let light: LightColumns?
    /// The lists: each is a length followed by that many targets in ascending order; the list at 0 is empty.
    let lists: Storage<UInt16>
    /// The bitmaps, with one bit for each target; bitmap 0 is empty.
    let bitmaps: Storage<UInt64>

    /// Whether the block has all ranks, and lists only; few pairs have enough in common then.
    var isThin: Bool { descriptors == nil }

    static let bitmapFlag: UInt32 = 1 << 31

    /// Creates a block whose lists and bitmaps are still to be filled.
    ///
    /// - Parameters:
    ///   - shape: the ranks and the threshold for bitmaps.
    ///   - ranked: the rows in the order of ranks.
    ///   - columns: the number of columns, or nil if rows hold descriptors.
    ///   - room: the amount of data to make room for.
    init(_ shape: BlockShape, _ ranked: RankedRows, _ columns: ColumnCounts?, _ room: BlockRoom) {
        precondition(room.listLength < Int(Self.bitmapFlag))
        self.init(
            shape, ranked, descriptors: columns.map { Storage(zeroed: $0.heavy) },
            light: columns.map { LightColumns(columnCount: $0.light, valueCount: room.valueCount) },
            lists: Storage(uninitialized: room.listLength),
            bitmaps: Storage(zeroed: room.bitmapCount * shape.bitmapStride))
        lists[0] = 0
    }

    init(
        _ shape: BlockShape, _ ranked: RankedRows, descriptors: Storage<UInt32>?, light: LightColumns?,
        lists: Storage<UInt16>, bitmaps: Storage<UInt64>
    ) {
        ranks = shape.ranks
        bitmapMinimum = shape.bitmapMinimum
        bitmapStride = shape.bitmapStride
        largestSize = Int(ranked.sizes[ranks.lowerBound])
        self.descriptors = descriptors
        self.light = light
        self.lists = lists
        self.bitmaps = bitmaps
    }
}

/// The number of ranks in a group; blocks are scanned group by group.
let groupSize = 512
