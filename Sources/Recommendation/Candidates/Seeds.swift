import Model

/// The groups from which a member's list is made, and the groups that the member's own telling points to.
///
/// The seeds are the joined groups; their neighbours are candidates. For a member without groups they are the groups
/// that favourites and follows point to, and each neighbour counts as much as its seed does.
struct Seeds {
    /// The seeds, ascending.
    let groups: [UInt32]
    /// The groups that favourites and follows point to, ascending; they are candidates themselves.
    let hints: [ScoredHint]
    /// The factor of each seed, or none if all have 1.
    private let weights: [Double]
    private let areHints: Bool

    /// Creates the seeds of a list.
    ///
    /// - Parameters:
    ///   - joined: the joined groups, ascending.
    ///   - hints: the groups that favourites and follows point to, ascending.
    ///   - factors: the factor of each joined group, or none if all have 1.
    init(_ joined: [UInt32], _ hints: [ScoredHint] = [], factors: [Double] = []) {
        self.hints = hints
        areHints = joined.isEmpty && !hints.isEmpty
        groups = areHints ? hints.map(\.group) : joined
        weights = areHints ? hints.map { $0.score * HintFormula.neighbourWeight } : factors
    }

    /// The number of joined groups among the seeds.
    var joinedCount: Int { areHints ? 0 : groups.count }

    /// Returns the factor of a relation's scores in the list of a seed.
    @inline(__always)
    func factor(_ factor: Double, ofSeed seed: Int) -> Double { weights.isEmpty ? factor : factor * weights[seed] }

    /// Returns the position that a hint has as the contributor to a candidate: that of its seed, or one after all
    /// seeds.
    func position(ofHint hint: Int) -> Int { areHints ? hint : groups.count + hint }

    /// Returns the interests, the one of the hints last if they are not the seeds.
    ///
    /// The hints get the part of a list that they have among the best candidates; the others share the rest.
    func interests(_ table: CandidateTable, _ cluster: ([UInt32]) -> [Interest]) -> [Interest] {
        var interests = cluster(groups)
        guard !areHints, let best = hints.max(by: { ($0.score, $1.group) < ($1.score, $0.group) }) else {
            return interests
        }
        let share = table.shareAmongBest(ofSeedsFrom: groups.count)
        for index in interests.indices { interests[index].share *= 1 - share }
        interests.append(
            Interest(groups: hints.map(\.group), share: share, largest: best.group, isMixed: false))
        return interests
    }

    /// Returns the index of the interest of each contributor, by position.
    func interestNumbers(in interests: [Interest]) -> [Int] {
        guard !areHints, !hints.isEmpty else { return Interest.numbers(of: groups, in: interests) }
        return Interest.numbers(of: groups, in: interests.dropLast())
            + [Int](repeating: interests.count - 1, count: hints.count)
    }
}

extension CandidateTable {
    /// The number of candidates that count as the best ones.
    private static let bestCount = 20

    /// Returns the part of the best candidates to which a contributor at a position or later contributes most.
    fileprivate func shareAmongBest(ofSeedsFrom first: Int) -> Double {
        var best: [(score: Double, group: UInt32, isLate: Bool)] = []
        for entry in self where !entry.isBlocked {
            if best.count == Self.bestCount, let last = best.last, entry.score <= last.score { continue }
            let place = best.firstIndex { ($0.score, entry.group) < (entry.score, $0.group) } ?? best.count
            best.insert((entry.score, entry.group, (entry.seed ?? 0) >= first), at: place)
            if best.count > Self.bestCount { best.removeLast() }
        }
        return best.isEmpty ? 0 : Double(best.count { $0.isLate }) / Double(best.count)
    }
}
