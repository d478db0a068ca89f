import Model

/// How similar the groups of a small set are: of each pair the greatest value in the model's lists.
///
/// A pair may be in the lists of either group and of any relation; a pair that is in none has 0.
struct PairSimilarities {
    let count: Int
    /// The rows of a symmetric matrix, of which the first `count` in each direction are those of the groups.
    private let rowCount: Int
    /// rowCount × rowCount, 0 on the diagonal; each from 0 to 1.
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
        self.init(count: groups.count, rowCount: groups.count + 1, values: values)
    }

    /// The rows of the symmetric matrix of the groups, and one row and column more that nobody reads.
    ///
    /// These are for neighbours that are none of the groups. Whether a neighbour is one cannot be predicted, and this
    /// way there is no branch.
    private static func cosines(
        _ count: Int, _ lists: NeighbourLists, _ sizes: GroupSizes, shrinkage: Double, _ places: Span<UInt32>
    ) -> [Float] {
        let rowCount = count + 1
        var values = [Float](repeating: 0, count: rowCount * rowCount)
        lists.forEach { first, relation, neighbours in
            var matrix = values.mutableSpan
            for index in neighbours.indices {
                let neighbour = neighbours[index]
                let second = Int(min(places[Int(neighbour.index)], UInt32(truncatingIfNeeded: count)))
                let common = Double(neighbour.common)
                let cosine = sizes.cosine(first, second, relation, common: common)
                raise(&matrix, first, second, rowCount, to: cosine * Float(common / (common + shrinkage)))
            }
        }
        return values
    }

    private init(count: Int, rowCount: Int, values: [Float]) {
        self.count = count
        self.rowCount = rowCount
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
        return (
            PairSimilarities(count: count, rowCount: count, values: cosines),
            PairSimilarities(count: count, rowCount: count, values: overlaps)
        )
    }

    /// Raises the similarity of a pair in a symmetric matrix.
    @inline(__always)
    private static func raise(
        _ matrix: inout MutableSpan<Float>, _ first: Int, _ second: Int, _ rowCount: Int, to similarity: Float
    ) {
        let value = max(matrix[first &* rowCount &+ second], similarity)
        matrix[first &* rowCount &+ second] = value
        matrix[second &* rowCount &+ first] = value
    }

    /// The similarity of the groups at two positions.
    @inline(__always)
    subscript(first: Int, second: Int) -> Float { values[first * rowCount + second] }

    /// The similarities of the group at a position to all groups.
    func row(_ position: Int) -> ArraySlice<Float> {
        values[position * rowCount..<position * rowCount + count]
    }
}

/// How many entries some groups have in each relation.
private struct GroupSizes {
    /// One position more than there are groups stands for a group without entries.
    private let positionCount: Int
    /// Relation after relation.
    private let sizes: [UInt32]
    // Avoids a square root and a division for each pair. A group with neighbours has entries.
    private let inverseRoots: [Double]

    init(of groups: [UInt32], in model: VisibleModel) {
        let relationCount = model.relations.count
        positionCount = groups.count + 1
        let byGroup = model.sizes(of: groups) + [UInt32](repeating: 0, count: relationCount)
        var sizes: [UInt32] = []
        sizes.reserveCapacity(byGroup.count)
        for relation in 0..<relationCount {
            for position in 0..<positionCount { sizes.append(byGroup[position * relationCount + relation]) }
        }
        self.sizes = sizes
        inverseRoots = sizes.map { $0 > 0 ? 1 / Double($0).squareRoot() : 0 }
    }

    @inline(__always)
    func cosine(_ first: Int, _ second: Int, _ relation: Int, common: Double) -> Float {
        let start = relation &* positionCount
        // Rounding must not lead above 1.
        return Float(min(1, common * (inverseRoots[start &+ first] * inverseRoots[start &+ second])))
    }

    func overlap(_ first: Int, _ second: Int, _ relation: Int, common: Double, shrinkage: Double) -> Float {
        let start = relation * positionCount
        let scale = 1 / Double(max(1, min(sizes[start + first], sizes[start + second])))
        return Float(min(1, common * scale) * (common / (common + shrinkage)))
    }
}
