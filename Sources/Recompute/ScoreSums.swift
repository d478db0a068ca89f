/// A sum for every group, of which few are above 0.
struct ScoreSums {
    private var sums: [Double]
    /// The groups whose sums are above 0.
    private(set) var touched: [UInt32] = []

    init(groupCount: Int) { sums = [Double](repeating: 0, count: groupCount) }

    subscript(group: UInt32) -> Double { sums[Int(group)] }

    mutating func add(_ score: Double, to group: UInt32) {
        guard score > 0 else { return }
        if sums[Int(group)] == 0 { touched.append(group) }
        sums[Int(group)] += score
    }

    mutating func clear() {
        for group in touched { sums[Int(group)] = 0 }
        touched.removeAll(keepingCapacity: true)
    }
}

/// Two sums for every group.
struct ScorePair {
    var first, second: ScoreSums

    init(groupCount: Int) {
        first = ScoreSums(groupCount: groupCount)
        second = first
    }

    mutating func clear() {
        first.clear()
        second.clear()
    }
}
