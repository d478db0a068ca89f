/// The best `limit` candidates of one source row so far, with some more that are not yet sorted out.
///
/// After every push, a histogram of the keys gives a lower bound that at least `limit` candidates reach. Candidates
/// below the bound need not be pushed. A bucket is a sixteenth of an octave wide, and the bound is therefore within 7%
/// of the last key. Only candidates that pass the bound are compared exactly.
@safe
struct BestCandidates {
    private let limit: Int
    private let capacity: Int
    private var count = 0
    /// A bound on the keys: a candidate with a smaller key can no longer be among the best; 0 at first.
    private(set) var leastKey = 0.0
    /// The worst of the best candidates at the last `select`; a new candidate must precede it.
    private var last = RowCandidate(key: -.infinity, rank: 0, common: 0)
    /// The bucket of the worst of the best, and the number of candidates in the buckets above it.
    private var lastBucket = 0
    private var countAbove = 0
    /// The number of the lowest bucket, in sixteenths of an octave.
    private let lowest: Int
    private let items: UnsafeMutablePointer<RowCandidate>
    private let histogram: UnsafeMutablePointer<UInt16>

    /// The number of buckets, 16 octaves; all keys below 2^-16 of the greatest key share the lowest bucket.
    static let bucketCount = 256

    /// Returns the number of candidates to make room for; it is large enough for cuts to be rare.
    static func capacity(limit: Int) -> Int { limit + max(limit, 412) }

    /// Creates an empty selection.
    ///
    /// - Parameters:
    ///   - limit: the number of candidates to keep.
    ///   - greatestKey: an upper bound of all keys (inclusive).
    ///   - items: memory for `capacity(limit:)` candidates, which the caller keeps alive.
    ///   - histogram: memory for `bucketCount` numbers, which the caller keeps alive.
    init(
        limit: Int, greatestKey: Double, items: UnsafeMutablePointer<RowCandidate>,
        histogram: UnsafeMutablePointer<UInt16>
    ) {
        self.limit = limit
        capacity = Self.capacity(limit: limit)
        lowest = Self.sixteenths(greatestKey) - (Self.bucketCount - 1)
        unsafe self.items = items
        unsafe self.histogram = histogram
        unsafe histogram.update(repeating: 0, count: Self.bucketCount)
    }

    /// Returns the approximate logarithm of a positive number in sixteenths of an octave, from its leading bits.
    ///
    /// The result never decreases as the number grows.
    @inline(__always)
    private static func sixteenths(_ key: Double) -> Int { Int(key.bitPattern &>> 48) }

    @inline(__always)
    private func bucket(_ key: Double) -> Int { min(Self.bucketCount - 1, max(0, Self.sixteenths(key) - lowest)) }

    @inline(__always)
    mutating func push(_ candidate: RowCandidate, _ order: CandidateOrder) {
        guard candidate.key >= leastKey, order.precedes(candidate, last) else { return }
        unsafe items[count] = candidate
        count += 1
        let bucket = bucket(candidate.key)
        unsafe histogram[bucket] &+= 1
        if bucket > lastBucket {
            countAbove += 1
            if countAbove >= limit { raiseBound() }
        }
        if count == capacity { cut(order) }
    }

    private mutating func raiseBound() {
        while countAbove >= limit {
            lastBucket += 1
            countAbove -= Int(unsafe histogram[lastBucket])
        }
        // The bound is slightly lower, because keys that are mathematically equal may differ in their last bits.
        leastKey = Double(bitPattern: UInt64(lastBucket + lowest) &<< 48) * (1 - 0x1p-40)
    }

    /// Returns the best candidates, at most `limit`, in order.
    mutating func finish(_ order: CandidateOrder) -> UnsafeBufferPointer<RowCandidate> {
        if count > limit { drop() }
        if count > limit + limit / 2 { select(order) }
        sortByKey()
        insert(order)
        return unsafe UnsafeBufferPointer(start: items, count: min(count, limit))
    }

