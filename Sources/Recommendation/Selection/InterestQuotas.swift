/// Whose turn it is: of a list of any length an interest has at least the whole positions that its share of it makes (lower
/// quota; Balinski and Young, "Fair Representation", 1982), and what is over goes to whatever is best.
///
/// Interests that are due at the same time go one after the other.
struct InterestQuotas {
    /// Parts of 1.
    private let shares: [Double]
    private var taken: [Int]
    private var positionCount = 0
    /// Which interests may go, as of the last update.
    private(set) var mayGo: [Bool]

    // Shares are quotients of small numbers: a fifth of five positions is a whole one.
    private static let tolerance = 1e-9

    /// - Parameter weights: of the interests, 0 or more.
    init(weights: [Double]) {
        let sum = weights.reduce(0, +)
        shares = weights.map { sum > 0 ? $0 / sum : 0 }
        taken = [Int](repeating: 0, count: weights.count)
        mayGo = [Bool](repeating: false, count: weights.count)
    }

    /// Finds out which interests may go next: those that are due, or if none is, all.
    ///
    /// - Parameter isPresent: whether an interest has something left.
    mutating func update(where isPresent: (Int) -> Bool) {
        let positions = Double(positionCount + 1)
        var isAnyDue = false
        for interest in shares.indices {
            let isDue = shares[interest] * positions - Double(taken[interest]) >= 1 - Self.tolerance
            mayGo[interest] = isDue && isPresent(interest)
            isAnyDue = isAnyDue || mayGo[interest]
        }
        guard !isAnyDue else { return }
        for interest in shares.indices { mayGo[interest] = isPresent(interest) }
    }

    /// Notes that an interest went.
    mutating func take(_ interest: Int) {
        taken[interest] += 1
        positionCount += 1
    }
}
