import Answers
import HTTP
import Model

extension Endpoint {
    private static let group = Parameter("id", .identifier, "The group's id", example: "macro-mondays")

    /// Endpoints for hidden groups.
    static let hiding = [
        Endpoint(
            "hideGroup", .put, "/v1/admin/groups/{id}/hidden", .admin,
            summary: "Hides a group from everybody, at once, until it is unhidden", path: [group],
            caching: .never,
            problems: [.notFound, .notImplemented, .serviceUnavailable],
            handler: { (call) throws(Problem) in try Responder.setHidden(true, call) }),
        Endpoint(
            "unhideGroup", .delete, "/v1/admin/groups/{id}/hidden", .admin,
            summary: "Shows a group again that was hidden", path: [group], caching: .never,
            problems: [.notFound, .notImplemented, .serviceUnavailable],
            handler: { (call) throws(Problem) in try Responder.setHidden(false, call) }),
        Endpoint(
            "hiddenGroups", .get, "/v1/admin/hidden", .admin, summary: "All hidden groups, in the order of their ids",
            parameters: [
                .limit, Parameter("after", .text(1...Parameter.identifierLimit), "Begin after this id"),
            ],
            caching: .never, problems: [.notImplemented, .serviceUnavailable],
            handler: Responder.hiddenGroups),
    ]
}

extension Responder {
    /// `PUT|DELETE /v1/admin/groups/{id}/hidden`.
    fileprivate static func setHidden(_ isHidden: Bool, _ call: Call) throws(Problem) -> Hiding {
        let outcome = try call.decide(isHidden ? .hide : .unhide, aboutGroup: call.id)
        return Hiding(groupId: call.id, hidden: isHidden, changed: outcome == .changed)
    }

    /// `GET /v1/admin/hidden?after=ID&limit=N`.
    @Sendable
    fileprivate static func hiddenGroups(_ call: Call) throws(Problem) -> HiddenGroups {
        let community = try call.community(with: Call.siteDecisions)
        let limit = call.parameters.limit
        let found = try call.orUnavailable { () throws(ServiceError) in
            // One more shows whether there is another page.
            try community.hiddenGroups(after: call.parameters.text("after"), limit: limit + 1)
        }
        return HiddenGroups(found, limit: limit)
    }
}
