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
    /// The groups that fill the list when the sources end, best first.
    public var popular: [UInt32]

    /// The sources and the popular groups.
    public init(sources: [Source] = [], popular: [UInt32] = []) {
        self.sources = sources
        self.popular = popular
    }

    /// Whether no source has a group.
    var isEmpty: Bool { sources.allSatisfy(\.groups.isEmpty) }

    /// One list of all sources, in turns by weight.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - isAllowed: whether a group may be shown.
    /// - Returns: each group once, with its origin.
    func list(limit: Int, where isAllowed: (UInt32) -> Bool) -> [(group: UInt32, origin: PlanItem.Origin)] {
        var seen: Set<UInt32> = []
        var turns = Turns(weights: sources.map(\.weight))
        var next = [Int](repeating: 0, count: sources.count)
        var list: [(group: UInt32, origin: PlanItem.Origin)] = []
        while list.count < limit, let source = turns.first(where: { next[$0] < sources[$0].groups.count }) {
            let group = sources[source].groups[next[source]]
            next[source] += 1
            // A group that another source had already is skipped, and this source keeps its turn.
            guard seen.insert(group).inserted, isAllowed(group) else { continue }
            list.append((group, sources[source].origin))
            turns.take(source)
        }
        return list
    }
}
