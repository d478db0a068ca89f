/// The groups that can be shown to a member about whom little is known.
struct ColdStart {
    /// Groups of one source, best first.
    struct Source {
        /// Where the groups come from.
        let origin: PlanItem.Origin
        /// The source's weight in the division of turns, 0 or more.
        var weight: Double
        /// Whether it has no group.
        let isEmpty: Bool
        /// Indexes of the groups, best first; each is found when it is asked for, and comes once.
        let groups: AnyIterator<UInt32>

        /// A source whose first group is asked for now.
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

        /// A source whose groups are asked for when they are needed.
        init(_ origin: PlanItem.Origin, weight: Double, isEmpty: Bool, groups: AnyIterator<UInt32>) {
            self.origin = origin
            self.weight = weight
            self.isEmpty = isEmpty
            self.groups = groups
        }
    }

    /// The sources, which take turns.
    let sources: [Source]

    /// The sources.
    init(sources: [Source] = []) { self.sources = sources }

    /// The personal part of a list, and the sources, weighted by their parts of the list.
    ///
    /// - Parameters:
    ///   - known: the personal part by how much is known of the member, 0 to 1; the sources that have a group divide
    ///     the rest by their weights.
    ///   - leastTopicShare: the least part of the list that groups about stated interests get, if there are any.
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

/// The groups of all sources, which take turns by weight; each once.
struct SourceTurns {
    private let sources: [ColdStart.Source]
    /// Whether each source has no group left.
    private var hasEnded: [Bool]
    private var turns: Turns
    private var seen: Set<UInt32> = []

    init(_ coldStart: ColdStart) {
        sources = coldStart.sources
        hasEnded = sources.map(\.isEmpty)
        turns = Turns(weights: sources.map(\.weight))
    }

    /// The next group with its origin; nil if there is none.
    ///
    /// - Parameter isAllowed: whether a group may be shown that a source of this origin brings.
    mutating func next(
        where isAllowed: (UInt32, PlanItem.Origin) -> Bool
    ) -> (group: UInt32, origin: PlanItem.Origin)? {
        while let source = turns.first(where: { !hasEnded[$0] }) {
            guard let group = sources[source].groups.next() else {
                hasEnded[source] = true
                continue
            }
            // A group that another source had already is skipped, and this source keeps its turn.
            guard seen.insert(group).inserted, isAllowed(group, sources[source].origin) else { continue }
            turns.take(source)
            return (group, sources[source].origin)
        }
        return nil
    }
}
