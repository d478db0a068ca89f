import Answers
import Changes
import HTTP
import Model
import Recommendation

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
    /// Answers `GET /v1/users/{id}/recommendations?session=ID&after=GROUP&limit=N`: groups for a member.
    ///
    /// The groups come in the order in which they are shown.
    @Sendable
    fileprivate static func recommendations(_ call: Call) throws(Problem) -> Recommendations {
        let served = try call.snapshotWithMembers
        let instant = call.responder.now()
        let kept = call.frozenPlan(at: instant)
        let context = try call.context(
            ofMember: call.id, at: instant, arms: kept?.arms, call.filter, call.parameters.boosts, in: served)
        let (snapshot, request, planner) = (context.snapshot, context.request, context.planner)
        let frozen = if let kept { kept } else { try call.newPlan(for: context) }
        let plan = frozen.list(in: snapshot)
        let items = plan.items(for: request, planner)
        let offset = try call.offset(in: items, of: plan, for: request, planner)
        let answer = Recommendations(
            snapshot.served, id: plan.recommendationID, bucket: plan.bucket,
            interests: plan.interests(in: snapshot.model), items: items, after: offset,
            limit: call.parameters.limit, for: request.profile, isKnown: context.isKnown, planner)
        let page = items.dropFirst(offset).prefix(call.parameters.limit)
        call.show(
            answer, after: offset, arms: plan.arms, teams: plan.teams(of: page), filters: call.parameters.filterText)
        return answer
    }

    /// Answers `GET /v1/users/{id}/recommendations/{group}/why?session=ID`.
    ///
    /// It explains why a group is in the session's list or not. Without a session, a list is made for the answer.
    @Sendable
    fileprivate static func why(_ call: Call) throws(Problem) -> Explanation {
        let instant = call.responder.now()
        let served = try call.snapshotWithMembers
        let kept = call.frozenPlan(at: instant)
        let context = try call.context(
            ofMember: call.id, at: instant, arms: kept?.arms, call.filter, call.parameters.boosts, in: served)
        let (snapshot, request, planner) = (context.snapshot, context.request, context.planner)
        let groupID = call.path["group"]
        guard !snapshot.model.hides(groupID) else {
            let community = try call.community(with: .memberships)
            let concealment = try call.reading { () throws(ServiceError) in
                try community.concealment(ofGroup: groupID)
            }
            return context.explanation(ofUnshown: groupID, concealment)
        }
        let group = try call.group(groupID, in: snapshot)
        guard let list = kept?.list(in: snapshot) else { return context.explanation(of: group) }
        return Explanation(
            snapshot.served, of: group, inSession: list.items(for: request, planner),
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
    /// Makes and keeps the list of a session that has none.
    ///
    /// If another request for the session was quicker, its list is returned.
    fileprivate func newPlan(for context: MemberContext) throws(Problem) -> FrozenPlan {
        let plan = FrozenPlan(try assignedPlan(for: context, filter), context)
        return responder.sessions?.keep(
            plan, ofUser: id, session: parameters.sessionName, at: context.request.atMilliseconds) ?? plan
    }

    /// Returns the list of the session, or nil if it has none yet.
    fileprivate func frozenPlan(at now: Int64) -> FrozenPlan? {
        responder.sessions?.plan(ofUser: id, session: parameters.sessionName, at: now)
    }

    /// Returns the number of items before the page.
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

extension Endpoint {
    /// Endpoints about groups.
    static func groups(of relations: RelationTable) -> [Endpoint] {
        let by = Parameter.Kind.choice(relations.choices, standard: RelationTable.blendName)
        return [
            Endpoint(
                "similarGroups", .get, "/v1/groups/{id}/similar", .site(.groups),
                summary: "Groups that are like a group, best first",
                path: [Parameter("id", .identifier, "The group's id", example: "macro-mondays")],
                parameters: [Parameter("by", by, "What the groups have in common"), .limit] + Parameter.filters,
                caching: .shared, reuse: .untilChange,
                problems: [.notFound, .serviceUnavailable], handler: Responder.similarGroups),
            Endpoint(
                "trending", .get, "/v1/trending", .site(.trending),
                summary: "Groups that more people turn to than usual, the most unusual first", parameters: [.limit],
                caching: .shared, reuse: .untilChange,
                problems: [.serviceUnavailable], handler: Responder.trending),
        ]
    }
}

extension Responder {
    /// Answers `GET /v1/groups/{id}/similar?by=RELATION|both&limit=N`: the neighbours of a group, best first.
    @Sendable
    fileprivate static func similarGroups(_ call: Call) throws(Problem) -> SimilarGroups {
        let snapshot = try call.snapshot
        let group = try call.group(call.id, in: snapshot)
        return snapshot.similarGroups(
            to: group, by: call.parameters.text("by") ?? RelationTable.blendName, limit: call.parameters.limit,
            filter: call.filter(in: snapshot.model), boosts: call.parameters.boosts)
    }

    /// Answers `GET /v1/trending?limit=N`: groups that more people turn to than usual.
    ///
    /// The most unusual group comes first.
    @Sendable
    fileprivate static func trending(_ call: Call) throws(Problem) -> TrendingGroups {
        try call.snapshot.trendingGroups(limit: call.parameters.limit)
    }
}

extension Endpoint {
    /// Endpoints about photos.
    static let photos = [
        Endpoint(
            "groupsForPhoto", .get, "/v1/photos/{id}/groups", .site(.photos),
            summary: "Groups that a public photo could go to, best first",
            path: [.photo],
            parameters: [
                Parameter(
                    "by", standard: PhotoBasis.pools,
                    "The evidence: pools, tags, place and owner; photos that look like it; or both"),
                .limit,
            ],
            caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.groupsForPhoto),
        Endpoint(
            "similarPhotos", .get, "/v1/photos/{id}/similar", .site(.photos),
            summary: "Public photos that look like a public photo, the most similar first",
            path: [.photo],
            parameters: [
                Parameter("duplicates", standard: DuplicateChoice.keep, "Whether near-duplicates are in the answer"),
                .limit,
            ],
            caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.similarPhotos),
    ]
}

extension Parameter {
    /// The path parameter `{id}` for a photo.
    fileprivate static let photo = Parameter("id", .identifier, "The photo's id", example: "4711")
}

/// The ways to treat near-duplicates of a photo.
private enum DuplicateChoice: String, CaseIterable {
    case keep
    case omit
}

extension Responder {
    /// Answers `GET /v1/photos/{id}/groups?by=BASIS&limit=N`: groups for a public photo, best first.
    ///
    /// The answer for a private photo is the one for an unknown photo, without similar ids, so its existence does not
    /// leak. In an open area the answer uses nothing about the photo's owner.
    @Sendable
    fileprivate static func groupsForPhoto(_ call: Call) throws(Problem) -> GroupsForPhoto {
        try groupsForPhoto(
            call, by: call.parameters.choice("by", of: PhotoBasis.self), limit: call.parameters.limit)
    }

    /// Returns at most `limit` groups for the public photo in the path.
    static func groupsForPhoto(_ call: Call, by basis: PhotoBasis = .pools, limit: Int) throws(Problem)
        -> GroupsForPhoto
    {
        let snapshot = try call.snapshot
        var photo = try publicPhoto(call, snapshot)
        if call.isOpen { photo.forgetOwner() }
        if basis != .pools { photo.lookalikes = try lookalikes(call, snapshot, limit: Lookalike.voters) }
        return snapshot.groups(forPhoto: call.id, photo, by: basis, limit: limit)
    }

    /// Answers `GET /v1/photos/{id}/similar?duplicates=keep|omit&limit=N`: public photos that look like a public photo.
    @Sendable
    fileprivate static func similarPhotos(_ call: Call) throws(Problem) -> SimilarPhotos {
        let limit = call.parameters.limit
        let withDuplicates = call.parameters.choice("duplicates", of: DuplicateChoice.self) == .keep
        let snapshot = try call.snapshot
        _ = try publicPhoto(call, snapshot)
        let found = try lookalikes(call, snapshot, limit: VisibleSnapshot.lookalikesWanted(for: limit))
        return snapshot.similarPhotos(to: call.id, found, withDuplicates: withDuplicates, limit: limit)
    }

    /// Returns the public photo of the path.
    private static func publicPhoto(_ call: Call, _ snapshot: VisibleSnapshot) throws(Problem) -> PhotoContext {
        let community = try call.community(with: .photos)
        let photo = try call.reading { () throws(ServiceError) in
            try community.context(ofPhoto: call.id, in: snapshot.model)
        }
        guard let photo else { throw .unknown(.unknownPhoto, "photo", id: call.id, near: []) }
        return photo
    }

    /// Returns the photos that look like the photo of the path, which is public.
    private static func lookalikes(_ call: Call, _ snapshot: VisibleSnapshot, limit: Int) throws(Problem)
        -> [Lookalike]
    {
        guard let looks = snapshot.looks else {
            throw .noVectors("the version has no vectors of photos: import some, and recompute")
        }
        let community = try call.community(with: .photos)
        let found = try call.reading { () throws(ServiceError) in
            try community.lookalikes(ofPhoto: call.id, in: looks, limit: limit)
        }
        guard let found else { throw .noVectors("the photo \"\(call.id)\" has no vector of the version's model") }
        return found
    }
}
