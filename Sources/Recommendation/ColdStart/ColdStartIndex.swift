import CivilTime
import Model

/// The cold-start groups of a model version.
struct ColdStartIndex: Sendable {
    /// The most groups of one topic that are considered.
    private static let topicLimit = 5000

    /// All groups: those with the most members first, equal ones by their photos, then in ascending order of the index.
    private let popular: [UInt32]
    /// The position of each group in `popular`.
    private let popularity: [UInt32]
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
        var popularity = [UInt32](repeating: 0, count: ordered.count)
        for (position, group) in ordered.enumerated() { popularity[Int(group.group)] = UInt32(position) }
        self.popularity = popularity
    }

    /// Groups that fill up lists, those with the most members first; of some topics alone if the filter says so.
    func popular(_ filter: AppliedFilter?) -> [UInt32] {
        guard let groups = filter?.groupsOfTopics else { return popular }
        return groups.sorted { popularity[Int($0)] < popularity[Int($1)] }
    }

    /// The cold-start sources for a member's list.
    ///
    /// - Parameter ranks: the positions of the groups in the personal list.
    func sources(
        for request: PlanRequest, in model: VisibleModel, _ configuration: PlanConfiguration.ColdStart,
        ranks: GroupPositions
    ) -> ColdStart {
        let seconds = request.atMilliseconds / 1000
        let curated = model.curated.filter { $0.isValid(at: seconds) }
        return ColdStart(
            sources: [
                .init(
                    .topic, weight: configuration.topicWeight,
                    groups: groups(about: request.profile.topics, in: model, ranks: ranks)),
                .init(.curated, weight: configuration.curatedWeight, groups: curated.map(\.group)),
                .init(
                    .trending, weight: configuration.trendingWeight,
                    groups: Self.trending(in: model, atMilliseconds: request.atMilliseconds)),
            ])
    }

    /// Groups about some topics, which take turns in their order.
    ///
    /// So a topic with many groups leaves room for one with few. Of each topic: the groups about the most of the topics
    /// first, then those of a list in its order, then those with the most members.
    ///
    /// - Parameter ranks: the positions of the groups in the list.
    func groups(about topics: [String], in model: VisibleModel, ranks: GroupPositions) -> [UInt32] {
        var seen: Set<String> = []
        let groupsOfTopics = topics.map(Term.normalized).filter { seen.insert($0).inserted }
            .map { model.groups(withTopic: $0).prefix(Self.topicLimit) }
        var matches: [UInt32: Int] = [:]
        for group in groupsOfTopics.joined() { matches[group, default: 0] += 1 }
        let lists = groupsOfTopics.map { groups in
            groups.map {
                (group: $0, matches: matches[$0] ?? 0, rank: ranks[$0] ?? .max, popularity: popularity[Int($0)])
            }.sorted { ($1.matches, $0.rank, $0.popularity) < ($0.matches, $1.rank, $1.popularity) }
        }
        var inTurns: [UInt32] = []
        for turn in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where turn < list.count {
                // A group about several topics comes once.
                if matches.removeValue(forKey: list[turn].group) != nil { inTurns.append(list[turn].group) }
            }
        }
        return inTurns
    }

    /// Trending groups, best first, with the seasonal factors of the month.
    private static func trending(in model: VisibleModel, atMilliseconds instant: Int64) -> [UInt32] {
        let month = CalendarDate(unixMilliseconds: instant).month - 1
        let scored = model.trending.map { trend in
            (group: trend.group, score: Double(trend.score) * model.seasonalFactor(of: Int(trend.group), month: month))
        }
        return scored.sorted { ($0.score, $1.group) > ($1.score, $0.group) }.map(\.group)
    }
}
