import Answers
import CatalogStore
import Experiments
import Model
import Recommendation

/// A member whose list is asked for, in terms of the version that it is made from.
struct MemberScene {
    let snapshot: VisibleSnapshot
    let request: PlanRequest
    /// Whether anything is known of the member.
    let isKnown: Bool
    /// The arms that the list is made for.
    let arms: [AssignedArm]
    /// Makes lists as these arms do.
    let planner: Planner
}

/// A member's list as the member's arms make it.
struct AssignedPlan {
    var plan: Plan
    /// The teams of its items, if it is drafted from two lists; else empty.
    var teams: [InterleavedPlan.Team] = []
}

extension Call {
    /// Everything that a member's list is made from.
    ///
    /// - Parameters:
    ///   - instant: the time, in Unix milliseconds.
    ///   - kept: the arms that the session's list was made for; nil if there is no list yet. Those of experiments that
    ///     were stopped change nothing any more.
    ///   - filter: what the request asks of the groups, in terms of a version.
    ///   - snapshot: the version that serves whoever is in no arm that names another.
    func scene(
        ofMember id: String, at instant: Int64, arms kept: [AssignedArm]? = nil,
        _ filter: (VisibleModel) -> GroupFilter, in snapshot: VisibleSnapshot
    ) throws(Problem) -> MemberScene {
        var (snapshot, arms, choice) = (snapshot, kept ?? [], ListChoice())
        var (request, isKnown) = try planRequest(ofUser: id, at: instant, filter(snapshot.model), in: snapshot)
        if let assigner = responder.experiments?.assigner, !assigner.isEmpty {
            if kept == nil {
                arms = assigner.arms(
                    ofMember: id, groupCount: request.profile.joined.count,
                    knownSinceMilliseconds: request.profile.knownSinceMilliseconds, atMilliseconds: instant,
                    where: { state.snapshot(of: $0) != nil })
            }
            choice = assigner.choice(of: arms)
            if let other = try self.snapshot(of: choice.version, beside: snapshot) {
                snapshot = other
                (request, isKnown) = try planRequest(ofUser: id, at: instant, filter(other.model), in: other)
            }
        }
        return MemberScene(
            snapshot: snapshot, request: request, isKnown: isKnown, arms: arms,
            planner: snapshot.planner(setting: choice.settings))
    }

    /// Another version, with what the site has decided by now; nil if none is named, or it is this one, or not loaded.
    private func snapshot(of version: VersionName?, beside snapshot: VisibleSnapshot) throws(Problem)
        -> VisibleSnapshot?
    {
        guard let version, version != snapshot.version, let other = state.snapshot(of: version) else { return nil }
        return try visible(other)
    }

    /// The list of a member, as the member's arms make it.
    ///
    /// - Parameter filter: as that of the scene.
    func assignedPlan(for scene: MemberScene, _ filter: (VisibleModel) -> GroupFilter) throws(Problem)
        -> AssignedPlan
    {
        guard let pair = responder.experiments?.assigner.interleaved(scene.arms) else {
            return AssignedPlan(plan: scene.planner.plan(scene.request))
        }
        let interleaved = InterleavedPlan(
            try plan(pair.first, for: scene, filter), try plan(pair.second, for: scene, filter), seed: pair.seed,
            userID: scene.request.profile.userID, limit: scene.planner.configuration.selection.length)
        return AssignedPlan(plan: interleaved.plan, teams: interleaved.teams)
    }

    /// One of the lists that are interleaved, in terms of the scene's version.
    private func plan(
        _ choice: ListChoice, for scene: MemberScene, _ filter: (VisibleModel) -> GroupFilter
    ) throws(Problem) -> Plan {
        let request = scene.request
        guard let other = try snapshot(of: choice.version, beside: scene.snapshot) else {
            return scene.snapshot.planner(setting: choice.settings).plan(request)
        }
        let (own, _) = try planRequest(
            ofUser: request.profile.userID, at: request.atMilliseconds, filter(other.model), in: other)
        return other.planner(setting: choice.settings).plan(own)
            .translated(from: other.model, to: scene.snapshot.model)
    }

