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
            if let last = order.last { remaining.lower(similarTo: last, similarities, lambda: configuration.lambda) }
            quotas.update { !remaining.isEmpty($0) }
            bestSum += pool[order.count].adjusted
            func costs(_ position: Int, moreThan limit: Double) -> Bool {
                sum + pool[remaining[position].place].adjusted < (1 - limit) * bestSum
            }
            var chosen = remaining.first(where: { quotas.mayGo[$0] }) { $0.worth > $1.worth }
            if costs(chosen, moreThan: configuration.lossLimit) {
                chosen = remaining.first(where: { quotas.mayGo[$0] }) { $0.place < $1.place }
                if costs(chosen, moreThan: configuration.quotaLossLimit) {
                    chosen = remaining.first(where: { _ in true }) { $0.place < $1.place }
                }
            }
            let candidate = remaining.remove(chosen)
            order.append(candidate.place)
            sum += pool[candidate.place].adjusted
            quotas.take(candidate.interest)
        }
        return order
    }
}

/// The candidates of a pool that were not chosen yet, by interest.
private struct Remaining {
    struct Candidate {
        let place: Int
        let interest: Int
        /// The score, less for what was chosen that is similar.
        var worth: Double
    }

    /// Those of each interest stand together; their order there does not matter.
    private var candidates: [Candidate]
    /// Where those of each interest stand.
    private var ranges: [Range<Int>]

    init(_ pool: [Recommendation.Candidate], interestCount: Int) {
        var counts = [Int](repeating: 0, count: interestCount)
        for candidate in pool { counts[candidate.interest] += 1 }
        var ends: [Int] = []
        for count in counts { ends.append((ends.last ?? 0) + count) }
        ranges = zip(counts, ends).map { $1 - $0..<$1 }
        candidates = pool.enumerated().map { Candidate(place: $0, interest: $1.interest, worth: $1.adjusted) }
        // Equal ones keep their order.
        candidates.sort { ($0.interest, $0.place) < ($1.interest, $1.place) }
    }

    subscript(position: Int) -> Candidate { candidates[position] }

    /// Whether nothing of an interest is left.
    func isEmpty(_ interest: Int) -> Bool { ranges[interest].isEmpty }

    /// Takes one out.
    mutating func remove(_ position: Int) -> Candidate {
        let candidate = candidates[position]
        let range = ranges[candidate.interest]
        candidates.swapAt(position, range.upperBound - 1)
        ranges[candidate.interest] = range.lowerBound..<range.upperBound - 1
        return candidate
    }

    /// Lowers the worth of what is similar to a place.
    mutating func lower(similarTo place: Int, _ similarities: PairSimilarities, lambda: Double) {
        let row = similarities.values.span.extracting(place * similarities.count..<(place + 1) * similarities.count)
        let ranges = ranges
        var candidates = candidates.mutableSpan
        for range in ranges {
            for position in range {
                // Also where it is 0: a branch would be taken at random.
                candidates[position].worth *= 1 - lambda * Double(row[candidates[position].place])
            }
        }
    }

    /// The position of the first by some order, of those whose interest may go; of equal ones the better candidate.
    @inline(__always)
    func first(where mayGo: (Int) -> Bool, by precedes: (Candidate, Candidate) -> Bool) -> Int {
        let candidates = candidates.span
        var best = -1
        for (interest, range) in ranges.enumerated() where mayGo(interest) {
            for position in range {
                if best < 0 || precedes(candidates[position], candidates[best]) {
                    best = position
                } else if !precedes(candidates[best], candidates[position]),
                    candidates[position].place < candidates[best].place
                {
                    best = position
                }
            }
        }
        return best
    }
}
