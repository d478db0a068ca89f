/// The candidates that a list is selected from.
enum CandidatePool {
    /// A part is the best of the interests in proportion to their weights, the rest the best of all.
    ///
    /// Without a part of its own, an interest would lose its position to the many groups that a larger one brings; but
    /// that part is not for interests of a few percent, nor for candidates that hardly anything speaks for.
    ///
    /// - Parameters:
    ///   - candidates: best first.
    ///   - weights: of the interests.
    /// - Returns: positions in `candidates`, ascending.
    static func positions(
        of candidates: [Candidate], weights: [Double], _ configuration: PlanConfiguration.Selection
    ) -> [Int] {
        let size = configuration.poolSize
        guard candidates.count > size else { return Array(candidates.indices) }
        let sum = weights.reduce(0, +)
        let own = configuration.ownPart * Double(size)
        var room = weights.map { sum > 0 ? Int(($0 / sum * own).rounded(.down)) : 0 }
        var isTaken = [Bool](repeating: false, count: candidates.count)
        var count = 0
        let least = configuration.leastWorth * candidates[0].adjusted
        for (position, candidate) in candidates.enumerated()
        where room[candidate.interest] > 0 && count < size && candidate.adjusted >= least {
            room[candidate.interest] -= 1
            isTaken[position] = true
            count += 1
        }
        for position in candidates.indices where count < size && !isTaken[position] {
            isTaken[position] = true
            count += 1
        }
        return candidates.indices.filter { isTaken[$0] }
    }
}
