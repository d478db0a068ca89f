/// Divides a list among interests: in every prefix of the list an interest gets at least ⌊share × length⌋ positions
/// (lower quota; Balinski and Young, "Fair Representation", 1982); the others go to the best candidates.
///
/// Interests that are due at the same time follow one another.
struct InterestQuotas {
    /// The shares of the interests; they sum to 1.
    private let shares: [Double]
    private var taken: [Int]
    private var positionCount = 0
    /// Which interests may take the next position, as of the last update.
    private(set) var mayGo: [Bool]

    // Shares are quotients of small integers: a fifth of five positions must be a whole one in spite of rounding.
    private static let tolerance = 1e-9

    /// - Parameter weights: one for each interest, 0 or more.
    init(weights: [Double]) {
        let sum = weights.reduce(0, +)
        shares = weights.map { sum > 0 ? $0 / sum : 0 }
        taken = [Int](repeating: 0, count: weights.count)
        mayGo = [Bool](repeating: false, count: weights.count)
    }

    /// Determines which interests may take the next position: those that are due, or if none is, all.
    ///
    /// - Parameter isPresent: whether an interest has candidates left.
    mutating func update(where isPresent: (Int) -> Bool) {
        let length = Double(positionCount + 1)
        var isAnyDue = false
        for interest in shares.indices {
            let isDue = shares[interest] * length - Double(taken[interest]) >= 1 - Self.tolerance
            mayGo[interest] = isDue && isPresent(interest)
            isAnyDue = isAnyDue || mayGo[interest]
        }
        guard !isAnyDue else { return }
        for interest in shares.indices { mayGo[interest] = isPresent(interest) }
    }

    /// Records that an interest took a position.
    mutating func take(_ interest: Int) {
        taken[interest] += 1
        positionCount += 1
    }
}
