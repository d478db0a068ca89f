/// Shares a total among weights in whole numbers, exactly.
enum Quotas {
    /// Whole shares in proportion to the weights, none above the cap, which add up to the total.
    ///
    /// What the cap takes from the heavy goes to the rest in proportion. Each share is its exact value
    /// rounded up or down, where running sums decide, so that no rounding piles up.
    ///
    /// - Parameters:
    ///   - total: at most weights × cap.
    ///   - weights: positive.
    ///   - cap: the largest share, inclusive.
    static func shares(of total: Int, weights: [Double], cap: Int) -> [UInt32] {
        let limit = largestUncapped(total: total, weights: weights, cap: cap)
        let free = weights.reduce(0) { $1 < limit.weight ? $0 + $1 : $0 }
        let scale = free > 0 ? Double(total - limit.capped * cap) / free : 0
        let freeTotal = total - limit.capped * cap
        var given = 0
        var running = 0.0
        var seen = 0
        let freeCount = weights.count - limit.capped
        return weights.map { weight in
            guard weight < limit.weight else { return UInt32(cap) }
            running += weight * scale
            seen += 1
            // The last one takes the rest: the running sum may miss the total by a rounding error.
            let reached = seen == freeCount ? freeTotal : min(Int(running), freeTotal)
            defer { given = reached }
            return UInt32(reached - given)
        }
    }

    /// Weights from `weight` upwards, of which there are `capped`, get the cap.
    private static func largestUncapped(total: Int, weights: [Double], cap: Int) -> (weight: Double, capped: Int) {
        var limit = (weight: Double.infinity, capped: 0)
        while true {
            let free = weights.reduce(0) { $1 < limit.weight ? $0 + $1 : $0 }
            guard free > 0 else { return limit }
            // At exactly the cap a share is capped too: rounding up could never pass it.
            let weight = Double(cap) / (Double(total - limit.capped * cap) / free)
            guard weight < limit.weight else { return limit }
            let capped = weights.reduce(0) { $1 >= weight ? $0 + 1 : $0 }
            guard capped > limit.capped else { return limit }
            limit = (weight, capped)
        }
    }
}
