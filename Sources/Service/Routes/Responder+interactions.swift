import CatalogStore
import HTTP
import Model

extension Endpoint {
    private static let member = Parameter("id", .identifier, "The member's user id")
    private static let own = Access.member(ofPathParameter: "id")

    /// What a member does and says.
    static let interactions = [
        Endpoint(
            "recordInteractions", .post, "/v1/users/{id}/interactions", own,
            summary: "Records what a member did, all or none; an id that is known already changes nothing",
            path: [member], body: "InteractionBatch", content: .json(schema: "Recorded"), caching: .never,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.record),
        Endpoint(
            "interactions", .get, "/v1/users/{id}/interactions", own,
            summary: "What a member did, in the order in which it was recorded", path: [member],
            parameters: [
                .limit, Parameter("after", .text(InteractionBatch.idLengths), "Begin after this interaction"),
            ],
            content: .json(schema: "Interactions"), caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.interactions),
        Endpoint(
            "forgetInteractions", .delete, "/v1/users/{id}/interactions", own,
            summary: "Forgets all that a member did, and the lists of sessions; who is in which group stays",
            path: [member],
            content: .json(schema: "Forgotten"), caching: .never, problems: [.notImplemented, .serviceUnavailable],
            handler: Responder.forgetAll),
        Endpoint(
            "forgetInteraction", .delete, "/v1/users/{id}/interactions/{interaction}", own,
            summary: "Forgets one thing that a member did; who is in which group stays",
            path: [member, Parameter("interaction", .identifier, "The interaction's id")],
            content: .json(schema: "Forgotten"), caching: .never,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.forgetOne),
        Endpoint(
            "stateInterests", .put, "/v1/users/{id}/interests", own, summary: "Replaces a member's stated interests",
            path: [member], body: "StatedInterests", content: .json(schema: "Interests"), caching: .never,
            problems: [.notImplemented, .serviceUnavailable], handler: Responder.stateInterests),
        Endpoint(
            "interests", .get, "/v1/users/{id}/interests", own, summary: "A member's stated interests",
            path: [member], content: .json(schema: "Interests"), caching: .personal,
            problems: [.notImplemented, .serviceUnavailable], handler: Responder.interests),
    ]
}

extension Responder {
    /// `POST /v1/users/{id}/interactions`.
    @Sendable
    fileprivate static func record(_ call: Call) throws(Problem) -> HTTPResponse {
        // First: where changes are not recorded, it does not matter what the body says.
        _ = try call.community(with: Call.memberChanges)
        let records = try call.body(as: InteractionBatch.self).records(at: call.responder.now())
        switch try call.apply(.record(records)) {
        case .recorded(let new, let repeated):
            return .json { json in
                json.member("userId", call.id)
                json.member("recorded", new)
                json.member("repeated", repeated)
            }
        case .unknownGroup(let index):
            throw .unknownGroup(records[index].groupID, inField: "interactions[\(index)].groupId")
        case .forgotten, .stated, .unknownMember: preconditionFailure("interactions are recorded or not")
        }
    }

    /// `GET /v1/users/{id}/interactions?after=ID&limit=N`.
    @Sendable
    fileprivate static func interactions(_ call: Call) throws(Problem) -> HTTPResponse {
        let community = try call.community(with: Call.memberChanges)
        let after = call.parameters.text("after")
        let limit = call.parameters.limit
        let found = try call.orUnavailable { () throws(ServiceError) in
            // One more tells whether there is more.
            try community.interactions(ofUser: call.id, after: after, limit: limit + 1)
        }
        guard let found else {
            throw .unknown(.unknownInteraction, "interaction", id: after ?? "", near: [])
        }
        return .json { json in
            json.member("userId", call.id)
            json.objects("interactions", found.prefix(limit)) { $0.interaction($1) }
            if found.count > limit, let last = found.prefix(limit).last { json.member("next", last.id) }
        }
    }

    /// `DELETE /v1/users/{id}/interactions`.
    @Sendable
    fileprivate static func forgetAll(_ call: Call) throws(Problem) -> HTTPResponse {
        let outcome = try call.apply(.forget(id: nil))
        try call.orUnavailable { () throws(ServiceError) in try call.responder.sessions?.forgetAll(ofUser: call.id) }
        // Once more: the change that was noted with the interactions came before this one.
        call.responder.changes.memberChanged(call.id)
        return forgotten(outcome, call)
    }

    /// `DELETE /v1/users/{id}/interactions/{interaction}`.
    @Sendable
    fileprivate static func forgetOne(_ call: Call) throws(Problem) -> HTTPResponse {
        let id = call.path["interaction"]
        let outcome = try call.apply(.forget(id: id))
        guard outcome == .forgotten(1) else {
            throw .unknown(.unknownInteraction, "interaction", id: id, near: [])
        }
        return forgotten(outcome, call)
    }

    private static func forgotten(_ outcome: MemberChange.Outcome, _ call: Call) -> HTTPResponse {
        // Of a member who is not known, nothing is known.
        let count = if case .forgotten(let count) = outcome { count } else { 0 }
        return .json { json in
            json.member("userId", call.id)
            json.member("forgotten", count)
        }
    }

    /// `PUT /v1/users/{id}/interests`.
    @Sendable
    fileprivate static func stateInterests(_ call: Call) throws(Problem) -> HTTPResponse {
        _ = try call.community(with: Call.memberChanges)
        let interests = try call.body(as: StatedInterests.self).texts()
        _ = try call.apply(.state(interests: interests))
        return stated(interests, call)
    }

    /// `GET /v1/users/{id}/interests`.
    @Sendable
    fileprivate static func interests(_ call: Call) throws(Problem) -> HTTPResponse {
        let community = try call.community(with: Call.memberChanges)
        return stated(
            try call.orUnavailable { () throws(ServiceError) in try community.interests(ofUser: call.id) }, call)
    }

    private static func stated(_ interests: [String], _ call: Call) -> HTTPResponse {
        .json { json in
            json.member("userId", call.id)
            json.texts("interests", interests)
        }
    }
}

extension JSONWriter {
    /// The members of one interaction.
    fileprivate mutating func interaction(_ interaction: InteractionRecord) {
        member("id", interaction.id)
        member("kind", interaction.kind.rawValue)
        member("groupId", interaction.groupID)
        member("atMilliseconds", interaction.atMilliseconds)
        if let id = interaction.recommendationID { member("recommendationId", id) }
        if let position = interaction.position { member("position", position) }
        if let variant = interaction.variant { member("variant", variant) }
    }
}
