import CSimilarity
import Model

/// The best candidates of each rank so far, with some more that are not yet sorted out.
///
/// Several threads add candidates, in any order; the best ones are the same in the end. At most two candidates are
/// added for each pair, one for each of its rows.
@safe
struct BestCandidates: Sendable {
    /// The ranks whose candidates are kept.
    let ranks: Range<Int>
    /// A number for each rank below which no candidate is among the best; 0 at first.
    ///
    /// The number is a bound on the key or, for plain cosine, on its square root.
    let thresholds: Storage<Float>
    private let order: CandidateOrder
    private let heads: Storage<Head>
    private let items: Storage<ListedPair>

    private struct Head: BitwiseCopyable {
        /// 0 while nobody changes the rank's candidates; the first field, for `coterie_lock`.
        var lock: UInt32 = 0
        var count: UInt32 = 0
        /// The most pairs of the rank, and the number of candidates after which they are selected.
        let limit, capacity: Int
        /// The position of the first candidate.
        let start: Int
        /// The worst of the best candidates at the last selection; a new candidate must precede it.
        var last = ListedPair(key: -.infinity, other: 0, common: 0)
    }

    /// The number of surplus candidates after which a rank's best are selected at the end of a comparison.
    private static let surplus = 20

    init(ranks: Range<Int>, rankCount: Int, _ limits: PairLimits, _ order: CandidateOrder) {
        self.ranks = ranks
        self.order = order
        thresholds = Storage(zeroed: rankCount)
        heads = Storage(uninitialized: ranks.count)
        var itemCount = 0
        for (index, rank) in ranks.enumerated() {
            let limit = limits.limit(ofSize: Int(order.sizes[rank]))
            heads[index] = Head(limit: limit, capacity: limit + max(44, min(limit / 4, 512)), start: itemCount)
            itemCount += heads[index].capacity
        }
        items = Storage(zeroed: itemCount)
    }

    /// Returns the most pairs of a rank.
    @inline(__always)
    func limit(ofRank rank: Int) -> Int { unsafe heads.base[rank - ranks.lowerBound].limit }

    @inline(__always)
    func threshold(ofRank rank: Int) -> Float { unsafe coterie_threshold(thresholds.base + rank) }

    func push(_ candidate: ListedPair, ofRank rank: Int) {
        let index = rank - ranks.lowerBound
        let head = unsafe heads.base + index
        unsafe lock(head)
        if unsafe order.precedes(candidate, head.pointee.last) {
            unsafe items.base[head.pointee.start + Int(head.pointee.count)] = candidate
            unsafe head.pointee.count += 1
            if unsafe Int(head.pointee.count) == head.pointee.capacity { unsafe select(index, head) }
        }
        unsafe unlock(head)
    }

    /// Raises the rank's threshold if enough candidates were added.
    func raiseThreshold(ofRank rank: Int) {
        let index = rank - ranks.lowerBound
        let head = unsafe heads.base + index
        unsafe lock(head)
        let most = unsafe head.pointee.limit + (head.pointee.last.key == -.infinity ? -1 : Self.surplus)
        if unsafe head.pointee.count > most { unsafe select(index, head) }
        unsafe unlock(head)
    }

    /// Returns the number of candidates of a rank, while no other thread changes them.
    func count(ofRank rank: Int) -> Int { unsafe Int(heads.base[rank - ranks.lowerBound].count) }

    private func lock(_ head: UnsafeMutablePointer<Head>) {
        unsafe coterie_lock(UnsafeMutableRawPointer(head).assumingMemoryBound(to: UInt32.self))
    }

    private func unlock(_ head: UnsafeMutablePointer<Head>) {
        unsafe coterie_unlock(UnsafeMutableRawPointer(head).assumingMemoryBound(to: UInt32.self))
    }

