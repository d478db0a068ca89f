import Basics
import Model

/// The cold-start groups of a model version.
struct ColdStartIndex: Sendable {
    /// All groups: the most members first, equal ones by their photos, then in ascending order of the index.
    private let popular: [UInt32]
    /// The position of each group in `popular`.
    private let popularity: [UInt32]
    /// The number of members of each group, plus 1: every size is above 0.
    private let sizes: [Float]
    private let topics: TopicIndex
    /// The trending groups of each month, January first, with their scores in that season; best first.
    private let trending: [[(group: UInt32, score: Double)]]

    /// Ranks the groups of a model.
    ///
    /// - Complexity: O(groups · log groups).
    init(_ model: VisibleModel, _ relations: RelationTable) {
        let sized = zip(relations.sizes(in: .membership, model), relations.sizes(in: .pool, model)).enumerated().map {
            group, sizes in (group: UInt32(group), size: UInt64(sizes.0) << 32 | UInt64(sizes.1))
        }
        let ordered = sized.sorted { $0.size != $1.size ? $0.size > $1.size : $0.group < $1.group }
        popular = ordered.map(\.group)
        sizes = sized.map { Float($0.size >> 32) + 1 }
        var popularity = [UInt32](repeating: 0, count: ordered.count)
        for (position, group) in ordered.enumerated() { popularity[Int(group.group)] = UInt32(position) }
        self.popularity = popularity
        topics = TopicIndex(model, popular: popular)
        trending = (0..<12).map { month in
            model.trending.map { trend in
                (trend.group, Double(trend.score) * model.seasonalFactor(of: Int(trend.group), month: month))
            }.sorted { ($0.score, $1.group) > ($1.score, $0.group) }
        }
    }

    /// Returns groups that fill up a list, the ones with the most members first.
    ///
    /// If the filter names topics, only groups of these topics are returned.
    ///
    /// - Parameters:
    ///   - filter: the filter of the request, if any.
    ///   - count: the greatest number of groups.
    ///   - rotation: the rotation that changes the order of the first groups, or `nil` for none.
    ///   - isFirst: whether the list is empty so far.
    ///   - isWanted: whether the list needs a group.
    func popular(
        _ filter: AppliedFilter?, count: Int, _ rotation: Rotation?, isFirst: Bool, where isWanted: (UInt32) -> Bool
    ) -> [UInt32] {
        let groups = filter?.groupsOfTopics?.sorted { popularity[Int($0)] < popularity[Int($1)] } ?? popular
        let length = max(count, Rotation.tailLength)
        var wanted: [UInt32] = []
        // A loop visits each group once; a prefix of a lazy filter would test groups several times.
        for group in groups where isWanted(group) {
            wanted.append(group)
            if wanted.count == length { break }
        }
        let rotated = rotating(wanted, rotation, as: isFirst ? .whole : .drawn) { _ in true }
        return Array(rotated.prefix(count))
    }

    /// Returns the wanted groups in the order of the bucket, or in the given order without a rotation.
    private func rotating(
        _ groups: [UInt32], _ rotation: Rotation?, as tail: Rotation.Tail, where isWanted: (UInt32) -> Bool
    ) -> [UInt32] {
        guard let rotation else { return groups.filter(isWanted) }
        return rotation.rotating(groups, score: { Double(sizes[Int(groups[$0])]) }, as: tail, where: isWanted)
    }

    /// Returns the cold-start sources for a member's list.
    ///
    /// - Parameters:
    ///   - rotation: the rotation that changes the order of all but curated groups, or `nil` for none.
    ///   - list: the positions of the groups in the personal list.
    ///   - isAllowed: whether a group about a stated interest may be shown.
    func sources(
        for request: PlanRequest, in model: VisibleModel, _ configuration: PlanConfiguration.ColdStart,
        _ rotation: Rotation?, besides list: GroupPositions, where isAllowed: @escaping (UInt32) -> Bool
    ) -> ColdStart {
        let seconds = request.atMilliseconds / 1000
        let curated = model.curated.filter { $0.isValid(at: seconds) }
        let topics = groups(about: request.profile.topics, in: model, rotation, besides: list, where: isAllowed)
        let isFirst = list.groups.isEmpty
        var trending: IndexingIterator<[UInt32]>?
        return ColdStart(
            sources: [
                .init(.topic, weight: configuration.topicWeight, groups: topics),
                .init(.curated, weight: configuration.curatedWeight, groups: curated.map(\.group)),
                .init(
                    .trending, weight: configuration.trendingWeight,
                    isEmpty: !self.trending[0].contains { model.shows($0.group) },
                    groups: AnyIterator {
                        if trending == nil {
                            trending = trendingGroups(
                                in: model, rotation, atMilliseconds: request.atMilliseconds, isFirst: isFirst
                            ).makeIterator()
                        }
                        return trending?.next()
                    }),
            ])
    }

    /// Returns groups about some topics, chosen and ordered by `StatedInterests`.
    ///
    /// - Parameters:
    ///   - topics: the topics, as the member wrote them.
    ///   - rotation: the rotation that changes the order of the largest groups, or `nil` for none.
    ///   - list: the positions of the groups in the personal list.
    ///   - isAllowed: whether a group may be shown.
    func groups(
        about topics: [String], in model: VisibleModel, _ rotation: Rotation?, besides list: GroupPositions,
        where isAllowed: @escaping (UInt32) -> Bool
    ) -> AnyIterator<UInt32> {
        StatedInterests(topics, self.topics, popularity: popularity).groups(
            besides: list, order: { rotating($0, rotation, as: .whole, where: $1) },
            where: { model.shows($0) && isAllowed($0) })
    }

    /// Prefetches the topics of groups that may come into the list of a member with stated interests.
    func prefetchTopics(of groups: [UInt32]) { topics.prefetchTopics(of: groups) }

    /// Returns the trending groups, best first, with the seasonal factors of the month.
    private func trendingGroups(
        in model: VisibleModel, _ rotation: Rotation?, atMilliseconds instant: Int64, isFirst: Bool
    ) -> [UInt32] {
        let ordered = trending[CalendarDate(unixMilliseconds: instant).month - 1].filter { model.shows($0.group) }
        guard let rotation else { return ordered.map(\.group) }
        return rotation.rotating(
            ordered.map(\.group), score: { ordered[$0].score }, as: isFirst ? .whole : .following)
    }
}
