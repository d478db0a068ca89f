import Model

/// The neighbours of a member's groups with their raw scores; its size depends on the number of neighbours, not on the
/// model.
struct CandidateTable {
    /// A candidate with its sum.
    struct Entry {
        /// The candidate's index in the model.
        let group: UInt32
        private var strongestSeed: UInt32
        /// The sum over all of the member's groups: the raw score.
        private(set) var score: Double
        /// The contribution of that group, as bits: those of positive numbers are in the order of the numbers.
        private var strongest: UInt64

        /// Fills space that is not used yet.
        fileprivate static let none = Entry(of: 0, 0, seed: 0)

        /// A candidate with the contribution of one group.
        @inline(__always)
        fileprivate init(of group: UInt32, _ contribution: Double, seed: UInt32) {
            self.group = group
            strongestSeed = seed
            (score, strongest) = (contribution, contribution.bitPattern)
        }

        /// The position of the joined group that is its strongest reason.
        var seed: Int { Int(strongestSeed) }

        /// Adds the contribution of another group; groups must be added in the order in which equal reasons are told.
        @inline(__always)
        fileprivate mutating func add(_ contribution: Double, seed: UInt32) {
            score += contribution
            // Without branches, which would be unpredictable: a mask of ones if it is the strongest yet.
            let mask = UInt64(bitPattern: Int64(bitPattern: strongest &- contribution.bitPattern) >> 63)
            strongest ^= (strongest ^ contribution.bitPattern) & mask
            strongestSeed ^= (strongestSeed ^ seed) & UInt32(truncatingIfNeeded: mask)
        }
    }

    /// All candidates, in the order in which they were found.
    let entries: [Entry]
    /// Of a `SlotTable`, which holds positions of entries.
    private let slots: [UInt32]

    /// All neighbours of the joined groups, including those that the member has joined already.
    ///
    /// s(j) = Σ over joined groups i and relations R of weight(R) · s_R(i, j) / (mean best score of R)
    ///
    /// - Parameters:
    ///   - joined: the joined groups, ascending.
    ///   - factors: what scores of the relations are multiplied by, by index.
    /// - Complexity: O(neighbours of the groups).
    init(of joined: [UInt32], in model: VisibleModel, factors: [Double]) {
        let lists = model.lists(of: joined)
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
            Self.add(neighbours, factors[relation], UInt32(seed), to: &entriesSpan, &slotsSpan, &count)
        }
        entries.removeLast(entries.count - count)
        self.entries = entries
        self.slots = slots
    }

    /// At most two thirds of the slots are taken; as a rule far fewer, as the member's groups share most neighbours.
    private static func slotCount(for count: Int) -> Int { SlotTable.slotCount(atLeast: count + count / 2 + 1) }

    private static func add(
        _ neighbours: Span<Neighbour>, _ factor: Double, _ seed: UInt32, to entries: inout MutableSpan<Entry>,
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
                entries[Int(next)] = Entry(of: neighbour.index, contribution, seed: seed)
                next &+= 1
            } else {
                entries[Int(slots[slot])].add(contribution, seed: seed)
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
