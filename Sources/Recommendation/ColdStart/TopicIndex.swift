import Model

/// Which groups are about which topics, made once a version.
struct TopicIndex: Sendable {
    /// How many groups of a topic are considered because of their members: more than a list has.
    static let considered = 500

    /// The number of each topic, as `Term.normalized` writes it.
    private let numbers: [String: Int]
    /// For each topic the groups that are considered, those with the most members first.
    private let largest: [[UInt32]]
    /// The signatures of these groups.
    private let largestSignatures: [[UInt64]]
    /// For each topic the groups among its largest that other topics have beyond their largest ones, by those topics.
    private let beyondOthers: [[(topic: UInt32, group: UInt32)]]
    /// Of each group where its topics are, and their bits: together, since who asks for the one needs the other.
    private let ranges: [TopicRange]
    /// The topics of all groups, one group after another.
    private let topics: [UInt32]

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
        var beyondOthers = [[(topic: UInt32, group: UInt32)]](repeating: [], count: texts.count)
        for group in popular {
            let own = topics[ranges[Int(group)].positions]
            let beyond = own.filter { largest[Int($0)].count == Self.considered }
            for topic in own where largest[Int(topic)].count < Self.considered {
                largest[Int(topic)].append(group)
                beyondOthers[Int(topic)] += beyond.map { ($0, group) }
            }
        }
        self.largest = largest
        largestSignatures = largest.map { $0.map { ranges[Int($0)].signature } }
        self.beyondOthers = beyondOthers.map { $0.sorted { $0.topic < $1.topic } }
    }

    /// How many topics there are; their numbers are below it.
    var count: Int { largest.count }

    /// The number of a topic; nil if no group is about it.
    func number(of topic: String) -> Int? { numbers[Term.normalized(topic)] }

    /// The groups of a topic that have the most members, the largest first.
    func largest(of topic: Int) -> [UInt32] { largest[topic] }

    /// The same groups and their signatures.
    func signed(largestOf topic: Int) -> some Sequence<(group: UInt32, signature: UInt64)> {
        zip(largest[topic], largestSignatures[topic]).lazy.map { ($0, $1) }
    }

    /// The groups among the largest of a topic that another topic has beyond its largest ones, in no order.
    func largest(of topic: Int, beyondThoseOf other: Int) -> some Sequence<UInt32> {
        let found = beyondOthers[topic]
        var (low, high) = (0, found.count)
        while low < high {
            let middle = (low + high) / 2
            if found[middle].topic < other { low = middle + 1 } else { high = middle }
        }
        return found[low...].lazy.prefix { $0.topic == other }.map(\.group)
    }

    /// Calls `body` with the topics that a group is about.
    @inline(__always)
    func forEachTopic(of group: UInt32, _ body: (Int) -> Void) {
        let topics = topics.span
        for position in ranges[Int(group)].positions { body(Int(topics[position])) }
    }

    /// Asks memory for the topics of groups that will be asked for soon.
    func prefetchTopics(of groups: [UInt32]) {
        for group in groups { ranges.span.prefetch(Int(group)) }
        for group in groups { topics.span.prefetch(ranges[Int(group)].positions) }
    }

    /// One of 64 bits for each topic; topics may have the same.
    static func bit(of topic: Int) -> UInt64 { 1 << UInt64(topic & 63) }

    /// The bits of the topics that a group is about.
    @inline(__always)
    func signature(of group: UInt32) -> UInt64 { ranges[Int(group)].signature }
}
