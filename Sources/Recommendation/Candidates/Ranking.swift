/// The candidates a list is made of, best first.
enum Ranking {
    /// Cuts candidates back to the best, in order.
    ///
    /// - Returns: at most `limit`, by `Candidate.precedes`.
    /// - Complexity: O(candidates + limit · log limit), as a rule.
    static func best(_ limit: Int, of candidates: consuming [Candidate]) -> [Candidate] {
        if candidates.count > limit { select(limit, &candidates) }
        candidates.sort(by: Candidate.precedes)
        return candidates
    }

    /// Keeps the best `limit`, in no order: quickselect (Hoare 1961).
    private static func select(_ limit: Int, _ candidates: inout [Candidate]) {
        var low = 0
        var high = candidates.count - 1
        while low < high {
            let pivot = candidates[(low + high) / 2]
            var left = low
            var right = high
            while left <= right {
                while Candidate.precedes(candidates[left], pivot) { left += 1 }
                while Candidate.precedes(pivot, candidates[right]) { right -= 1 }
                if left <= right {
                    candidates.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if limit - 1 <= right { high = right } else if limit - 1 >= left { low = left } else { break }
        }
        candidates.removeLast(candidates.count - limit)
    }
}
