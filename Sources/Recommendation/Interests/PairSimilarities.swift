import Model

/// How similar the groups of a small set are: of each pair the greatest value in the model's lists.
///
/// A pair may be in the lists of either group and of any relation; a pair that is in none has 0.
struct PairSimilarities {
    /// What is compared, for c common entries of groups of n and m.
    enum Measure {
        /// c / √(n m), the plain cosine.
        case cosine
        /// c / min(n, m): 1 if the one has all entries of the other.
        case overlap
    }

    let count: Int
    /// count × count, symmetric, 0 on the diagonal; each from 0 to 1.
    let values: [Float]

    /// - Parameters:
    ///   - groups: each once.
    ///   - factors: of the relations by index; those with 0 do not count. All count if there are none.
    ///   - shrinkage: h, 0 or more: the values of pairs with c common entries are multiplied by c / (c + h).
    /// - Complexity: O(count² + neighbours of the groups).
    init(
        among groups: [UInt32], in model: VisibleModel, factors: [Double] = [], measure: Measure = .cosine,
        shrinkage: Double = 0
    ) {
        let count = groups.count
        let relationCount = model.relations.count
        let sizes = model.sizes(of: groups)
        // Avoids a square root and a division for each pair. A group with neighbours has entries.
        let inverseRoots = sizes.map { $0 > 0 ? 1 / Double($0).squareRoot() : 0 }
        var values = [Float](repeating: 0, count: count * count)
        var matrix = values.mutableSpan
        GroupLookup(groups).forEachFound(in: model.lists(of: groups)) { first, relation, neighbour, second in
            guard factors.isEmpty || factors[relation] > 0 else { return }
            let (one, other) = (first * relationCount + relation, second * relationCount + relation)
            let scale =
                switch measure {
                case .cosine: inverseRoots[one] * inverseRoots[other]
                case .overlap: 1 / Double(max(1, min(sizes[one], sizes[other])))
                }
            let common = Double(neighbour.common)
            let trust = shrinkage > 0 ? common / (common + shrinkage) : 1
            // Rounding must not lead above 1.
            let similarity = Float(min(1, common * scale) * trust)
            let value = max(matrix[first * count + second], similarity)
            matrix[first * count + second] = value
            matrix[second * count + first] = value
        }
        self.count = count
        self.values = values
    }

    /// The similarity of the groups at two positions.
    @inline(__always)
    subscript(first: Int, second: Int) -> Float { values[first * count + second] }

    /// The similarities of the group at a position to all groups.
    func row(_ position: Int) -> ArraySlice<Float> { values[position * count..<(position + 1) * count] }
}
