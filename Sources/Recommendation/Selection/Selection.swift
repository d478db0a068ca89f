import Model

/// Puts a pool in an order that serves all interests in proportion and does not repeat itself.
///
/// Greedy: of the interests whose turn it may be, the best of s · Π (1 − λ · sim) over what was chosen before
/// (a product form of maximal marginal relevance; Carbonell and Goldstein 1998). A longer list begins like a shorter one.
struct Selection {
    let configuration: PlanConfiguration.Selection

    /// The order of a pool.
    ///
    /// - Parameters:
    ///   - pool: best first.
    ///   - similarities: plain cosines between the candidates of the pool.
    ///   - shares: of the interests.
    /// - Returns: places in `pool`, in the order of the list.
    /// - Complexity: O(pool²).
    func order(_ pool: [Candidate], _ similarities: PairSimilarities, shares: [Double]) -> [Int] {
        var turns = InterestTurns(weights: shares, slack: configuration.slack)
        var left = [Int](repeating: 0, count: shares.count)
        for candidate in pool { left[candidate.interest] += 1 }
        var worth = pool.map(\.adjusted)
        // Ascending, so that of equal worth the better candidate is found first.
        var remaining = Array(pool.indices)
        var order: [Int] = []
        order.reserveCapacity(pool.count)
        while !remaining.isEmpty {
            let bound = turns.bound { left[$0] > 0 }
            var best = -1
            for (position, place) in remaining.enumerated()
            where (best < 0 || worth[place] > worth[remaining[best]])
                && turns.mayGo(pool[place].interest, bound: bound)
            {
                best = position
            }
            let chosen = remaining.remove(at: best)
            order.append(chosen)
            turns.take(pool[chosen].interest)
            left[pool[chosen].interest] -= 1
            let row = similarities.row(chosen)
            for place in remaining where row[row.startIndex + place] > 0 {
                worth[place] *= 1 - configuration.lambda * Double(row[row.startIndex + place])
            }
        }
        return order
    }
}
