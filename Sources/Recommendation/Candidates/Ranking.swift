/// Selects and sorts candidates by a bucket sort over the bit patterns of their scores.
///
/// The bit patterns of scores of 0 or more have the order of the scores and are nearly linear in their logarithm, so
/// that buckets of equal width hold few candidates each.
enum Ranking {
    private static let bucketCount = 1024
    /// With more candidates than this in a bucket, insertion sort would be slow.
    private static let insertionLimit = 24

    /// Cuts candidates back to the best `limit`, in no order.
    ///
    /// - Parameter candidates: with scores of 0 or more.
    /// - Complexity: O(candidates), as a rule.
    static func keepBest<Element: Ranked>(_ limit: Int, of candidates: inout [Element]) {
        guard candidates.count > limit else { return }
        let buckets = Buckets(of: candidates)
        var counts = [Int](repeating: 0, count: bucketCount)
        for candidate in candidates { counts[buckets.number(candidate)] += 1 }
        var last = 0
        var before = 0
        while before + counts[last] < limit {
            before += counts[last]
            last += 1
        }
        var best: [Element] = []
        best.reserveCapacity(limit)
        var border: [Element] = []
        for candidate in candidates {
            let number = buckets.number(candidate)
            if number < last { best.append(candidate) } else if number == last { border.append(candidate) }
        }
        border.sort(by: Element.precedes)
        best += border.prefix(limit - before)
        candidates = best
    }

    /// Sorts candidates, best first.
    ///
    /// - Parameter candidates: with scores of 0 or more.
    /// - Complexity: O(candidates) as a rule, O(candidates · log candidates) at worst.
    static func sort(_ candidates: inout [Candidate]) {
        guard candidates.count > insertionLimit else { return candidates.sort(by: Candidate.precedes) }
        let buckets = Buckets(of: candidates)
        var ends = [Int](repeating: 0, count: bucketCount)
        for candidate in candidates { ends[buckets.number(candidate)] += 1 }
        guard ends.allSatisfy({ $0 <= insertionLimit }) else { return candidates.sort(by: Candidate.precedes) }
        for number in 1..<bucketCount { ends[number] += ends[number - 1] }
        var ordered = candidates
        for candidate in candidates.reversed() {
            let number = buckets.number(candidate)
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

    /// Buckets of equal width over the range of some scores, the highest first.
    private struct Buckets<Element: Ranked> {
        private let highest: UInt64
        private let shift: UInt64

        init(of candidates: [Element]) {
            var (low, high) = (UInt64.max, UInt64.min)
            for candidate in candidates {
                let bits = candidate.rankingScore.bitPattern
                low = min(low, bits)
                high = max(high, bits)
            }
            highest = high
            let width = Int.bitWidth - (high - low).leadingZeroBitCount
            shift = UInt64(max(0, width - (bucketCount.trailingZeroBitCount)))
        }

        @inline(__always)
        func number(_ candidate: Element) -> Int { Int((highest - candidate.rankingScore.bitPattern) >> shift) }
    }
}
