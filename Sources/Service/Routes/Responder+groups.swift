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
            content: .json(schema: "SimilarGroups"), caching: .shared, problems: [.notFound, .serviceUnavailable],
            handler: Responder.similarGroups)
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
        guard let group = model.index(ofID: call.id) else {
            throw .unknown(.unknownGroup, "group", id: call.id, near: snapshot.groupIDs(near: call.id))
        }
        return .json { json in
            json.member("modelVersion", snapshot.version.description)
            json.member("groupId", call.id)
            json.member("by", likeness.rawValue)
            if let relation = likeness.relation {
                json.neighbours(model.neighbours(of: group, by: relation).prefix(limit), by: relation, in: model)
            } else {
                json.blended(snapshot.recommender.similar(to: UInt32(group), limit: limit), in: model)
            }
        }
    }
}

extension JSONWriter {
    /// The neighbours in one relation: scores are similarities.
    fileprivate mutating func neighbours(
        _ neighbours: Slice<NeighbourSlice>, by relation: Relation, in model: ModelVersion
    ) {
        objects("neighbours", neighbours.enumerated()) { row, element in
            let (place, neighbour) = element
            row.neighbour(place, Int(neighbour.index), in: model)
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
            row.neighbour(place, Int(suggestion.group), in: model)
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

    private mutating func neighbour(_ place: Int, _ group: Int, in model: ModelVersion) {
        member("rank", place + 1)
        member("groupId", model.id(of: group))
        member("title", model.title(of: group))
    }
}
