import Answers
import Basics
import Changes
import Experiments
import Model
import Recommendation

extension Call {
    /// Returns all inputs of a member's list.
    ///
    /// - Parameters:
    ///   - instant: the time, in Unix milliseconds.
    ///   - kept: the arms of the session's list, or `nil` if there is no list yet. Arms of stopped experiments change
    ///     nothing.
    ///   - snapshot: the version for members without an arm that names another.
    func context(
        ofMember id: String, at instant: Int64, arms kept: [AssignedArm]? = nil,
        _ filters: FilterWords = FilterWords(), in snapshot: VisibleSnapshot
    ) throws(Problem) -> MemberContext {
        var (snapshot, arms, choice) = (snapshot, kept ?? [], ListChoice())
        var (request, isKnown) = try planRequest(ofUser: id, at: instant, filters, in: snapshot)
        // Experiments do not count members whom no list is shown.
        if request.isPaused {
            arms = []
        } else if let assigner = responder.lists.experiments?.board.assigner, !assigner.isEmpty {
            if kept == nil {
                let (community, from) = (try community(with: .memberships), snapshot)
                let shown = try reading { () throws(Failure) in try community.shownArms(ofUser: id, in: from) }
                arms = assigner.arms(
                    ofMember: id, groupCount: request.profile.joined.count,
                    knownSinceMilliseconds: request.profile.knownSinceMilliseconds, shown: shown,
                    atMilliseconds: instant,
                    where: { state.snapshot(of: $0) != nil })
            }
            choice = assigner.choice(of: arms)
            if let other = try self.snapshot(of: choice.version, beside: snapshot) {
                snapshot = other
                (request, isKnown) = try planRequest(ofUser: id, at: instant, filters, in: other)
            }
        }
        return MemberContext(snapshot, request, isKnown: isKnown, arms: arms, setting: choice.settings)
    }

    /// Returns another version, with the site's current decisions.
    ///
    /// - Returns: `nil` if no version is named, or if it is the same one or is not loaded.
    private func snapshot(of version: VersionName?, beside snapshot: VisibleSnapshot) throws(Problem)
        -> VisibleSnapshot?
    {
        guard let version, version != snapshot.version, let other = state.snapshot(of: version) else { return nil }
        return try visible(other)
    }

    /// Returns the list of a member, made by the settings of the member's arms.
    ///
    /// - Parameter filters: the same filters as for the context.
    func plan(for context: MemberContext, _ filters: FilterWords = FilterWords()) throws(Problem) -> Plan {
        guard let pair = responder.lists.experiments?.board.assigner.interleaved(context.arms) else {
            return context.plan()
        }
        return Plan(
            interleaving: try plan(pair.first, for: context, filters), try plan(pair.second, for: context, filters),
            context.planner.ceiling, seed: pair.seed, userID: context.request.profile.userID,
            limit: context.planner.configuration.selection.length)
    }

    /// Returns one of the two lists to interleave, in terms of the context's version.
    private func plan(_ choice: ListChoice, for context: MemberContext, _ filters: FilterWords) throws(Problem) -> Plan
    {
        let request = context.request
        guard let other = try snapshot(of: choice.version, beside: context.snapshot) else {
            return context.snapshot.planner(setting: choice.settings).plan(request)
        }
        let (own, _) = try planRequest(
            ofUser: request.profile.userID, at: request.atMilliseconds, filters, in: other)
        return other.planner(setting: choice.settings).plan(own)
            .translated(from: other.model, to: context.snapshot.model)
    }

