import Model

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
