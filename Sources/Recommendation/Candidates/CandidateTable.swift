import Model

/// The neighbours of a member's groups with their raw scores, in no particular order.
struct CandidateTable: RandomAccessCollection {
    /// A candidate with its sum.
    struct Entry {
        /// The candidate's index in the model.
        let group: UInt32
        fileprivate let sum: Sum

        /// The position of the joined group that is its strongest reason; nil if it is there for its size alone.
        var seed: Int? { sum.seed }
        /// The sum over all of the member's groups, and the prior: the raw score.
        var score: Double { abs(sum.signedScore) }
        /// Whether it may not be shown, whatever its score.
        var isBlocked: Bool { sum.signedScore.sign == .minus }
    }

    /// What joined groups contribute to a candidate: 16 bytes, since thousands of them are added to.
    struct Sum {
        /// The raw score; negative if the candidate may not be shown.
        fileprivate(set) var signedScore: Double
        /// The greatest contribution, as bits, the last of which are those of `seedMask` − the position of its group.
        ///
        /// The bits of positive numbers are in the order of the numbers. Contributions that differ by less than one
        /// part in 2³⁶ count as equal, and the first group wins.
        private var strongest: UInt64

        private static let seedMask: UInt64 = 0xFFFF

        /// Nothing.
        fileprivate static let zero = Sum(score: 0)

        /// What no joined group contributes.
        @inline(__always)
        fileprivate init(score: Double) { (signedScore, strongest) = (score, 0) }

        /// The position of the joined group that contributes most; nil if none does.
        @inline(__always)
        var seed: Int? { strongest == 0 ? nil : Int((strongest & Self.seedMask) ^ Self.seedMask) }

        /// The last bits of all contributions of a group.
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

    /// A joined group that is a neighbour of another one.
    struct JoinedPair {
        /// The position of the joined group whose neighbour it is.
        let first: UInt32
        /// The position of the neighbour among the joined groups.
        let second: UInt32
        /// The index of the relation.
        let relation: UInt32
        /// How many entries they have in common.
        let common: UInt32
    }

    /// A neighbour that is a joined group: its place, and how many entries it has in common.
    private struct JoinedNeighbour {
        let place: UInt32
        let common: UInt32
    }

    /// All candidates.
    let groups: [UInt32]
    /// Of each candidate what it got.
    let sums: [Sum]
    /// The joined groups that are neighbours of one another: found on the way, since reading the lists takes longest.
    let joinedPairs: [JoinedPair]
    /// Of each joined group, whether it has a neighbour in a relation that counts.
    let bringsCandidates: [Bool]

    /// Always 0.
    var startIndex: Int { 0 }
    /// How many candidates there are.
    var endIndex: Int { groups.count }
    /// A candidate.
    subscript(position: Int) -> Entry { Entry(group: groups[position], sum: sums[position]) }

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
                    neighbours, factors[relation], mark: Sum.mark(ofSeed: seed), &places, &hits)
                for hit in hits.prefix(hitCount) {
                    pairs.append(
                        JoinedPair(
                            first: UInt32(seed), second: hit.place, relation: UInt32(relation), common: hit.common))
                }
            }
            table.finish(&places)
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

    /// The candidates that are found, and their sums so far.
    private struct Growing {
        /// The joined groups come first, so that a neighbour's place says whether it is one of them.
        private let joinedCount: Int
        private(set) var count: Int
        /// Those at `count` and behind are space for more.
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

        /// Adds what a joined group contributes to its neighbours.
        ///
        /// - Returns: the indexes in `hits` of the neighbours that are joined groups, from 0 to below this.
        @inline(__always)
        mutating func add(
            _ neighbours: Span<Neighbour>, _ factor: Double, mark: UInt64, _ places: inout [UInt32],
            _ hits: inout [JoinedNeighbour]
        ) -> Int {
            // Space for all of them, as if all were new.
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
            // Places are all over the memory: all are asked for before anything waits for one.
            for index in neighbours.indices { placeSpan.prefetch(Int(unsafe neighbours[unchecked: index].index)) }
            var groupSpan = groups.mutableSpan
            var sumSpan = sums.mutableSpan
            var hitSpan = hits.mutableSpan
            // A place is below the number of those found so far: space for all neighbours is checked once.
            precondition(
                Int(next) + neighbours.count <= Swift.min(groupSpan.count, sumSpan.count)
                    && neighbours.count <= hitSpan.count, "no space for the candidates")
            var next = next
            var hitCount = 0
            for index in neighbours.indices {
                let neighbour = unsafe neighbours[unchecked: index]
                // Whether a neighbour is new cannot be predicted: both cases take the same way, without a branch.
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

        /// Ends with exactly what was found, without the joined groups that are no other's neighbours: they are no
        /// candidates.
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
