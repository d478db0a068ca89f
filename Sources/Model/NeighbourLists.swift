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

    /// Calls `body` with the neighbours of each list, best first.
    ///
    /// - Parameter body: is told first whose list it is, by the place of the group in the list of groups, and in which
    ///   relation, by the place of that in `Relation.allCases`.
    public func forEach(_ body: (_ group: Int, _ relation: Int, Span<Neighbour>) -> Void) {
        let relationCount = Relation.allCases.count
        for range in ranges.prefix(Self.lead) { region.prefetch(range) }
        for (number, range) in ranges.enumerated() {
            if number + Self.lead < ranges.count { region.prefetch(ranges[number + Self.lead]) }
            let (group, relation) = number.quotientAndRemainder(dividingBy: relationCount)
            region.withNeighbours(range) { body(group, relation, $0) }
        }
    }
}
