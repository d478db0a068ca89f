import Model

/// Tells nearly all groups that are not in a small set from those that are, by one look at one bit.
struct GroupSieve {
    private static let bitCount = 8192
    private var words = [UInt64](repeating: 0, count: bitCount / 64)

    /// A sieve that lets the groups of a list through, and a few others.
    init(_ groups: some Sequence<UInt32>) {
        for group in groups {
            let bit = Self.bit(of: group)
            words[bit >> 6] |= 1 << UInt64(bit & 63)
        }
    }

    // Indexes are dense: their low bits do as well as any hash.
    @inline(__always)
    private static func bit(of group: UInt32) -> Int { Int(truncatingIfNeeded: group) & (bitCount - 1) }

    /// Lists the places of the neighbours that get through, ascending, without a branch on any of them.
    ///
    /// - Parameter passed: takes the places, from its beginning; as long as the list of neighbours at least.
    /// - Returns: how many there are.
    @inline(__always)
    func sift(_ neighbours: Span<Neighbour>, into passed: inout MutableSpan<Int32>) -> Int {
        let words = words.span
        var count = 0
        for place in neighbours.indices {
            passed[count] = Int32(truncatingIfNeeded: place)
            let bit = Self.bit(of: neighbours[place].index)
            count &+= Int(truncatingIfNeeded: (words[bit >> 6] &>> UInt64(bit & 63)) & 1)
        }
        return count
    }
}