    /// Says that the answer shows a page of a list.
    ///
    /// - Parameters:
    ///   - offset: how many groups of the list stand before the page.
    ///   - teams: those of the page's groups, if the list is interleaved; else empty.
    func show(
        _ list: Recommendations, after offset: Int, arms: [AssignedArm], teams: [InterleavedPlan.Team?],
        filters: String
    ) {
        guard !arms.isEmpty, let slot = shownPage else { return }
        slot.pages.append(
            ShownPage(
                userID: list.userId, arms: arms, recommendationID: list.recommendationId, firstPosition: offset + 1,
                shownCount: list.recommendations.count, filters: filters,
                teams: String(teams.map { team -> Character in team == .first ? "1" : team == .second ? "2" : "-" })))
    }
}

extension Plan {
    /// The list in terms of another version; groups that it does not show are left out.
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
}

/// A plan drafted from the lists of two arms, and whose pick each of its groups is.
struct InterleavedPlan {
    let plan: Plan
    /// The teams of the plan's items, in their order.
    let teams: [Team]

    typealias Team = TeamDraft<UInt32>.Team

    /// Drafts a list from two that were made for the same request.
    ///
    /// - Parameters:
    ///   - seed: of the experiment; with the member and the bucket it throws the coins.
    ///   - limit: the most groups.
    init(_ first: Plan, _ second: Plan, seed: String, userID: String, limit: Int) {
        var round = 0
        let draft = TeamDraft(first.items.map(\.group), second.items.map(\.group), limit: limit) {
            round += 1
            return MemberBucket(seed: "\(seed) \(first.bucket) \(round)", memberID: userID).index.isMultiple(of: 2)
        }
        // An interest of the second list is that of the first with the same groups.
        let interests = second.interests.map { interest in
            first.interests.firstIndex { $0.groups == interest.groups }
        }
        let lists = [first, second].map { plan in
            Dictionary(plan.items.map { ($0.group, $0) }) { first, _ in first }
        }
        let items: [PlanItem] = draft.picks.compactMap { pick in
            switch pick.team {
            case .first: return lists[0][pick.element]
            case .second:
                guard var item = lists[1][pick.element] else { return nil }
                let interest = item.interest
                item.interest = interest.flatMap { interests[$0] }
                return item
            }
        }
        plan = Plan(
            items: items, interests: first.interests, bucket: first.bucket, candidateCount: first.candidateCount)
        teams = draft.picks.map(\.team)
    }
}

/// A page of a member's list that an answer shows: noted each time the answer is given, also from the cache.
struct ShownPage: Sendable {
    let userID: String
    /// The arms that the list was made for; one or more.
    let arms: [AssignedArm]
    let recommendationID: String
    /// The rank of the page's first group, from 1.
    let firstPosition: Int
    let shownCount: Int
    let filters: String
    /// Whose pick each group is, a digit a group, 1 or 2, or - for neither; empty unless the list is interleaved.
    let teams: String

    /// Notes that it is shown.
    ///
    /// - Parameter microseconds: how long making the answer took.
    func note(in log: ExposureLog, atMilliseconds instant: Int64, microseconds: Int64) {
        for assigned in arms {
            var record = ExposureRecord(
                experiment: assigned.experiment, arm: assigned.arm, recommendationID: recommendationID,
                firstPosition: firstPosition, shownCount: shownCount, filters: filters, atMilliseconds: instant,
                microseconds: microseconds)
            if assigned.arm == AssignedArm.interleaved, !teams.isEmpty { record.teams = teams }
            log.add(record, ofUser: userID)
        }
    }
}

/// Where a handler says which pages it shows.
///
/// A class, because a handler gets its call by value.
final class ShownPageSlot: @unchecked Sendable {
    // Written by the handler and read when it has returned, on one thread.
    var pages: [ShownPage] = []
}
