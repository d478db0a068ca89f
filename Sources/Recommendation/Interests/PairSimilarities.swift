import Model

/// Plain cosines between the groups of a small set: the greatest of the stored ones of each pair.
///
/// A pair may be stored in either direction and in any relation; a pair that is stored nowhere has 0.
struct PairSimilarities {
    let count: Int
    /// count × count, symmetric, 0 on the diagonal.
    private(set) var values: [Float]

    /// Nothing is similar yet.
    init(count: Int) {
        self.count = count
        values = [Float](repeating: 0, count: count * count)
    }

    /// The similarities between groups that are all different.
    ///
    /// - Complexity: O(count² + neighbours of the groups).
    init(among groups: [UInt32], in model: ModelVersion) {
        self.init(count: groups.count)
        let places = GroupPlaces(groups)
        let sieve = GroupSieve(groups)
        for relation in Relation.allCases {
            let sizes = groups.map { Double(model.size(of: Int($0), in: relation)) }
            let pairs = StoredPairs(of: NeighbourLists(of: groups, in: model, by: relation), among: places, sieve)
            for pair in pairs.pairs {
                let cosine = pair.neighbour.cosine(sizes: sizes[pair.first], sizes[pair.second])
                raise(pair.first, pair.second, to: Float(cosine))
            }
        }
    }

    /// Notes that two different places are at least so similar.
    @inline(__always)
    mutating func raise(_ first: Int, _ second: Int, to value: Float) {
        // Written whether it is greater or not: a branch would be taken at random.
        let greatest = max(values[first * count + second], value)
        values[first * count + second] = greatest
        values[second * count + first] = greatest
    }

    /// The similarity of two places.
    @inline(__always)
    subscript(first: Int, second: Int) -> Float { values[first * count + second] }
}

/// The neighbours in the lists of a small set of groups that are themselves in the set.
private struct StoredPairs {
    struct Pair {
        let first: Int
        let second: Int
        let neighbour: Neighbour
    }

    private(set) var pairs: [Pair] = []

    /// In steps without branches on single neighbours, nearly all of which are in no pair: first those that may be.
    init(of lists: NeighbourLists, among places: GroupPlaces, _ sieve: GroupSieve) {
        var passed = [Int32](repeating: 0, count: lists.slices.reduce(0) { max($0, $1.count) })
        for (first, slice) in lists.slices.enumerated() {
            slice.withSpan { neighbours in
                var span = passed.mutableSpan
                let passedCount = sieve.sift(neighbours, into: &span)
                for number in 0..<passedCount {
                    let neighbour = neighbours[Int(span[number])]
                    if let second = places[neighbour.index] {
                        pairs.append(Pair(first: first, second: second, neighbour: neighbour))
                    }
                }
            }
        }
    }
}
