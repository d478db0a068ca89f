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
    /// A sample says from which score on candidates are looked at: so many that the best are among them, and few more.
    ///
    /// - Parameters:
    ///   - entries: all candidates.
    ///   - shares: of the interests.
    ///   - score: of an entry; 0 or less if it may not be shown.
    ///   - passes: whether an entry with a score above 0 may be shown.
    ///   - candidate: makes the candidate of an entry.
    @inline(__always)
    static func best(
        _ limit: Int, of entries: Range<Int>, shares: [Double], _ configuration: PlanConfiguration.Selection,
        score: (Int) -> Double, where passes: (Int) -> Bool, _ candidate: (Int) -> RawCandidate
    ) -> (count: Int, [RawCandidate]) {
        var histogram = ScoreHistogram()
        for entry in stride(from: entries.lowerBound, to: entries.upperBound, by: sampling.step) {
            if score(entry) > 0, passes(entry) { histogram.add(score(entry)) }
        }
        let leastScore = histogram.leastScore(ofBest: sampling.reserve * limit / sampling.step)
        var candidates: [RawCandidate] = []
        candidates.reserveCapacity(2 * sampling.reserve * limit)
        var count = 0
        for entry in entries where score(entry) > 0 && passes(entry) {
            count += 1
            if score(entry) >= leastScore { candidates.append(candidate(entry)) }
        }
        if candidates.count < min(limit, count) {
            // The sample was a bad one.
            candidates.removeAll()
            for entry in entries where score(entry) > 0 && passes(entry) { candidates.append(candidate(entry)) }
        }
        guard count > limit else { return (count, candidates) }
        Ranking.keepBest(limit, of: &candidates)
        let reserved = reserved(shares, configuration)
        var kept = [Int](repeating: 0, count: shares.count)
        for candidate in candidates { kept[candidate.interest] += 1 }
        let isShort = zip(kept, reserved).map { $0 < $1 }
        if isShort.contains(true) {
            candidates.removeAll { isShort[$0.interest] }
            var own = [[RawCandidate]](repeating: [], count: shares.count)
            for entry in entries where score(entry) > 0 && passes(entry) {
                let candidate = candidate(entry)
                if isShort[candidate.interest] { own[candidate.interest].append(candidate) }
            }
            for interest in shares.indices where isShort[interest] {
                Ranking.keepBest(reserved[interest], of: &own[interest])
                candidates += own[interest]
            }
        }
        return (count, candidates)
    }

    /// One of `step` candidates is in the sample, which is to find `reserve` times as many as are needed.
    private static let sampling = (step: 16, reserve: 2)

    /// How many candidates of each interest the pool has room for, whatever others there are.
    private static func reserved(_ shares: [Double], _ configuration: PlanConfiguration.Selection) -> [Int] {
        let own = configuration.ownPart * Double(configuration.poolSize)
        return shares.map { Int(($0 * own).rounded(.down)) }
    }
}
