import Model

/// Neighbours of the member's groups with what each is worth: sums by group, sized by the work, not by the model.
struct CandidateTable {
    /// What is gathered of a candidate.
    struct Entry {
        let group: UInt32
        /// The sum over all of the member's groups.
        var score: Double
        /// The interest that gives most so far, and how much; of equal ones the first.
        var interest: Int
        var interestScore: Double
        /// The interest that was added last, and its sum so far.
        var lastInterest: Int
        var lastScore: Double
        /// A joined group that it is too similar to; the first that was found.
        var tooSimilarTo: UInt32?
    }

    private var places: GroupPlaces
    private(set) var entries: [Entry]

    /// An empty table for at most so many candidates.
    init(capacity: Int) {
        places = GroupPlaces(capacity: capacity)
        entries = []
        entries.reserveCapacity(capacity)
    }

    /// What is known of a candidate; nil if the group is none.
    subscript(group: UInt32) -> Entry? { places[group].map { entries[$0] } }

    /// Adds what a group of an interest contributes; interests must come one after the other.
    ///
    /// - Returns: the place of the candidate's entry.
    @discardableResult
    mutating func add(_ contribution: Double, to group: UInt32, interest: Int) -> Int {
        let place = places.place(of: group, orInsert: entries.count)
        if place == entries.count {
            entries.append(
                Entry(
                    group: group, score: 0, interest: interest, interestScore: 0, lastInterest: interest, lastScore: 0))
        }
        entries[place].add(contribution, interest: interest)
        return place
    }

    /// Notes that a candidate is too similar to a group of the member's.
    mutating func exclude(at place: Int, tooSimilarTo seed: UInt32) {
        if entries[place].tooSimilarTo == nil { entries[place].tooSimilarTo = seed }
    }
}

extension CandidateTable.Entry {
    @inline(__always)
    fileprivate mutating func add(_ contribution: Double, interest: Int) {
        score += contribution
        if lastInterest != interest {
            lastInterest = interest
            lastScore = 0
        }
        lastScore += contribution
        if lastScore > interestScore {
            interestScore = lastScore
            self.interest = interest
        }
    }
}

extension CandidateTable {
    /// All neighbours of the groups of some interests.
    ///
    /// s(j) = Σ over joined groups i and relations R of weight(R) · s_R(i, j) / (mean best score of R)
    ///
    /// - Parameters:
    ///   - interests: of groups that are in the model.
    ///   - weights: how relations are blended.
    ///   - ceiling: a neighbour with at least this plain cosine to a joined group is too similar to it.
    /// - Complexity: O(neighbours of the groups).
    init(of interests: [Interest], in model: ModelVersion, _ weights: RelationWeights, ceiling: Double) {
        let factors = weights.factors(in: model)
        var capacity = 0
        for interest in interests {
            for group in interest.groups {
                for (relation, _) in factors { capacity += model.neighbours(of: Int(group), by: relation).count }
            }
        }
        self.init(capacity: min(capacity, model.groupCount))
        for (place, interest) in interests.enumerated() {
            for group in interest.groups {
                for (relation, factor) in factors {
                    add(
                        model.neighbours(of: Int(group), by: relation), of: group, relation, factor, place, model,
                        ceiling)
                }
            }
        }
    }

    private mutating func add(
        _ neighbours: NeighbourSlice, of seed: UInt32, _ relation: Relation, _ factor: Double, _ interest: Int,
        _ model: ModelVersion, _ ceiling: Double
    ) {
        // c / √(nᵢ nⱼ) ≥ ceiling needs c ≥ ceiling² nᵢ, because no nⱼ is below c: few neighbours' sizes are looked up.
        // Rounded down, lest the product be a little above a whole number that it should be.
        let leastCommon = (ceiling * ceiling * Double(model.size(of: Int(seed), in: relation))).rounded(.down)
        neighbours.withSpan { neighbours in
            for place in neighbours.indices {
                let neighbour = neighbours[place]
                let entry = add(factor * Double(neighbour.score), to: neighbour.index, interest: interest)
                if Double(neighbour.common) >= leastCommon,
                    model.cosine(of: neighbour, to: Int(seed), by: relation) >= ceiling
                {
                    exclude(at: entry, tooSimilarTo: seed)
                }
            }
        }
    }
}
