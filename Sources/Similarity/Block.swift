/// A range of ranks, column by column: in which of them each column is.
///
/// A column that is in many of the ranks has a bitmap, one that is in few has a list.
@safe
struct Block: Sendable {
    /// The first rank.
    let first: Int
    /// How many ranks; a rank's place in the block fits 16 bits.
    let count: Int
    /// The entries of the first rank, which has the most.
    let largestSize: Int
    /// For each column how its places are kept: 0 when there are none, a bitmap's number with `bitmapFlag`, or where
    /// its list begins.
    let descriptors: Storage<UInt32>
    /// A length, then as many places within the block, ascending.
    let lists: Storage<UInt16>
    /// A bit for each place; bitmap 0 is empty.
    let bitmaps: Storage<UInt64>
    /// The words of a bitmap: whole groups.
    let bitmapStride: Int

    /// The most ranks that a block can have.
    static let capacity = 1 << 16
    static let bitmapFlag: UInt32 = 1 << 31

    /// - Parameter bitmapMinimum: the places that are worth a bitmap, this many or more.
    init(_ prepared: PreparedRows, _ ranks: Range<Int>, bitmapMinimum: Int) {
        first = ranks.lowerBound
        count = ranks.count
        largestSize = Int(unsafe prepared.sizes.base[ranks.lowerBound])
        bitmapStride = (ranks.count + groupSize - 1) / groupSize * (groupSize / 64)
        let descriptors = Storage<UInt32>(zeroed: prepared.columnCount)
        let columns = unsafe prepared.columns.base
        let offsets = unsafe prepared.offsets.base
        for entry in unsafe offsets[ranks.lowerBound]..<offsets[ranks.upperBound] {
            unsafe descriptors.base[Int(columns[entry])] += 1
        }
        var length = 1
        var bitmapCount = 1
        for column in 0..<prepared.columnCount {
            let members = Int(unsafe descriptors.base[column])
            guard members > 0 else { continue }
            if members >= bitmapMinimum {
                unsafe descriptors.base[column] = Self.bitmapFlag | UInt32(bitmapCount)
                bitmapCount += 1
            } else {
                unsafe descriptors.base[column] = UInt32(length)
                length += members + 1
            }
        }
        let lists = Storage<UInt16>(zeroed: length)
        let bitmaps = Storage<UInt64>(zeroed: bitmapCount * bitmapStride)
        for (place, rank) in ranks.enumerated() {
            for entry in unsafe offsets[rank]..<offsets[rank + 1] {
                let descriptor = unsafe descriptors.base[Int(columns[entry])]
                if descriptor & Self.bitmapFlag != 0 {
                    let bitmap = unsafe bitmaps.base + Int(descriptor & ~Self.bitmapFlag) * bitmapStride
                    unsafe bitmap[place / 64] |= 1 &<< UInt64(place % 64)
                } else {
                    let list = unsafe lists.base + Int(descriptor)
                    unsafe list[0] += 1
                    unsafe list[Int(list[0])] = UInt16(place)
                }
            }
        }
        self.descriptors = descriptors
        self.lists = lists
        self.bitmaps = bitmaps
    }
}

/// Blocks are scanned in groups of this many ranks.
let groupSize = 512
