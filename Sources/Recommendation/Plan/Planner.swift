import Basics
package import Model

/// Makes members' lists from a model.
///
/// A planner is pure: the same request, model, configuration and key give the same plan, byte for byte.
package struct Planner: Sendable {
    /// The groups that are shown, and their neighbours.
    package private(set) var model: VisibleModel
    /// The settings of lists, with the relation weights that evidence chose for the version.
    package let configuration: PlanConfiguration
    package let key: RotationKey
    let coldStart: ColdStartIndex
    /// The groups that are too similar to one another, of which a list has at most one.
    package let ceiling: SimilarityCeiling
    private let activity: ActivityColumn
    private let seasons: SeasonColumns
    private let groupHashes: Rotation.GroupHashes
    private let places: GroupPlaces
    /// The factor of each relation's scores, by index; relations with 0 do not count.
    let factors: [Double]
    private let clustering: InterestClustering
    private let prior: PopularityPrior?
    let ubiquitous: UbiquitousGroups

    /// Creates a planner over all groups of a model version, and computes everything that all members share.
    ///
    /// - Parameter key: the key of the rotation, the same on all daemons.
    /// - Complexity: O(groups · log groups + neighbours).
    package init(model: ModelVersion, configuration: PlanConfiguration = PlanConfiguration(), key: RotationKey) {
        let model = VisibleModel(model)
        self.model = model
        var configuration = configuration
        configuration.relations = configuration.relations.weighted(in: model)
        configuration.evidence = Self.evidence(configuration.evidence, configuration.relations, in: model)
        self.configuration = configuration
        self.key = key
        factors = configuration.relations.factorsByIndex(in: model)
        clustering = InterestClustering(in: model, configuration.relations, configuration.interests)
        coldStart = ColdStartIndex(model, configuration.relations)
        activity = ActivityColumn(model)
        seasons = SeasonColumns(model)
        groupHashes = Rotation.GroupHashes(model, key: key)
        places = GroupPlaces(groupCount: model.groupCount)
        ubiquitous = UbiquitousGroups(in: model, configuration)
        prior =
            !configuration.omitted.contains(.popularity) && configuration.popularity > 0
            ? PopularityPrior(
                model, configuration.relations, weight: configuration.popularity,
                limit: configuration.filters.candidateLimit) : nil
        ceiling =
            configuration.omitted.contains(.filters)
            ? .none : SimilarityCeiling(of: configuration.filters, in: model, configuration.relations)
    }

    /// Returns the same planner for the groups of the same version that the site shows now.
    ///
    /// - Complexity: O(1).
    package func showing(_ model: VisibleModel) -> Planner {
        var planner = self
        planner.model = model
        return planner
    }

    /// Returns the list of a member.
    ///
    /// - Parameter observe: receives the report of every stage.
    /// - Complexity: O(neighbours of the member's groups + pool² + neighbours of the pool).
    package func plan(_ request: PlanRequest, observe: (StageReport) -> Void = { _ in }) -> Plan {
        plan(request, from: personalList(request, observe), observe)
    }

    func plan(_ request: PlanRequest, from personal: PersonalList, _ observe: (StageReport) -> Void) -> Plan {
        Plan(
            items: fillUp(personal, request, observe), interests: personal.interests, bucket: personal.bucket,
            candidateCount: personal.candidateCount)
    }

    /// A personal list with the intermediate results that explain it.
    struct PersonalList {
        var eligibility: Eligibility
        /// The number of groups that tell something about the member.
        var knownCount: Int
        var interests: [Interest]
        var table: CandidateTable
        /// The number of candidates that passed the filters.
        var candidateCount: Int
        var bucket: Int64
        /// The change of the order with time, or `nil` if there is none.
        var rotation: Rotation?
        var items: [PlanItem]
    }

    func personalList(_ request: PlanRequest, _ observe: (StageReport) -> Void) -> PersonalList {
        let seeds = seeds(of: request.profile)
        let joinedCount = seeds.joinedCount
        let eligibility = eligibility(for: request)
        let note = ubiquitous.note(of: request.profile)
        observe(.init(stage: .profile, taken: request.profile.joined.count, passed: joinedCount, note: note))
        let lists = neighbourLists(of: seeds.groups)
        let table = CandidateTable(
            of: seeds, lists, factors: factors, blocking: eligibility.blockedGroups,
            prior: seeds.groups.isEmpty ? nil : prior, places)
        let found = prior == nil ? table.count : table.sums.count { $0.seed != nil }
        observe(.init(stage: .candidates, taken: joinedCount, passed: found, note: ""))
        if prior != nil {
            observe(.init(stage: .popularity, taken: found, passed: table.count, note: ""))
        }
        let interests = seeds.interests(table) { clustering.interests(of: $0, table, in: model) }
        observe(
            .init(stage: .interests, taken: joinedCount, passed: joinedCount, note: "\(interests.count) interests"))
        var (candidateCount, ranked) = filtered(table, interests, seeds, eligibility)
        observe(.init(stage: .filters, taken: table.count, passed: candidateCount, note: ""))
        if runs(.season) { observe(riseInSeason(&ranked, request)) }
        if runs(.boosts), let report = boost(&ranked, by: request.boosts) { observe(report) }
        let memberKey = key.member(request.profile.userID, seed: request.seed)
        let bucket = RotationBucket.number(
            atMilliseconds: request.atMilliseconds, memberKey: memberKey,
            milliseconds: Int64(configuration.rotation.hours * 3_600_000))
        let rotation =
            runs(.rotation)
            ? Rotation(memberKey: memberKey, bucket: bucket, hashes: groupHashes, configuration: configuration.rotation)
            : nil
        if let rotation {
            rotation.apply(to: &ranked, stickiness: configuration.rotation.stickiness)
            observe(.init(stage: .rotation, taken: ranked.count, passed: ranked.count, note: "bucket \(bucket)"))
        }
        if runs(.fatigue) { observe(damp(&ranked, request)) }
        Ranking.sort(&ranked)
        if runs(.coldStart), !request.profile.topics.isEmpty { coldStart.prefetchTopics(of: ranked.map(\.group)) }
        if runs(.diversity) {
            ranked = ceiling.distinct(diversified(ranked, interests, observe)) { $0.group }
        }
        let listed = ranked.prefix(configuration.selection.length)
        let items = zip(listed, PlanItem.Placement.placements(of: listed)).map { candidate, placement in
            let isNeighbour = candidate.interest < interests.count
            return PlanItem(
                group: candidate.group, score: candidate.score, interest: isNeighbour ? candidate.interest : nil,
                origin: isNeighbour ? .personal : .popular, placement: placement)
        }
        return PersonalList(
            eligibility: eligibility, knownCount: joinedCount + seeds.hints.count, interests: interests, table: table,
            candidateCount: candidateCount, bucket: bucket, rotation: rotation, items: items)
    }

    /// Returns the part of the joined groups' neighbour lists that a plan reads.
    func neighbourLists(of joined: [UInt32]) -> NeighbourLists {
        model.lists(
            of: joined, in: factors.map { $0 > 0 }, limit: configuration.candidates.limit(ofEachOf: joined.count))
    }

    func eligibility(for request: PlanRequest) -> Eligibility {
        Eligibility(
            request, in: model, configuration.relations, ceiling, activity,
            inactiveAfterDays: runs(.filters) ? configuration.filters.inactiveAfterDays : nil)
    }

    func runs(_ stage: PlanStage) -> Bool { !configuration.omitted.contains(stage) }

    /// Returns the best candidates that may be shown, in no particular order, and the number of all that may be shown.
    private func filtered(
        _ table: CandidateTable, _ interests: [Interest], _ seeds: Seeds, _ eligibility: Eligibility
    ) -> (count: Int, [Candidate]) {
        let interestOfSeed = seeds.interestNumbers(in: interests)
        let (groups, sums) = (table.groups.span, table.sums.span)
        @inline(__always)
        func best(where passes: (UInt32) -> Bool) -> (count: Int, [RawCandidate]) {
            CandidatePool.best(
                configuration.filters.candidateLimit, shares: interests.map(\.share) + [0], configuration.selection
            ) { leastScore, take in
                for position in groups.indices {
                    let (group, sum) = (groups[position], sums[position])
                    guard sum.signedScore > 0, sum.signedScore >= leastScore, passes(group) else { continue }
                    take(sum.signedScore) {
                        // Groups that are there for their size alone belong to an extra interest without a share.
                        let interest = sum.seed.map { interestOfSeed[$0] } ?? interests.count
                        return RawCandidate(group: group, score: sum.signedScore, interest: interest)
                    }
                }
            }
        }
        // Most requests have no filter, and the loop for them does not test for one.
        let (count, candidates) =
            if let filter = eligibility.filter {
                best { eligibility.isActive($0) && filter.passes($0) }
            } else {
                best { eligibility.isActive($0) }
            }
        return (count, candidates.map(Candidate.init))
    }

    /// Raises groups in their season, and lowers groups out of it.
    private func riseInSeason(_ candidates: inout [Candidate], _ request: PlanRequest) -> StageReport {
        let month = CalendarDate(unixMilliseconds: request.atMilliseconds).month - 1
        var moved = 0
        for position in candidates.indices {
            let percent = seasons.percent(of: candidates[position].group, month: month)
            // The processor cannot predict whether a group has a season: without a branch the loop is faster.
            candidates[position].take(seasonPercent: percent)
            moved += percent == 100 ? 0 : 1
        }
        return StageReport(
            stage: .season, taken: candidates.count, passed: candidates.count, note: "\(moved) have a season")
    }

    private func damp(_ ranked: inout [Candidate], _ request: PlanRequest) -> StageReport {
        let sunk = Damping(configuration: configuration.feedback).apply(
            to: &ranked, exposures: request.profile.exposures,
            dismissals: request.profile.dismissals.filter { isTelling($0.group) },
            atMilliseconds: request.atMilliseconds, in: model, configuration.relations)
        return StageReport(stage: .fatigue, taken: ranked.count, passed: ranked.count, note: "\(sunk) sank")
    }

    /// Returns the part of the best candidates' scores that their sizes did not give them, 0 to 1.
    private func personalPart(of ranked: [Candidate]) -> Double {
        guard let prior else { return 1 }
        let best = ranked.prefix(Self.pageLength)
        let whole = best.reduce(0) { $0 + $1.score }
        let popular = best.reduce(0) { $0 + prior[$1.group] }
        return whole > 0 ? max(0, 1 - popular / whole) : 0
    }

    /// The number of groups that members see first.
    private static let pageLength = 20

    /// Returns the pool in its diversified order, then the other candidates in the order that they had.
    private func diversified(
        _ ranked: [Candidate], _ interests: [Interest], _ observe: (StageReport) -> Void
    ) -> [Candidate] {
        let selection = configuration.selection.limited(to: personalPart(of: ranked))
        let shares = InterestShares(
            interests.map(\.share) + [0], best: ranked.first, leastWorth: selection.leastWorth)
        let positions = CandidatePool.positions(of: ranked, shares, selection)
        let pool = positions.map { ranked[$0] }
        let similarities = PairSimilarities(
            among: pool.map(\.group), in: model, factors: factors, limit: selection.neighbourLimit,
            shrinkage: selection.shrinkage, places)
        let choices = Selection(configuration: selection).order(pool, similarities, shares)
        observe(.init(stage: .diversity, taken: ranked.count, passed: ranked.count, note: "\(pool.count) in the pool"))
        var isPooled = [Bool](repeating: false, count: ranked.count)
        for position in positions { isPooled[position] = true }
        let chosen = choices.map { choice in
            var candidate = pool[choice.position]
            candidate.cause = choice.cause
            return candidate
        }
        return chosen + ranked.indices.lazy.filter { !isPooled[$0] }.map { ranked[$0] }
    }
}

