/// Divides a list among interests: in every prefix of the list an interest gets at least ⌊share × length⌋ positions
/// (lower quota; Balinski and Young, "Fair Representation", 1982); the others go to the best candidates.
///
/// Interests that are due at the same time follow one another.
struct InterestQuotas {
    private let shares: [Double]
    private var taken: [Int]
    private var positionCount = 0
    /// Whether the next position belongs to the interests that are due, as of the last update; else to all.
    private(set) var isAnyDue = false
    /// Which interests are due, as of the last update.
    private var isDue: [Bool]

    // Shares are quotients of small integers: a fifth of five positions must be a whole one in spite of rounding.
    private static let tolerance = 1e-9

    /// - Parameter shares: one for each interest, 0 or more; they sum to 1 at most.
    init(shares: [Double]) {
        self.shares = shares
        taken = [Int](repeating: 0, count: shares.count)
        isDue = [Bool](repeating: false, count: shares.count)
    }

    /// Determines which interests are due for the next position.
    ///
    /// - Parameter canClaim: whether an interest has a candidate left that is good enough for its share.
    mutating func update(where canClaim: (Int) -> Bool) {
        let length = Double(positionCount + 1)
        isAnyDue = false
        for interest in shares.indices {
            isDue[interest] =
                shares[interest] * length - Double(taken[interest]) >= 1 - Self.tolerance && canClaim(interest)
            isAnyDue = isAnyDue || isDue[interest]
        }
    }

    /// Whether an interest may take the next position.
    func mayGo(_ interest: Int) -> Bool { !isAnyDue || isDue[interest] }

    /// Records that an interest took a position.
    mutating func take(_ interest: Int) {
        taken[interest] += 1
        positionCount += 1
    }
}
