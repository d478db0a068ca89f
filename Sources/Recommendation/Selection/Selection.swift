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
    /// - Returns: positions in `pool`, in the order of the list.
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
            func costs(_ position: Int, moreThan limit: Double) -> Bool {
                sum + pool[position].adjusted < (1 - limit) * bestSum
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
        /// Where its positions stand, ascending.
        var range: Range<Int>
        /// The position that is worth most, of equal ones the first; none if nothing is left.
        var worthiest = -1
    }

    /// Places in the pool; those of each interest stand together.
    private var positions: [Int]
    private var interests: [Interest]
    /// The score, less for what was chosen that is similar; below zero once chosen.
    private var worths: [Double]

    init(_ pool: [Candidate], interestCount: Int) {
        var counts = [Int](repeating: 0, count: interestCount)
        for candidate in pool { counts[candidate.interest] += 1 }
        var next: [Int] = []
        for count in counts { next.append((next.last ?? 0) + count) }
        interests = zip(counts, next).map { Interest(range: $1 - $0..<$1) }
        positions = [Int](repeating: 0, count: pool.count)
        for position in pool.indices.reversed() {
            next[pool[position].interest] -= 1
            positions[next[pool[position].interest]] = position
        }
        worths = pool.map(\.adjusted)
        for interest in interests.indices { look(through: interest) }
    }

    /// Whether nothing of an interest is left.
    func isEmpty(_ interest: Int) -> Bool { interests[interest].range.isEmpty }

    /// The position that is worth most of the interests that may go; of equal ones the first.
    func worthiest(where mayGo: (Int) -> Bool) -> Int {
        var best = -1
        for interest in interests.indices where mayGo(interest) && !isEmpty(interest) {
            let position = interests[interest].worthiest
            if best < 0 || (worths[position], best) > (worths[best], position) { best = position }
        }
        return best
    }

    /// The first position of the interests that may go.
    func first(where mayGo: (Int) -> Bool) -> Int {
        var first = Int.max
        for interest in interests.indices where mayGo(interest) && !isEmpty(interest) {
            first = min(first, positions[interests[interest].range.lowerBound])
        }
        return first
    }

    /// Takes a position out, and lowers the worth of what is similar to it.
    mutating func take(_ taken: Int, of interest: Int, _ similarities: ArraySlice<Float>, lambda: Double) {
        precondition(similarities.count == worths.count, "a similarity to each candidate of the pool")
        worths[taken] = -1
        // All of them, in the plainest of loops: it becomes one of vectors, and most similarities are 0.
        unsafe worths.withUnsafeMutableBufferPointer { worths in
            unsafe similarities.withUnsafeBufferPointer { similarities in
                for position in 0..<worths.count {
                    unsafe worths[position] *= 1 - lambda * Double(similarities[position])
                }
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
            let position = positions[position]
            // A worth may have become nothing; below that it is what was chosen.
            guard worths[position].sign == .plus else { continue }
            positions[end] = position
            end += 1
            if best < 0 || worths[position] > worths[best] { best = position }
        }
        interests[interest] = Interest(range: range.lowerBound..<end, worthiest: best)
    }
}
