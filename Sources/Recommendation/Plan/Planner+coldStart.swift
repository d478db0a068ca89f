import Model

extension Planner {
    /// The personal list with groups about stated interests, curated, trending and popular groups.
    func fillUp(_ list: PersonalList, _ request: PlanRequest, _ observe: (StageReport) -> Void) -> [PlanItem] {
        let length = min(request.length ?? .max, configuration.selection.length)
        guard runs(.coldStart) else { return Array(list.items.prefix(length)) }
        let ranks = GroupPositions(list.items.map(\.group))
        let eligibility = list.eligibility
        let sources = coldStart.sources(
            for: request, in: model, configuration.coldStart, list.rotation, besides: ranks
        ) { eligibility.allows($0) }
        let known = Knowledge.personalShare(groups: list.joined.count, half: configuration.coldStart.groupsToHalf)
        var items = blended(list.items, ranks, sources, known: known, eligibility, length)
        if items.count < length {
            let present = GroupPositions(items.map(\.group))
            let popular = coldStart.popular(
                eligibility.filter, count: length - items.count, list.rotation, isFirst: items.isEmpty
            ) { model.shows($0) && present[$0] == nil && eligibility.allows($0) }
            items += popular.map { PlanItem(group: $0, score: 0, interest: nil, origin: .popular) }
        }
        let added = items.count { $0.origin != .personal }
        observe(.init(stage: .coldStart, taken: list.items.count, passed: items.count, note: "\(added) not personal"))
        return items
    }

    /// A list with groups about interests that were stated after it was made: as if they had been a source of it.
    func raising(_ topics: [String], in items: [PlanItem], _ request: PlanRequest) -> [PlanItem] {
        let ranks = GroupPositions(items.map(\.group))
        let eligibility = eligibility(for: request)
        // Their order is that of no bucket: what a session shows stays while buckets come and go.
        let groups = coldStart.groups(about: topics, in: model, nil, besides: ranks) { eligibility.allows($0) }
        let joined = recentGroups(request.profile)
        // Curated and trending groups are in the list as it is.
        let share = configuration.coldStart.topicWeight / configuration.coldStart.weightSum
        let known = Knowledge.personalShare(groups: joined.count, half: configuration.coldStart.groupsToHalf)
        return blended(
            items, ranks, ColdStart(sources: [.init(.topic, weight: 1, groups: groups)]),
            known: 1 - (1 - known) * share, eligibility, configuration.selection.length)
    }

    /// A list and the groups of sources in turns.
    ///
    /// - Parameters:
    ///   - ranks: the positions of the list's groups.
    ///   - known: how much is known of the member, 0 to 1: the list's part of the turns, but for stated interests.
    private func blended(
        _ list: [PlanItem], _ ranks: GroupPositions, _ sources: ColdStart, known: Double, _ eligibility: Eligibility,
        _ length: Int
    ) -> [PlanItem] {
        let (share, sources) = sources.divided(known: known, leastTopicShare: configuration.coldStart.leastTopicShare)
        var turns = SourceTurns(sources)
        // A group of the list that is about a stated interest may come earlier because of it.
        func isWanted(_ group: UInt32, _ origin: PlanItem.Origin) -> Bool {
            (origin == .topic || ranks[group] == nil) && eligibility.allows(group)
        }
        return Blend.blend(list, share: share, limit: length) {
            guard let next = turns.next(where: isWanted) else { return nil }
            guard let rank = ranks[next.group] else {
                return (PlanItem(group: next.group, score: 0, interest: nil, origin: next.origin), nil)
            }
            var item = list[rank]
            item.origin = next.origin
            item.placement = PlanItem.Placement(next.origin)
            return (item, rank)
        }
    }
}
