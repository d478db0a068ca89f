import Answers
import HTTP
import Model
import Recommendation

extension Endpoint {
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
            Endpoint(
                "map", .get, "/v1/map", .site(.map),
                summary: "All groups with their places on a map, on which groups lie near their neighbours",
                parameters: mapParameters(limit: 1000, standard: 200), caching: .shared, reuse: .untilChange,
                problems: [.serviceUnavailable], handler: Responder.map),
        ]
    }

    static func mapParameters(limit: Int, standard: Int) -> [Parameter] {
        [
            Parameter("after", .text(1...Parameter.identifierLimit), "Begin after this id"),
            Parameter("limit", .integer(1...limit, standard: standard), "How many groups to answer with, at most"),
        ]
    }
}

extension Responder {
    /// Answers `GET /v1/groups/{id}/similar?by=RELATION|both&limit=N`: the neighbours of a group, best first.
    @Sendable
    fileprivate static func similarGroups(_ call: Call) throws(Problem) -> SimilarGroups {
        let snapshot = try call.snapshot
        let group = try call.group(call.id, in: snapshot)
        let filters = call.parameters.filters
        return snapshot.similarGroups(
            to: group, by: call.parameters.text("by") ?? RelationTable.blendName, limit: call.parameters.limit,
            filter: filters.filter(in: snapshot.model), boosts: filters.boosts)
    }

    /// Answers `GET /v1/map?after=ID&limit=N`: all groups in parts, with their places on the map.
    @Sendable
    static func map(_ call: Call) throws(Problem) -> GroupMap {
        try call.snapshot.map(after: call.parameters.text("after"), limit: call.parameters.limit)
    }

    /// Answers `GET /v1/trending?limit=N`: groups that more people turn to than usual.
    ///
    /// The most unusual group comes first.
    @Sendable
    fileprivate static func trending(_ call: Call) throws(Problem) -> TrendingGroups {
        try call.snapshot.trendingGroups(limit: call.parameters.limit)
    }
}