    /// Keeps the best `limit` candidates and records the worst of them (quickselect; Hoare 1961).
    @inline(never)
    private func select(_ index: Int, _ head: UnsafeMutablePointer<Head>) {
        let (items, limit) = unsafe (items.base + head.pointee.start, head.pointee.limit)
        var low = 0
        var high = unsafe Int(head.pointee.count) - 1
        while low < high {
            let pivot = unsafe items[(low + high) / 2]
            var left = low
            var right = high
            while left <= right {
                while unsafe order.precedes(items[left], pivot) { left += 1 }
                while unsafe order.precedes(pivot, items[right]) { right -= 1 }
                guard left <= right else { break }
                let moved = unsafe items[left]
                unsafe items[left] = unsafe items[right]
                unsafe items[right] = moved
                left += 1
                right -= 1
            }
            if limit - 1 <= right { high = right } else if limit - 1 >= left { low = left } else { break }
        }
        var worst = unsafe items[0]
        for position in 1..<limit where unsafe order.precedes(worst, items[position]) { worst = unsafe items[position] }
        unsafe head.pointee.count = UInt32(limit)
        unsafe head.pointee.last = worst
        // The bound is slightly lower, because keys that are mathematically equal may differ in their last bits.
        let bound = Float(order.tolerance > 0 ? worst.key.squareRoot() : worst.key) * (1 - 1e-6)
        unsafe coterie_set_threshold(thresholds.base + ranks.lowerBound + index, bound.isFinite ? bound : 0)
    }

    /// Returns the best pairs, after which no candidate may be added.
    ///
    /// - Parameters:
    ///   - formula: the formula, for keys that order all pairs.
    ///   - threads: the number of threads.
    func finish(_ formula: Formula, threads: Int) -> NeighbourPairs {
        Parallel.forEach(ranks.count, inPortionsOf: 256, threads: threads) { indices in
            for index in indices {
                let head = unsafe heads.base + index
                if unsafe Int(head.pointee.count) > head.pointee.limit { unsafe select(index, head) }
                var list = unsafe UnsafeMutableBufferPointer(
                    start: items.base + head.pointee.start, count: Int(head.pointee.count))
                // A cut at the target sorts the pairs by source.
                if formula.keepsOrder { unsafe list.sort(by: order.precedes) }
                let size = Int(order.sizes[ranks.lowerBound + index])
                for position in list.indices {
                    let key = unsafe list[position].key
                    unsafe list[position].key = formula.modified?.pairKey(key: key, ownSize: size) ?? key
                    unsafe list[position].other = order.rows[Int(list[position].other)]
                }
            }
        }
        return NeighbourPairs(
            pairs: items,
            slices: ranks.indices.map { index in
                let start = unsafe heads.base[index - ranks.lowerBound].start
                return start..<start + count(ofRank: index)
            }, ranks: ranks)
    }
}

/// A pair that may be among the best of one of its rows.
struct ListedPair: BitwiseCopyable {
    /// The sort key; larger is more similar, and `CandidateOrder` defines when two keys count as equal.
    ///
    /// After the search the key orders all pairs (`ModifiedCosine.pairKey`).
    var key: Double
    /// The rank of the other row; after the search, the other row itself.
    var other: UInt32
    /// The number of common entries.
    var common: UInt32

    /// Returns the list of a source from its pairs, which must be best first.
    static func list(_ pairs: some Collection<ListedPair>, _ formula: ModifiedCosine) -> [Neighbour] {
        var scores = pairs.map { formula.score(pairKey: $0.key) }
        formula.normalize(&scores)
        return zip(pairs, scores).map { Neighbour(index: $0.other, common: $0.common, score: Float($1)) }
    }
}

/// The exact order of candidates of one source row, best first.
@safe
struct CandidateOrder: Sendable {
    /// The relative difference up to which two keys count as equal.
    ///
    /// The integers from which the keys were computed then decide. The tolerance is 0 if the key itself defines the
    /// order.
    let tolerance: Double
    let rows: Storage<UInt32>
    let sizes: Storage<UInt32>

    /// Whether one candidate comes before another; different candidates never tie, because their rows differ.
    @inline(__always)
    func precedes(_ one: ListedPair, _ other: ListedPair) -> Bool {
        if abs(one.key - other.key) > tolerance * one.key { return one.key > other.key }
        return precedesClosely(one, other)
    }

    @inline(never)
    private func precedesClosely(_ one: ListedPair, _ other: ListedPair) -> Bool {
        if tolerance > 0 {
            // Compares c² / n of both by cross-multiplication, which needs 32 + 32 + 32 bits.
            let mine = UInt128(one.common) * UInt128(one.common) * UInt128(sizes[Int(other.other)])
            let its = UInt128(other.common) * UInt128(other.common) * UInt128(sizes[Int(one.other)])
            if mine != its { return mine > its }
        }
        return rows[Int(one.other)] < rows[Int(other.other)]
    }
}
