import HTTP
import Model
import Recommendation

extension Endpoint {
    private static let member = Parameter("id", .identifier, "The member's user id")

    /// What is for one member, and nobody else.
    static let members = [
        Endpoint(
            "recommendations", .get, "/v1/users/{id}/recommendations", .member(ofPathParameter: "id"),
            summary: "Groups for a member, in the order in which they are shown", path: [member],
            parameters: [.limit, .session, .after],
            content: .json(schema: "Recommendations"), caching: .personal,
            reuse: .untilMemberChange(ofPathParameter: "id", inSession: .session),
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.recommendations),
        Endpoint(
            "why", .get, "/v1/users/{id}/recommendations/{group}/why", .member(ofPathParameter: "id"),
            summary: "Why a group is in the session's list, at which place, or why it is not there",
            path: [member, Parameter("group", .identifier, "The group's id")], parameters: [.session],
            content: .json(schema: "Explanation"), caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.why),
    ]
}

extension Responder {
    /// `GET /v1/users/{id}/recommendations?session=ID&after=GROUP&limit=N`: groups for a member, in the order in which
    /// they are shown.
    @Sendable
    fileprivate static func recommendations(_ call: Call) throws(Problem) -> HTTPResponse {
        let snapshot = try call.snapshotWithMembers
        let request = try call.planRequest(in: snapshot)
        let plan = try call.sessionList(for: request, in: snapshot)
        let items = plan.items(for: request, snapshot.planner)
        let offset = try call.offset(in: items, of: plan, snapshot)
        let page = items.dropFirst(offset).prefix(call.parameters.limit)
        let interests = plan.interests(without: request.hidden, in: snapshot.model)
        return .json { json in
            json.version(of: snapshot, call)
            json.member("userId", call.id)
            json.member("recommendationId", plan.recommendationID)
            json.member("bucket", plan.bucket)
            json.interests("interests", interests)
            json.planItems(
                "recommendations", page, after: offset, of: interests, for: request.profile, snapshot.planner)
            if offset + page.count < items.count, let last = page.last {
                json.member("next", snapshot.model.id(of: Int(last.group)))
            }
        }
    }

    /// `GET /v1/users/{id}/recommendations/{group}/why?session=ID`: why a group is in the session's list or not; where
    /// there is no session, in a list made right now.
    @Sendable
    fileprivate static func why(_ call: Call) throws(Problem) -> HTTPResponse {
        let snapshot = try call.snapshotWithMembers
        let group = try call.group(call.path["group"], in: snapshot)
        let request = try call.planRequest(in: snapshot)
        let frozen = try call.frozenPlan(at: request.atMilliseconds)
        let explanation =
            frozen.map { GroupExplanation(of: group, in: $0.list(in: snapshot), snapshot.planner, request) }
            ?? GroupExplanation(of: group, snapshot.planner, request)
        return .json { json in
            json.version(of: snapshot, call)
            json.member("userId", call.id)
            json.member("groupId", call.path["group"])
            json.member("standing", explanation.standing)
            json.member("explanation", explanation.explanation)
            if let place = explanation.place { json.member("place", place) }
            if let interest = explanation.interest { json.member("interest", interest) }
            json.reasons(explanation.reasons, ofScore: explanation.score, in: snapshot.model)
        }
    }
}

extension Parameter {
    fileprivate static let session = Parameter(
        "session", .text(1...128),
        "The client's own session: its list stays the same; else half an hour without a request")
    fileprivate static let after = Parameter(
        "after", .text(1...Parameter.identifierLimit), "Begin after this group, the member next of the page before")
}

extension Call {
    /// The list of the session: the one it has, or a new one that it has from now on.
    fileprivate func sessionList(for request: PlanRequest, in snapshot: ModelSnapshot) throws(Problem) -> SessionList {
        let now = request.atMilliseconds
        if let plan = try frozenPlan(at: now) { return plan.list(in: snapshot) }
        let plan = FrozenPlan(snapshot.planner.plan(request), request, snapshot)
        return try orUnavailable { () throws(ServiceError) in
            try responder.sessions?.keep(plan, ofUser: id, session: parameters.text("session"), at: now) ?? plan
        }.list(in: snapshot)
    }

    /// The list that the session has; nil if it has none yet.
    fileprivate func frozenPlan(at now: Int64) throws(Problem) -> FrozenPlan? {
        try orUnavailable { () throws(ServiceError) in
            try responder.sessions?.plan(ofUser: id, session: parameters.text("session"), at: now)
        }
    }

    /// How many items stand before the page that is asked for.
    fileprivate func offset(
        in items: [PlanItem], of plan: SessionList, _ snapshot: ModelSnapshot
    ) throws(Problem) -> Int {
        guard let after = parameters.text("after") else { return 0 }
        guard let offset = plan.offset(after: after, in: items, snapshot.model) else { throw .notInList(after: after) }
        return offset
    }
}
