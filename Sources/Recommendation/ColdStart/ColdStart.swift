/// The groups that can be shown to a member about whom little is known.
public struct ColdStart: Sendable, Equatable {
    /// Groups of one source, best first.
    public struct Source: Sendable, Equatable {
        /// Where the groups come from.
        public var origin: PlanItem.Origin
        /// The source's weight in the division of turns, 0 or more.
        public var weight: Double
        /// Indexes of the groups, best first.
        public var groups: [UInt32]

        /// A source.
        public init(_ origin: PlanItem.Origin, weight: Double, groups: [UInt32]) {
            self.origin = origin
            self.weight = weight
            self.groups = groups
        }
    }

    /// The sources, which take turns.
    public var sources: [Source]

    /// The sources.
    public init(sources: [Source] = []) { self.sources = sources }

    /// Whether no source has a group.
    var isEmpty: Bool { sources.allSatisfy(\.groups.isEmpty) }

    /// The personal part of a list, and the sources, weighted by their parts of the list.
    ///
    /// - Parameters:
    ///   - known: the personal part by how much is known of the member, 0 to 1; the sources that have a group divide
    ///     the rest by their weights.
    ///   - leastTopicShare: the least part of the list that groups about stated interests get, if there are any.
    func divided(known: Double, leastTopicShare: Double) -> (personal: Double, sources: ColdStart) {
        let present = sources.filter { !$0.groups.isEmpty }
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

    /// One list of all sources, in turns by weight.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - isAllowed: whether a group may be shown that a source of this origin brings.
    /// - Returns: each group once, with its origin.
    func list(limit: Int, where isAllowed: (UInt32, PlanItem.Origin) -> Bool)
        -> [(group: UInt32, origin: PlanItem.Origin)]
    {
        var seen: Set<UInt32> = []
        var turns = Turns(weights: sources.map(\.weight))
        var next = [Int](repeating: 0, count: sources.count)
        var list: [(group: UInt32, origin: PlanItem.Origin)] = []
        while list.count < limit, let source = turns.first(where: { next[$0] < sources[$0].groups.count }) {
            let group = sources[source].groups[next[source]]
            next[source] += 1
            // A group that another source had already is skipped, and this source keeps its turn.
            guard seen.insert(group).inserted, isAllowed(group, sources[source].origin) else { continue }
            list.append((group, sources[source].origin))
            turns.take(source)
        }
        return list
    }
}
