import Model

/// The neighbours of a member's groups with their raw scores; its size depends on the number of neighbours, not on the
/// model.
struct CandidateTable {
    /// A candidate with its sums, in half a cache line.
    struct Entry {
        /// The candidate's index in the model.
        let group: UInt32
        private var mainInterest: Int16
        private var lastInterest: Int16
        /// The sum over all of the member's groups: the raw score.
        private(set) var score: Double
        private var interestScore: Double
        /// The sum so far of the interest that contributed last.
        private var lastScore: Double

        /// Fills space that is not used yet.
        fileprivate static let none = Entry(of: 0, 0, interest: 0)

        /// A candidate with the contribution of one group of an interest.
        @inline(__always)
        fileprivate init(of group: UInt32, _ contribution: Double, interest: Int16) {
            self.group = group
            (mainInterest, lastInterest) = (interest, interest)
            (score, interestScore, lastScore) = (contribution, contribution, contribution)
        }

        /// The interest that contributes most; of equal ones the first.
        var interest: Int { Int(mainInterest) }

        /// Adds the contribution of another group; all groups of an interest must be added before those of the next.
        @inline(__always)
        fileprivate mutating func add(_ contribution: Double, interest: Int16) {
            score += contribution
            // Without branches, which would be unpredictable.
            lastScore = (lastInterest == interest ? lastScore : 0) + contribution
            lastInterest = interest
            let isMost = lastScore > interestScore
            mainInterest = isMost ? interest : mainInterest
            interestScore = max(lastScore, interestScore)
        }
    }

    /// All candidates, in the order in which they were found.
    let entries: [Entry]
    /// Of a `SlotTable`, which holds positions of entries.
    private let slots: [UInt32]

    /// All neighbours of the groups of some interests, including those that the member has joined already.
    ///
    /// s(j) = Σ over joined groups i and relations R of weight(R) · s_R(i, j) / (mean best score of R)
    ///
    /// - Parameter relations: how relations are blended.
    /// - Complexity: O(neighbours of the groups).
    init(of interests: [Interest], in model: VisibleModel, _ relations: RelationTable) {
        let lists = model.lists(of: interests.flatMap(\.groups))
        let interestOfSeed = interests.enumerated().flatMap { number, interest in
            [Int16](repeating: Int16(number), count: interest.groups.count)
        }
        let factors = relations.factorsByIndex(in: model)
        let neighbourCount = lists.neighbourCount
        var entries: [Entry] = []
        entries.reserveCapacity(neighbourCount / 3)
        var slots = [UInt32](repeating: SlotTable.free, count: Self.slotCount(for: neighbourCount))
        var count = 0
        lists.forEach { seed, relation, neighbours in
            guard factors[relation] > 0 else { return }
            // Space for all of them, as if all were new.
            let missing = count + neighbours.count - entries.count
            if missing > 0 { entries.append(contentsOf: repeatElement(Entry.none, count: missing)) }
            var entriesSpan = entries.mutableSpan
            var slotsSpan = slots.mutableSpan
            Self.add(neighbours, factors[relation], interestOfSeed[seed], to: &entriesSpan, &slotsSpan, &count)
        }
        entries.removeLast(entries.count - count)
        self.entries = entries
        self.slots = slots
    }

    /// At most two thirds of the slots are taken; as a rule far fewer, as the member's groups share most neighbours.
    private static func slotCount(for count: Int) -> Int { SlotTable.slotCount(atLeast: count + count / 2 + 1) }

    private static func add(
        _ neighbours: Span<Neighbour>, _ factor: Double, _ interest: Int16, to entries: inout MutableSpan<Entry>,
        _ slots: inout MutableSpan<UInt32>, _ count: inout Int
    ) {
        var next = UInt32(truncatingIfNeeded: count)
        for index in neighbours.indices {
            let neighbour = neighbours[index]
            let slot = SlotTable.slot(of: neighbour.index, in: slots.span) { entries[$0].group }
            let contribution = factor * Double(neighbour.score)
            // The branch is predictable: at first nearly all neighbours are new, later hardly any.
            if slots[slot] == SlotTable.free {
                slots[slot] = next
                entries[Int(next)] = Entry(of: neighbour.index, contribution, interest: interest)
                next &+= 1
            } else {
                entries[Int(slots[slot])].add(contribution, interest: interest)
            }
        }
        count = Int(next)
    }

    /// The position of a group among the entries; nil if it is no candidate.
    func position(of group: UInt32) -> Int? {
        let position = slots[SlotTable.slot(of: group, in: slots.span) { entries[$0].group }]
        return position == SlotTable.free ? nil : Int(position)
    }
}
