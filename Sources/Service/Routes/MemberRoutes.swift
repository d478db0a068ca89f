import Answers
import HTTP
import Recommendation

extension Endpoint {
    /// Endpoints for a member's own list.
    static let members = [
        Endpoint(
            "recommendations", .get, "/v1/users/{id}/recommendations",
            .member(ofPathParameter: "id", orServiceWith: .lists),
            summary: "Groups for a member, in the order in which they are shown", path: [.member],
            parameters: [.limit, .session, .after, .photos, .seen] + Parameter.filters, caching: .personal,
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
    /// Answers `GET /v1/users/{id}/recommendations?session=ID&after=NEXT&limit=N`: groups for a member.
    ///
    /// The groups come in the order in which they are shown.
    @Sendable
    fileprivate static func recommendations(_ call: Call) throws(Problem) -> Recommendations {
        let list = try call.sessionList(at: call.responder.now())
        let (context, frozen) = (list.context, list.frozen)
        var (items, offset, seen) = try call.earlierPages(of: list)
        var answer = Recommendations(
            context.snapshot.served, id: frozen.recommendationID, bucket: frozen.bucket, interests: list.interests,
            items: items, after: offset, limit: call.parameters.limit, for: context.request.profile,
            isKnown: context.isKnown, context.planner)
        answer.pause = context.pause
        try call.illustrate(&answer)
        if let last = answer.next {
            for item in items.prefix(offset + call.parameters.limit) { seen.insert(list.id(of: item.group)) }
            answer.next = seen.text ?? last
        }
        call.show(answer, of: items, after: offset, arms: frozen.arms, filters: call.parameters.filters.text)
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
            ofMember: call.id, at: instant, arms: kept?.arms, call.parameters.filters, in: served)
        return try call.answer(from: context.snapshot, with: .memberships) { answers throws(AnswerError) in
            try answers.explanation(
                of: call.path["group"], for: context, inSession: kept.map { SessionList($0, context) })
        }
    }
}

extension Parameter {
    static let session = Parameter(
        "session", .text(1...128),
        "The client's session id; without one, a session ends after half an hour without a request")
    static let seen = Parameter(
        "seen", .integer(0...(1 << 53) - 1, standard: 0),
        "The number of the member's last own action. It changes nothing in the answer, but its address: a service worker "
            + "or a cache has no older one there")
    fileprivate static let after = Parameter(
        "after", .text(1...SeenGroups.lengthLimit),
        "The member next of the page before; or the id of a group to begin after")
}

extension Call {
    /// Returns the list of the request's session, which is made if there is none yet.
    func sessionList(at instant: Int64) throws(Problem) -> SessionList {
        let removals = responder.lists.sessions?.removals(ofUser: id)
        let served = try snapshotWithMembers
        let kept = frozenPlan(at: instant)
        let context = try context(
            ofMember: id, at: instant, arms: kept?.arms, parameters.filters, in: served)
        // The session's list is there again after a pause.
        let frozen = if let kept, !context.request.isPaused { kept } else { try newPlan(for: context, removals) }
        return SessionList(frozen, context)
    }

    /// Makes the list of a session that has none, and keeps it unless it is empty or only a header is sent.
    ///
    /// An empty list would stay empty, even if a group can be in it a moment later, as after a pause. If another
    /// request for the session was quicker, its list is returned.
    ///
    /// - Parameter removals: how far the removals of the member's lists were before the member was read.
    fileprivate func newPlan(for context: MemberContext, _ removals: ChangeClock.Stamp?) throws(Problem) -> FrozenPlan {
        let plan = FrozenPlan(try plan(for: context, parameters.filters), context)
        let now = context.request.atMilliseconds
        let (lists, isKept) = (responder.lists, !isHead && !plan.items.isEmpty)
        if isKept { lists.figures.made(plan.recommendationID, ofMember: id, at: now) }
        guard isKept, let sessions = lists.sessions, let removals else {
            reuse.forbid()
            return plan
        }
        let kept = sessions.keep(
            plan, ofUser: id, session: parameters.sessionName, at: now, madeAfter: removals)
        if kept.items.isEmpty { reuse.forbid() }
        return kept.items.isEmpty ? plan : kept
    }

    /// Returns the list of the session, or nil if it has none yet.
    fileprivate func frozenPlan(at now: Int64) -> FrozenPlan? {
        let plan = responder.lists.sessions?.plan(ofUser: id, session: parameters.sessionName, at: now)
        return plan?.items.isEmpty == true ? nil : plan
    }

    /// Returns the list with the groups of earlier pages first, their number, and all groups that those pages had.
    fileprivate func earlierPages(of list: SessionList) throws(Problem) -> ([PlanItem], count: Int, SeenGroups) {
        guard let after = parameters.text("after"), !list.context.request.isPaused else {
            return (list.items, 0, SeenGroups())
        }
        if let seen = SeenGroups(after) {
            let earlier = list.items.filter { seen.contains(list.id(of: $0.group)) }
            return (earlier + list.items.filter { !seen.contains(list.id(of: $0.group)) }, earlier.count, seen)
        }
        guard let count = list.offset(after: after) else { throw .notInList(after: after) }
        return (list.items, count, SeenGroups())
    }
}
