import Answers
import HTTP
import Model

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
    /// `GET /v1/groups/{id}/similar?by=RELATION|both&limit=N`: the neighbours of a group, best first.
    @Sendable
    fileprivate static func similarGroups(_ call: Call) throws(Problem) -> SimilarGroups {
        let snapshot = try call.snapshot
        let group = try call.group(call.id, in: snapshot)
        return SimilarGroups(
            call.served(snapshot.version), to: group, by: call.parameters.text("by") ?? RelationTable.blendName,
            limit: call.parameters.limit, filter: call.filter(in: snapshot.model), snapshot.recommender)
    }

    /// `GET /v1/trending?limit=N`: groups that more people turn to than usual, the most unusual first.
    @Sendable
    fileprivate static func trending(_ call: Call) throws(Problem) -> TrendingGroups {
        let snapshot = try call.snapshot
        return TrendingGroups(call.served(snapshot.version), in: snapshot.model, limit: call.parameters.limit)
    }
}
