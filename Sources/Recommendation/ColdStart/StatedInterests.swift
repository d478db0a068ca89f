/// The groups about the interests that a member has stated.
struct StatedInterests {
    private let index: TopicIndex
    /// The position of each group in the order of members, 0 for the group with the most.
    private let popularity: [UInt32]
    /// The stated topics that groups are about, each once, in the order in which they were stated.
    private let topics: [Int]
    /// The position of each topic in `topics`, −1 if it was not stated.
    private let positions: [Int]
    /// The bits of the stated topics; a group without any of these bits is about none of the topics.
    private let signature: UInt64
    /// Whether two of the stated topics have the same bit.
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

    /// Returns the groups of the topics; the topics take turns in their order, so that none crowds out the others.
    ///
    /// Each group is found when it is needed. The groups of one topic come in this order:
    ///
    /// 1. Groups about more of the stated topics come before groups about fewer.
    /// 2. Among equal ones, groups of the list come first, in the order of the list.
    /// 3. The others follow, the ones with the most members first.
    ///
    /// All groups of the list are considered, and the largest groups of each topic.
    ///
    /// - Parameters:
    ///   - list: the positions of the groups in the list.
    ///   - order: returns the wanted ones of a topic's largest groups, in the order of the bucket.
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

    /// Returns the groups of the list that are about each topic, in the order of the list.
    private func listed(_ list: GroupPositions) -> [TopicQueue.Listed] {
        var listed: [TopicQueue.Listed] = []
        listed.reserveCapacity(list.groups.count)
        // One pass over all signatures lets the processor fetch them from memory in parallel.
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

    /// Returns facts about a topic's groups that are not in the list.
    ///
    /// The first fact is the numbers of stated topics, above 1, that its largest groups are about. The second is the
    /// groups beyond its largest that are among the largest of another stated topic, the most members first.
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

    /// Returns the number of stated topics that a group is about; the group must be about one of them.
    private func matches(of group: UInt32, _ own: UInt64) -> Int {
        mayMatchSeveral(own) ? matches(of: group) : 1
    }

    /// Returns the number of stated topics that a group is about, by reading all its topics.
    private func matches(of group: UInt32) -> Int {
        var count = 0
        index.forEachTopic(of: group) { count += positions[$0] >= 0 ? 1 : 0 }
        return count
    }

    /// Returns whether a group that is about one of the topics can be about another one.
    ///
    /// The group has the bit of its one topic. Another bit of the stated topics calls for a closer look; so do two
    /// stated topics that share a bit.
    @inline(__always)
    private func mayMatchSeveral(_ own: UInt64) -> Bool {
        let shared = own & signature
        return shared & (shared &- 1) != 0 || sharesBits
    }
}

/// The groups of one stated topic, found when they are needed; the ones about the most of the topics first.
private struct TopicQueue {
    /// A group, and the number of stated topics that it is about.
    typealias Match = (group: UInt32, count: Int)

    /// Groups that are not in the list.
    struct Other {
        /// The numbers of stated topics, above 1, that some of the topic's largest groups are about.
        var countsOfLargest: Set<Int> = []
        /// Groups that are not among the topic's largest, the ones with the most members first.
        var beyond: [Match] = []
    }

    /// A group of the list that is about a topic, and the number of stated topics that it is about.
    typealias Listed = (topic: Int, group: UInt32, count: Int)

    private let topic: Int
    private let listed: [Listed]
    /// The groups that are not in the list, or `nil` before they are needed.
    private var other: Other?
    /// The groups found so far.
    private var groups: [UInt32] = []
    /// The number of stated topics that the next groups are about.
    private var count: Int
    /// Whether the groups of the list with this number were found already.
    private var hasListed = false

    /// Creates the queue of a topic.
    ///
    /// - Parameters:
    ///   - topic: the position of the topic.
    ///   - listed: the groups of the list about all topics, in the order of the list.
    init(topic: Int, listed: [Listed], topicCount: Int) {
        (self.topic, self.listed, count) = (topic, listed, topicCount)
    }

    /// Returns the group at a position, or `nil` behind the last.
    ///
    /// - Parameters:
    ///   - position: the position in the queue.
    ///   - findOther: finds the groups that are not in the list; called once at most.
    ///   - largest: returns the largest groups of the topic outside the list that are about `count` stated topics.
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
