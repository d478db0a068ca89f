import Model

/// Neighbours of the member's groups with what each is worth: sums by group, sized by the work, not by the model.
struct CandidateTable {
    /// What is gathered of a candidate, in half a line of the cache.
    struct Entry {
        /// The sum over all of the member's groups.
        private(set) var score = 0.0
        private var interestScore = 0.0
        /// The sum so far of the interest that was added last.
        private var lastScore = 0.0
        private var similar = Self.none
        private var giver: Int16 = -1
        private var lastInterest: Int16 = -1

        // No group has this index: a model has fewer than 2³² − 1 groups.
        private static let none = UInt32.max

        /// Whether any group of the member's contributes.
        var isCandidate: Bool { giver >= 0 }

        /// The interest that gives most; of equal ones the first.
        var interest: Int { Int(giver) }

        /// A joined group that it is too similar to; the first that was found.
        var tooSimilarTo: UInt32? { similar == Self.none ? nil : similar }

        /// Adds what a group of an interest contributes; interests must come one after the other.
        @inline(__always)
        mutating func add(_ contribution: Double, interest: Int16) {
            score += contribution
            // Without branches, which would be taken at random.
            lastScore = (lastInterest == interest ? lastScore : 0) + contribution
            lastInterest = interest
            let isMost = lastScore > interestScore || giver < 0
            giver = isMost ? interest : giver
            interestScore = isMost ? lastScore : interestScore
        }

        /// Notes that it is too similar to a group of the member's.
        mutating func exclude(tooSimilarTo seed: UInt32) {
            if similar == Self.none { similar = seed }
        }
    }

    let neighbourhood: Neighbourhood
    /// One for every place of the neighbourhood, though not every one need be a candidate.
    private(set) var entries: [Entry]

    /// All neighbours of the groups of some interests.
    ///
    /// s(j) = Σ over joined groups i and relations R of weight(R) · s_R(i, j) / (mean best score of R)
    ///
    /// - Parameters:
    ///   - interests: of the groups of the neighbourhood.
    ///   - weights: how relations are blended.
    ///   - ceiling: a neighbour with at least this plain cosine to a joined group is too similar to it.
    /// - Complexity: O(neighbours of the groups).
    init(
        of interests: [Interest], _ neighbourhood: Neighbourhood, in model: ModelVersion, _ weights: RelationWeights,
        ceiling: Double
    ) {
        self.neighbourhood = neighbourhood
        entries = [Entry](repeating: Entry(), count: neighbourhood.groups.count)
        let factors = Dictionary(uniqueKeysWithValues: weights.factors(in: model).map { ($0.relation, $0.factor) })
        let lists = neighbourhood.lists.compactMap { lists in factors[lists.relation].map { (lists, factor: $0) } }
        for (number, interest) in interests.enumerated() {
            for seed in interest.groups.lazy.compactMap({ neighbourhood.place(of: $0) }) {
                for (lists, factor) in lists { add(lists, seed, factor, Int16(number), model, ceiling) }
            }
        }
    }

    private mutating func add(
        _ lists: Neighbourhood.Lists, _ seed: Int, _ factor: Double, _ interest: Int16, _ model: ModelVersion,
        _ ceiling: Double
    ) {
        let group = neighbourhood.groups[seed]
        let leastCommon = CosineBound.leastCommon(model.size(of: Int(group), in: lists.relation), ceiling: ceiling)
        var entries = entries.mutableSpan
        lists.slices[seed].withSpan { neighbours in
            for (index, place) in zip(neighbours.indices, lists.places(near: seed)) {
                let neighbour = neighbours[index]
                entries[Int(place)].add(factor * Double(neighbour.score), interest: interest)
                if Double(neighbour.common) >= leastCommon,
                    model.cosine(of: neighbour, to: Int(group), by: lists.relation) >= ceiling
                {
                    entries[Int(place)].exclude(tooSimilarTo: group)
                }
            }
        }
    }

    /// What is known of a candidate; nil if the group is none.
    subscript(group: UInt32) -> Entry? {
        guard let place = neighbourhood.place(of: group), entries[place].isCandidate else { return nil }
        return entries[place]
    }

    /// How many candidates there are.
    var count: Int { entries.count { $0.isCandidate } }
}

/// What can be said of a pair's plain cosine before the other group's size is looked up.
enum CosineBound {
    /// The fewest common entries with which a cosine can reach a ceiling.
    ///
    /// c / √(nᵢ nⱼ) ≥ ceiling needs c ≥ ceiling² nᵢ, because no nⱼ is below c. Rounded down, lest the product be a
    /// little above a whole number that it should be.
    static func leastCommon(_ size: UInt32, ceiling: Double) -> Double {
        (ceiling * ceiling * Double(size)).rounded(.down)
    }
}
