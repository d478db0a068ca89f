import Model

/// A member's groups and all their neighbours, each with a place of its own: the lists are looked up once, for interests
/// and for candidates.
struct Neighbourhood {
    /// The lists of all of the member's groups in one relation.
    struct Lists {
        let relation: Relation
        /// By the place of the group.
        let slices: [NeighbourSlice]
        /// Where the places of each list begin, and where those of the last end.
        private let starts: [Int]
        /// The places of the neighbours, list after list.
        private let places: [UInt32]

        fileprivate init(
            _ relation: Relation, _ read: NeighbourLists, _ table: inout GroupPlaces, _ groups: inout [UInt32],
            _ groupCount: inout Int
        ) {
            self.relation = relation
            slices = read.slices
            var starts = [0]
            starts.reserveCapacity(slices.count + 1)
            var places = [UInt32](repeating: 0, count: read.neighbourCount)
            var found = places.mutableSpan
            var known = groups.mutableSpan
            var start = 0
            for slice in slices {
                slice.withSpan { table.findPlaces(of: $0, into: &found, at: start, adding: &known, &groupCount) }
                start += slice.count
                starts.append(start)
            }
            self.starts = starts
            self.places = places
        }

        /// The places of the neighbours of one of the member's groups, in the order of its list.
        func places(near seed: Int) -> ArraySlice<UInt32> { places[starts[seed]..<starts[seed + 1]] }
    }

    /// The member's groups, then their neighbours as they came.
    private(set) var groups: [UInt32]
    /// How many of them are the member's.
    let joinedCount: Int
    /// In the order of the relations.
    private(set) var lists: [Lists] = []
    private var places: GroupPlaces

    /// - Parameter joined: indexes of the member's groups, which are all different.
    /// - Complexity: O(neighbours of the groups).
    init(of joined: [UInt32], in model: ModelVersion) {
        joinedCount = joined.count
        places = GroupPlaces(joined)
        let read = Relation.allCases.map { NeighbourLists(of: joined, in: model, by: $0) }
        let neighbourCount = read.reduce(0) { $0 + $1.neighbourCount }
        // Neighbours of a member's groups are the same ones over and over, as a rule; if not, the table grows.
        places.makeRoom(for: neighbourCount / 2)
        // One more than there can be, which is written to for those that are not new.
        groups = joined + [UInt32](repeating: 0, count: neighbourCount + 1)
        var count = joined.count
        for (relation, read) in zip(Relation.allCases, read) {
            lists.append(Lists(relation, read, &places, &groups, &count))
        }
        groups.removeLast(groups.count - count)
    }

    /// The place of a group; nil if it is neither one of the member's nor a neighbour.
    func place(of group: UInt32) -> Int? { places[group] }

    /// What an interest counts where interests share a list: those of its groups that can bring anything.
    func weight(of interest: Interest) -> Double {
        let speaking = interest.groups.lazy.compactMap { place(of: $0) }.count { seed in
            lists.contains { !$0.slices[seed].isEmpty }
        }
        return Double(speaking)
    }

    /// Plain cosines between the member's groups.
    func similarities(in model: ModelVersion) -> PairSimilarities {
        var similarities = PairSimilarities(count: joinedCount)
        for lists in lists {
            for (seed, slice) in lists.slices.enumerated() {
                for (index, place) in lists.places(near: seed).enumerated() where place < joinedCount {
                    let cosine = model.cosine(of: slice[index], to: Int(groups[seed]), by: lists.relation)
                    similarities.raise(seed, Int(place), to: Float(cosine))
                }
            }
        }
        return similarities
    }
}
