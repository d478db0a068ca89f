import HTTP
import Model
import Recommendation

extension Endpoint {
    /// What is known of groups.
    static let groups = [
        Endpoint(
            "similarGroups", .get, "/v1/groups/{id}/similar", .site(.groups),
            summary: "Groups that are like a group, best first",
            path: [Parameter("id", .identifier, "The group's id")],
            parameters: [
                Parameter("by", standard: Responder.Likeness.both, "What the groups have in common"), .limit,
            ],
            content: .json(schema: "SimilarGroups"), caching: .shared, reuse: .untilChange,
            problems: [.notFound, .serviceUnavailable], handler: Responder.similarGroups),
        Endpoint(
            "trending", .get, "/v1/trending", .site(.trending),
            summary: "Groups that more people turn to than usual, the most unusual first", parameters: [.limit],
            content: .json(schema: "Trending"), caching: .shared, reuse: .untilChange, problems: [.serviceUnavailable],
            handler: Responder.trending),
    ]
}

extension Responder {
    /// What similar groups have in common: a relation, or both of them blended.
    enum Likeness: String, CaseIterable {
        case photos
        case members
        case both

        /// The relation, nil for both.
        var relation: Relation? {
            switch self {
            case .photos: .photos
            case .members: .members
            case .both: nil
            }
        }
    }

    /// `GET /v1/groups/{id}/similar?by=photos|members|both&limit=N`: the neighbours of a group, best first.
    @Sendable
    fileprivate static func similarGroups(_ call: Call) throws(Problem) -> HTTPResponse {
        let likeness = call.parameters.choice("by", of: Likeness.self)
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
            json.member("by", likeness.rawValue)
            if let relation = likeness.relation {
                let neighbours = model.neighbours(of: Int(group), by: relation).filter { !hidden.contains($0.index) }
                json.neighbours(neighbours.prefix(limit), by: relation, in: model)
            } else {
                json.blended(snapshot.recommender.similar(to: group, limit: limit, hidden: hidden), in: model)
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
        _ neighbours: some Sequence<Neighbour>, by relation: Relation, in model: ModelVersion
    ) {
        objects("neighbours", neighbours.enumerated()) { row, element in
            let (place, neighbour) = element
            row.namedGroup(place, neighbour.index, in: model)
            row.member("score", neighbour.score)
            row.member("common", neighbour.common)
            row.member(
                relation == .photos ? "photoCount" : "memberCount", model.size(of: Int(neighbour.index), in: relation))
        }
    }

    /// The neighbours in both relations: scores are sums of what each relation contributes.
    fileprivate mutating func blended(_ suggestions: [Suggestion], in model: ModelVersion) {
        objects("neighbours", suggestions.enumerated()) { row, element in
            let (place, suggestion) = element
            row.namedGroup(place, suggestion.group, in: model)
            row.member("score", suggestion.score)
            row.member("photoCount", model.size(of: Int(suggestion.group), in: .photos))
            row.member("memberCount", model.size(of: Int(suggestion.group), in: .members))
            row.objects("relations", suggestion.reasons) { row, reason in
                row.member("relation", reason.relation.rawValue)
                row.member("share", reason.contribution / suggestion.score)
                row.member("common", reason.common)
            }
        }
    }
}
