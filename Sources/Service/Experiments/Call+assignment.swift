import Answers
import Experiments
import Recommendation

extension Call {
    /// The arms of the member of a request, and what makes lists with their settings.
    func assignment(of request: PlanRequest, in snapshot: VisibleSnapshot) -> (arms: [AssignedArm], planner: Planner) {
        guard let assigner = responder.experiments?.assigner, !assigner.isEmpty else { return ([], snapshot.planner) }
        let arms = assigner.arms(
            ofMember: request.profile.userID, groupCount: request.profile.joined.count,
            atMilliseconds: request.atMilliseconds)
        return (arms, snapshot.planner(setting: assigner.settings(of: arms)))
    }

    /// What makes lists with the settings of arms; those that were stopped have none any more.
    func planner(for arms: [AssignedArm], in snapshot: VisibleSnapshot) -> Planner {
        guard !arms.isEmpty, let assigner = responder.experiments?.assigner else { return snapshot.planner }
        return snapshot.planner(setting: assigner.settings(of: arms))
    }

    /// Says that the answer shows a page of a list.
    ///
    /// - Parameter offset: how many groups of the list stand before the page.
    func show(_ list: Recommendations, after offset: Int, arms: [AssignedArm], filters: String) {
        guard !arms.isEmpty, let slot = shownPage else { return }
        slot.pages.append(
            ShownPage(
                userID: list.userId, arms: arms, recommendationID: list.recommendationId, firstPosition: offset + 1,
                shownCount: list.recommendations.count, filters: filters))
    }
}