    /// Records that the answer shows a page of a list.
    ///
    /// - Parameters:
    ///   - items: the whole list.
    ///   - offset: the number of groups in the list before the page.
    ///   - arms: the arms that the list is made for; without any, nothing is recorded.
    ///   - filters: the filters of the request, as recorded in the exposure.
    func show(
        _ list: Recommendations, of items: [PlanItem], after offset: Int = 0, arms: [AssignedArm], filters: String
    ) {
        guard !arms.isEmpty, let shownPages else { return }
        let page = items.dropFirst(offset).prefix(list.recommendations.count)
        let teams = page.map { item -> Character in item.team.map { $0 == .first ? "1" : "2" } ?? "-" }
        let shown = ShownPage(
            userID: list.userId, arms: arms, recommendationID: list.recommendationId, firstPosition: offset + 1,
            shown: list.recommendations.map { GroupMarks.mark(of: $0.group.group.groupId) }.joined(),
            shownCount: list.recommendations.count, filters: filters,
            teams: items.contains { $0.team != nil } ? String(teams) : "")
        shownPages.withLock { $0.append(shown) }
    }
}

extension Plan {
    /// Returns the list in terms of another version; groups that this version does not show are left out.
    fileprivate func translated(from model: VisibleModel, to other: VisibleModel) -> Plan {
        func group(_ group: UInt32) -> UInt32? { other.index(ofID: model.id(of: Int(group))).map(UInt32.init) }
        var plan = self
        plan.items = items.compactMap { item in
            group(item.group).map { group in
                var item = item
                item.group = group
                return item
            }
        }
        plan.interests = interests.map { interest in
            var interest = interest
            interest.groups = interest.groups.compactMap(group)
            return interest
        }
        return plan
    }

    /// Interleaves two lists that were made for the same request; each item has its team.
    ///
    /// - Parameters:
    ///   - first: the list of the first arm.
    ///   - seed: the seed of the experiment; with the member and the bucket it decides the coin tosses.
    ///   - limit: the most groups of the result.
    fileprivate init(
        interleaving first: Plan, _ second: Plan, _ ceiling: SimilarityCeiling, seed: String, userID: String, limit: Int
    ) {
        var round = 0
        let draft = TeamDraft(
            first.items.map(\.group), second.items.map(\.group), limit: limit, alike: ceiling.partners(of:)
        ) {
            round += 1
            return MemberBucket(seed: "\(seed) \(first.bucket) \(round)", memberID: userID).index.isMultiple(of: 2)
        }
        // An interest of the second list corresponds to the interest of the first with the same groups.
        let interests = second.interests.map { interest in
            first.interests.firstIndex { $0.groups == interest.groups }
        }
        let lists = [first, second].map { plan in
            Dictionary(plan.items.map { ($0.group, $0) }) { first, _ in first }
        }
        let items = draft.picks.compactMap { pick -> PlanItem? in
            guard var item = lists[Int(pick.team.rawValue)][pick.element] else { return nil }
            item.team = pick.team
            if pick.team == .second { item.interest = item.interest.flatMap { interests[$0] } }
            return item
        }
        self.init(items: items, interests: first.interests, bucket: first.bucket, candidateCount: first.candidateCount)
    }
}

/// A page of a member's list in an answer; it is recorded each time the answer is given, also from the cache.
struct ShownPage: Sendable {
    let userID: String
    /// The arms that the list was made for; one or more.
    let arms: [AssignedArm]
    let recommendationID: String
    /// The rank of the page's first group, from 1.
    let firstPosition: Int
    /// The marks of the page's groups.
    let shown: String
    let shownCount: Int
    let filters: String
    /// The team of each group as a character: 1, 2, or - for neither; empty unless the list is interleaved.
    let teams: String

    /// Records an exposure for each arm.
    ///
    /// - Parameters:
    ///   - instant: the time, in Unix milliseconds.
    ///   - microseconds: the time that it took to make the answer.
    ///   - settings: the fingerprint of the daemon's settings of lists, or nil if it is not known.
    func note(in log: ExposureLog, atMilliseconds instant: Int64, microseconds: Int64, settings: String?) {
        for assigned in arms {
            var record = ExposureRecord(
                experiment: assigned.experiment, arm: assigned.arm, recommendationID: recommendationID,
                firstPosition: firstPosition, shownCount: shownCount, filters: filters, atMilliseconds: instant,
                microseconds: microseconds)
            (record.shown, record.settings) = (shown, settings)
            if assigned.arm == AssignedArm.interleaved, !teams.isEmpty { record.teams = teams }
            log.add(record, ofUser: userID)
        }
    }
}
