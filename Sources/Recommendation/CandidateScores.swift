/// Sums of scores by group: sized by the work, not by the model.
struct CandidateScores {
    private var places: GroupPlaces
    private var sums: [(group: UInt32, score: Double)] = []

    /// A table for at most so many different groups.
    init(capacity: Int) {
        places = GroupPlaces(capacity: capacity)
        sums.reserveCapacity(capacity)
    }

    mutating func add(_ score: Double, to group: UInt32) {
        let place = places.place(of: group, orInsert: sums.count)
        if place == sums.count { sums.append((group, 0)) }
        sums[place].score += score
    }

    /// The `limit` best of the groups that pass: best first, equal scores in ascending order of the index.
    func best(_ limit: Int, where passes: (UInt32) -> Bool) -> [(group: UInt32, score: Double)] {
        let limit = min(limit, sums.count)
        guard limit > 0 else { return [] }
        func isBefore(_ left: (group: UInt32, score: Double), _ right: (group: UInt32, score: Double)) -> Bool {
            left.score != right.score ? left.score > right.score : left.group < right.group
        }
        // Collected in portions that are cut back to the best: close to linear for any sensible limit.
        let portion = limit * 2 + 64
        var kept: [(group: UInt32, score: Double)] = []
        kept.reserveCapacity(portion)
        var floor = -Double.infinity
        for (group, score) in sums where score > 0 && score >= floor && passes(group) {
            kept.append((group, score))
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
