import Model

/// The neighbours of a member's groups with their raw scores.
struct CandidateTable {
    /// A candidate with its sum.
    struct Entry {
        /// The candidate's index in the model.
        let group: UInt32
        private var strongestSeed: UInt16
        /// Whether it may not be shown, whatever its score.
        fileprivate(set) var isBlocked = false
        /// The sum over all of the member's groups, and the prior: the raw score.
        private(set) var score: Double
        /// The contribution of that group, as bits: those of positive numbers are in the order of the numbers.
        private var strongest: UInt64

        /// Fills space that is not used yet.
        fileprivate static let none = Entry(of: 0, 0, seed: 0)

        /// A candidate with the contribution of one group.
        @inline(__always)
        fileprivate init(of group: UInt32, _ contribution: Double, seed: UInt16) {
            self.group = group
            strongestSeed = seed
            (score, strongest) = (contribution, contribution.bitPattern)
        }

        /// Stands for no joined group.
        fileprivate static let noSeed = UInt16.max

        /// The position of the joined group that is its strongest reason; nil if it is there for its size alone.
        var seed: Int? { strongestSeed == Self.noSeed ? nil : Int(strongestSeed) }

        /// Adds the contribution of another group; groups must be added in the order in which equal reasons are told.
        @inline(__always)
        fileprivate mutating func add(_ contribution: Double, seed: UInt16) {
            score += contribution
            // Without branches, which would be unpredictable: a mask of ones if it is the strongest yet.
            let mask = UInt64(bitPattern: Int64(bitPattern: strongest &- contribution.bitPattern) >> 63)
            strongest ^= (strongest ^ contribution.bitPattern) & mask
            strongestSeed ^= (strongestSeed ^ seed) & UInt16(truncatingIfNeeded: mask)
        }

        /// Adds what no joined group contributes.
        fileprivate mutating func add(prior: Double) { score += prior }
    }

    /// A joined group that is a neighbour of another one.
    struct JoinedPair {
        /// The position of the joined group whose neighbour it is.
        let first: Int
        /// The position of the neighbour among the joined groups.
        let second: Int
        /// The index of the relation.
        let relation: Int
        /// How many entries they have in common.
        let common: UInt32
    }

    /// All candidates, in no particular order.
    let entries: [Entry]
    /// The joined groups that are neighbours of one another: found on the way, since reading the lists takes longest.
    let joinedPairs: [JoinedPair]

    /// All neighbours of the joined groups, including those that the member has joined already.
    ///
    /// s(j) = Σ over joined groups i and relations R of weight(R) · s_R(i, j) / (mean best score of R) + prior(j)
    ///
    /// With a prior, the largest groups are candidates too.
    ///
    /// - Parameters:
    ///   - joined: the joined groups, ascending, each once.
    ///   - lists: of the joined groups.
    ///   - factors: what scores of the relations are multiplied by, by index.
    ///   - blocked: groups that may not be shown; the model need not have them.
    ///   - prior: what sizes count; nil for nothing.
    ///   - places: of the model.
    /// - Complexity: O(neighbours of the groups).
    init(
        of joined: [UInt32], _ lists: NeighbourLists, factors: [Double], blocking blocked: [UInt32] = [],
        prior: PopularityPrior? = nil, _ places: GroupPlaces
    ) {
        (entries, joinedPairs) = places.using { places in
            var pairs: [JoinedPair] = []
            var entries: [Entry] = []
            entries.reserveCapacity(joined.count + lists.neighbourCount / 3)
            // They come first, so that a neighbour's place says whether it is one of them.
            for (position, group) in joined.enumerated() {
                places[Int(group)] = UInt32(position)
                entries.append(Entry(of: group, 0, seed: Entry.noSeed))
            }
            var count = joined.count
            lists.forEach { seed, relation, neighbours in
                guard factors[relation] > 0 else { return }
                // Space for all of them, as if all were new.
                let missing = count + neighbours.count - entries.count
                if missing > 0 { entries.append(contentsOf: repeatElement(Entry.none, count: missing)) }
                var entriesSpan = entries.mutableSpan
                var placesSpan = places.mutableSpan
                Self.add(
                    neighbours, factors[relation], UInt16(seed), to: &entriesSpan, &placesSpan, &count,
                    joinedCount: joined.count
                ) { second, common in
                    pairs.append(JoinedPair(first: seed, second: second, relation: relation, common: common))
                }
            }
            entries.removeLast(entries.count - count)
            // A joined group that is no other's neighbour is no candidate.
            for position in joined.indices.reversed() where entries[position].seed == nil {
                places[Int(joined[position])] = GroupPlaces.none
                let last = entries.removeLast()
                guard position < entries.count else { continue }
                entries[position] = last
                places[Int(last.group)] = UInt32(position)
            }
            if let prior { Self.add(prior, to: &entries, &places) }
            for group in blocked where Int(group) < places.count {
                let place = places[Int(group)]
                if place != GroupPlaces.none { entries[Int(place)].isBlocked = true }
            }
            for entry in entries { places[Int(entry.group)] = GroupPlaces.none }
            return (entries, pairs)
        }
    }

    private static func add(_ prior: PopularityPrior, to entries: inout [Entry], _ places: inout [UInt32]) {
        for position in entries.indices { entries[position].add(prior: prior[entries[position].group]) }
        for group in prior.largest where places[Int(group)] == GroupPlaces.none {
            places[Int(group)] = UInt32(entries.count)
            entries.append(Entry(of: group, prior[group], seed: Entry.noSeed))
        }
    }

    @inline(__always)
    private static func add(
        _ neighbours: Span<Neighbour>, _ factor: Double, _ seed: UInt16, to entries: inout MutableSpan<Entry>,
        _ places: inout MutableSpan<UInt32>, _ count: inout Int, joinedCount: Int,
        addJoined: (_ position: Int, _ common: UInt32) -> Void
    ) {
        var next = UInt32(truncatingIfNeeded: count)
        for index in neighbours.indices {
            let neighbour = neighbours[index]
            let place = places[Int(neighbour.index)]
            let contribution = factor * Double(neighbour.score)
            // The branch is predictable: at first nearly all neighbours are new, later hardly any.
            if place == GroupPlaces.none {
                places[Int(neighbour.index)] = next
                entries[Int(next)] = Entry(of: neighbour.index, contribution, seed: seed)
                next &+= 1
            } else {
                entries[Int(place)].add(contribution, seed: seed)
                if Int(place) < joinedCount { addJoined(Int(place), neighbour.common) }
            }
        }
        count = Int(next)
    }
}
