import Model

/// The groups of each topic and the topics of each group, made once a version.
struct TopicIndex: Sendable {
    /// The number of a topic's largest groups that are considered; it is more than a list has.
    static let considered = 500

    /// The number of each topic, spelled as `Term.normalized` returns it.
    private let numbers: [String: Int]
    /// The considered groups of each topic, the ones with the most members first.
    private let largest: [[UInt32]]
    private let largestSignatures: [[UInt64]]
    /// For each topic, the ones of its largest groups that are beyond the largest of another topic, by that topic.
    private let beyondOthers: [[(topic: UInt32, group: UInt32)]]
    /// The topics and the signature of each group, together because most readers need both.
    private let ranges: [TopicRange]
    /// The topics of all groups, one group after another.
    private let topics: [UInt32]

    private struct TopicRange {
        var signature: UInt64 = 0
        var start: UInt32 = 0
        var end: UInt32 = 0

        var positions: Range<Int> { Int(start)..<Int(end) }
    }

    /// Creates the index of a model.
    ///
    /// - Parameter popular: all groups, the ones with the most members first.
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

    /// The number of topics; topics are numbered from 0 to below it.
    var count: Int { largest.count }

    /// Returns the number of a topic, or `nil` if no group is about it.
    func number(of topic: String) -> Int? { numbers[Term.normalized(topic)] }

    /// Returns the groups of a topic that have the most members, the largest first.
    func largest(of topic: Int) -> [UInt32] { largest[topic] }

    /// Returns the same groups with their signatures.
    func signed(largestOf topic: Int) -> some Sequence<(group: UInt32, signature: UInt64)> {
        zip(largest[topic], largestSignatures[topic]).lazy.map { ($0, $1) }
    }

    /// Returns the ones of a topic's largest groups that are beyond the largest of another topic, in no order.
    func largest(of topic: Int, beyondThoseOf other: Int) -> some Sequence<UInt32> {
        let found = beyondOthers[topic]
        let first = found.indices.partitioningIndex { found[$0].topic >= other }
        return found[first...].lazy.prefix { $0.topic == other }.map(\.group)
    }

    /// Calls `body` with each topic that a group is about.
    @inline(__always)
    func forEachTopic(of group: UInt32, _ body: (Int) -> Void) {
        let topics = topics.span
        for position in ranges[Int(group)].positions { body(Int(topics[position])) }
    }

    /// Prefetches the topics of groups that will be read soon.
    func prefetchTopics(of groups: [UInt32]) {
        for group in groups { ranges.span.prefetch(Int(group)) }
        for group in groups { topics.span.prefetch(ranges[Int(group)].positions) }
    }

    /// Returns one of 64 bits for a topic; several topics may have the same.
    static func bit(of topic: Int) -> UInt64 { 1 << UInt64(topic & 63) }

    /// Returns the bits of the topics that a group is about.
    @inline(__always)
    func signature(of group: UInt32) -> UInt64 { ranges[Int(group)].signature }
}
