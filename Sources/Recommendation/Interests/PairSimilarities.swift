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
    ///   - pairs: those that are in lists.
    ///   - sizes: of the groups.
    ///   - shrinkage: h, 0 or more: overlaps of pairs with c common entries are multiplied by c / (c + h).
    /// - Complexity: O(count² + pairs).
    static func cosinesAndOverlaps(
        _ pairs: [CandidateTable.JoinedPair], _ sizes: GroupSizes, shrinkage: Double
    ) -> (cosines: PairSimilarities, overlaps: PairSimilarities) {
        let count = sizes.count
        var cosines = [Float](repeating: 0, count: count * count)
        var overlaps = cosines
        var cosineMatrix = cosines.mutableSpan
        var overlapMatrix = overlaps.mutableSpan
        for pair in pairs {
            let (first, second, relation) = (Int(pair.first), Int(pair.second), Int(pair.relation))
            let common = Double(pair.common)
            let overlap = sizes.overlap(first, second, relation, common: common, shrinkage: shrinkage)
            Self.raise(&cosineMatrix, first, second, count, to: sizes.cosine(first, second, relation, common: common))
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

    /// The similarities of the groups at some positions to one another, row after row.
    func matrix(of positions: [Int]) -> [Double] {
        var matrix = [Double](repeating: 0, count: positions.count * positions.count)
        var span = matrix.mutableSpan
        var index = 0
        for first in positions {
            let row = values.span.extracting(first * count..<(first + 1) * count)
            for second in positions {
                span[index] = Double(row[second])
                index += 1
            }
        }
        return matrix
    }

    /// Moves the positions whose groups have at least a similarity to one from a list to the end of another.
    ///
    /// - Parameters:
    ///   - others: keeps its order.
    ///   - position: of the one.
    ///   - least: above 0.
    func move(_ others: inout [Int], to near: inout [Int], near position: Int, least: Double) {
        let row = values.span.extracting(position * count..<(position + 1) * count)
        let nearCount = near.count
        near.append(contentsOf: repeatElement(0, count: others.count))
        var otherSpan = others.mutableSpan
        var nearSpan = near.mutableSpan
        var (kept, moved) = (0, nearCount)
        for index in otherSpan.indices {
            // Which are near cannot be predicted: they are written to both lists, and one of them goes on.
            let other = otherSpan[index]
            let isNear = Double(row[other]) >= least
            otherSpan[kept] = other
            nearSpan[moved] = other
            kept += isNear ? 0 : 1
            moved += isNear ? 1 : 0
        }
        others.removeLast(others.count - kept)
        near.removeLast(near.count - moved)
    }

    /// The similarities of the group at a position to all groups.
    func row(_ position: Int) -> ArraySlice<Float> {
        values[position * count..<(position + 1) * count]
    }
}

/// How many entries some groups have in each relation.
struct GroupSizes {
    /// How many groups there are.
    let count: Int
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

    /// How many entries the group at a position has in a relation.
    @inline(__always)
    subscript(position: Int, relation: Int) -> UInt32 { sizes[relation &* count &+ position] }

    /// The plain cosine of the groups at two positions, which have so many entries in common.
    @inline(__always)
    func cosine(_ first: Int, _ second: Int, _ relation: Int, common: Double) -> Float {
        let start = relation &* count
        // Rounding must not lead above 1.
        return Float(min(1, common * (inverseRoots[start &+ first] * inverseRoots[start &+ second])))
    }

    /// Their overlap, c / min(n, m) for c common entries, shrunk: multiplied by c / (c + h).
    func overlap(_ first: Int, _ second: Int, _ relation: Int, common: Double, shrinkage: Double) -> Float {
        let start = relation * count
        let scale = 1 / Double(max(1, min(sizes[start + first], sizes[start + second])))
        return Float(min(1, common * scale) * (common / (common + shrinkage)))
    }
}
