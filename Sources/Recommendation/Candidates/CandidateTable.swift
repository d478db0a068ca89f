import Model

/// The neighbours of a member's groups with their raw scores, in no particular order.
struct CandidateTable: RandomAccessCollection {
    /// A candidate with its sum.
    struct Entry {
        /// The candidate's index in the model.
        let group: UInt32
        fileprivate let sum: Sum

        /// The position of the joined group that contributes most, or `nil` if only its size makes it a candidate.
        var seed: Int? { sum.seed }
        /// The raw score: the sum over all of the member's groups, and the prior.
        var score: Double { abs(sum.signedScore) }
        /// Whether the candidate may not be shown, whatever its score.
        var isBlocked: Bool { sum.signedScore.sign == .minus }
    }

    /// The contributions of joined groups to a candidate: only 16 bytes, since thousands of them are added to.
    struct Sum {
        /// The raw score; negative if the candidate may not be shown.
        fileprivate(set) var signedScore: Double
        /// The greatest contribution, as the bits of a number.
        ///
        /// The last 16 bits are replaced by `seedMask` − the position of the contributing group. Bits of positive
        /// numbers have the order of the numbers, so that `max` finds the greatest contribution. Contributions that
        /// differ by less than one part in 2³⁶ count as equal, and the first group wins.
        private var strongest: UInt64

        private static let seedMask: UInt64 = 0xFFFF

        /// The sum without any contribution.
        fileprivate static let zero = Sum(score: 0)

        /// Creates a sum to which no joined group contributes.
        @inline(__always)
        fileprivate init(score: Double) { (signedScore, strongest) = (score, 0) }

        /// The position of the joined group that contributes most, or `nil` if none does.
        @inline(__always)
        var seed: Int? { strongest == 0 ? nil : Int((strongest & Self.seedMask) ^ Self.seedMask) }

        /// Returns the last bits of all contributions of a group.
        fileprivate static func mark(ofSeed seed: Int) -> UInt64 {
            precondition(seed < seedMask, "more than \(seedMask) joined groups")
            return seedMask ^ UInt64(seed)
        }

        @inline(__always)
        fileprivate mutating func add(_ contribution: Double, mark: UInt64) {
            signedScore += contribution
            strongest = Swift.max(strongest, contribution.bitPattern & ~Self.seedMask | mark)
        }

        fileprivate mutating func add(prior: Double) { signedScore += prior }
    }

    /// A joined group that is a neighbour of another joined group.
    struct JoinedPair {
        /// The position of the joined group whose list it is in.
        let first: UInt32
        /// The position of the neighbour among the joined groups.
        let second: UInt32
        let relation: UInt32
        /// The number of entries that the two groups have in common.
        let common: UInt32
    }

    /// A neighbour that is a joined group: its place, and the number of entries in common.
    private struct JoinedNeighbour {
        let place: UInt32
        let common: UInt32
    }

    /// The indexes of all candidates.
    let groups: [UInt32]
    /// The contributions to each candidate.
    let sums: [Sum]
    /// The pairs of joined groups that are neighbours.
    ///
    /// Candidates and pairs are found in one pass, because reading the lists takes the most time.
    let joinedPairs: [JoinedPair]
    /// Whether each joined group has a neighbour in a relation that counts.
    let bringsCandidates: [Bool]

    /// Always 0.
    var startIndex: Int { 0 }
    /// The number of candidates.
    var endIndex: Int { groups.count }
    subscript(position: Int) -> Entry { Entry(group: groups[position], sum: sums[position]) }

    /// Collects all neighbours of the joined groups, including neighbours that the member has joined already.
    ///
    ///     s(j) = Σ over joined groups i and relations R of weight(R) · s_R(i, j) / (mean best score of R)
    ///            + score of the hint at j + prior(j)
    ///
    /// With hints, their groups are candidates too; with a prior, the largest groups.
    ///
    /// - Parameters:
    ///   - lists: the neighbour lists of the seeds.
    ///   - factors: the factors of the relations' scores, by index.
    ///   - blocked: groups that may not be shown; the model need not have them.
    ///   - prior: the scores that sizes add, or `nil` for none.
    ///   - places: the model's tables of places.
    /// - Complexity: O(neighbours of the groups).
    init(
        of seeds: Seeds, _ lists: NeighbourLists, factors: [Double], blocking blocked: [UInt32] = [],
        prior: PopularityPrior? = nil, _ places: GroupPlaces
    ) {
        let joined = seeds.groups
        var pairs: [JoinedPair] = []
        pairs.reserveCapacity(8 * joined.count)
        var bringsCandidates = [Bool](repeating: false, count: joined.count)
        var hits = [JoinedNeighbour](repeating: JoinedNeighbour(place: 0, common: 0), count: lists.longestCount)
        (groups, sums) = places.using { places in
            var table = Growing(joined, capacity: joined.count + lists.neighbourCount / 3, &places)
            lists.forEach { seed, relation, neighbours in
                guard factors[relation] > 0, !neighbours.isEmpty else { return }
                bringsCandidates[seed] = true
                let hitCount = table.add(
                    neighbours, seeds.factor(factors[relation], ofSeed: seed), mark: Sum.mark(ofSeed: seed), &places,
                    &hits)
                for hit in hits.prefix(hitCount) {
                    pairs.append(
                        JoinedPair(
                            first: UInt32(seed), second: hit.place, relation: UInt32(relation), common: hit.common))
                }
            }
            table.finish(&places)
            for (number, hint) in seeds.hints.enumerated() {
                table.add(hint, mark: Sum.mark(ofSeed: seeds.position(ofHint: number)), &places)
            }
            if let prior { table.add(prior, &places) }
            for group in blocked where Int(group) < places.count {
                let place = places[Int(group)]
                if place != GroupPlaces.none { table.block(Int(place)) }
            }
            for group in table.groups { places[Int(group)] = GroupPlaces.none }
            return (table.groups, table.sums)
        }
        joinedPairs = pairs
        self.bringsCandidates = bringsCandidates
    }

