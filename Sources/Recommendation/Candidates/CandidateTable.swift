import Model

/// Neighbours of the member's groups with what each is worth: sums by group, sized by the work, not by the model.
struct CandidateTable {
    /// What is gathered of a candidate, in half a line of the cache.
    struct Entry {
        /// The candidate.
        let group: UInt32
        private var giver: Int16
        private var lastInterest: Int16
        /// The sum over all of the member's groups.
        private(set) var score: Double
        private var interestScore: Double
        /// The sum so far of the interest that was added last.
        private var lastScore: Double

        /// Room for an entry.
        fileprivate static let none = Entry(of: 0, 0, interest: 0)

        /// A candidate that one group of an interest contributes to.
        @inline(__always)
        fileprivate init(of group: UInt32, _ contribution: Double, interest: Int16) {
            self.group = group
            (giver, lastInterest) = (interest, interest)
            (score, interestScore, lastScore) = (contribution, contribution, contribution)
        }

        /// The interest that gives most; of equal ones the first.
        var interest: Int { Int(giver) }

        /// Adds what a further group contributes; interests must come one after the other.
        @inline(__always)
        fileprivate mutating func add(_ contribution: Double, interest: Int16) {
            score += contribution
            // Without branches, which would be taken at random.
            lastScore = (lastInterest == interest ? lastScore : 0) + contribution
            lastInterest = interest
            let isMost = lastScore > interestScore
            giver = isMost ? interest : giver
            interestScore = max(lastScore, interestScore)
        }
    }

    /// All candidates, in the order in which they were found.
    let entries: [Entry]
    /// Open addressing: the place of an entry in every slot that is not free.
    ///
    /// Kept small, so that it stays in the cache.
    private let slots: [UInt32]

    private static let free = UInt32.max

    /// All neighbours of the groups of some interests, which may be groups of the member's as well.
    ///
    /// s(j) = Σ over joined groups i and relations R of weight(R) · s_R(i, j) / (mean best score of R)
    ///
    /// - Parameter relations: how relations are blended.
    /// - Complexity: O(neighbours of the groups).
    init(of interests: [Interest], in model: ModelVersion, _ relations: RelationTable) {
        let lists = model.lists(of: interests.flatMap(\.groups))
        let interestOfSeed = interests.enumerated().flatMap { number, interest in
            [Int16](repeating: Int16(number), count: interest.groups.count)
        }
        let factors = relations.factorsByIndex(in: model)
        let neighbourCount = lists.neighbourCount
        var entries: [Entry] = []
        entries.reserveCapacity(neighbourCount / 3)
        var slots = [UInt32](repeating: Self.free, count: Self.slotCount(for: neighbourCount))
        var count = 0
        lists.forEach { seed, relation, neighbours in
            guard factors[relation] > 0 else { return }
            // Room for all of them, as if all were new.
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

    /// Neighbours of a member's groups are the same ones over and over, as a rule; if not, two thirds are taken at most.
    private static func slotCount(for count: Int) -> Int {
        1 << (Int.bitWidth - max(16, count + count / 2).leadingZeroBitCount)
    }

    private static func add(
        _ neighbours: Span<Neighbour>, _ factor: Double, _ interest: Int16, to entries: inout MutableSpan<Entry>,
        _ slots: inout MutableSpan<UInt32>, _ count: inout Int
    ) {
        var next = UInt32(truncatingIfNeeded: count)
        for index in neighbours.indices {
            let neighbour = neighbours[index]
            let slot = slot(of: neighbour.index, in: slots.span, entries.span)
            let contribution = factor * Double(neighbour.score)
            // Taken in runs: first nearly all are new, then hardly any.
            if slots[slot] == free {
                slots[slot] = next
                entries[Int(next)] = Entry(of: neighbour.index, contribution, interest: interest)
                next &+= 1
            } else {
                entries[Int(slots[slot])].add(contribution, interest: interest)
            }
        }
        count = Int(next)
    }

    /// The slot that has the place of a group, or the free one where it belongs.
    @inline(__always)
    private static func slot(of group: UInt32, in slots: borrowing Span<UInt32>, _ entries: borrowing Span<Entry>)
        -> Int
    {
        var slot = GroupPlaces.firstSlot(of: group, among: slots.count)
        while slots[slot] != free, entries[Int(slots[slot])].group != group {
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return slot
    }

    /// The place of a group among the entries; nil if it is no candidate.
    func place(of group: UInt32) -> Int? {
        let place = slots[Self.slot(of: group, in: slots.span, entries.span)]
        return place == Self.free ? nil : Int(place)
    }
}
