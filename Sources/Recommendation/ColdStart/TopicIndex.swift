import Model

/// Which groups are about which topics, made once a version.
struct TopicIndex: Sendable {
    /// How many groups of a topic are considered because of their members: more than a list has.
    static let considered = 500

    /// The number of each topic, as `Term.normalized` writes it.
    private let numbers: [String: Int]
    /// For each topic the groups that are considered, those with the most members first.
    private let largest: [[UInt32]]
    /// For each topic, whether it has more groups.
    private let hasMore: [Bool]
    /// Where the topics of each group begin: groups + 1 offsets.
    private let offsets: [UInt32]
    /// The topics of all groups, one group after another.
    private let topics: [UInt32]

    /// - Parameter popular: all groups, those with the most members first.
    /// - Complexity: O(groups + topics of the groups).
    init(_ model: VisibleModel, popular: [UInt32]) {
        let texts = model.topics
        numbers = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($1, $0) })
        let groupsOfTopics = texts.map { model.groups(withTopic: $0) }
        var ends = [UInt32](repeating: 0, count: model.groupCount + 1)
        for groups in groupsOfTopics { for group in groups { ends[Int(group) + 1] += 1 } }
        for group in 0..<model.groupCount { ends[group + 1] += ends[group] }
        offsets = ends
        var topics = [UInt32](repeating: 0, count: Int(ends[model.groupCount]))
        for (topic, groups) in groupsOfTopics.enumerated() {
            for group in groups {
                topics[Int(ends[Int(group)])] = UInt32(topic)
                ends[Int(group)] += 1
            }
        }
        self.topics = topics
        var largest = [[UInt32]](repeating: [], count: texts.count)
        for group in popular {
            for topic in topics[Int(offsets[Int(group)])..<Int(offsets[Int(group) + 1])]
            where largest[Int(topic)].count < Self.considered { largest[Int(topic)].append(group) }
        }
        self.largest = largest
        hasMore = zip(groupsOfTopics, largest).map { $0.count > $1.count }
    }

    /// How many topics there are; their numbers are below it.
    var count: Int { largest.count }

    /// The number of a topic; nil if no group is about it.
    func number(of topic: String) -> Int? { numbers[Term.normalized(topic)] }

    /// The groups of a topic that have the most members, the largest first.
    func largest(of topic: Int) -> [UInt32] { largest[topic] }

    /// Whether a topic has groups that are not among its largest.
    func hasMore(_ topic: Int) -> Bool { hasMore[topic] }

    /// The topics that a group is about.
    func topics(of group: UInt32) -> ArraySlice<UInt32> {
        topics[Int(offsets[Int(group)])..<Int(offsets[Int(group) + 1])]
    }
}