extension Planner {
    /// Returns the personal list with groups about stated interests, and curated, trending and popular groups.
    func fillUp(_ list: PersonalList, _ request: PlanRequest, _ observe: (StageReport) -> Void) -> [PlanItem] {
        let length = min(request.length ?? .max, configuration.selection.length)
        guard runs(.coldStart) else { return Array(list.items.prefix(length)) }
        let ranks = GroupPositions(list.items.map(\.group))
        let eligibility = list.eligibility
        let sources = coldStart.sources(
            for: request, in: model, configuration.coldStart, list.rotation, besides: ranks
        ) { eligibility.allows($0) }
        let known = Knowledge.personalShare(groups: list.knownCount, half: configuration.coldStart.groupsToHalf)
        var items = blended(list.items, ranks, sources, known: known, eligibility, length)
        if items.count < length {
            let present = GroupPositions(items.map(\.group))
            var distinct = DistinctGroups(ceiling)
            for item in items { distinct.take(item.group) }
            let popular = coldStart.popular(
                eligibility.filter, count: length - items.count, list.rotation, isFirst: items.isEmpty
            ) { model.shows($0) && present[$0] == nil && eligibility.allows($0) && distinct.take($0) }
            items += popular.map { PlanItem(group: $0, score: 0, interest: nil, origin: .popular) }
        }
        let added = items.count { $0.origin != .personal }
        observe(.init(stage: .coldStart, taken: list.items.count, passed: items.count, note: "\(added) not personal"))
        return items
    }

