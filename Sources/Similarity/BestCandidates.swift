/// The best `limit` candidates of one source row so far, and a surplus that is not yet separated from them.
///
/// After every push a histogram of the keys gives a bound that at least `limit` candidates reach; candidates below it
/// need not be pushed. A bucket is a sixteenth of an octave wide, so that the bound is within 7% of the last key. Only
/// candidates that pass it are compared exactly.
@safe
struct BestCandidates {
    private let limit: Int
    private let capacity: Int
    private var count = 0
    /// A candidate below this key cannot be among the best any more; 0 at first.
    private(set) var leastKey = 0.0
    /// The last of the best when the surplus was last cut; a new candidate has to precede it.
    private var last = Candidate(key: -.infinity, rank: 0, common: 0)
    /// The bucket of the last of the best, and how many candidates are in the buckets above it.
    private var lastBucket = 0
    private var countAbove = 0
    /// The number of the lowest bucket, in sixteenths of octaves.
    private let lowest: Int
    private let items: UnsafeMutablePointer<Candidate>
    private let histogram: UnsafeMutablePointer<UInt16>

    /// 16 octaves; all keys below 2^-16 of the greatest key share the lowest bucket.
    static let bucketCount = 256

    /// The candidates to make room for: a surplus large enough that it is rarely cut.
    static func capacity(limit: Int) -> Int { limit + max(limit, 412) }

    /// - Parameters:
    ///   - greatestKey: no key is above it.
    ///   - items: room for `capacity(limit:)` candidates, which the caller keeps alive.
    ///   - histogram: room for `bucketCount` numbers, likewise.
    init(
        limit: Int, greatestKey: Double, items: UnsafeMutablePointer<Candidate>,
        histogram: UnsafeMutablePointer<UInt16>
    ) {
        self.limit = limit
        capacity = Self.capacity(limit: limit)
        lowest = Self.sixteenths(greatestKey) - (Self.bucketCount - 1)
        unsafe self.items = items
        unsafe self.histogram = histogram
        unsafe histogram.update(repeating: 0, count: Self.bucketCount)
    }

    /// A positive number's approximate logarithm in sixteenths of octaves, from its leading bits; it keeps the order.
    @inline(__always)
    private static func sixteenths(_ key: Double) -> Int { Int(key.bitPattern &>> 48) }

    @inline(__always)
    private func bucket(_ key: Double) -> Int { min(Self.bucketCount - 1, max(0, Self.sixteenths(key) - lowest)) }

    @inline(__always)
    mutating func push(_ candidate: Candidate, _ order: CandidateOrder) {
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
        // Slightly lower, because keys that are mathematically equal may differ in their last bits.
        leastKey = Double(bitPattern: UInt64(lastBucket + lowest) &<< 48) * (1 - 0x1p-40)
    }

    /// The best `limit`, in order.
    mutating func finish(_ order: CandidateOrder) -> UnsafeBufferPointer<Candidate> {
        if count > limit { drop() }
        if count > limit + limit / 2 { select(order) }
        var found = unsafe UnsafeMutableBufferPointer(start: items, count: count)
        unsafe found.sort { order.precedes($0, $1) }
        return unsafe UnsafeBufferPointer(start: items, count: min(count, limit))
    }

    /// Makes room: drops candidates below the bound, and if that is not enough, all but the best.
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

    /// Keeps the best candidates up to the limit, and notes the last of them (quickselect; Hoare 1961).
    ///
    /// The bound and the count above it stay valid, because the last of the best is in `lastBucket`.
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
                let moved = unsafe items[left]
                unsafe items[left] = unsafe items[right]
                unsafe items[right] = moved
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
struct Candidate: BitwiseCopyable {
    /// Larger is more similar; `CandidateOrder` says when two keys count as equal.
    var key: Double
    /// The neighbour's rank.
    var rank: UInt32
    /// The number of common entries.
    var common: UInt32
}

/// The exact order of candidates of one source row, best first.
@safe
struct CandidateOrder: Sendable {
    /// Keys that differ by no more than this fraction count as equal; then the integers from which they were computed
    /// decide.
    ///
    /// 0 when the key itself defines the order.
    let tolerance: Double
    let rows: Storage<UInt32>
    let sizes: Storage<UInt32>

    /// Whether one candidate comes before another; of two, exactly one does, because their rows differ.
    @inline(__always)
    func precedes(_ one: Candidate, _ other: Candidate) -> Bool {
        if abs(one.key - other.key) > tolerance * one.key { return one.key > other.key }
        return precedesClosely(one, other)
    }

    @inline(never)
    private func precedesClosely(_ one: Candidate, _ other: Candidate) -> Bool {
        if tolerance > 0 {
            // Compares c² / n of both by cross-multiplication: 32 + 32 + 32 bits.
            let mine = UInt128(one.common) * UInt128(one.common) * UInt128(sizes[Int(other.rank)])
            let its = UInt128(other.common) * UInt128(other.common) * UInt128(sizes[Int(one.rank)])
            if mine != its { return mine > its }
        }
        return rows[Int(one.rank)] < rows[Int(other.rank)]
    }
}
