package import Answers
import Experiments
package import Recommendation

/// The inputs of a member's list, in terms of the version that it is made from.
package struct MemberContext {
    let snapshot: VisibleSnapshot
    /// The request for the list, with the member's profile.
    package let request: PlanRequest
    /// Whether any data about the member is known.
    let isKnown: Bool
    /// The arms that the list is made for.
    let arms: [AssignedArm]
    /// The planner with the settings of these arms.
    let planner: Planner

    /// Creates the inputs of a list.
    ///
    /// - Parameters:
    ///   - settings: the settings to override, by the names of `ListSetting`.
    init(
        _ snapshot: VisibleSnapshot, _ request: PlanRequest, isKnown: Bool, arms: [AssignedArm],
        setting settings: [String: Double]
    ) {
        (self.snapshot, self.request, self.isKnown, self.arms) = (snapshot, request, isKnown, arms)
        planner = snapshot.planner(setting: settings)
    }

    package init(_ snapshot: VisibleSnapshot, _ request: PlanRequest) {
        self.init(snapshot, request, isKnown: true, arms: [], setting: [:])
    }

    /// Whether the member has paused the list, and until when.
    package var pause: ListPause { ListPause(request) }

    /// Returns the member's list; it is empty if the member has paused it.
    package func plan(observe: (StageReport) -> Void = { _ in }) -> Plan {
        request.isPaused ? .paused : planner.plan(request, observe: observe)
    }

    /// Returns the first page of a list that no session stores.
    ///
    /// - Parameter reasonLimit: the most reasons that a row gives.
    package func recommendations(
        _ plan: Plan, limit: Int, reasonLimit: Int = SuggestedGroup.reasonLimit
    ) -> Recommendations {
        var list = Recommendations(
            snapshot.served, id: recommendationID(of: plan), bucket: plan.bucket,
            interests: plan.interests.map { MemberInterest($0, in: snapshot.model) }, items: plan.items, limit: limit,
            reasonLimit: reasonLimit, for: request.profile, isKnown: isKnown, planner)
        list.pause = pause
        return list
    }

    /// Returns the id that interactions use for the list they come from.
    func recommendationID(of plan: Plan) -> String {
        Recommendations.id(of: plan, forUser: request.profile.userID, snapshot.version)
    }

    /// Returns the reason why a group is in a list that is made now, or why it is not.
    func explanation(of group: UInt32) -> Explanation {
        Explanation(snapshot.served, of: group, planner, request)
    }
}
