/// Orders a pool: every interest gets its share, and similar groups do not follow one another.
///
/// The order is greedy. Each position goes to the greatest s · Π (1 − λ · sim) over the groups chosen before, among the
/// interests that may take it. The rule is a product form of maximal marginal relevance (Carbonell and Goldstein 1998).
///
/// Two limits apply to the loss against the best list of the same length. Beyond the first, the position goes to the
/// best candidate of those interests, however similar. Beyond the second, it goes to the best of all. A shorter list is
/// a prefix of a longer one.
struct Selection {
    let configuration: PlanConfiguration.Selection

    /// A candidate that takes the next position of the list, with the reason.
    struct Choice: Equatable {
        /// The reason for a choice.
        enum Cause: Equatable {
            /// The candidate was the best that was left.
            case score
            /// The position belonged to the candidate's interest.
            case share
            /// Earlier candidates of the pool were more similar to the chosen ones.
            case variety
        }

        /// The candidate's position in the pool.
        let position: Int
        let cause: Cause
    }

    /// Returns the order of a pool.
    ///
    /// - Parameters:
    ///   - pool: the candidates, best first.
    ///   - similarities: the similarities between the candidates of the pool, each from 0 to 1.
    ///   - shares: the shares of the interests.
    /// - Returns: all candidates in the order of the list.
    /// - Complexity: O(pool²).
    func order(_ pool: [Candidate], _ similarities: PairSimilarities, _ shares: InterestShares) -> [Choice] {
        var quotas = InterestQuotas(shares: shares.shares)
        var remaining = Remaining(pool, interestCount: shares.shares.count)
        var order: [Choice] = []
        order.reserveCapacity(pool.count)
        // The sums of the list's scores and of the best list of its length.
        var sum = 0.0
        var bestSum = 0.0
        while order.count < pool.count {
            quotas.update { interest in remaining.first(of: interest).map { shares.entitles(pool[$0]) } ?? false }
            bestSum += pool[order.count].adjusted
            func costs(_ position: Int, moreThan limit: Double) -> Bool {
                sum + pool[position].adjusted < (1 - limit) * bestSum
            }
            let best = remaining.first { _ in true }
            var chosen = remaining.worthiest { quotas.mayGo($0) }
            if costs(chosen, moreThan: configuration.lossLimit) {
                chosen = remaining.first { quotas.mayGo($0) }
                if costs(chosen, moreThan: configuration.quotaLossLimit) { chosen = best }
            }
            let isShare = chosen != best && quotas.isAnyDue && chosen != remaining.worthiest { _ in true }
            let cause: Choice.Cause = chosen == best ? .score : isShare ? .share : .variety
            remaining.take(
                chosen, of: pool[chosen].interest, similarities.row(chosen), lambda: configuration.lambda)
            order.append(Choice(position: chosen, cause: cause))
            sum += pool[chosen].adjusted
            quotas.take(pool[chosen].interest)
        }
        return order
    }
}

/// The candidates of a pool that are not chosen yet, by interest.
private struct Remaining {
    /// The candidates of one interest.
    ///
    /// A worth never rises, so they are searched again only when the worth of the best falls.
    private struct Interest {
        /// The range of its positions in `positions`, ascending.
        var range: Range<Int>
        /// The position with the greatest worth, of equal ones the first; −1 if nothing is left.
        var worthiest = -1
    }

    /// Positions in the pool, grouped by interest.
    private var positions: [Int]
    private var interests: [Interest]
    /// The score, lowered by similarity to chosen candidates; negative for a chosen candidate.
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

    /// Returns the best position of an interest, or `nil` if nothing of it is left.
    func first(of interest: Int) -> Int? { interests[interest].range.first.map { positions[$0] } }

    /// Returns whether nothing of an interest is left.
    func isEmpty(_ interest: Int) -> Bool { interests[interest].range.isEmpty }

    /// Returns the position with the greatest worth among the interests that may go; of equal ones the first.
    func worthiest(where mayGo: (Int) -> Bool) -> Int {
        var best = -1
        for interest in interests.indices where mayGo(interest) && !isEmpty(interest) {
            let position = interests[interest].worthiest
            if best < 0 || (worths[position], best) > (worths[best], position) { best = position }
        }
        return best
    }

    /// Returns the first position of the interests that may go.
    func first(where mayGo: (Int) -> Bool) -> Int {
        var first = Int.max
        for interest in interests.indices where mayGo(interest) && !isEmpty(interest) {
            first = min(first, positions[interests[interest].range.lowerBound])
        }
        return first
    }

    /// Removes a position, and lowers the worth of similar ones.
    mutating func take(_ taken: Int, of interest: Int, _ similarities: ArraySlice<Float>, lambda: Double) {
        precondition(similarities.count == worths.count, "a similarity to each candidate of the pool")
        worths[taken] = -1
        // A simple loop over all candidates, which the compiler vectorizes; most similarities are 0.
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

    /// Drops the chosen candidates of an interest, and finds the best of the others.
    private mutating func look(through interest: Int) {
        interests[interest] = Self.look(through: interests[interest].range, of: &positions, worths)
    }

    private static func look(through range: Range<Int>, of positions: inout [Int], _ worths: [Double]) -> Interest {
        var positions = positions.mutableSpan
        let worths = worths.span
        var end = range.lowerBound
        var best = (position: -1, worth: -1.0)
        for slot in range {
            let position = positions[slot]
            let worth = worths[position]
            // A worth may have become 0; negative ones, −0 too, are chosen candidates.
            guard worth.sign == .plus else { continue }
            positions[end] = position
            end += 1
            if worth > best.worth { best = (position, worth) }
        }
        return Interest(range: range.lowerBound..<end, worthiest: best.position)
    }
}
