/// The neighbours of one group in one relation, read in place: best first, equal scores in ascending order of the
/// index.
public struct NeighbourList: RandomAccessCollection, Sendable {
    private let region: ByteRegion
    private let start: Int
    /// How many there are.
    public let count: Int

    init(_ range: Range<Int>, in region: ByteRegion) {
        self.region = region
        start = range.lowerBound
        count = range.count / Neighbour.byteCount
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of neighbours.
    public var endIndex: Int { count }

    /// The neighbour at an index, 0 being the best.
    public subscript(index: Int) -> Neighbour {
        precondition(index >= 0 && index < count, "no neighbour \(index) of \(count)")
        return region.load(start + index * Neighbour.byteCount, as: Neighbour.self)
    }

    /// Calls `body` with all neighbours in place: for loops that read whole lists.
    @inline(__always)
    public func withSpan<Result>(_ body: (Span<Neighbour>) -> Result) -> Result {
        region.withNeighbours(start..<start + count * Neighbour.byteCount, body)
    }
}

/// The lists of some groups in all relations, read in place: for loops that read all of them.
///
/// A model is larger than a processor's caches, so that lists come from memory. While one list is looked at, those
/// after it are on their way.
public struct NeighbourLists: Sendable {
    private let region: ByteRegion
    /// Where the lists lie in the region: group after group, of each one a relation.
    private let ranges: [Range<Int>]
    private let relationCount: Int
    /// Groups that are left out of the lists; nil for none.
    private let hidden: GroupSet?
    /// How many neighbours there are in all lists together, hidden ones included.
    public let neighbourCount: Int
    /// How many neighbours the longest list has, hidden ones included.
    public let longestCount: Int

    /// How many lists ahead the beginning is asked for, and how many the rest: so that not too much is at once.
    private static let lead = (beginning: 4, rest: 2)
    /// How many bytes the beginning has.
    private static let beginningBytes = 512

    init(_ ranges: [Range<Int>], relationCount: Int, in region: ByteRegion, without hidden: GroupSet?) {
        self.region = region
        self.ranges = ranges
        self.relationCount = relationCount
        self.hidden = hidden
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
    /// - Parameter body: is told first whose list it is, by the index of the group in the list of groups, and in which
    ///   relation, by its index in `ModelVersion.relations`.
    public func forEach(_ body: (_ group: Int, _ relation: Int, Span<Neighbour>) -> Void) {
        var shown: [Neighbour] = []
        for range in ranges.prefix(Self.lead.beginning) { region.prefetch(range.prefix(Self.beginningBytes)) }
        for (number, range) in ranges.enumerated() {
            if number + Self.lead.beginning < ranges.count {
                region.prefetch(ranges[number + Self.lead.beginning].prefix(Self.beginningBytes))
            }
            if number + Self.lead.rest < ranges.count {
                region.prefetch(ranges[number + Self.lead.rest].dropFirst(Self.beginningBytes))
            }
            let (group, relation) = number.quotientAndRemainder(dividingBy: relationCount)
            region.withNeighbours(range) { neighbours in
                guard let hidden else { return body(group, relation, neighbours) }
                shown.removeAll(keepingCapacity: true)
                for index in neighbours.indices where !hidden.contains(neighbours[index].index) {
                    shown.append(neighbours[index])
                }
                body(group, relation, shown.span)
            }
        }
    }
}