    /// The number of candidates that `sortByKey` leaves unsorted, because `insert` is quicker for so few.
    private static let fewCandidates = 12

    /// Sorts by the key alone, except within runs of few candidates (quicksort; Hoare 1961).
    private func sortByKey() {
        let items = unsafe items
        var ranges = [(low: 0, high: count - 1)]
        while let (low, high) = ranges.popLast() {
            guard high - low >= Self.fewCandidates else { continue }
            let pivot = unsafe items[(low + high) / 2].key
            var (left, right) = (low, high)
            while left <= right {
                while unsafe items[left].key > pivot { left += 1 }
                while unsafe pivot > items[right].key { right -= 1 }
                guard left <= right else { break }
                swap(left, right)
                left += 1
                right -= 1
            }
            ranges.append((low, right))
            ranges.append((left, high))
        }
    }

    /// Sorts candidates that are nearly in order.
    private func insert(_ order: CandidateOrder) {
        let items = unsafe items
        for next in 1..<max(1, count) {
            let candidate = unsafe items[next]
            var position = next
            while position > 0, unsafe order.precedes(candidate, items[position - 1]) {
                unsafe items[position] = unsafe items[position - 1]
                position -= 1
            }
            unsafe items[position] = candidate
        }
    }

    @inline(__always)
    private func swap(_ one: Int, _ other: Int) {
        let moved = unsafe items[one]
        unsafe items[one] = unsafe items[other]
        unsafe items[other] = moved
    }

    /// Makes room by dropping candidates below the bound and, if that is not enough, all but the best.
    @inline(never)
    private mutating func cut(_ order: CandidateOrder) {
        drop()
        if count > capacity - capacity / 4 { select(order) }
    }

    private mutating func drop() {
        var kept = 0
        for position in 0..<count where unsafe items[position].key >= leastKey {
            unsafe items[kept] = unsafe items[position]
            kept += 1
        }
        count = kept
    }

    /// Keeps the best `limit` candidates and records the worst of them (quickselect; Hoare 1961).
    ///
    /// The bound and the count above it stay valid, because the worst of the best is in `lastBucket`.
    @inline(never)
    private mutating func select(_ order: CandidateOrder) {
        let items = unsafe items
        var low = 0
        var high = count - 1
        while low < high {
            let pivot = unsafe items[(low + high) / 2]
            var left = low
            var right = high
            while left <= right {
                while unsafe order.precedes(items[left], pivot) { left += 1 }
                while unsafe order.precedes(pivot, items[right]) { right -= 1 }
                guard left <= right else { break }
                swap(left, right)
                left += 1
                right -= 1
            }
            if limit - 1 <= right { high = right } else if limit - 1 >= left { low = left } else { break }
        }
        count = limit
        var worst = unsafe items[0]
        for position in 1..<limit where unsafe order.precedes(worst, items[position]) { worst = unsafe items[position] }
        last = worst
    }
}

/// A neighbour that may be among the best of a source row.
struct RowCandidate: BitwiseCopyable {
    /// The sort key; larger is more similar, and `CandidateOrder` defines when two keys count as equal.
    var key: Double
    /// The neighbour's rank.
    var rank: UInt32
    /// The number of common entries.
    var common: UInt32
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
    func precedes(_ one: RowCandidate, _ other: RowCandidate) -> Bool {
        if abs(one.key - other.key) > tolerance * one.key { return one.key > other.key }
        return precedesClosely(one, other)
    }

    @inline(never)
    private func precedesClosely(_ one: RowCandidate, _ other: RowCandidate) -> Bool {
        if tolerance > 0 {
            // Compares c² / n of both by cross-multiplication, which needs 32 + 32 + 32 bits.
            let mine = UInt128(one.common) * UInt128(one.common) * UInt128(sizes[Int(other.rank)])
            let its = UInt128(other.common) * UInt128(other.common) * UInt128(sizes[Int(one.rank)])
            if mine != its { return mine > its }
        }
        return rows[Int(one.rank)] < rows[Int(other.rank)]
    }
}
