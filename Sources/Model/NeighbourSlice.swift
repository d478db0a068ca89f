/// A group's neighbours in one relation, read in place: best first, equal scores in ascending order of the index.
public struct NeighbourSlice: RandomAccessCollection, Sendable {
    private let region: ByteRegion
    private let start: Int
    /// How many there are.
    public let count: Int

    init(_ region: ByteRegion, start: Int, count: Int) {
        self.region = region
        self.start = start
        self.count = count
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of neighbours.
    public var endIndex: Int { count }

    /// The neighbour at a place, 0 being the best.
    public subscript(place: Int) -> Neighbour {
        precondition(place >= 0 && place < count, "no neighbour at place \(place) of \(count)")
        return region.load(start + place * Neighbour.byteCount, as: Neighbour.self)
    }

    /// Calls `body` with all neighbours in place: for loops that read whole lists.
    @inline(__always)
    public func withSpan<Result>(_ body: (Span<Neighbour>) -> Result) -> Result {
        region.withNeighbours(start..<start + count * Neighbour.byteCount, body)
    }
}
