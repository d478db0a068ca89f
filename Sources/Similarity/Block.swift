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

    /// What the columns need.
    ///
    /// - Parameters:
    ///   - counts: how many targets each column has.
    ///   - degrees: of all columns; nil if none is stored as a light one.
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

/// How much a block stores.
struct BlockRoom: Sendable {
    /// The elements of all lists; each begins with its length.
    var listLength = 0
    var bitmapCount = 0
    /// The light columns with a target.
    var valueCount = 0

    static func += (sum: inout BlockRoom, other: BlockRoom) {
        sum.listLength += other.listLength
        sum.bitmapCount += other.bitmapCount
        sum.valueCount += other.valueCount
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
    /// The descriptor of each heavy column; nil when rows hold descriptors themselves.
    ///
    /// A descriptor is 0 for a column without targets, a bitmap's number with `bitmapFlag`, or the start of a list.
    let descriptors: Storage<UInt32>?
    /// The light columns; nil when rows hold descriptors.
    let light: LightColumns?
    /// Lists: a length, then as many targets, ascending; the list at 0 is empty.
    let lists: Storage<UInt16>
    /// Bitmaps: a bit for each target; bitmap 0 is empty.
    let bitmaps: Storage<UInt64>

    static let bitmapFlag: UInt32 = 1 << 31

    /// A block whose lists and bitmaps are not filled yet.
    ///
    /// - Parameter columns: how many there are; nil when rows hold descriptors.
    init(_ shape: BlockShape, _ ranked: RankedRows, _ columns: ColumnCounts?, _ room: BlockRoom) {
        ranks = shape.ranks
        bitmapMinimum = shape.bitmapMinimum
        bitmapStride = shape.bitmapStride
        largestSize = Int(ranked.sizes[ranks.lowerBound])
        descriptors = columns.map { Storage(zeroed: $0.heavy) }
        light = columns.map { LightColumns(columnCount: $0.light, valueCount: room.valueCount) }
        precondition(room.listLength < Int(Self.bitmapFlag))
        lists = Storage(uninitialized: room.listLength)
        lists[0] = 0
        bitmaps = Storage(zeroed: room.bitmapCount * shape.bitmapStride)
    }

    /// A block that is filled.
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

/// Blocks are scanned in groups of this many ranks.
let groupSize = 512
