/// The lists of some groups, for loops that read all of them.
///
/// A model is larger than a processor's caches, so that lists come from memory. While one list is looked at, those after it
/// are on their way.
public struct NeighbourLists: Sendable {
    private let region: ByteRegion
    /// Where the lists lie in the region.
    private let ranges: [Range<Int>]
    /// How many neighbours there are in all lists together.
    public let neighbourCount: Int
    /// How many neighbours the longest list has.
    public let longestCount: Int

    /// How many lists ahead are asked for: a list of 100 neighbours is 19 lines of the cache.
    private static let lead = 4

    init(_ ranges: [Range<Int>], in region: ByteRegion) {
        self.region = region
        self.ranges = ranges
        var (sum, longest) = (0, 0)
        for range in ranges {
            sum += range.count
            longest = max(longest, range.count)
        }
        neighbourCount = sum / Neighbour.byteCount
        longestCount = longest / Neighbour.byteCount
    }

    /// Calls `body` with the number of each list and its neighbours, best first.
    public func forEach(_ body: (Int, Span<Neighbour>) -> Void) {
        for range in ranges.prefix(Self.lead) { region.prefetch(range) }
        for (number, range) in ranges.enumerated() {
            if number + Self.lead < ranges.count { region.prefetch(ranges[number + Self.lead]) }
            // Lists begin at a multiple of 4 bytes: sections begin at one of 64, and offsets take 8 each.
            unsafe region.withBytes(range) { bytes in
                let neighbours = unsafe bytes.bindMemory(to: Neighbour.self)
                unsafe body(number, neighbours.span)
            }
        }
    }
}
