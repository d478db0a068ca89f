import Model

/// Puts a pool in an order that serves all interests in proportion and does not repeat itself.
///
/// Greedy: of the interests that may go next, the best of s · Π (1 − λ · sim) over what was chosen before (a product form
/// of maximal marginal relevance; Carbonell and Goldstein 1998). Where that would make the list worth too much less than
/// the best list of its length, the best of those interests goes instead, whatever it is similar to; and where that would
/// still be far too much, the best of all. A longer list begins like a shorter one.
struct Selection {
    let configuration: PlanConfiguration.Selection

    /// The order of a pool.
    ///
    /// - Parameters:
    ///   - pool: best first.
    ///   - similarities: plain cosines between the candidates of the pool.
    ///   - weights: of the interests.
    /// - Returns: places in `pool`, in the order of the list.
    /// - Complexity: O(pool²).
    func order(_ pool: [Candidate], _ similarities: PairSimilarities, weights: [Double]) -> [Int] {
        var quotas = InterestQuotas(weights: weights)
        var remaining = Remaining(pool, interestCount: weights.count)
        var order: [Int] = []
        order.reserveCapacity(pool.count)
        // What the list adds up to, and what the best list of its length would.
        var sum = 0.0
        var bestSum = 0.0
        while order.count < pool.count {
            quotas.update { !remaining.isEmpty($0) }
            bestSum += pool[order.count].adjusted
            func costs(_ place: Int, moreThan limit: Double) -> Bool {
                sum + pool[place].adjusted < (1 - limit) * bestSum
            }
            var chosen = remaining.worthiest { quotas.mayGo[$0] }
            if costs(chosen, moreThan: configuration.lossLimit) {
                chosen = remaining.first { quotas.mayGo[$0] }
                if costs(chosen, moreThan: configuration.quotaLossLimit) { chosen = remaining.first { _ in true } }
            }
            remaining.take(
                chosen, of: pool[chosen].interest, similarities.row(chosen), lambda: configuration.lambda)
            order.append(chosen)
            sum += pool[chosen].adjusted
            quotas.take(pool[chosen].interest)
        }
        return order
    }
}

/// The candidates of a pool that were not chosen yet, by interest.
private struct Remaining {
    /// What the candidates of an interest are worth is looked through only when that of the best changes: it never rises.
    private struct Interest {
        /// Where its places stand, ascending.
        var range: Range<Int>
        /// The place that is worth most, of equal ones the first; none if nothing is left.
        var worthiest = -1
    }

    /// Places in the pool; those of each interest stand together.
    private var places: [Int]
    private var interests: [Interest]
    /// The score, less for what was chosen that is similar; below zero once chosen.
    private var worths: [Double]

    init(_ pool: [Candidate], interestCount: Int) {
        var counts = [Int](repeating: 0, count: interestCount)
        for candidate in pool { counts[candidate.interest] += 1 }
        var next: [Int] = []
        for count in counts { next.append((next.last ?? 0) + count) }
        interests = zip(counts, next).map { Interest(range: $1 - $0..<$1) }
        places = [Int](repeating: 0, count: pool.count)
        for place in pool.indices.reversed() {
            next[pool[place].interest] -= 1
            places[next[pool[place].interest]] = place
        }
        worths = pool.map(\.adjusted)
        for interest in interests.indices { look(through: interest) }
    }

    /// Whether nothing of an interest is left.
    func isEmpty(_ interest: Int) -> Bool { interests[interest].range.isEmpty }

    /// The place that is worth most of the interests that may go; of equal ones the first.
    func worthiest(where mayGo: (Int) -> Bool) -> Int {
        var best = -1
        for interest in interests.indices where mayGo(interest) && !isEmpty(interest) {
            let place = interests[interest].worthiest
            if best < 0 || (worths[place], best) > (worths[best], place) { best = place }
        }
        return best
    }

    /// The first place of the interests that may go.
    func first(where mayGo: (Int) -> Bool) -> Int {
        var first = Int.max
        for interest in interests.indices where mayGo(interest) && !isEmpty(interest) {
            first = min(first, places[interests[interest].range.lowerBound])
        }
        return first
    }

    /// Takes a place out, and lowers the worth of what is similar to it.
    mutating func take(_ taken: Int, of interest: Int, _ similarities: ArraySlice<Float>, lambda: Double) {
        precondition(similarities.count == worths.count, "a similarity to each candidate of the pool")
        worths[taken] = -1
        // All of them, in the plainest of loops: it becomes one of vectors, and most similarities are 0.
        unsafe worths.withUnsafeMutableBufferPointer { worths in
            unsafe similarities.withUnsafeBufferPointer { similarities in
                for place in 0..<worths.count { unsafe worths[place] *= 1 - lambda * Double(similarities[place]) }
            }
        }
        look(through: interest)
        for other in interests.indices where !isEmpty(other) {
            if similarities[similarities.startIndex + interests[other].worthiest] > 0 { look(through: other) }
        }
    }

    /// Drops what was chosen, and finds the best of the rest.
    private mutating func look(through interest: Int) {
        let range = interests[interest].range
        var end = range.lowerBound
        var best = -1
        for position in range {
            let place = places[position]
            // A worth may have become nothing; below that it is what was chosen.
            guard worths[place].sign == .plus else { continue }
            places[end] = place
            end += 1
            if best < 0 || worths[place] > worths[best] { best = place }
        }
        interests[interest] = Interest(range: range.lowerBound..<end, worthiest: best)
    }
}
