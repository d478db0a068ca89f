import Glibc

/// The groups that can be shown to a member about whom little is known.
struct ColdStart {
    /// The groups of one source, best first.
    struct Source {
        /// The origin that the source's groups get in a list.
        let origin: PlanItem.Origin
        /// The weight of the source when turns are divided, 0 or more.
        var weight: Double
        /// Whether the source has no group.
        let isEmpty: Bool
        /// The indexes of the groups, best first, each once; each is found when it is needed.
        let groups: AnyIterator<UInt32>

        init(_ origin: PlanItem.Origin, weight: Double, groups: some Sequence<UInt32>) {
            var rest = groups.makeIterator()
            var first = rest.next()
            self.init(
                origin, weight: weight, isEmpty: first == nil,
                groups: AnyIterator {
                    defer { first = nil }
                    return first ?? rest.next()
                })
        }

        init(_ origin: PlanItem.Origin, weight: Double, isEmpty: Bool, groups: AnyIterator<UInt32>) {
            self.origin = origin
            self.weight = weight
            self.isEmpty = isEmpty
            self.groups = groups
        }
    }

    /// The sources, which take turns.
    let sources: [Source]

    init(sources: [Source] = []) { self.sources = sources }

    /// Returns the personal part of a list, and the sources with their parts as weights.
    ///
    /// The sources that have a group divide the rest of the list by their weights.
    ///
    /// - Parameters:
    ///   - known: the personal part that follows from the knowledge about the member, 0 to 1.
    ///   - leastTopicShare: the least part for groups about stated interests, if there are any; the personal part pays
    ///     for it.
    func divided(known: Double, leastTopicShare: Double) -> (personal: Double, sources: ColdStart) {
        let present = sources.filter { !$0.isEmpty }
        let sum = present.reduce(0) { $0 + $1.weight }
        guard sum > 0 else { return (known, ColdStart()) }
        var personal = known
        let parts = present.map { source in
            var part = source
            part.weight *= (1 - known) / sum
            if source.origin == .topic, part.weight < leastTopicShare {
                personal -= leastTopicShare - part.weight
                part.weight = leastTopicShare
            }
            return part
        }
        return (max(0, personal), ColdStart(sources: parts))
    }
}

/// The groups of all sources, which take turns by weight; each group once.
struct InterleavedSources {
    private let sources: [ColdStart.Source]
    /// Whether each source has no group left.
    private var hasEnded: [Bool]
    private var turns: Apportionment
    private var seen: Set<UInt32> = []

    init(_ coldStart: ColdStart) {
        sources = coldStart.sources
        hasEnded = sources.map(\.isEmpty)
        turns = Apportionment(weights: sources.map(\.weight))
    }

    /// Returns the next group with its origin, or `nil` if there is none.
    ///
    /// - Parameter isAllowed: whether a group may be shown if a source of this origin brings it.
    mutating func next(
        where isAllowed: (UInt32, PlanItem.Origin) -> Bool
    ) -> (group: UInt32, origin: PlanItem.Origin)? {
        while let source = turns.first(where: { !hasEnded[$0] }) {
            guard let group = sources[source].groups.next() else {
                hasEnded[source] = true
                continue
            }
            // Another source may have brought the group already: it is skipped, and this source keeps its turn.
            guard seen.insert(group).inserted, isAllowed(group, sources[source].origin) else { continue }
            turns.take(source)
            return (group, sources[source].origin)
        }
        return nil
    }
}

/// Merges the personal list with the cold-start groups.
enum Blend {
    /// Returns the personal and the other groups in turns, each in their own order, and each group once.
    ///
    /// When one list ends, the other fills the rest. A shorter list is a prefix of a longer one. A group that is too
    /// similar to an earlier one is skipped, and its list keeps its turn.
    ///
    /// - Parameters:
    ///   - share: the personal list's share of the turns, 0 to 1.
    ///   - limit: the greatest length.
    ///   - distinct: the rule for similar groups.
    ///   - nextOther: returns the next of the others, each group once, with its position in the personal list if it is
    ///     there.
    static func blend(
        _ personal: [PlanItem], share: Double, limit: Int, _ distinct: DistinctGroups = DistinctGroups(.none),
        nextOther: () -> (item: PlanItem, rank: Int?)?
    ) -> [PlanItem] {
        var distinct = distinct
        var turns = Apportionment(weights: [share, 1 - share])
        var isPlaced = [Bool](repeating: false, count: personal.count)
        var next = 0
        var hasOthers = true
        var list: [PlanItem] = []
        list.reserveCapacity(min(limit, personal.count))
        while list.count < limit {
            // A group that the other list brought already is skipped, and this list keeps its turn.
            while next < personal.count, isPlaced[next] || !distinct.admits(personal[next].group) { next += 1 }
            guard let queue = turns.first(where: { $0 == 0 ? next < personal.count : hasOthers }) else { break }
            if queue == 0 {
                isPlaced[next] = true
                distinct.take(personal[next].group)
                list.append(personal[next])
            } else {
                guard let other = nextOther() else {
                    hasOthers = false
                    continue
                }
                if let rank = other.rank {
                    if isPlaced[rank] { continue }
                    isPlaced[rank] = true
                }
                guard distinct.take(other.item.group) else { continue }
                list.append(other.item)
            }
            turns.take(queue)
        }
        return list
    }
}

/// The knowledge about a member; it decides the personal part of the list.
enum Knowledge {
    /// Returns 1 − 2^(−groups / half): 0 without groups, ½ after `half` groups, 99% after seven times as many.
    ///
    /// - Parameters:
    ///   - groups: the number of joined groups that the list is made from.
    ///   - half: the number of groups for one half, above 0.
    static func personalShare(groups: Int, half: Double) -> Double { 1 - exp2(-Double(groups) / half) }
}

/// Divides turns among weighted parties: sequential Webster apportionment (Sainte-Laguë 1910).
struct Apportionment {
    private let weights: [Double]
    private var taken: [Int]

    /// Creates turns of which none is taken.
    ///
    /// - Parameter weights: the weight of each party, 0 or more.
    init(weights: [Double]) {
        self.weights = weights
        taken = [Int](repeating: 0, count: weights.count)
    }

    /// Returns the party with the largest claim, of equal ones the first, or `nil` if no party is present.
    ///
    /// - Parameter isPresent: whether a party still takes part.
    func first(where isPresent: (Int) -> Bool) -> Int? {
        var best: (party: Int, claim: Double)?
        for party in weights.indices where isPresent(party) {
            let claim = weights[party] / Double(2 * taken[party] + 1)
            if claim > best?.claim ?? -1 { best = (party, claim) }
        }
        return best?.party
    }

    /// Records that a party had a turn.
    mutating func take(_ party: Int) { taken[party] += 1 }
}
