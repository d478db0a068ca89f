/// The best `limit` of one source row's candidates pushed so far, and a surplus not yet told apart from them.
///
/// A histogram of the keys gives, after every push, a bound that `limit` candidates reach: what is below it need not
/// even be pushed. Buckets are a sixteenth of an octave, so the bound is within 7% of the last key; exact comparisons
/// are left to the few that pass.
@safe
struct BestCandidates {
    private let limit: Int
    private let capacity: Int
    private var count = 0
    /// Below this nothing can enter any more; 0 at first.
    private(set) var leastKey = 0.0
    /// The last of the best, when the surplus had to be cut: what a newcomer has to precede.
    private var last = Candidate(key: -.infinity, rank: 0, common: 0)
    /// The bucket in which the last of the best is, and how many candidates are in those above.
    private var lastBucket = 0
    private var countAbove = 0
    /// The number of the lowest bucket: sixteenths of octaves.
    private let lowest: Int
    private let items: UnsafeMutablePointer<Candidate>
    private let histogram: UnsafeMutablePointer<UInt16>

    /// 16 octaves; what is less than 2^-16 of the greatest key shares the lowest.
    static let bucketCount = 256

    /// The room that a limit needs: enough surplus that cutting it is rare.
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

    /// A positive number's logarithm in sixteenths of octaves, roughly but never in the wrong order: its leading bits.
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
        // A hair lower, as keys that ought to be equal may differ in their last bits.
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

    /// Makes room: forgets what is below the bound, and if that is too little, all but the best.
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

    /// Keeps the best candidates up to the limit, and the last of them (Hoare 1961).
    ///
    /// The bound and the buckets above it stay true, since the last of the best is in `lastBucket`.
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
