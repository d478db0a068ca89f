import Model

/// The groups about the interests that a member has stated.
struct StatedInterests {
    private let index: TopicIndex
    /// The position of each group by its members, 0 for the one with most.
    private let popularity: [UInt32]
    /// The stated topics that groups are about, each once, in the order in which they were stated.
    private let topics: [Int]
    /// The position of each topic in `topics`, −1 if it was not stated.
    private let positions: [Int]
    /// The bits of the topics: a group that has none of them is about none of the topics.
    private let signature: UInt64

    init(_ texts: [String], _ index: TopicIndex, popularity: [UInt32]) {
        self.index = index
        self.popularity = popularity
        var topics: [Int] = []
        var positions = [Int](repeating: -1, count: index.count)
        for topic in texts.lazy.compactMap(index.number) where positions[topic] < 0 {
            positions[topic] = topics.count
            topics.append(topic)
        }
        self.topics = topics
        self.positions = positions
        signature = topics.reduce(0) { $0 | TopicIndex.bit(of: $1) }
    }

    /// The groups of the topics, which take turns in their order.
    ///
    /// So a topic with many groups leaves room for one with few. Of each topic: the groups about the most of the topics
    /// first, then those of a list in its order, then those with the most members. Considered are the largest groups
    /// of each topic, and all of the list.
    ///
    /// - Parameters:
    ///   - list: the positions of the groups in the list.
    ///   - limit: how many at most.
    ///   - order: puts the largest groups of a topic into the order of the bucket.
    ///   - isAllowed: whether a group may be shown.
    func groups(
        besides list: GroupPositions, limit: Int, order: ([UInt32]) -> [UInt32], where isAllowed: (UInt32) -> Bool
    ) -> [UInt32] {
        guard !topics.isEmpty else { return [] }
        var queues = listed(list)
        for (position, others) in others(list).enumerated() {
            let largest = order(index.largest(of: topics[position])).lazy.filter { list[$0] == nil }
            queues[position] = byMatches(queues[position] + largest + others)
        }
        var told: Set<UInt32> = []
        var groups: [UInt32] = []
        for turn in 0..<(queues.map(\.count).max() ?? 0) {
            for queue in queues where turn < queue.count && isAllowed(queue[turn]) {
                // A group about several topics comes once.
                if topics.count == 1 || told.insert(queue[turn]).inserted { groups.append(queue[turn]) }
                if groups.count == limit { return groups }
            }
        }
        return groups
    }

    /// For each topic the groups of the list that are about it, in the order of the list.
    private func listed(_ list: GroupPositions) -> [[UInt32]] {
        var listed = [[UInt32]](repeating: [], count: topics.count)
        // Read all at once, the signatures come from memory side by side.
        let signatures = list.groups.map(index.signature)
        for (group, own) in zip(list.groups, signatures) where own & signature != 0 {
            for topic in index.topics(of: group) where positions[Int(topic)] >= 0 {
                listed[positions[Int(topic)]].append(group)
            }
        }
        return listed
    }

    /// For each topic the largest groups of the other topics that are about it, too, but are not among its own largest;
    /// those with the most members first.
    private func others(_ list: GroupPositions) -> [[UInt32]] {
        topics.map { topic in
            var others: Set<UInt32> = []
            for other in topics where other != topic {
                for group in index.largest(of: other, beyondThoseOf: topic) where list[group] == nil {
                    others.insert(group)
                }
            }
            return others.sorted { popularity[Int($0)] < popularity[Int($1)] }
        }
    }

    /// The groups about the most of the topics first; equal ones in the order that they had.
    private func byMatches(_ groups: [UInt32]) -> [UInt32] {
        guard topics.count > 1 else { return groups }
        let signatures = groups.map(index.signature)
        let matches = zip(groups, signatures).map(matches)
        guard let most = matches.max(), most > 1 else { return groups }
        var ordered: [UInt32] = []
        ordered.reserveCapacity(groups.count)
        for wanted in (1...most).reversed() {
            for (group, count) in zip(groups, matches) where count == wanted { ordered.append(group) }
        }
        return ordered
    }

    /// How many of the topics a group is about that is about one of them.
    private func matches(of group: UInt32, _ own: UInt64) -> Int {
        // It has the bit of its one topic; one more bit of the others, or two topics of one bit, need a closer look.
        let shared = own & signature
        if shared.nonzeroBitCount == 1, signature.nonzeroBitCount == topics.count { return 1 }
        return index.topics(of: group).count { positions[Int($0)] >= 0 }
    }
}
