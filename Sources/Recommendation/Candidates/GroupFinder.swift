import Model

/// Finds the few neighbours in lists that are of a small set of groups.
struct GroupFinder {
    private let places: GroupPlaces
    private let sieve: GroupSieve

    init(_ groups: [UInt32]) {
        places = GroupPlaces(groups)
        sieve = GroupSieve(groups)
    }

    /// Calls `body` with each neighbour that is of the set, and its place in it.
    ///
    /// - Parameter body: is told first, as of `NeighbourLists.forEach`, whose list of which relation it is in.
    @inline(__always)
    func forEachFound(
        in lists: NeighbourLists, _ body: (_ group: Int, _ relation: Int, Neighbour, _ place: Int) -> Void
    ) {
        var passed = [Int32](repeating: 0, count: lists.longestCount)
        lists.forEach { group, relation, neighbours in
            var passed = passed.mutableSpan
            // Nearly all neighbours are not of the set: those that may be are found without a branch on any.
            let passedCount = sieve.sift(neighbours, into: &passed)
            for number in 0..<passedCount {
                let neighbour = neighbours[Int(passed[number])]
                if let place = places[neighbour.index] { body(group, relation, neighbour, place) }
            }
        }
    }
}
