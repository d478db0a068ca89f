import HTTP
import Model
import Recommendation

extension Endpoint {
    /// What is known of groups.
    static func groups(of relations: RelationTable) -> [Endpoint] {
        let by = Parameter.Kind.choice(relations.choices, standard: RelationTable.blendName)
        return [
            Endpoint(
                "similarGroups", .get, "/v1/groups/{id}/similar", .site(.groups),
                summary: "Groups that are like a group, best first",
                path: [Parameter("id", .identifier, "The group's id")],
                parameters: [Parameter("by", by, "What the groups have in common"), .limit],
                content: .json(schema: "SimilarGroups"), caching: .shared, reuse: .untilChange,
                problems: [.notFound, .serviceUnavailable], handler: Responder.similarGroups),
            Endpoint(
                "trending", .get, "/v1/trending", .site(.trending),
                summary: "Groups that more people turn to than usual, the most unusual first", parameters: [.limit],
                content: .json(schema: "Trending"), caching: .shared, reuse: .untilChange,
                problems: [.serviceUnavailable], handler: Responder.trending),
        ]
    }
}

extension Responder {
    /// `GET /v1/groups/{id}/similar?by=RELATION|both&limit=N`: the neighbours of a group, best first.
    @Sendable
    fileprivate static func similarGroups(_ call: Call) throws(Problem) -> HTTPResponse {
        let by = call.parameters.text("by") ?? RelationTable.blendName
        let limit = call.parameters.limit
        let snapshot = try call.snapshot
        let model = snapshot.model
        let group = try call.group(call.id, in: snapshot)
        let hidden = try call.siteDecisions(in: snapshot).hidden
        // To be told from a group that does not exist would tell that it is there.
        guard !hidden.contains(group) else { throw .unknownGroup(call.id, in: snapshot, hidden: hidden) }
        return .json { json in
            json.version(of: snapshot, call)
            json.member("groupId", call.id)
            json.member("by", by)
            if let facts = snapshot.relations[Relation(rawValue: by)] {
                let neighbours = model.neighbours(of: Int(group), by: facts.relation)
                    .filter { !hidden.contains($0.index) }
                json.neighbours(neighbours.prefix(limit), by: facts, in: model)
            } else {
                json.blended(snapshot.recommender.similar(to: group, limit: limit, hidden: hidden), in: snapshot)
            }
        }
    }

    /// `GET /v1/trending?limit=N`: groups that more people turn to than usual, the most unusual first.
    @Sendable
    fileprivate static func trending(_ call: Call) throws(Problem) -> HTTPResponse {
        let snapshot = try call.snapshot
        let hidden = try call.siteDecisions(in: snapshot).hidden
        let groups = snapshot.model.trending.filter { !hidden.contains($0.group) }.prefix(call.parameters.limit)
        return .json { json in
            json.version(of: snapshot, call)
            json.objects("groups", groups.enumerated()) { row, element in
                let (place, trending) = element
                row.namedGroup(place, trending.group, in: snapshot.model)
                row.member("score", trending.score)
                row.member("joiners", trending.joiners)
                row.member("posters", trending.posters)
                row.member("usualWeek", trending.usualWeek)
            }
        }
    }
}

extension JSONWriter {
    /// The neighbours in one relation: scores are similarities.
    fileprivate mutating func neighbours(
        _ neighbours: some Sequence<Neighbour>, by facts: RelationFacts, in model: ModelVersion
    ) {
        objects("neighbours", neighbours.enumerated()) { row, element in
            let (place, neighbour) = element
            row.namedGroup(place, neighbour.index, in: model)
            row.member("score", neighbour.score)
            row.member("common", neighbour.common)
            row.member(facts.sizeField, model.size(of: Int(neighbour.index), in: facts.relation))
        }
    }

    /// The neighbours in all relations: scores are sums of what each relation contributes.
    fileprivate mutating func blended(_ suggestions: [Suggestion], in snapshot: ModelSnapshot) {
        objects("neighbours", suggestions.enumerated()) { row, element in
            let (place, suggestion) = element
            row.namedGroup(place, suggestion.group, in: snapshot.model)
            row.member("score", suggestion.score)
            row.sizes(of: suggestion.group, snapshot.relations, in: snapshot.model)
            row.objects("relations", suggestion.reasons) { row, reason in
                row.member("relation", reason.relation.rawValue)
                row.member("share", reason.contribution / suggestion.score)
                row.member("common", reason.common)
            }
        }
    }
}
