/// Chooses the candidates from which a list is selected.
enum CandidatePool {
    /// Returns the candidates of the pool: the best of each interest, as far as its part goes, then the best of all.
    ///
    /// A part of the pool is divided among interests in proportion to their shares. Without its part, a small interest
    /// would be crowded out by a larger one with many candidates. Each part is rounded down, so interests of a few
    /// percent have none. Candidates that are far worse than the best cannot use it.
    ///
    /// - Parameters:
    ///   - candidates: the candidates, best first.
    ///   - shares: the shares of the interests.
    /// - Returns: the positions in `candidates`, ascending.
    static func positions(
        of candidates: [Candidate], _ shares: InterestShares, _ configuration: PlanConfiguration.Selection
    ) -> [Int] {
        let size = configuration.poolSize
        guard candidates.count > size else { return Array(candidates.indices) }
        var room = reserved(shares.shares, configuration)
        var isTaken = [Bool](repeating: false, count: candidates.count)
        var count = 0
        for (position, candidate) in candidates.enumerated()
        where room[candidate.interest] > 0 && count < size && shares.entitles(candidate) {
            room[candidate.interest] -= 1
            isTaken[position] = true
            count += 1
        }
        for position in candidates.indices where count < size && !isTaken[position] {
            isTaken[position] = true
            count += 1
        }
        return candidates.indices.filter { isTaken[$0] }
    }

    /// Returns the number of all candidates and the best of them, in no order.
    ///
    /// The best are `limit` candidates, and of each interest at least as many as the pool reserves for it. An interest
    /// of one group needs this: its scores are low beside those of an interest of many groups.
    ///
    /// - Parameters:
    ///   - limit: the number of best candidates of all interests.
    ///   - shares: the share of each interest.
    ///   - forEach: calls `take` for each candidate of at least the least score, with the score and a way to make the
    ///     candidate.
    @inline(__always)
    static func best(
        _ limit: Int, shares: [Double], _ configuration: PlanConfiguration.Selection,
        of forEach: (_ leastScore: Double, _ take: (_ score: Double, _ candidate: () -> RawCandidate) -> Void) -> Void
    ) -> (count: Int, [RawCandidate]) {
        var histogram = ScoreHistogram()
        forEach(0) { score, _ in histogram.add(score) }
        var candidates: [RawCandidate] = []
        candidates.reserveCapacity(2 * limit)
        forEach(histogram.leastScore(ofBest: limit)) { _, candidate in candidates.append(candidate()) }
        guard histogram.count > limit else { return (histogram.count, candidates) }
        Ranking.keepBest(limit, of: &candidates)
        let reserved = reserved(shares, configuration)
        var kept = [Int](repeating: 0, count: shares.count)
        for candidate in candidates { kept[candidate.interest] += 1 }
        let isShort = zip(kept, reserved).map { $0 < $1 }
        if isShort.contains(true) {
            candidates.removeAll { isShort[$0.interest] }
            var own = [[RawCandidate]](repeating: [], count: shares.count)
            forEach(0) { _, candidate in
                let candidate = candidate()
                if isShort[candidate.interest] { own[candidate.interest].append(candidate) }
            }
            for interest in shares.indices where isShort[interest] {
                Ranking.keepBest(reserved[interest], of: &own[interest])
                candidates += own[interest]
            }
        }
        return (histogram.count, candidates)
    }

    /// Returns the number of places that the pool reserves for each interest.
    private static func reserved(_ shares: [Double], _ configuration: PlanConfiguration.Selection) -> [Int] {
        let own = configuration.ownPart * Double(configuration.poolSize)
        return shares.map { Int(($0 * own).rounded(.down)) }
    }
}

/// Divides a list among interests by lower quotas (Balinski and Young, "Fair Representation", 1982).
///
/// In every prefix of the list, an interest gets at least ⌊share × length⌋ positions. The others go to the best
/// candidates. Interests that are due at the same time follow one another.
struct InterestQuotas {
    private let shares: [Double]
    private var taken: [Int]
    private var positionCount = 0
    /// Whether the next position belongs to the interests that are due, as of the last update; else it belongs to all.
    private(set) var isAnyDue = false
    /// Whether each interest is due, as of the last update.
    private var isDue: [Bool]

    // Shares are quotients of small integers: a fifth of five positions must be a whole one in spite of rounding.
    private static let tolerance = 1e-9

    /// Creates quotas before the first position.
    ///
    /// - Parameter shares: the share of each interest, 0 or more; they sum to 1 at most.
    init(shares: [Double]) {
        self.shares = shares
        taken = [Int](repeating: 0, count: shares.count)
        isDue = [Bool](repeating: false, count: shares.count)
    }

    /// Determines the interests that are due for the next position.
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

    /// Returns whether an interest may take the next position.
    func mayGo(_ interest: Int) -> Bool { !isAnyDue || isDue[interest] }

    /// Records that an interest took a position.
    mutating func take(_ interest: Int) {
        taken[interest] += 1
        positionCount += 1
    }
}

/// The parts of a list that a member's interests may claim.
struct InterestShares {
    /// The share of each interest; the shares sum to 1, or are all 0.
    let shares: [Double]
    /// The least adjusted score with which a candidate of each interest can take a place of its share.
    let leastScores: [Double]

    /// Scales the shares, and derives the least scores from the best candidate.
    ///
    /// - Parameters:
    ///   - shares: the share of each interest, 0 or more.
    ///   - best: the candidate with the greatest adjusted score, or `nil` if there is none.
    ///   - leastWorth: the least fraction of the best score that is good enough, 0 to 1.
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

    /// Returns whether a candidate is good enough to take a place of its interest's share.
    func entitles(_ candidate: Candidate) -> Bool { candidate.adjusted >= leastScores[candidate.interest] }
}
