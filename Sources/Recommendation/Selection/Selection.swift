import Model

/// Puts a pool in an order that serves all interests in proportion and does not repeat itself.
///
/// Greedy: of the interests whose turn it may be, the best of s · Π (1 − λ · sim) over what was chosen before
/// (a product form of maximal marginal relevance; Carbonell and Goldstein 1998). Where that would make the list worth
/// too much less than the best list of its length, the best of those interests goes instead, whatever it is similar to.
/// A longer list begins like a shorter one.
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
        let interests = pool.map(\.interest)
        let scores = pool.map(\.adjusted)
        var left = [Int](repeating: 0, count: shares.count)
        for interest in interests { left[interest] += 1 }
        var worth = scores
        // Ascending, so that of equal worth the better candidate is found first.
        var remaining = Array(pool.indices)
        var order: [Int] = []
        order.reserveCapacity(pool.count)
        // What the list adds up to, and what the best list of its length would.
        var sum = 0.0
        var bestSum = 0.0
        while !remaining.isEmpty {
            let mayGo = turns.eligible { left[$0] > 0 }
            bestSum += scores[order.count]
            var position = Self.firstBest(of: remaining, by: worth, interests, mayGo)
            if sum + scores[remaining[position]] < (1 - configuration.lossLimit) * bestSum {
                position = remaining.firstIndex { mayGo[interests[$0]] } ?? position
            }
            let chosen = remaining.remove(at: position)
            order.append(chosen)
            sum += scores[chosen]
            turns.take(interests[chosen])
            left[interests[chosen]] -= 1
            similarities.forEachSimilar(to: chosen) { place, similarity in
                worth[place] *= 1 - configuration.lambda * Double(similarity)
            }
        }
        return order
    }

    /// The position of the place of greatest worth whose interest may go; of equal ones the first.
    private static func firstBest(of places: [Int], by worth: [Double], _ interests: [Int], _ mayGo: [Bool]) -> Int {
        var best = -1
        var greatest = -Double.infinity
        for position in places.indices {
            let place = places[position]
            if worth[place] > greatest, mayGo[interests[place]] {
                best = position
                greatest = worth[place]
            }
        }
        return best
    }
}
