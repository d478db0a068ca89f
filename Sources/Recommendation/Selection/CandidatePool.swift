/// Chooses the candidates from which a list is selected.
enum CandidatePool {
    /// A part of the pool is reserved for the best candidates of each interest in proportion to its share; the rest
    /// goes to the best of all.
    ///
    /// Without its part, a small interest would be crowded out by a larger one with many candidates. The part is
    /// rounded down, so that interests of a few percent have none, and candidates that are far worse cannot use it.
    ///
    /// - Parameters:
    ///   - candidates: best first.
    ///   - shares: of the interests.
    /// - Returns: positions in `candidates`, ascending.
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

    /// The number of all candidates, and the best of them, in no order: as many as the limit says, and of each interest
    /// at least as many as the pool reserves for it.
    ///
    /// The scores of an interest of one group are low beside those of an interest of many, however good they are.
    ///
    /// - Parameter forEach: tells each candidate's score, if it is at least so great, and how to make the candidate.
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

    /// How many candidates of each interest the pool has room for, whatever others there are.
    private static func reserved(_ shares: [Double], _ configuration: PlanConfiguration.Selection) -> [Int] {
        let own = configuration.ownPart * Double(configuration.poolSize)
        return shares.map { Int(($0 * own).rounded(.down)) }
    }
}

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
