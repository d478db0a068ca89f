import Answers
import HTTP
import Model
import Recommendation
import Tokens

extension Endpoint {
    /// Endpoints for a member's own list.
    static let members = [
        Endpoint(
            "recommendations", .get, "/v1/users/{id}/recommendations",
            .member(ofPathParameter: "id", orServiceWith: .lists),
            summary: "Groups for a member, in the order in which they are shown", path: [.member],
            parameters: [.limit, .session, .after] + Parameter.filters, caching: .personal,
            reuse: .untilMemberChange(ofPathParameter: "id"),
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.recommendations),
        Endpoint(
            "why", .get, "/v1/users/{id}/recommendations/{group}/why",
            .member(ofPathParameter: "id", orServiceWith: .lists),
            summary: "Why a group is in the session's list, at which rank, or why it is not there",
            path: [.member, Parameter("group", .identifier, "The group's id", example: "macro-mondays")],
            parameters: [.session] + Parameter.filters,
            caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.why),
    ]
}

extension Responder {
    /// `GET /v1/users/{id}/recommendations?session=ID&after=GROUP&limit=N`: groups for a member, in the order in which
    /// they are shown.
    @Sendable
    fileprivate static func recommendations(_ call: Call) throws(Problem) -> Recommendations {
        let served = try call.snapshotWithMembers
        let instant = call.responder.now()
        let kept = try call.frozenPlan(at: instant)
        let scene = try call.scene(ofMember: call.id, at: instant, arms: kept?.arms, call.filter, in: served)
        let (snapshot, request, planner) = (scene.snapshot, scene.request, scene.planner)
        let frozen = if let kept { kept } else { try call.newPlan(for: scene) }
        let plan = frozen.list(in: snapshot)
        let items = plan.items(for: request, planner)
        let offset = try call.offset(in: items, of: plan, for: request, planner)
        let answer = Recommendations(
            call.served(snapshot.version), id: plan.recommendationID, bucket: plan.bucket,
            interests: plan.interests(in: snapshot.model), items: items, after: offset,
            limit: call.parameters.limit, for: request.profile, isKnown: scene.isKnown, planner)
        let page = items.dropFirst(offset).prefix(call.parameters.limit)
        call.show(
            answer, after: offset, arms: plan.arms, teams: plan.teams(of: page), filters: call.parameters.filterText)
        return answer
    }

    /// `GET /v1/users/{id}/recommendations/{group}/why?session=ID`: why a group is in the session's list or not;
    /// without a session, in a list made now.
    @Sendable
    fileprivate static func why(_ call: Call) throws(Problem) -> Explanation {
        let instant = call.responder.now()
        let served = try call.snapshotWithMembers
        let kept = try call.frozenPlan(at: instant)
        let scene = try call.scene(ofMember: call.id, at: instant, arms: kept?.arms, call.filter, in: served)
        let (snapshot, request, planner) = (scene.snapshot, scene.request, scene.planner)
        let version = call.served(snapshot.version)
        let groupID = call.path["group"]
        guard !snapshot.model.hides(groupID) else {
            return Explanation(version, userId: call.id, unshownGroup: groupID)
        }
        let group = try call.group(groupID, in: snapshot)
        guard let list = kept?.list(in: snapshot) else { return Explanation(version, of: group, planner, request) }
        return Explanation(
            version, of: group, inSession: list.items(for: request, planner),
            list.interests(in: snapshot.model), planner, request)
    }
}

extension Parameter {
    static let session = Parameter(
        "session", .text(1...128),
        "The client's own session: its list stays the same; else half an hour without a request")
    fileprivate static let after = Parameter(
        "after", .text(1...Parameter.identifierLimit), "Begin after this group, the member next of the page before")
}

extension Call {
    /// Makes the list of a session that has none, and keeps it; gives the one of another request that was quicker.
    fileprivate func newPlan(for scene: MemberScene) throws(Problem) -> FrozenPlan {
        let plan = FrozenPlan(try assignedPlan(for: scene, filter), scene)
        return try orUnavailable { () throws(ServiceError) in
            try responder.sessions?.keep(
                plan, ofUser: id, session: parameters.sessionName, at: scene.request.atMilliseconds) ?? plan
        }
    }

    /// The list of the session; nil if it has none yet.
    fileprivate func frozenPlan(at now: Int64) throws(Problem) -> FrozenPlan? {
        try orUnavailable { () throws(ServiceError) in
            try responder.sessions?.plan(ofUser: id, session: parameters.sessionName, at: now)
        }
    }

    /// How many items precede the page.
    fileprivate func offset(
        in items: [PlanItem], of plan: SessionList, for request: PlanRequest, _ planner: Planner
    ) throws(Problem) -> Int {
        guard let after = parameters.text("after") else { return 0 }
        guard let offset = plan.offset(after: after, in: items, for: request, planner) else {
            throw .notInList(after: after)
        }
        return offset
    }
}
