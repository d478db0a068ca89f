import Model

/// Plain cosines between the groups of a small set: of each pair the greatest one in the model's lists.
///
/// A pair may be in the lists of either group and of any relation; a pair that is in none has 0.
struct PairSimilarities {
    let count: Int
    /// count × count, symmetric, 0 on the diagonal.
    let values: [Float]

    /// - Parameters:
    ///   - groups: each once.
    ///   - factors: of the relations by index; those with 0 do not count. All count if there are none.
    /// - Complexity: O(count² + neighbours of the groups).
    init(among groups: [UInt32], in model: VisibleModel, factors: [Double] = []) {
        let count = groups.count
        let relationCount = model.relations.count
        // Avoids a square root and a division for each pair. A group with neighbours has entries.
        let inverseRoots = model.sizes(of: groups).map { $0 > 0 ? 1 / Double($0).squareRoot() : 0 }
        var values = [Float](repeating: 0, count: count * count)
        var matrix = values.mutableSpan
        GroupLookup(groups).forEachFound(in: model.lists(of: groups)) { first, relation, neighbour, second in
            guard factors.isEmpty || factors[relation] > 0 else { return }
            let roots =
                inverseRoots[first * relationCount + relation] * inverseRoots[second * relationCount + relation]
            // Rounding must not lead above 1.
            let cosine = Float(min(1, Double(neighbour.common) * roots))
            let value = max(matrix[first * count + second], cosine)
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
