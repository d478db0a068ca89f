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
    /// Whether two of the topics have the same bit.
    private let sharesBits: Bool

    init(_ texts: [String], _ index: TopicIndex, popularity: [UInt32]) {
        self.index = index
        self.popularity = popularity
        var topics: [Int] = []
        var positions = [Int](repeating: -1, count: index.count)
        for topic in texts.lazy.compactMap({ index.number(of: $0) }) where positions[topic] < 0 {
            positions[topic] = topics.count
            topics.append(topic)
        }
        self.topics = topics
        self.positions = positions
        signature = topics.reduce(0) { $0 | TopicIndex.bit(of: $1) }
        sharesBits = signature.nonzeroBitCount < topics.count
    }

    /// The groups of the topics, which take turns in their order; found one by one, as they are asked for.
    ///
    /// So a topic with many groups leaves room for one with few. Of each topic: the groups about the most of the topics
    /// first, then those of a list in its order, then those with the most members. Considered are the largest groups
    /// of each topic, and all of the list.
    ///
    /// - Parameters:
    ///   - list: the positions of the groups in the list.
    ///   - order: puts the largest groups of a topic into the order of the bucket, and leaves out those that are not
    ///     wanted.
    ///   - isAllowed: whether a group may be shown.
    func groups(
        besides list: GroupPositions, order: @escaping ([UInt32], _ isWanted: (UInt32) -> Bool) -> [UInt32],
        where isAllowed: @escaping (UInt32) -> Bool
    ) -> AnyIterator<UInt32> {
        let listed = listed(list)
        var queues = topics.indices.map { TopicQueue(topic: $0, listed: listed, topicCount: topics.count) }
        var told: Set<UInt32> = []
        var turn = 0
        var position = 0
        var hasMore = false
        return AnyIterator {
            while true {
                if position == queues.count {
                    guard hasMore else { return nil }
                    (position, turn, hasMore) = (0, turn + 1, false)
                }
                let topic = position
                position += 1
                let group = queues[topic].group(at: turn) {
                    others(topic, list)
                } largest: { count in
                    order(index.largest(of: topics[topic])) { group in
                        matches(of: group, index.signature(of: group)) == count && list[group] == nil
                    }
                }
                guard let group else { continue }
                hasMore = true
                // A group about several topics comes once.
                guard isAllowed(group), topics.count == 1 || told.insert(group).inserted else { continue }
                return group
            }
        }
    }

    /// The groups of the list that are about each topic, in the order of the list.
    private func listed(_ list: GroupPositions) -> [TopicQueue.Listed] {
        var listed: [TopicQueue.Listed] = []
        listed.reserveCapacity(list.groups.count)
        // Read all at once, the signatures come from memory side by side.
        let signatures = list.groups.map { index.signature(of: $0) }
        var possible: [UInt32] = []
        for (group, own) in zip(list.groups, signatures) where own & signature != 0 { possible.append(group) }
        index.prefetchTopics(of: possible)
        for group in possible {
            let count = matches(of: group)
            index.forEachTopic(of: group) { topic in
                if positions[topic] >= 0 { listed.append((positions[topic], group, count)) }
            }
        }
        return listed
    }

    /// The groups of a topic that are not in the list: which of its largest are about several of the topics, and the
    /// largest groups of the other topics that are about it, too, but are not among its own largest; those with the
    /// most members first.
    private func others(_ position: Int, _ list: GroupPositions) -> TopicQueue.Other {
        guard topics.count > 1 else { return TopicQueue.Other() }
        let topic = topics[position]
        var found = TopicQueue.Other()
        var several: [UInt32] = []
        for (group, own) in index.signed(largestOf: topic) where mayMatchSeveral(own) && list[group] == nil {
            several.append(group)
        }
        index.prefetchTopics(of: several)
        for group in several {
            let count = matches(of: group)
            if count > 1 { found.countsOfLargest.insert(count) }
        }
        var beyond: Set<UInt32> = []
        for other in topics where other != topic {
            for group in index.largest(of: other, beyondThoseOf: topic) where list[group] == nil {
                beyond.insert(group)
            }
        }
        found.beyond = beyond.sorted { popularity[Int($0)] < popularity[Int($1)] }.map { group in
            (group, matches(of: group, index.signature(of: group)))
        }
        return found
    }

    /// How many of the topics a group is about that is about one of them.
    private func matches(of group: UInt32, _ own: UInt64) -> Int {
        mayMatchSeveral(own) ? matches(of: group) : 1
    }

    /// The same, by what the group says alone.
    private func matches(of group: UInt32) -> Int {
        var count = 0
        index.forEachTopic(of: group) { count += positions[$0] >= 0 ? 1 : 0 }
        return count
    }

    /// Whether a group that is about one of the topics can be about another one.
    ///
    /// It has the bit of its one topic; one more bit of the others, or two topics of one bit, need a closer look.
    @inline(__always)
    private func mayMatchSeveral(_ own: UInt64) -> Bool {
        let shared = own & signature
        return shared & (shared &- 1) != 0 || sharesBits
    }
}

/// The groups of one stated topic, found as they are needed: those about the most of the topics first.
private struct TopicQueue {
    /// A group, and about how many of the stated topics it is.
    typealias Match = (group: UInt32, count: Int)

    /// Groups that are not in the list.
    struct Other {
        /// About how many of the topics its largest groups are that are about several.
        var countsOfLargest: Set<Int> = []
        /// Groups that are not among its largest, those with the most members first.
        var beyond: [Match] = []
    }

    /// A group of the list that is about a topic.
    typealias Listed = (topic: Int, group: UInt32, count: Int)

    private let topic: Int
    private let listed: [Listed]
    /// Nil as long as it was not needed.
    private var other: Other?
    /// What was found so far.
    private var groups: [UInt32] = []
    /// About how many topics the groups are that are found next.
    private var count: Int
    /// Whether those of the list were found already.
    private var hasListed = false

    /// - Parameter listed: of all topics, in the order of the list.
    init(topic: Int, listed: [Listed], topicCount: Int) {
        (self.topic, self.listed, count) = (topic, listed, topicCount)
    }

    /// The group at a position; nil behind the last.
    ///
    /// - Parameters:
    ///   - findOther: what there is besides the list; called once at most.
    ///   - largest: the largest groups of the topic that are about so many topics and not in the list.
    mutating func group(
        at position: Int, findOther: () -> Other, largest: (_ count: Int) -> [UInt32]
    ) -> UInt32? {
        while position >= groups.count, count > 0 {
            if !hasListed {
                for match in listed where match.topic == topic && match.count == count { groups.append(match.group) }
                hasListed = true
                continue
            }
            let other = self.other ?? findOther()
            self.other = other
            if count == 1 || other.countsOfLargest.contains(count) { groups += largest(count) }
            for match in other.beyond where match.count == count { groups.append(match.group) }
            count -= 1
            hasListed = false
        }
        return position < groups.count ? groups[position] : nil
    }
}
