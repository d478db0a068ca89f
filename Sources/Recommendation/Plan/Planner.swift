public import Model

/// Makes members' lists from a model version.
///
/// Pure: the same request, version, configuration and key give the same plan, byte for byte.
public struct Planner: Sendable {
    /// The groups and their neighbours.
    public let model: ModelVersion
    /// How lists are made.
    public let configuration: PlanConfiguration
    let key: RotationKey
    let coldStart: ColdStartIndex
    private let listTraits: [ListTraits]

    /// A planner over a model version.
    ///
    /// - Parameter key: what the rotation of all members depends on; the same on all daemons.
    /// - Complexity: O(groups): lists for those of whom nothing is known are made here, and lists measured, once.
    public init(model: ModelVersion, configuration: PlanConfiguration = PlanConfiguration(), key: RotationKey) {
        self.model = model
        self.configuration = configuration
        self.key = key
        coldStart = ColdStartIndex(model)
        listTraits = Relation.allCases.map { ListTraits(of: $0, in: model) }
    }

    /// The list of a member.
    ///
    /// - Parameters:
    ///   - request: whom it is for, and when.
    ///   - observe: told of every stage when it is done.
    /// - Complexity: O(neighbours of the member's groups + pool² + neighbours of the pool).
    public func plan(_ request: PlanRequest, observe: (StageReport) -> Void = { _ in }) -> Plan {
        plan(request, from: personalList(request, observe), observe)
    }

    func plan(_ request: PlanRequest, from personal: PersonalList, _ observe: (StageReport) -> Void) -> Plan {
        Plan(
            items: fillUp(personal, request, observe), interests: personal.interests, bucket: personal.bucket,
            candidateCount: personal.candidateCount)
    }

    /// A personal list with what it was made of.
    struct PersonalList {
        var eligibility: Eligibility
        var joined: [UInt32]
        var interests: [Interest]
        var table: CandidateTable
        /// Candidates that passed the filters.
        var candidateCount: Int
        var bucket: Int64
        /// Which groups are too similar to joined ones.
        var likeness: Likeness
        /// What came out.
        var items: [PlanItem]

        /// A joined group that a group is too similar to; nil if there is none.
        func tooSimilar(to group: UInt32) -> UInt32? { table[group]?.tooSimilarTo ?? likeness.tooSimilar(to: group) }
    }

    func personalList(_ request: PlanRequest, _ observe: (StageReport) -> Void) -> PersonalList {
        let eligibility = Eligibility(
            request, in: model,
            inactiveAfterDays: runs(.filters) ? configuration.filters.inactiveAfterDays : nil)
        let joined = recentGroups(request.profile)
        observe(.init(stage: .profile, taken: request.profile.joined.count, passed: joined.count, note: ""))
        let neighbourhood = Neighbourhood(of: joined, in: model)
        let interests = Interest.interests(of: neighbourhood, in: model, configuration.interests)
        observe(
            .init(stage: .interests, taken: joined.count, passed: joined.count, note: "\(interests.count) interests"))
        let ceiling = runs(.filters) ? configuration.filters.ceiling : .infinity
        let table = CandidateTable(of: interests, neighbourhood, in: model, configuration.weights, ceiling: ceiling)
        let tableCount = table.count
        observe(.init(stage: .candidates, taken: joined.count, passed: tableCount, note: ""))
        let likeness = Likeness(to: joined, in: model, ceiling: ceiling, listTraits)
        var (candidateCount, ranked) = filtered(table, eligibility, likeness)
        observe(.init(stage: .filters, taken: tableCount, passed: candidateCount, note: ""))
        if runs(.season) { observe(riseInSeason(&ranked, request)) }
        Ranking.sort(&ranked)
        let memberKey = key.member(request.profile.userID, seed: request.seed)
        let bucket = RotationBucket.number(
            atMilliseconds: request.atMilliseconds, memberKey: memberKey,
            milliseconds: Int64(configuration.rotation.hours * 3_600_000))
        if runs(.rotation) {
            Rotation(memberKey: memberKey, bucket: bucket, configuration: configuration.rotation)
                .apply(to: &ranked, in: model)
            observe(.init(stage: .rotation, taken: ranked.count, passed: ranked.count, note: "bucket \(bucket)"))
        }
        if runs(.fatigue) { observe(damp(&ranked, request)) }
        Ranking.sort(&ranked)
        if runs(.diversity) { ranked = diversified(ranked, interests.map(neighbourhood.weight), observe) }
        let items = ranked.prefix(configuration.selection.length).map { candidate in
            PlanItem(
                group: candidate.group, score: candidate.score, interest: candidate.interest, origin: .personal)
        }
        return PersonalList(
            eligibility: eligibility, joined: joined, interests: interests, table: table,
            candidateCount: candidateCount, bucket: bucket, likeness: likeness, items: items)
    }

