import CivilTime
import Model

/// The cold-start groups of a model version.
struct ColdStartIndex: Sendable {
    /// How many groups of a topic are considered because of their members: more than a list has.
    private static let topicLimit = 500

    /// All groups: those with the most members first, equal ones by their photos, then in ascending order of the index.
    private let popular: [UInt32]
    /// The position of each group in `popular`.
    private let popularity: [UInt32]
    /// The members of each group, and one more, so that none has 0.
    private let sizes: [Float]
    /// The groups of each topic that have the most members, in the order of `popular`.
    private let largestOfTopic: [String: [UInt32]]
    private let relations: RelationTable

    /// - Complexity: O(groups · log groups).
    init(_ model: VisibleModel, _ relations: RelationTable) {
        self.relations = relations
        let sized = (0..<model.groupCount).map { group in
            let members = UInt64(relations.size(of: group, in: .membership, model))
            return (group: UInt32(group), size: members << 32 | UInt64(relations.size(of: group, in: .pool, model)))
        }
        let ordered = sized.sorted { $0.size != $1.size ? $0.size > $1.size : $0.group < $1.group }
        popular = ordered.map(\.group)
        sizes = sized.map { Float($0.size >> 32) + 1 }
        var popularity = [UInt32](repeating: 0, count: ordered.count)
        for (position, group) in ordered.enumerated() { popularity[Int(group.group)] = UInt32(position) }
        self.popularity = popularity
        largestOfTopic = Dictionary(
            uniqueKeysWithValues: model.topics.map { topic in
                let largest = model.groups(withTopic: topic).sorted { popularity[Int($0)] < popularity[Int($1)] }
                return (topic, Array(largest.prefix(Self.topicLimit)))
            })
    }

    /// Groups that fill up a list, those with the most members first; of some topics alone if the filter says so.
    ///
    /// - Parameters:
    ///   - count: how many at most.
    ///   - rotation: changes the order of the first; nil if it does not change.
    ///   - isFirst: whether nothing stands before them.
    ///   - isWanted: whether the list needs a group.
    func popular(
        _ filter: AppliedFilter?, count: Int, _ rotation: Rotation?, isFirst: Bool, where isWanted: (UInt32) -> Bool
    ) -> [UInt32] {
        let groups = filter?.groupsOfTopics?.sorted { popularity[Int($0)] < popularity[Int($1)] } ?? popular
        let wanted = Array(groups.lazy.filter(isWanted).prefix(max(count, Rotation.tailLength)))
        return Array(rotating(wanted, rotation, as: isFirst ? .whole : .drawn).prefix(count))
    }

    /// Groups with the most members first, or in the order of the bucket.
    private func rotating(_ groups: [UInt32], _ rotation: Rotation?, as tail: Rotation.Tail) -> [UInt32] {
        guard let rotation else { return groups }
        let scores = groups.prefix(Rotation.tailLength).map { Double(sizes[Int($0)]) }
        return rotation.rotating(groups, scores: scores, as: tail)
    }

    /// The cold-start sources for a member's list.
    ///
    /// - Parameters:
    ///   - rotation: changes the order of all but curated groups; nil if it does not change.
    ///   - ranks: the positions of the groups in the personal list.
    func sources(
        for request: PlanRequest, in model: VisibleModel, _ configuration: PlanConfiguration.ColdStart,
        _ rotation: Rotation?, ranks: GroupPositions, isFirst: Bool
    ) -> ColdStart {
        let seconds = request.atMilliseconds / 1000
        let curated = model.curated.filter { $0.isValid(at: seconds) }
        return ColdStart(
            sources: [
                .init(
                    .topic, weight: configuration.topicWeight,
                    groups: groups(about: request.profile.topics, in: model, rotation, ranks: ranks)),
                .init(.curated, weight: configuration.curatedWeight, groups: curated.map(\.group)),
                .init(
                    .trending, weight: configuration.trendingWeight,
                    groups: Self.trending(in: model, rotation, atMilliseconds: request.atMilliseconds, isFirst: isFirst)
                ),
            ])
    }

    /// Groups about some topics, which take turns in their order.
    ///
    /// So a topic with many groups leaves room for one with few. Of each topic: the groups about the most of the topics
    /// first, then those of a list in its order, then those with the most members.
    ///
    /// - Parameters:
    ///   - rotation: changes the order of those with the most members; nil if it does not change.
    ///   - ranks: the positions of the groups in the list.
    func groups(about topics: [String], in model: VisibleModel, _ rotation: Rotation?, ranks: GroupPositions)
        -> [UInt32]
    {
        var seen: Set<String> = []
        let topics = topics.map(Term.normalized).filter { seen.insert($0).inserted }
        let groupsOfTopics = topics.map { model.groups(withTopic: $0) }
        let matches = TopicMatches(groupsOfTopics)
        let lists = zip(topics, groupsOfTopics).map { topic, groups in
            let largest = largestOfTopic[topic] ?? []
            let first = rotating(largest, rotation, as: .whole).prefix(Rotation.tailLength)
            let turns = Dictionary(uniqueKeysWithValues: first.enumerated().map { ($1, $0) })
            // The largest, those that the list has, and those that are about other topics, too.
            let considered = Set(largest).union(matches.inSeveral).union(ranks.groups).filter(groups.hasSorted)
            return considered.map { group in
                let turn = turns[group] ?? Rotation.tailLength + Int(popularity[Int(group)])
                return (group: group, matches: matches[group], rank: ranks[group] ?? .max, turn: turn)
            }.sorted { ($1.matches, $0.rank, $0.turn) < ($0.matches, $1.rank, $1.turn) }
        }
        var told: Set<UInt32> = []
        var inTurns: [UInt32] = []
        for turn in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where turn < list.count {
                // A group about several topics comes once.
                if told.insert(list[turn].group).inserted { inTurns.append(list[turn].group) }
            }
        }
        return inTurns
    }

    /// Trending groups, best first, with the seasonal factors of the month.
    private static func trending(
        in model: VisibleModel, _ rotation: Rotation?, atMilliseconds instant: Int64, isFirst: Bool
    ) -> [UInt32] {
        let month = CalendarDate(unixMilliseconds: instant).month - 1
        let scored = model.trending.map { trend in
            (group: trend.group, score: Double(trend.score) * model.seasonalFactor(of: Int(trend.group), month: month))
        }
        let ordered = scored.sorted { ($0.score, $1.group) > ($1.score, $0.group) }
        guard let rotation else { return ordered.map(\.group) }
        return rotation.rotating(
            ordered.map(\.group), scores: ordered.map(\.score), as: isFirst ? .whole : .following)
    }
}