    /// The candidates found, and their sums so far.
    private struct Growing {
        /// The number of joined groups, which come first: a neighbour's place tells whether it is one of them.
        private let joinedCount: Int
        private(set) var count: Int
        /// The candidates; elements from `count` on are spare.
        private(set) var groups: [UInt32]
        private(set) var sums: [Sum]

        init(_ joined: [UInt32], capacity: Int, _ places: inout [UInt32]) {
            (joinedCount, count) = (joined.count, joined.count)
            groups = joined
            groups.reserveCapacity(capacity)
            sums = []
            sums.reserveCapacity(capacity)
            sums.append(contentsOf: repeatElement(Sum.zero, count: joined.count))
            for (position, group) in joined.enumerated() { places[Int(group)] = UInt32(position) }
        }

        /// Adds the contributions of a joined group to its neighbours.
        ///
        /// - Returns: the number of neighbours that are joined groups; they are written to the start of `hits`.
        @inline(__always)
        mutating func add(
            _ neighbours: Span<Neighbour>, _ factor: Double, mark: UInt64, _ places: inout [UInt32],
            _ hits: inout [JoinedNeighbour]
        ) -> Int {
            // Space for all neighbours, as if all were new.
            let missing = count + neighbours.count - groups.count
            if missing > 0 {
                groups.append(contentsOf: repeatElement(0, count: missing))
                sums.append(contentsOf: repeatElement(Sum.zero, count: missing))
            }
            let (next, hitCount) = Self.add(
                neighbours, factor, mark: mark, &places, &groups, &sums, next: UInt32(truncatingIfNeeded: count),
                joinedCount: UInt32(truncatingIfNeeded: joinedCount), &hits)
            count = Int(next)
            return hitCount
        }

        @inline(__always)
        private static func add(
            _ neighbours: Span<Neighbour>, _ factor: Double, mark: UInt64, _ places: inout [UInt32],
            _ groups: inout [UInt32], _ sums: inout [Sum], next: UInt32, joinedCount: UInt32,
            _ hits: inout [JoinedNeighbour]
        ) -> (next: UInt32, hitCount: Int) {
            var placeSpan = places.mutableSpan
            // Places are all over the memory: all are prefetched before the loop waits for one.
            for index in neighbours.indices { placeSpan.prefetch(Int(unsafe neighbours[unchecked: index].index)) }
            var groupSpan = groups.mutableSpan
            var sumSpan = sums.mutableSpan
            var hitSpan = hits.mutableSpan
            // Each place is below the number of candidates, so one check covers all neighbours.
            precondition(
                Int(next) + neighbours.count <= Swift.min(groupSpan.count, sumSpan.count)
                    && neighbours.count <= hitSpan.count, "no space for the candidates")
            var next = next
            var hitCount = 0
            for index in neighbours.indices {
                let neighbour = unsafe neighbours[unchecked: index]
                // The processor cannot predict whether a neighbour is new: both cases take the same way, without a
                // branch.
                let known = placeSpan[Int(neighbour.index)]
                let isNew = known == GroupPlaces.none
                let place = isNew ? next : known
                unsafe placeSpan[unchecked: Int(neighbour.index)] = place
                unsafe groupSpan[unchecked: Int(place)] = neighbour.index
                next &+= isNew ? 1 : 0
                unsafe sumSpan[unchecked: Int(place)].add(factor * Double(neighbour.score), mark: mark)
                if place < joinedCount {
                    unsafe hitSpan[unchecked: hitCount] = JoinedNeighbour(place: place, common: neighbour.common)
                    hitCount &+= 1
                }
            }
            return (next, hitCount)
        }

        /// Drops the spare space, and the joined groups that are nobody's neighbours: they are no candidates.
        mutating func finish(_ places: inout [UInt32]) {
            groups.removeLast(groups.count - count)
            sums.removeLast(sums.count - count)
            for position in (0..<joinedCount).reversed() where sums[position].seed == nil {
                places[Int(groups[position])] = GroupPlaces.none
                let (group, sum) = (groups.removeLast(), sums.removeLast())
                guard position < groups.count else { continue }
                (groups[position], sums[position]) = (group, sum)
                places[Int(group)] = UInt32(position)
            }
        }

        mutating func add(_ hint: ScoredHint, mark: UInt64, _ places: inout [UInt32]) {
            if places[Int(hint.group)] == GroupPlaces.none {
                places[Int(hint.group)] = UInt32(groups.count)
                groups.append(hint.group)
                sums.append(.zero)
            }
            sums[Int(places[Int(hint.group)])].add(hint.score, mark: mark)
        }

        mutating func add(_ prior: PopularityPrior, _ places: inout [UInt32]) {
            Self.add(prior, of: groups, to: &sums)
            for group in prior.largest where places[Int(group)] == GroupPlaces.none {
                places[Int(group)] = UInt32(groups.count)
                groups.append(group)
                sums.append(Sum(score: prior[group]))
            }
        }

        private static func add(_ prior: PopularityPrior, of groups: [UInt32], to sums: inout [Sum]) {
            var sums = sums.mutableSpan
            for position in sums.indices { sums[position].add(prior: prior[groups[position]]) }
        }

        mutating func block(_ position: Int) { sums[position].signedScore = -abs(sums[position].signedScore) }
    }
}
