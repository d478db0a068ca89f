import Model

/// How similar the groups of a small set are: of each pair the greatest value in the model's lists.
///
/// A pair may be in the lists of either group and of any relation; a pair that is in none has 0.
struct PairSimilarities {
    let count: Int
    /// count × count, 0 on the diagonal; each from 0 to 1.
    private let values: [Float]

    /// Plain cosines, c / √(n m) for c common entries of groups of n and m, shrunk: multiplied by c / (c + h).
    ///
    /// - Parameters:
    ///   - groups: each once.
    ///   - factors: of the relations by index; those with 0 do not count. All count if there are none.
    ///   - limit: how many of the best neighbours of each list are looked at; nil for all.
    ///   - shrinkage: h, 0 or more.
    ///   - places: of the model; nil to make a table for this.
    /// - Complexity: O(count² + neighbours of the groups).
    init(
        among groups: [UInt32], in model: VisibleModel, factors: [Double] = [], limit: Int? = nil,
        shrinkage: Double = 0, _ places: GroupPlaces? = nil
    ) {
        let lists = model.lists(of: groups, in: factors.map { $0 > 0 }, limit: limit)
        let sizes = GroupSizes(of: groups, in: model)
        let values = (places ?? GroupPlaces(groupCount: model.groupCount)).using { places in
            for (position, group) in groups.enumerated() { places[Int(group)] = UInt32(position) }
            let values = Self.cosines(groups.count, lists, sizes, shrinkage: shrinkage, places.span)
            for group in groups { places[Int(group)] = GroupPlaces.none }
            return values
        }
        self.init(count: groups.count, values: values)
    }

    /// The symmetric matrix of the groups.
    private static func cosines(
        _ count: Int, _ lists: NeighbourLists, _ sizes: GroupSizes, shrinkage: Double, _ places: Span<UInt32>
    ) -> [Float] {
        var values = [Float](repeating: 0, count: count * count)
        var found = [Int](repeating: 0, count: lists.longestCount)
        lists.forEach { first, relation, neighbours in
            // Whether a neighbour is one of the groups cannot be predicted: they are picked out without a branch.
            var foundCount = 0
            var foundSpan = found.mutableSpan
            for index in neighbours.indices {
                foundSpan[foundCount] = index
                foundCount += Int(places[Int(neighbours[index].index)]) < count ? 1 : 0
            }
            var matrix = values.mutableSpan
            for slot in 0..<foundCount {
                let neighbour = neighbours[foundSpan[slot]]
                let second = Int(places[Int(neighbour.index)])
                let common = Double(neighbour.common)
                let cosine = sizes.cosine(first, second, relation, common: common)
                raise(&matrix, first, second, count, to: cosine * Float(common / (common + shrinkage)))
            }
        }
        return values
    }

    private init(count: Int, values: [Float]) {
        self.count = count
        self.values = values
    }

    /// Plain cosines, and overlaps c / min(n, m), which are 1 if the one group has all entries of the other.
    ///
    /// - Parameters:
    ///   - pairs: those that are in lists, by positions in `groups`.
    ///   - shrinkage: h, 0 or more: overlaps of pairs with c common entries are multiplied by c / (c + h).
    /// - Complexity: O(count² + pairs).
    static func cosinesAndOverlaps(
        of groups: [UInt32], _ pairs: [CandidateTable.JoinedPair], in model: VisibleModel, shrinkage: Double
    ) -> (cosines: PairSimilarities, overlaps: PairSimilarities) {
        let count = groups.count
        let sizes = GroupSizes(of: groups, in: model)
        var cosines = [Float](repeating: 0, count: count * count)
        var overlaps = cosines
        var cosineMatrix = cosines.mutableSpan
        var overlapMatrix = overlaps.mutableSpan
        for pair in pairs {
            let (first, second, common) = (pair.first, pair.second, Double(pair.common))
            let overlap = sizes.overlap(first, second, pair.relation, common: common, shrinkage: shrinkage)
            Self.raise(
                &cosineMatrix, first, second, count, to: sizes.cosine(first, second, pair.relation, common: common))
            Self.raise(&overlapMatrix, first, second, count, to: overlap)
        }
        return (PairSimilarities(count: count, values: cosines), PairSimilarities(count: count, values: overlaps))
    }

    /// Raises the similarity of a pair in a symmetric matrix.
    @inline(__always)
    private static func raise(
        _ matrix: inout MutableSpan<Float>, _ first: Int, _ second: Int, _ count: Int, to similarity: Float
    ) {
        let value = max(matrix[first &* count &+ second], similarity)
        matrix[first &* count &+ second] = value
        matrix[second &* count &+ first] = value
    }

    /// The similarity of the groups at two positions.
    @inline(__always)
    subscript(first: Int, second: Int) -> Float { values[first * count + second] }

    /// The similarities of the group at a position to all groups.
    func row(_ position: Int) -> ArraySlice<Float> {
        values[position * count..<(position + 1) * count]
    }
}

/// How many entries some groups have in each relation.
private struct GroupSizes {
    private let count: Int
    /// Relation after relation.
    private let sizes: [UInt32]
    // Avoids a square root and a division for each pair. A group with neighbours has entries.
    private let inverseRoots: [Double]

    init(of groups: [UInt32], in model: VisibleModel) {
        let relationCount = model.relations.count
        count = groups.count
        let byGroup = model.sizes(of: groups)
        var sizes: [UInt32] = []
        sizes.reserveCapacity(byGroup.count)
        for relation in 0..<relationCount {
            for position in 0..<count { sizes.append(byGroup[position * relationCount + relation]) }
        }
        self.sizes = sizes
        inverseRoots = sizes.map { $0 > 0 ? 1 / Double($0).squareRoot() : 0 }
    }

    @inline(__always)
    func cosine(_ first: Int, _ second: Int, _ relation: Int, common: Double) -> Float {
        let start = relation &* count
        // Rounding must not lead above 1.
        return Float(min(1, common * (inverseRoots[start &+ first] * inverseRoots[start &+ second])))
    }

    func overlap(_ first: Int, _ second: Int, _ relation: Int, common: Double, shrinkage: Double) -> Float {
        let start = relation * count
        let scale = 1 / Double(max(1, min(sizes[start + first], sizes[start + second])))
        return Float(min(1, common * scale) * (common / (common + shrinkage)))
    }
}
