import Model

/// Plain cosines between the groups of a small set: the greatest of the stored ones of each pair.
///
/// A pair may be stored in either direction and in any relation; a pair that is stored nowhere has 0.
struct PairSimilarities {
    let count: Int
    /// count × count, symmetric, 0 on the diagonal.
    let values: [Float]

    /// The similarities between groups that are all different.
    ///
    /// - Complexity: O(count² + neighbours of the groups).
    init(among groups: [UInt32], in model: ModelVersion) {
        let count = groups.count
        let relationCount = model.relations.count
        // c / √(nᵢ nⱼ) without a root or a quotient for each pair. Who has neighbours is not empty.
        let inverseRoots = model.sizes(of: groups).map { $0 > 0 ? 1 / Double($0).squareRoot() : 0 }
        var values = [Float](repeating: 0, count: count * count)
        var matrix = values.mutableSpan
        GroupFinder(groups).forEachFound(in: model.lists(of: groups)) { first, relation, neighbour, second in
            let roots =
                inverseRoots[first * relationCount + relation] * inverseRoots[second * relationCount + relation]
            // Not above 1 by a rounding.
            let cosine = Float(min(1, Double(neighbour.common) * roots))
            let value = max(matrix[first * count + second], cosine)
            matrix[first * count + second] = value
            matrix[second * count + first] = value
        }
        self.count = count
        self.values = values
    }

    /// The similarity of two places.
    @inline(__always)
    subscript(first: Int, second: Int) -> Float { values[first * count + second] }

    /// The similarities of a place to all.
    func row(_ place: Int) -> ArraySlice<Float> { values[place * count..<(place + 1) * count] }
}