    func runs(_ stage: PlanStage) -> Bool { !configuration.omitted.contains(stage) }

    /// The groups joined that are looked at: of too many, those joined last.
    func recentGroups(_ profile: MemberProfile) -> [UInt32] {
        let known = profile.joined.filter { Int($0.group) < model.groupCount }
        let limit = configuration.interests.groupLimit
        guard known.count > limit else { return known.map(\.group) }
        let latest = known.sorted {
            ($0.atMilliseconds ?? .min, $1.group) > ($1.atMilliseconds ?? .min, $0.group)
        }
        return latest.prefix(limit).map(\.group).sorted()
    }

    /// The best of the candidates that may be shown, in no order, and how many of them there are in all.
    ///
    /// What only a candidate's own lists tell is looked up for the best, and found as a rule of none or few.
    private func filtered(_ table: CandidateTable, _ eligibility: Eligibility, _ likeness: Likeness)
        -> (count: Int, [Candidate])
    {
        let groups = table.neighbourhood.groups
        var isBlocked = [Bool](repeating: false, count: groups.count)
        for group in eligibility.blockedGroups {
            if let place = table.neighbourhood.place(of: group) { isBlocked[place] = true }
        }
        let possible = table.entries.indices.filter { place in
            table.entries[place].score > 0 && table.entries[place].tooSimilarTo == nil && !isBlocked[place]
        }
        var candidates: [Candidate] = []
        candidates.reserveCapacity(possible.count)
        for (place, isActive) in zip(possible, eligibility.areActive(possible.map { groups[$0] })) where isActive {
            let entry = table.entries[place]
            candidates.append(
                Candidate(group: groups[place], score: entry.score, interest: entry.interest, adjusted: entry.score))
        }
        let count = candidates.count
        Ranking.keepBest(configuration.filters.candidateLimit, of: &candidates)
        let allowed = candidates.filter { likeness.tooSimilar(to: $0.group) == nil }
        return (count - (candidates.count - allowed.count), allowed)
    }

    private func damp(_ ranked: inout [Candidate], _ request: PlanRequest) -> StageReport {
        let sunk = Damping(configuration: configuration.feedback).apply(
            to: &ranked, exposures: request.profile.exposures, dismissals: request.profile.dismissals,
            atMilliseconds: request.atMilliseconds, in: model)
        return StageReport(stage: .fatigue, taken: ranked.count, passed: ranked.count, note: "\(sunk) sank")
    }

    /// The pool in its new order, then the rest in its old one.
    private func diversified(
        _ ranked: [Candidate], _ weights: [Double], _ observe: (StageReport) -> Void
    ) -> [Candidate] {
        let places = CandidatePool.places(of: ranked, weights: weights, configuration.selection)
        let pool = places.map { ranked[$0] }
        let similarities = PairSimilarities(among: pool.map(\.group), in: model)
        let order = Selection(configuration: configuration.selection).order(pool, similarities, weights: weights)
        observe(.init(stage: .diversity, taken: ranked.count, passed: ranked.count, note: "\(pool.count) in the pool"))
        var isPooled = [Bool](repeating: false, count: ranked.count)
        for place in places { isPooled[place] = true }
        return order.map { pool[$0] } + ranked.indices.lazy.filter { !isPooled[$0] }.map { ranked[$0] }
    }

    func fillUp(_ list: PersonalList, _ request: PlanRequest, _ observe: (StageReport) -> Void) -> [PlanItem] {
        guard runs(.coldStart) else { return list.items }
        let personal = list.items
        let isAllowed = { (group: UInt32) in list.eligibility.allows(group) && list.tooSimilar(to: group) == nil }
        let length = configuration.selection.length
        let sources = coldStart.sources(for: request, in: model, configuration.coldStart)
        let others = sources.list(limit: length, where: isAllowed).map { group, origin in
            PlanItem(group: group, score: 0, interest: nil, origin: origin)
        }
        let share = Knowledge.personalShare(groups: list.joined.count, half: configuration.coldStart.groupsToHalf)
        var items = Blend.blend(personal, others, share: share, limit: length)
        // Only of a list that is not full: it takes longer than all the rest of this stage.
        let known = items.count < length ? Set(items.map(\.group)) : []
        for group in sources.popular where items.count < length && !known.contains(group) && isAllowed(group) {
            items.append(PlanItem(group: group, score: 0, interest: nil, origin: .popular))
        }
        let added = items.count { $0.origin != .personal }
        observe(.init(stage: .coldStart, taken: personal.count, passed: items.count, note: "\(added) not personal"))
        return items
    }
}
