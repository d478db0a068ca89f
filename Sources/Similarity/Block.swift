/// A range of ranks, column by column: in which of them each column is.
@safe
struct Block: Sendable {
    /// The first rank.
    let first: Int
    /// How many ranks; a rank's place in the block fits 16 bits.
    let count: Int
    /// The entries of the first rank, which has the most, and of the last, which has the fewest.
    let largestSize: Int
    let smallestSize: Int
    /// For each column 0 when it is in none of the ranks, else where its list begins.
    let descriptors: Storage<UInt32>
    /// A length, then as many places within the block, ascending.
    let lists: Storage<UInt16>

    /// The most ranks that a block can have.
    static let capacity = 1 << 16

    init(_ prepared: PreparedRows, first: Int, count: Int) {
        self.first = first
        self.count = count
        largestSize = Int(unsafe prepared.sizes.base[first])
        smallestSize = Int(unsafe prepared.sizes.base[first + count - 1])
        let descriptors = Storage<UInt32>(zeroed: prepared.columnCount)
        let columns = unsafe prepared.columns.base
        let offsets = unsafe prepared.offsets.base
        for entry in unsafe offsets[first]..<offsets[first + count] {
            unsafe descriptors.base[Int(columns[entry])] += 1
        }
        var length = 1
        for column in 0..<prepared.columnCount {
            let members = Int(unsafe descriptors.base[column])
            guard members > 0 else { continue }
            unsafe descriptors.base[column] = UInt32(length)
            length += members + 1
        }
        let lists = Storage<UInt16>(zeroed: length)
        for place in 0..<count {
            for entry in unsafe offsets[first + place]..<offsets[first + place + 1] {
                let list = unsafe lists.base + Int(descriptors.base[Int(columns[entry])])
                unsafe list[0] += 1
                unsafe list[Int(list[0])] = UInt16(place)
            }
        }
        self.descriptors = descriptors
        self.lists = lists
    }
}
