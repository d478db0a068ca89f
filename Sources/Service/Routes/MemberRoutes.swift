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
        let shown = try call.shownList(at: call.responder.now())
        let (context, plan) = (shown.context, shown.plan)
        let (snapshot, request, planner) = (context.snapshot, context.request, context.planner)
        var (items, offset, seen) = try call.earlierPages(of: shown)
        var answer = Recommendations(
            snapshot.served, id: plan.recommendationID, bucket: plan.bucket,
            interests: plan.interests(in: snapshot.model), items: items, after: offset,
            limit: call.parameters.limit, for: request.profile, isKnown: context.isKnown, planner)
        answer.pause = context.pause
        try call.illustrate(&answer)
        let page = items.dropFirst(offset).prefix(call.parameters.limit)
        if let last = answer.next {
            for item in items[..<page.endIndex] { seen.insert(shown.id(of: item.group)) }
            answer.next = seen.text ?? last
        }
        call.show(
            answer, after: offset, arms: plan.arms, teams: plan.teams(of: page), filters: call.parameters.filters.text)
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
                of: call.path["group"], for: context, inSession: kept?.list(in: context.snapshot))
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

/// The list of a session as its member sees it now.
struct ShownList {
    let context: MemberContext
    let plan: SessionList
    /// The groups, after what the member did since the list was made.
    let items: [PlanItem]

    /// Returns the external id of a group.
    func id(of group: UInt32) -> String { context.snapshot.model.id(of: Int(group)) }
}

extension Call {
    /// Returns the list of the request's session, which is made if there is none yet.
    func shownList(at instant: Int64) throws(Problem) -> ShownList {
        let served = try snapshotWithMembers
        let kept = frozenPlan(at: instant)
        let context = try context(
            ofMember: id, at: instant, arms: kept?.arms, parameters.filters, in: served)
        // The session's list is there again after a pause.
        let frozen = if let kept, !context.request.isPaused { kept } else { try newPlan(for: context) }
        let plan = frozen.list(in: context.snapshot)
        return ShownList(
            context: context, plan: plan, items: plan.items(for: context.request, context.planner))
    }

    /// Makes the list of a session that has none, and keeps it unless it is empty or only a header is sent.
    ///
    /// An empty list would stay empty, even if a group can be in it a moment later, as after a pause. If another
    /// request for the session was quicker, its list is returned.
    fileprivate func newPlan(for context: MemberContext) throws(Problem) -> FrozenPlan {
        let plan = FrozenPlan(try assignedPlan(for: context, parameters.filters), context)
        let now = context.request.atMilliseconds
        let (lists, isKept) = (responder.lists, !isHead && !plan.items.isEmpty)
        if isKept { lists.figures.made(plan.recommendationID, ofMember: id, at: now) }
        guard isKept, let sessions = lists.sessions else {
            reuse.forbid()
            return plan
        }
        let kept = sessions.keep(plan, ofUser: id, session: parameters.sessionName, at: now)
        if kept.items.isEmpty { reuse.forbid() }
        return kept.items.isEmpty ? plan : kept
    }

    /// Returns the list of the session, or nil if it has none yet.
    fileprivate func frozenPlan(at now: Int64) -> FrozenPlan? {
        let plan = responder.lists.sessions?.plan(ofUser: id, session: parameters.sessionName, at: now)
        return plan?.items.isEmpty == true ? nil : plan
    }

    /// Returns the list with the groups of earlier pages first, their number, and all groups that those pages had.
    fileprivate func earlierPages(of shown: ShownList) throws(Problem) -> ([PlanItem], count: Int, SeenGroups) {
        guard let after = parameters.text("after"), !shown.context.request.isPaused else {
            return (shown.items, 0, SeenGroups())
        }
        if let seen = SeenGroups(after) {
            let earlier = shown.items.filter { seen.contains(shown.id(of: $0.group)) }
            return (earlier + shown.items.filter { !seen.contains(shown.id(of: $0.group)) }, earlier.count, seen)
        }
        let context = shown.context
        guard let count = shown.plan.offset(after: after, in: shown.items, for: context.request, context.planner)
        else { throw .notInList(after: after) }
        return (shown.items, count, SeenGroups())
    }
}
