import Model

/// The similarities of all pairs in a small set of groups: the greatest value of each pair in the model's lists.
///
/// A pair may be in the lists of either group and of any relation. A pair that is in none has 0.
struct PairSimilarities {
    let count: Int
    /// A matrix of count × count values, each from 0 to 1; 0 on the diagonal.
    private let values: [Float]

    /// Computes plain cosines, shrunk where there is little evidence.
    ///
    /// The cosine of two groups of n and m entries with c common ones is c / √(n m). Shrinking multiplies it by c / (c
    /// + h).
    ///
    /// - Parameters:
    ///   - groups: the groups, each once.
    ///   - factors: the factors of the relations by index; relations with 0 do not count, and without factors all
    ///     count.
    ///   - limit: the number of best neighbours that are read in each list, or `nil` for all.
    ///   - shrinkage: h, 0 or more.
    ///   - places: the model's tables of places, or `nil` to make one for this call.
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

    /// Returns the symmetric matrix of the groups.
    private static func cosines(
        _ count: Int, _ lists: NeighbourLists, _ sizes: GroupSizes, shrinkage: Double, _ places: Span<UInt32>
    ) -> [Float] {
        var values = [Float](repeating: 0, count: count * count)
        var found = [Int](repeating: 0, count: lists.longestCount)
        lists.forEach { first, relation, neighbours in
            // The processor cannot predict whether a neighbour is one of the groups, so they are collected without a
            // branch.
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

    /// Computes the plain cosines of some pairs, and their overlaps.
    ///
    /// The overlap of two groups of n and m entries with c common ones is c / min(n, m). The overlap is 1 if one group
    /// has all entries of the other.
    ///
    /// - Parameters:
    ///   - pairs: the pairs that are in lists; all others have 0.
    ///   - shrinkage: h, 0 or more; overlaps, but not cosines, are multiplied by c / (c + h).
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

    /// Raises the similarity of a pair in a symmetric matrix, if it is lower.
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

    /// Returns the similarities of the groups at some positions to one another, row after row.
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

    /// Moves the positions of all groups that are similar to a given one from a list to the end of another list.
    ///
    /// - Parameters:
    ///   - others: the list to move from; the rest keeps its order.
    ///   - position: the position of the given group.
    ///   - least: the least similarity (inclusive), above 0.
    func move(_ others: inout [Int], to near: inout [Int], near position: Int, least: Double) {
        let row = values.span.extracting(position * count..<(position + 1) * count)
        let nearCount = near.count
        near.append(contentsOf: repeatElement(0, count: others.count))
        var otherSpan = others.mutableSpan
        var nearSpan = near.mutableSpan
        var (kept, moved) = (0, nearCount)
        for index in otherSpan.indices {
            // The processor cannot predict which positions are near: each is written to both lists, and one list grows.
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

    /// Returns the similarities of the group at a position to all groups.
    func row(_ position: Int) -> ArraySlice<Float> {
        values[position * count..<(position + 1) * count]
    }
}

/// The numbers of entries that some groups have in each relation.
struct GroupSizes {
    let count: Int
    /// The sizes of all groups, relation after relation.
    private let sizes: [UInt32]
    // Inverse roots avoid a square root and a division for each pair. A group with neighbours has entries.
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

    /// The number of entries of the group at a position in a relation.
    @inline(__always)
    subscript(position: Int, relation: Int) -> UInt32 { sizes[relation &* count &+ position] }

    /// Returns the plain cosine of the groups at two positions.
    ///
    /// - Parameter common: the number of entries that the groups have in common.
    @inline(__always)
    func cosine(_ first: Int, _ second: Int, _ relation: Int, common: Double) -> Float {
        let start = relation &* count
        // Rounding must not lead above 1.
        return Float(min(1, common * (inverseRoots[start &+ first] * inverseRoots[start &+ second])))
    }

    /// Returns the overlap of the groups at two positions: c / min(n, m) for c common entries, times c / (c + h).
    ///
    /// - Parameter shrinkage: h, 0 or more.
    func overlap(_ first: Int, _ second: Int, _ relation: Int, common: Double, shrinkage: Double) -> Float {
        let start = relation * count
        let scale = 1 / Double(max(1, min(sizes[start + first], sizes[start + second])))
        return Float(min(1, common * scale) * (common / (common + shrinkage)))
    }
}
