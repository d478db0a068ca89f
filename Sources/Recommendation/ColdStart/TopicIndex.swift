import Model

/// Which groups are about which topics, made once a version.
struct TopicIndex: Sendable {
    /// How many groups of a topic are considered because of their members: more than a list has.
    static let considered = 500

    /// The number of each topic, as `Term.normalized` writes it.
    private let numbers: [String: Int]
    /// For each topic the groups that are considered, those with the most members first.
    private let largest: [[UInt32]]
    /// For each topic the positions among its largest groups of those that are about another topic, too.
    private let sharedLargest: [ByTopic]
    /// For each topic the groups among its largest that other topics have beyond their largest ones, by those topics.
    private let beyondOthers: [ByTopic]
    /// Of each group where its topics are, and their bits: together, since who asks for the one needs the other.
    private let ranges: [TopicRange]
    /// The topics of all groups, one group after another.
    private let topics: [UInt32]

    /// Numbers, each with a topic; those of a topic are found by bisection.
    private struct ByTopic {
        private let found: [(topic: UInt32, number: UInt32)]

        init(_ found: [(topic: UInt32, number: UInt32)]) { self.found = found.sorted { $0 < $1 } }

        /// Calls `body` with the numbers of a topic, ascending.
        @inline(__always)
        func forEach(of topic: Int, _ body: (Int) -> Void) {
            let found = found.span
            var (low, high) = (0, found.count)
            while low < high {
                let middle = (low + high) / 2
                if found[middle].topic < topic { low = middle + 1 } else { high = middle }
            }
            while low < found.count, found[low].topic == topic {
                body(Int(found[low].number))
                low += 1
            }
        }
    }

    private struct TopicRange {
        var signature: UInt64 = 0
        var start: UInt32 = 0
        var end: UInt32 = 0

        var positions: Range<Int> { Int(start)..<Int(end) }
    }

    /// - Parameter popular: all groups, those with the most members first.
    /// - Complexity: O(groups + topics of the groups).
    init(_ model: VisibleModel, popular: [UInt32]) {
        let texts = model.topics
        numbers = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($1, $0) })
        let groupsOfTopics = texts.map { model.groups(withTopic: $0) }
        var ranges = [TopicRange](repeating: TopicRange(), count: model.groupCount)
        for groups in groupsOfTopics { for group in groups { ranges[Int(group)].end += 1 } }
        var count: UInt32 = 0
        for group in ranges.indices {
            (ranges[group].start, count) = (count, count + ranges[group].end)
            ranges[group].end = ranges[group].start
        }
        var topics = [UInt32](repeating: 0, count: Int(count))
        for (topic, groups) in groupsOfTopics.enumerated() {
            for group in groups {
                topics[Int(ranges[Int(group)].end)] = UInt32(topic)
                ranges[Int(group)].end += 1
                ranges[Int(group)].signature |= Self.bit(of: topic)
            }
        }
        self.topics = topics
        self.ranges = ranges
        var largest = [[UInt32]](repeating: [], count: texts.count)
        var sharedLargest = [[(topic: UInt32, number: UInt32)]](repeating: [], count: texts.count)
        var beyondOthers = sharedLargest
        for group in popular {
            let own = topics[ranges[Int(group)].positions]
            let beyond = own.filter { largest[Int($0)].count == Self.considered }
            for topic in own where largest[Int(topic)].count < Self.considered {
                let position = UInt32(largest[Int(topic)].count)
                largest[Int(topic)].append(group)
                for other in own where other != topic { sharedLargest[Int(topic)].append((other, position)) }
                for other in beyond { beyondOthers[Int(topic)].append((other, group)) }
            }
        }
        self.largest = largest
        self.sharedLargest = sharedLargest.map(ByTopic.init)
        self.beyondOthers = beyondOthers.map(ByTopic.init)
    }

    /// How many topics there are; their numbers are below it.
    var count: Int { largest.count }

    /// The number of a topic; nil if no group is about it.
    func number(of topic: String) -> Int? { numbers[Term.normalized(topic)] }

    /// The groups of a topic that have the most members, the largest first.
    func largest(of topic: Int) -> [UInt32] { largest[topic] }

    /// Calls `body` with the positions among the largest groups of a topic of those that are about another one, too.
    @inline(__always)
    func forEachPosition(amongLargestOf topic: Int, about other: Int, _ body: (Int) -> Void) {
        sharedLargest[topic].forEach(of: other, body)
    }

    /// Calls `body` with the groups among the largest of a topic that another topic has beyond its largest ones.
    @inline(__always)
    func forEachLargest(of topic: Int, beyondThoseOf other: Int, _ body: (UInt32) -> Void) {
        beyondOthers[topic].forEach(of: other) { body(UInt32($0)) }
    }

    /// Calls `body` with the topics that a group is about.
    @inline(__always)
    func forEachTopic(of group: UInt32, _ body: (Int) -> Void) {
        let topics = topics.span
        for position in ranges[Int(group)].positions { body(Int(topics[position])) }
    }

    /// Asks memory for the topics of a group, and does not wait for them.
    func prefetchTopics(of group: UInt32) { topics.span.prefetch(ranges[Int(group)].positions) }

    /// One of 64 bits for each topic; topics may have the same.
    static func bit(of topic: Int) -> UInt64 { 1 << UInt64(topic & 63) }

    /// The bits of the topics that a group is about.
    @inline(__always)
    func signature(of group: UInt32) -> UInt64 { ranges[Int(group)].signature }
}
