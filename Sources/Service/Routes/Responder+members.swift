import HTTP
import Model
import Recommendation

extension Endpoint {
    private static let member = Parameter("id", .identifier, "The member's user id")

    /// What is for one member, and nobody else.
    static let members = [
        Endpoint(
            "recommendations", .get, "/v1/users/{id}/recommendations", .member(ofPathParameter: "id"),
            summary: "Groups for a member, in the order in which they are shown", path: [member], parameters: [.limit],
            content: .json(schema: "Recommendations"), caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.recommendations),
        Endpoint(
            "why", .get, "/v1/users/{id}/recommendations/{group}/why", .member(ofPathParameter: "id"),
            summary: "Why a group is in a member's list, at which place, or why it is not there",
            path: [member, Parameter("group", .identifier, "The group's id")],
            content: .json(schema: "Explanation"), caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.why),
    ]
}

extension Responder {
    /// `GET /v1/users/{id}/recommendations?limit=N`: groups for a member, in the order in which they are shown.
    @Sendable
    fileprivate static func recommendations(_ call: Call) throws(Problem) -> HTTPResponse {
        let snapshot = try call.snapshot(with: "who is a member of what")
        let request = try call.planRequest(in: snapshot)
        let plan = snapshot.planner.plan(request)
        return .json { json in
            json.member("modelVersion", snapshot.version.description)
            json.member("userId", call.id)
            json.member("bucket", plan.bucket)
            json.interests("interests", plan.interests, in: snapshot.model)
            json.planItems(
                "recommendations", plan.items.prefix(call.parameters.limit), of: plan.interests, for: request.profile,
                snapshot.planner)
        }
    }

    /// `GET /v1/users/{id}/recommendations/{group}/why`: why a group is in a member's list or not.
    @Sendable
    fileprivate static func why(_ call: Call) throws(Problem) -> HTTPResponse {
        let snapshot = try call.snapshot(with: "who is a member of what")
        let group = try call.group(call.path["group"], in: snapshot)
        let request = try call.planRequest(in: snapshot)
        let explanation = GroupExplanation(of: group, snapshot.planner, request)
        return .json { json in
            json.member("modelVersion", snapshot.version.description)
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
