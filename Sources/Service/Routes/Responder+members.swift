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
        let snapshot = try call.snapshotWithMembers
        let (request, isKnown) = try call.planRequest(ofUser: call.id, call.filter(in: snapshot.model), in: snapshot)
        let plan = try call.sessionList(for: request, in: snapshot)
        let planner = call.planner(for: plan.arms, in: snapshot)
        let items = plan.items(for: request, planner)
        let offset = try call.offset(in: items, of: plan, for: request, planner)
        let answer = Recommendations(
            call.served(snapshot.version), id: plan.recommendationID, bucket: plan.bucket,
            interests: plan.interests(in: snapshot.model), items: items, after: offset,
            limit: call.parameters.limit, for: request.profile, isKnown: isKnown, planner)
        let page = items.dropFirst(offset).prefix(call.parameters.limit)
        call.show(
            answer, after: offset, arms: plan.arms, teams: plan.teams(of: page), filters: call.parameters.filterText)
        return answer
    }

    /// `GET /v1/users/{id}/recommendations/{group}/why?session=ID`: why a group is in the session's list or not;
    /// without a session, in a list made now.
    @Sendable
    fileprivate static func why(_ call: Call) throws(Problem) -> Explanation {
        let snapshot = try call.snapshotWithMembers
        let groupID = call.path["group"]
        let group = snapshot.model.hides(groupID) ? nil : try call.group(groupID, in: snapshot)
        let (request, _) = try call.planRequest(ofUser: call.id, call.filter(in: snapshot.model), in: snapshot)
        let served = call.served(snapshot.version)
        guard let group else { return Explanation(served, userId: call.id, unshownGroup: groupID) }
        guard let list = try call.frozenPlan(at: request.atMilliseconds)?.list(in: snapshot) else {
            return Explanation(served, of: group, call.assignment(of: request, in: snapshot).planner, request)
        }
        let planner = call.planner(for: list.arms, in: snapshot)
        return Explanation(
            served, of: group, inSession: list.items(for: request, planner),
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
    /// The list of the session; made and kept if it has none yet.
    fileprivate func sessionList(for request: PlanRequest, in snapshot: VisibleSnapshot) throws(Problem) -> SessionList
    {
        let now = request.atMilliseconds
        if let plan = try frozenPlan(at: now) { return plan.list(in: snapshot) }
        let plan = FrozenPlan(assignedPlan(for: request, in: snapshot), request, snapshot)
        return try orUnavailable { () throws(ServiceError) in
            try responder.sessions?.keep(plan, ofUser: id, session: parameters.sessionName, at: now) ?? plan
        }.list(in: snapshot)
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
