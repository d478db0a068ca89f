/// What the interests of a member may claim of a list.
struct InterestShares {
    /// One for each interest; they sum to 1, or are all 0.
    let shares: [Double]
    /// The least adjusted score with which a candidate of each interest can take a place of its share.
    let leastScores: [Double]

    /// - Parameters:
    ///   - shares: one for each interest, 0 or more.
    ///   - best: the candidate with the greatest adjusted score; nil if there is none.
    ///   - leastWorth: the fraction of the best score that counts as not far worse, 0 to 1.
    init(_ shares: [Double], best: Candidate?, leastWorth: Double) {
        let sum = shares.reduce(0, +)
        self.shares = shares.map { sum > 0 ? $0 / sum : 0 }
        guard let best else {
            leastScores = shares.map { _ in 0 }
            return
        }
        // Scores are sums over groups: an interest of one group cannot reach those of an interest of nine.
        let largest = shares[best.interest]
        leastScores = shares.map { leastWorth * best.adjusted * (largest > 0 ? min(1, $0 / largest) : 1) }
    }

    /// Whether a candidate is good enough to take a place of its interest's share.
    func entitles(_ candidate: Candidate) -> Bool { candidate.adjusted >= leastScores[candidate.interest] }
}
