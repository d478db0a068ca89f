import Model

/// Plain cosines between the groups of a small set: the greatest of the stored ones of each pair.
///
/// A pair may be stored in either direction and in any relation; a pair that is stored nowhere has 0.
struct PairSimilarities {
    let count: Int
    /// count × count, symmetric, 0 on the diagonal.
    private var values: [Float]

    /// The similarities between groups that are all different.
    ///
    /// - Complexity: O(count² + neighbours of the groups).
    init(among groups: [UInt32], in model: ModelVersion) {
        count = groups.count
        values = [Float](repeating: 0, count: groups.count * groups.count)
        let places = GroupPlaces(groups)
        for (place, group) in groups.enumerated() {
            for relation in Relation.allCases {
                model.neighbours(of: Int(group), by: relation).withSpan { neighbours in
                    for index in neighbours.indices {
                        guard let other = places[neighbours[index].index] else { continue }
                        raise(
                            place, other, to: Float(model.cosine(of: neighbours[index], to: Int(group), by: relation)))
                    }
                }
            }
        }
    }

    private mutating func raise(_ first: Int, _ second: Int, to value: Float) {
        guard value > values[first * count + second] else { return }
        values[first * count + second] = value
        values[second * count + first] = value
    }

    /// The similarity of two places.
    subscript(first: Int, second: Int) -> Float { values[first * count + second] }

    /// Calls `body` with the places that are similar to one, ascending, and how much.
    func forEachSimilar(to place: Int, _ body: (Int, Float) -> Void) {
        for other in 0..<count {
            let value = values[place * count + other]
            if value > 0 { body(other, value) }
        }
    }

    /// The similarities of a place to all places, in order.
    func row(_ place: Int) -> ArraySlice<Float> { values[(place * count)..<((place + 1) * count)] }
}
