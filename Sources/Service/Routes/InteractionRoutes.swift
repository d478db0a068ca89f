import Basics
import CatalogStore
import Changes
import HTTP
import Model
import Recommendation

extension Endpoint {
    private static let own = Access.member(ofPathParameter: "id")
    private static let onBehalf = Access.member(ofPathParameter: "id", orServiceWith: .lists)

    /// Endpoints for a member's interactions and stated interests.
    static let interactions = [
        Endpoint(
            "recordInteractions", .post, "/v1/users/{id}/interactions", onBehalf,
            summary: "Records interactions of a member, all or none; repeating a request changes nothing",
            path: [.member], body: InteractionBatch.self, caching: .never,
            problems: [.notFound, .conflict, .tooManyRequests, .notImplemented, .serviceUnavailable],
            handler: Responder.record),
        Endpoint(
            "interactions", .get, "/v1/users/{id}/interactions", own,
            summary: "What a member did, in the order in which it was recorded", path: [.member],
            parameters: [
                .limit, Parameter("after", .text(RecordedInteraction.idLengths), "Begin after this interaction"),
            ],
            caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.interactions),
        Endpoint(
            "forgetInteractions", .delete, "/v1/users/{id}/interactions", own,
            summary: "Forgets what a member did, and the lists of sessions; memberships, favourites and follows stay",
            path: [.member],
            caching: .never, problems: [.tooManyRequests, .notImplemented, .serviceUnavailable],
            handler: Responder.forgetAll),
        Endpoint(
            "forgetInteraction", .delete, "/v1/users/{id}/interactions/{interaction}", own,
            summary: "Forgets one thing that a member did; memberships, favourites and follows stay",
            path: [.member, Parameter("interaction", .identifier, "The interaction's id", example: "3f0c-1")],
            caching: .never,
            problems: [.notFound, .tooManyRequests, .notImplemented, .serviceUnavailable],
            handler: Responder.forgetOne),
        Endpoint(
            "stateInterests", .put, "/v1/users/{id}/interests", onBehalf,
            summary: "Replaces a member's stated interests",
            path: [.member], body: InterestsBody.self, caching: .never,
            problems: [.notFound, .tooManyRequests, .notImplemented, .serviceUnavailable],
            handler: Responder.stateInterests),
        Endpoint(
            "interests", .get, "/v1/users/{id}/interests", own, summary: "A member's stated interests",
            path: [.member], caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.interests),
    ]
}

extension Responder {
    /// Answers `POST /v1/users/{id}/interactions`.
    @Sendable
    fileprivate static func record(_ call: Call) throws(Problem) -> Recorded {
        // The community is checked first: where changes are not recorded, the body does not matter.
        let community = try call.community(with: .memberChanges)
        let now = call.responder.now()
        let batch = try call.body(as: InteractionBatch.self)
        var records = try batch.records(at: now)
        let latest = try call.orUnavailable { () throws(Failure) in
            try community.latestInteractionTime(ofUser: call.id)
        }
        let (recording, day) = (call.responder.recording, now - 86_400_000)
        let excess = try call.orUnavailable { () throws(Failure) in
            try recording.quotas.check(records, ofUser: call.id, at: now) { () throws(Failure) in
                try community.recordedAmount(ofUser: call.id, recent: day)
            }
        }
        if let excess { throw excess }
        // If the clock went back, a new interaction must still be later than the earlier ones.
        if let latest, latest > now { records.move(after: latest) }
        switch try call.apply(.record(records)) {
        case .recorded(let new, let repeated):
            recording.quotas.count(records, new: new, ofUser: call.id, at: now)
            recording.interactions.count(records, origins: batch.origins, new: new)
            call.responder.lists.figures.count(records, new: new, at: now)
            if new > 0 { try state(batch, call) }
            return Recorded(userId: call.id, recorded: new, repeated: repeated)
        case .unknownSubject(let index):
            guard let subject = records[index].kind.subject else { preconditionFailure("everybody knows the own list") }
            throw .unknownSubject(
                subject, records[index].subjectID, inField: "interactions[\(index)].\(subject.field)")
        case .otherContent(let index): throw .idTaken(records[index].id, inField: "interactions[\(index)].id")
        case .unknownMember: throw .forgottenMember(call.id)
        case .forgotten, .stated, .exposed: preconditionFailure("interactions are recorded or not")
        }
    }

