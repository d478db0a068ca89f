/// Sums of scores by group: an open-addressing table that is sized by the work, not by the model.
struct CandidateScores {
    private var groups: [UInt32]
    private var scores: [Double]
    private let mask: Int

    // No group has this index: a model has fewer than 2³² − 1 groups.
    private static let free = UInt32.max

    /// A table for at most so many different groups.
    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        groups = [UInt32](repeating: Self.free, count: size)
        scores = [Double](repeating: 0, count: size)
        mask = size - 1
    }

    // Fibonacci hashing; group indexes are dense, so their low bits alone would cluster.
    private func place(of group: UInt32) -> Int {
        var place = Int(truncatingIfNeeded: (UInt64(group) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while groups[place] != group, groups[place] != Self.free { place = (place + 1) & mask }
        return place
    }

    mutating func add(_ score: Double, to group: UInt32) {
        let place = place(of: group)
        groups[place] = group
        scores[place] += score
    }

    func contains(_ group: UInt32) -> Bool { groups[place(of: group)] == group }

    /// The `limit` best of the groups that pass: best first, equal scores in ascending order of the index.
    func best(_ limit: Int, where passes: (UInt32) -> Bool) -> [(group: UInt32, score: Double)] {
        let limit = min(limit, groups.count)
        guard limit > 0 else { return [] }
        func isBefore(_ left: (group: UInt32, score: Double), _ right: (group: UInt32, score: Double)) -> Bool {
            left.score != right.score ? left.score > right.score : left.group < right.group
        }
        // Collected in portions that are cut back to the best: close to linear for any sensible limit.
        let portion = limit * 2 + 64
        var kept: [(group: UInt32, score: Double)] = []
        kept.reserveCapacity(portion)
        var floor = -Double.infinity
        for (place, group) in groups.enumerated() where group != Self.free {
            guard scores[place] > 0, scores[place] >= floor, passes(group) else { continue }
            kept.append((group, scores[place]))
            if kept.count == portion {
                kept.sort(by: isBefore)
                kept.removeLast(portion - limit)
                floor = kept[limit - 1].score
            }
        }
        kept.sort(by: isBefore)
        return Array(kept.prefix(limit))
    }
}
