/// The candidates a list is made of, best first.
///
/// Scores of 0 or more stand in the order of their bit patterns, which are nearly even in the logarithm of the score: portions of
/// equal width of them hold few candidates each.
enum Ranking {
    private static let portionCount = 1024
    /// Portions with more candidates than this are not put in order one by one.
    private static let insertionLimit = 24

    /// Cuts candidates back to the best `limit`, in no order.
    ///
    /// - Parameter candidates: with scores of 0 or more.
    /// - Complexity: O(candidates), as a rule.
    static func keepBest(_ limit: Int, of candidates: inout [Candidate]) {
        guard candidates.count > limit else { return }
        let portions = Portions(of: candidates)
        var counts = [Int](repeating: 0, count: portionCount)
        for candidate in candidates { counts[portions.number(candidate)] += 1 }
        var last = 0
        var before = 0
        while before + counts[last] < limit {
            before += counts[last]
            last += 1
        }
        var best: [Candidate] = []
        best.reserveCapacity(limit)
        var border: [Candidate] = []
        for candidate in candidates {
            let number = portions.number(candidate)
            if number < last { best.append(candidate) } else if number == last { border.append(candidate) }
        }
        border.sort(by: Candidate.precedes)
        candidates = best + border.prefix(limit - before)
    }

    /// Brings candidates into order, best first.
    ///
    /// - Parameter candidates: with scores of 0 or more.
    /// - Complexity: O(candidates) as a rule, O(candidates · log candidates) at worst.
    static func sort(_ candidates: inout [Candidate]) {
        guard candidates.count > insertionLimit else { return candidates.sort(by: Candidate.precedes) }
        let portions = Portions(of: candidates)
        var ends = [Int](repeating: 0, count: portionCount)
        for candidate in candidates { ends[portions.number(candidate)] += 1 }
        guard ends.allSatisfy({ $0 <= insertionLimit }) else { return candidates.sort(by: Candidate.precedes) }
        for number in 1..<portionCount { ends[number] += ends[number - 1] }
        var ordered = candidates
        for candidate in candidates.reversed() {
            let number = portions.number(candidate)
            ends[number] -= 1
            ordered[ends[number]] = candidate
        }
        insertionSort(&ordered)
        candidates = ordered
    }

    private static func insertionSort(_ candidates: inout [Candidate]) {
        for position in candidates.indices.dropFirst() {
            let candidate = candidates[position]
            var free = position
            while free > 0, Candidate.precedes(candidate, candidates[free - 1]) {
                candidates[free] = candidates[free - 1]
                free -= 1
            }
            candidates[free] = candidate
        }
    }

    /// Portions of the span of some scores, the highest first.
    private struct Portions {
        private let highest: UInt64
        private let shift: UInt64

        init(of candidates: [Candidate]) {
            var (low, high) = (UInt64.max, UInt64.min)
            for candidate in candidates {
                let bits = candidate.adjusted.bitPattern
                low = min(low, bits)
                high = max(high, bits)
            }
            highest = high
            let width = Int.bitWidth - (high - low).leadingZeroBitCount
            shift = UInt64(max(0, width - (portionCount.trailingZeroBitCount)))
        }

        @inline(__always)
        func number(_ candidate: Candidate) -> Int { Int((highest - candidate.adjusted.bitPattern) >> shift) }
    }
}
