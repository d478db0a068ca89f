import Answers
import Experiments
import Recommendation

/// A member's list as the member's arms make it.
struct AssignedPlan {
    var plan: Plan
    /// The arms that it is made for.
    var arms: [AssignedArm] = []
    /// The teams of its items, if it is drafted from two lists; else empty.
    var teams: [InterleavedPlan.Team] = []
    /// What made it.
    var planner: Planner
}

extension Call {
    /// The arms of the member of a request, and what makes lists with their settings.
    func assignment(of request: PlanRequest, in snapshot: VisibleSnapshot) -> (arms: [AssignedArm], planner: Planner) {
        guard let assigner = responder.experiments?.assigner, !assigner.isEmpty else { return ([], snapshot.planner) }
        let arms = assigner.arms(
            ofMember: request.profile.userID, groupCount: request.profile.joined.count,
            atMilliseconds: request.atMilliseconds)
        return (arms, snapshot.planner(setting: assigner.settings(of: arms)))
    }

    /// The list of the member of a request, as the member's arms make it.
    func assignedPlan(for request: PlanRequest, in snapshot: VisibleSnapshot) -> AssignedPlan {
        let (arms, planner) = assignment(of: request, in: snapshot)
        guard let pair = responder.experiments?.assigner.interleaved(arms) else {
            return AssignedPlan(plan: planner.plan(request), arms: arms, planner: planner)
        }
        let lists = [pair.first, pair.second].map { snapshot.planner(setting: $0).plan(request) }
        let interleaved = InterleavedPlan(
            lists[0], lists[1], seed: pair.seed, userID: request.profile.userID,
            limit: planner.configuration.selection.length)
        return AssignedPlan(plan: interleaved.plan, arms: arms, teams: interleaved.teams, planner: planner)
    }

    /// What makes lists with the settings of arms; those that were stopped have none any more.
    func planner(for arms: [AssignedArm], in snapshot: VisibleSnapshot) -> Planner {
        guard !arms.isEmpty, let assigner = responder.experiments?.assigner else { return snapshot.planner }
        return snapshot.planner(setting: assigner.settings(of: arms))
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
