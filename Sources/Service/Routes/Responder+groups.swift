import Answers
import HTTP

extension Endpoint {
    /// What is known about groups.
    static let groups = [
        Endpoint(
            "similarGroups", .get, "/v1/groups/{id}/similar", .site(.groups),
            summary: "Groups that are like a group, best first",
            path: [Parameter("id", .identifier, "The group's id")],
            parameters: [
                Parameter("by", standard: SimilarGroups.Likeness.both, "What the groups have in common"), .limit,
            ],
            caching: .shared, reuse: .untilChange,
            problems: [.notFound, .serviceUnavailable], handler: Responder.similarGroups),
        Endpoint(
            "trending", .get, "/v1/trending", .site(.trending),
            summary: "Groups that more people turn to than usual, the most unusual first", parameters: [.limit],
            caching: .shared, reuse: .untilChange, problems: [.serviceUnavailable],
            handler: Responder.trending),
    ]
}

extension Responder {
    /// `GET /v1/groups/{id}/similar?by=photos|members|both&limit=N`: the neighbours of a group, best first.
    @Sendable
    fileprivate static func similarGroups(_ call: Call) throws(Problem) -> SimilarGroups {
        let snapshot = try call.snapshot
        let group = try call.group(call.id, in: snapshot)
        let hidden = try call.siteDecisions(in: snapshot).hidden
        // Answered like a group that does not exist, so that existence does not leak.
        guard !hidden.contains(group) else { throw .unknownGroup(call.id, in: snapshot, hidden: hidden) }
        return SimilarGroups(
            call.served(snapshot), to: group, by: call.parameters.choice("by", of: SimilarGroups.Likeness.self),
            limit: call.parameters.limit, hidden: hidden, snapshot.recommender)
    }

    /// `GET /v1/trending?limit=N`: groups that more people turn to than usual, the most unusual first.
    @Sendable
    fileprivate static func trending(_ call: Call) throws(Problem) -> TrendingGroups {
        let snapshot = try call.snapshot
        return TrendingGroups(
            call.served(snapshot), in: snapshot.model, limit: call.parameters.limit,
            hidden: try call.siteDecisions(in: snapshot).hidden)
    }
}
