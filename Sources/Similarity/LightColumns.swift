/// The targets of the light columns within one block.
///
/// Most light columns have no target in a block, and most of the others have one. So a column takes two bits, and four
/// bytes more if it has a target, instead of a descriptor each.
@safe
struct LightColumns: Sendable {
    /// For each group of columns a bit for each column that has a target, and above them, where the values of the
    /// group begin.
    let words: Storage<UInt64>
    /// For each column that has a target, in their order: the target and the degree, or where its list begins.
    let values: Storage<UInt32>

    /// The columns of a group.
    static let groupSize = 32
    /// Marks a value that is the start of a list; other values hold a target in their low 16 bits and the degree above.
    static let listFlag: UInt32 = 1 << 31
    /// The bits of a list's length; the degree is above them.
    private static let lengthBits: UInt16 = 8

    /// Columns whose values are not there yet.
    ///
    /// - Parameter columnCount: a multiple of the group size.
    init(columnCount: Int, valueCount: Int) {
        words = Storage(zeroed: columnCount / Self.groupSize)
        values = Storage(uninitialized: valueCount)
    }

    /// Columns that are filled.
    init(words: Storage<UInt64>, values: Storage<UInt32>) {
        self.words = words
        self.values = values
    }

    /// Sets a column's value; those of a group must be set in their order.
    func set(_ column: Int, value: UInt32, at index: Int) {
        let word = words[column / Self.groupSize]
        let start = word == 0 ? UInt64(index) << 32 : word
        words[column / Self.groupSize] = start | 1 << UInt64(column % Self.groupSize)
        values[index] = value
    }

    /// The value of a column with one target, which is still to be added.
    static func value(degree: Int) -> UInt32 { UInt32(degree) << 16 }

    /// What a list of several targets begins with.
    static func listHead(length: Int, degree: Int) -> UInt16 { UInt16(degree) << lengthBits | UInt16(length) }

    /// The length and the degree that a list begins with.
    @inline(__always)
    static func parts(ofListHead head: UInt16) -> (length: Int, degree: UInt32) {
        (Int(head & (1 << lengthBits - 1)), UInt32(head >> lengthBits))
    }

    /// Where the value of a column is; nil if it has no target.
    @inline(__always)
    func index(of column: UInt32) -> Int? {
        let word = unsafe words.base[Int(column >> 5)]
        let bit = UInt64(1) &<< UInt64(column & 31)
        guard word & bit != 0 else { return nil }
        return Int(word &>> 32) &+ UInt32(truncatingIfNeeded: word & (bit &- 1)).nonzeroBitCount
    }
}
