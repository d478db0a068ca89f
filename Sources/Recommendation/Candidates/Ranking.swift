import Model

/// Selects and sorts candidates by a bucket sort over the bit patterns of their scores.
///
/// The bit patterns of scores of 0 or more have the order of the scores, and are nearly linear in their logarithm.
/// Buckets of equal width therefore hold few candidates each.
enum Ranking {
    private static let greatestBucketCount = 1024
    /// The greatest number of candidates in a bucket for which insertion sort is fast.
    private static let insertionLimit = 24

    /// Cuts candidates back to the best `limit`, in no order.
    ///
    /// - Parameter candidates: the candidates, with scores of 0 or more.
    /// - Complexity: O(candidates), as a rule.
    static func keepBest<Element: Ranked>(_ limit: Int, of candidates: inout [Element]) {
        guard candidates.count > limit else { return }
        let buckets = Buckets(of: candidates)
        var counts = [Int](repeating: 0, count: buckets.count)
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
    /// - Parameter candidates: the candidates, with scores of 0 or more.
    /// - Complexity: O(candidates) as a rule, O(candidates · log candidates) at worst.
    static func sort(_ candidates: inout [Candidate]) {
        guard candidates.count > insertionLimit else { return candidates.sort(by: Candidate.precedes) }
        let buckets = Buckets(of: candidates)
        var ends = [Int](repeating: 0, count: buckets.count)
        for candidate in candidates { ends[buckets.number(candidate)] += 1 }
        guard ends.allSatisfy({ $0 <= insertionLimit }) else { return candidates.sort(by: Candidate.precedes) }
        for number in 1..<buckets.count { ends[number] += ends[number - 1] }
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
        /// The number of buckets, a power of two: about twice that of the candidates, so that they cost no more time.
        let count: Int
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
            count = min(greatestBucketCount, SlotTable.slotCount(atLeast: 2 * candidates.count))
            let width = Int.bitWidth - (high - low).leadingZeroBitCount
            shift = UInt64(max(0, width - count.trailingZeroBitCount))
        }

        @inline(__always)
        func number(_ candidate: Element) -> Int { Int((highest - candidate.rankingScore.bitPattern) >> shift) }
    }
}

/// The numbers of scores in many narrow ranges; they bound the best scores before anything is copied.
struct ScoreHistogram {
    /// The number of low bits that scores within a range may differ in: 32 ranges from one power of two to the next.
    private static let bits: UInt64 = 47
    /// The first range, which begins at 2⁻²⁴ and takes all lower scores, too; the last takes all higher ones.
    private static let first = 0x1p-24.bitPattern >> bits
    private static let rangeCount = 1280

    private var counts = [UInt32](repeating: 0, count: rangeCount)
    private(set) var count = 0

    /// Counts a score of 0 or more.
    @inline(__always)
    mutating func add(_ score: Double) {
        let bits = score.bitPattern >> Self.bits
        let range = bits > Self.first ? Int(truncatingIfNeeded: bits &- Self.first) : 0
        counts[min(range, Self.rangeCount - 1)] &+= 1
        count += 1
    }

    /// Returns a score that at least `limit` scores reach and few more, or 0 if there are fewer scores.
    func leastScore(ofBest limit: Int) -> Double {
        var left = limit
        for range in counts.indices.dropFirst().reversed() {
            left -= Int(counts[range])
            if left <= 0 { return Double(bitPattern: (Self.first + UInt64(range)) << Self.bits) }
        }
        return 0
    }
}

/// The part of a group's raw score that its size gives it, for every member.
///
/// The prior of a group is weight · √(members / members of the largest group).
///
/// Where few groups have most of the members, a popular group is a better guess than a weak similarity. The sums beside
/// it grow with the number of groups that a member has joined.
struct PopularityPrior: Sendable {
    private let scores: [Float]
    /// The groups with the most members, best first; they are candidates for everybody.
    let largest: [UInt32]

    /// Computes the prior of all groups.
    ///
    /// - Parameters:
    ///   - relations: the relations; one of them says which members a group has.
    ///   - weight: the prior of the largest group, in units of the mean best score; above 0.
    ///   - limit: the number of groups that become candidates for everybody.
    /// - Complexity: O(groups · log groups).
    init(_ model: VisibleModel, _ relations: RelationTable, weight: Double, limit: Int) {
        let sizes = relations.sizes(in: .membership, model)
        let greatest = Double(max(1, sizes.max() ?? 0))
        scores = sizes.map { Float(weight * (Double($0) / greatest).squareRoot()) }
        let ranked = sizes.indices.filter { sizes[$0] > 0 }.sorted { (sizes[$0], $1) > (sizes[$1], $0) }
        largest = ranked.prefix(limit).map(UInt32.init)
    }

    /// The score that is added for a group, 0 or more.
    @inline(__always)
    subscript(group: UInt32) -> Double { Double(scores[Int(group)]) }
}