    /// Adds the reasons for joining to the member's stated interests.
    private static func state(_ batch: InteractionBatch, _ call: Call) throws(Problem) {
        guard batch.interactions.contains(where: { $0.reasons?.isEmpty == false }) else { return }
        let community = try call.communityThatKnows(call.id)
        let known = try call.orUnavailable { () throws(Failure) in try community.interests(ofUser: call.id) }
        let interests = batch.interests(after: known)
        if interests != known { _ = try call.apply(.state(interests: interests)) }
    }

    /// Answers `GET /v1/users/{id}/interactions?after=ID&limit=N`.
    @Sendable
    fileprivate static func interactions(_ call: Call) throws(Problem) -> Interactions {
        let community = try call.communityThatKnows(call.id)
        let after = call.parameters.text("after")
        let limit = call.parameters.limit
        let found = try call.orUnavailable { () throws(Failure) in
            // One more than the limit shows whether there is another page.
            try community.interactions(ofUser: call.id, after: after, latestFirst: false, limit: limit + 1)
        }
        guard let found else {
            throw .unknown(.unknownInteraction, "interaction", id: after ?? "", near: [])
        }
        let page = found.prefix(limit)
        return Interactions(
            userId: call.id, interactions: page.map { RecordedInteraction($0) },
            next: found.count > limit ? page.last?.id : nil)
    }

    /// Answers `DELETE /v1/users/{id}/interactions`.
    @Sendable
    fileprivate static func forgetAll(_ call: Call) throws(Problem) -> Forgotten {
        try takeChange(call)
        return forgotten(try call.forgetting(call.id) { () throws(Problem) in try call.apply(.forget(id: nil)) }, call)
    }

    /// Answers `DELETE /v1/users/{id}/interactions/{interaction}`.
    @Sendable
    fileprivate static func forgetOne(_ call: Call) throws(Problem) -> Forgotten {
        try takeChange(call)
        let id = call.path["interaction"]
        let outcome = try call.apply(.forget(id: id))
        guard outcome == .forgotten(1) else {
            throw .unknown(.unknownInteraction, "interaction", id: id, near: [])
        }
        return forgotten(outcome, call)
    }

    /// Counts a change other than interactions.
    private static func takeChange(_ call: Call) throws(Problem) {
        _ = try call.community(with: .memberChanges)
        if let excess = call.responder.recording.quotas.take(ofUser: call.id, at: call.responder.now()) { throw excess }
    }

    private static func forgotten(_ outcome: MemberChange.Outcome, _ call: Call) -> Forgotten {
        call.responder.recording.quotas.forget(call.id)
        // Nothing is forgotten for an unknown member.
        let count = if case .forgotten(let count) = outcome { count } else { 0 }
        return Forgotten(userId: call.id, forgotten: count)
    }

    /// Answers `PUT /v1/users/{id}/interests`.
    @Sendable
    fileprivate static func stateInterests(_ call: Call) throws(Problem) -> Interests {
        _ = try call.community(with: .memberChanges)
        let interests = try call.body(as: InterestsBody.self).interests
        try takeChange(call)
        if try call.apply(.state(interests: interests)) == .unknownMember { throw .forgottenMember(call.id) }
        return Interests(userId: call.id, interests: interests)
    }

    /// Answers `GET /v1/users/{id}/interests`.
    @Sendable
    fileprivate static func interests(_ call: Call) throws(Problem) -> Interests {
        let community = try call.communityThatKnows(call.id)
        let interests = try call.orUnavailable { () throws(Failure) in try community.interests(ofUser: call.id) }
        return Interests(userId: call.id, interests: interests)
    }
}

extension Call {
    /// Returns the community, for a member whom the site has not forgotten.
    ///
    /// - Throws: a `Problem` of status 404 if the site has forgotten the member.
    fileprivate func communityThatKnows(_ id: String) throws(Problem) -> any CommunitySource {
        let community = try community(with: .memberChanges)
        if try orUnavailable({ () throws(Failure) in try community.isForgotten(user: id) }) {
            throw .forgottenMember(id)
        }
        return community
    }
}
