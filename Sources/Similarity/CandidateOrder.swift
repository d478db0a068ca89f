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
            let mine = UInt128(one.common) * UInt128(one.common) * UInt128(sizes[Int(other.rank)])
            let its = UInt128(other.common) * UInt128(other.common) * UInt128(sizes[Int(one.rank)])
            if mine != its { return mine > its }
        }
        return rows[Int(one.rank)] < rows[Int(other.rank)]
    }
}
