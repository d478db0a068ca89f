/// A neighbour that may be among a row's best.
struct Candidate: BitwiseCopyable {
    /// Larger is more alike; `CandidateOrder` says what it is and when two of them are as good as equal.
    var key: Double
    /// The neighbour's rank.
    var rank: UInt32
    /// The entries in common.
    var common: UInt32
}

/// The exact order of candidates of one source row, best first.
@safe
struct CandidateOrder: Sendable {
    /// Keys that differ by no more than this share of one of them say nothing: the integers behind them decide.
    ///
    /// 0 when the key itself is the definition.
    let tolerance: Double
    let rows: Storage<UInt32>
    let sizes: Storage<UInt32>

    /// Whether one candidate comes before another; never both ways, as rows differ.
    @inline(__always)
    func precedes(_ one: Candidate, _ other: Candidate) -> Bool {
        if abs(one.key - other.key) > tolerance * one.key { return one.key > other.key }
        return precedesClosely(one, other)
    }

    @inline(never)
    private func precedesClosely(_ one: Candidate, _ other: Candidate) -> Bool {
        if tolerance > 0 {
            // c² / n against c² / n, cross-multiplied: 32 + 32 + 32 bits.
            let mine = UInt128(one.common) * UInt128(one.common) * UInt128(unsafe sizes.base[Int(other.rank)])
            let its = UInt128(other.common) * UInt128(other.common) * UInt128(unsafe sizes.base[Int(one.rank)])
            if mine != its { return mine > its }
        }
        return unsafe rows.base[Int(one.rank)] < rows.base[Int(other.rank)]
    }
}

/// The best `limit` of the candidates pushed so far, and a bounded surplus not yet told apart from them.
@safe
struct BestCandidates {
    let limit: Int
    let capacity: Int
    private(set) var count = 0
    /// The last of the best, once there are `limit`: what a newcomer has to precede.
    private(set) var last: Candidate?
    private let items: UnsafeMutablePointer<Candidate>

    /// The room that a limit needs: enough surplus that selecting is rare.
    static func capacity(limit: Int) -> Int { limit + max(limit, 412) }

    /// - Parameter items: room for `capacity(limit:)` candidates, which the caller keeps alive.
    init(limit: Int, items: UnsafeMutablePointer<Candidate>) {
        self.limit = limit
        capacity = Self.capacity(limit: limit)
        unsafe self.items = items
    }

    /// The last key, or 0 while anything can still enter.
    var leastKey: Double { last?.key ?? 0 }

    @inline(__always)
    mutating func push(_ candidate: Candidate, _ order: CandidateOrder) {
        if let last, !order.precedes(candidate, last) { return }
        unsafe items[count] = candidate
        count += 1
        if count == capacity { select(order) }
    }

    /// Sorts the best and forgets the rest.
    mutating func finish(_ order: CandidateOrder) -> UnsafeBufferPointer<Candidate> {
        if count > limit { select(order) }
        var best = unsafe UnsafeMutableBufferPointer(start: items, count: count)
        unsafe best.sort { order.precedes($0, $1) }
        return UnsafeBufferPointer(best)
    }

    /// Keeps the best `limit` (Hoare 1961), and the last of them.
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