    /// Returns a list with groups about interests that were stated later, as if these had been a source of it.
    func raising(_ topics: [String], in items: [PlanItem], _ request: PlanRequest) -> [PlanItem] {
        let ranks = GroupPositions(items.map(\.group))
        let eligibility = eligibility(for: request)
        // Without a rotation, the order of these groups stays the same in a session while buckets come and go.
        let groups = coldStart.groups(about: topics, in: model, nil, besides: ranks) { eligibility.allows($0) }
        let knownCount = recentGroups(request.profile).count + hints(of: request.profile).count
        // Curated and trending groups are in the list already.
        let share = configuration.coldStart.topicWeight / configuration.coldStart.weightSum
        let known = Knowledge.personalShare(groups: knownCount, half: configuration.coldStart.groupsToHalf)
        return blended(
            items, ranks, ColdStart(sources: [.init(.topic, weight: 1, groups: groups)]),
            known: 1 - (1 - known) * share, eligibility, configuration.selection.length)
    }

    /// Returns a list and the groups of sources, in turns.
    ///
    /// - Parameters:
    ///   - ranks: the positions of the list's groups.
    ///   - known: the knowledge about the member, 0 to 1: the list's part of the turns, before stated interests take
    ///     theirs.
    ///   - eligibility: the groups that may be shown.
    ///   - length: the greatest length of the result.
    private func blended(
        _ list: [PlanItem], _ ranks: GroupPositions, _ sources: ColdStart, known: Double, _ eligibility: Eligibility,
        _ length: Int
    ) -> [PlanItem] {
        let (share, sources) = sources.divided(known: known, leastTopicShare: configuration.coldStart.leastTopicShare)
        var turns = InterleavedSources(sources)
        // A stated interest may move a group of the list forward.
        func isWanted(_ group: UInt32, _ origin: PlanItem.Origin) -> Bool {
            (origin == .topic || ranks[group] == nil) && eligibility.allows(group)
        }
        return Blend.blend(list, share: share, limit: length, DistinctGroups(ceiling)) {
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

extension Planner {
    /// Returns the reasons for each group of a list: the joined groups whose neighbour it is.
    ///
    /// For a member without groups, the groups that their favourites and follows point to take the place of joined
    /// ones.
    ///
    /// - Parameter profile: the profile for which the plan was made.
    /// - Returns: the reasons for each item, the largest contribution first. Equal ones go by group index, then by the
    ///   order of the version's relations. An item that joined groups did not bring has none.
    /// - Complexity: O(neighbours of the member's groups).
    package func reasons(for items: some Collection<PlanItem>, of profile: MemberProfile) -> [[Suggestion.Reason]] {
        let (seeds, relations) = (seeds(of: profile), model.relations)
        var reasons = [[Suggestion.Reason]](repeating: [], count: items.count)
        let page = GroupLookup(items.map(\.group))
        page.forEachFound(in: neighbourLists(of: seeds.groups)) { seed, relation, neighbour, position in
            reasons[position].append(
                .init(
                    seed: seeds.groups[seed], relation: relations[relation],
                    contribution: seeds.factor(factors[relation], ofSeed: seed) * Double(neighbour.score),
                    common: neighbour.common,
                    relationIndex: relation))
        }
        for (position, item) in items.enumerated() {
            // A popular group may by chance be a neighbour of a joined one, but is not in the list for that reason.
            if item.origin == .personal || item.score > 0 {
                reasons[position].sort(by: Suggestion.Reason.precedes)
            } else {
                reasons[position] = []
            }
        }
        return reasons
    }
}
