import HTTP
import Model
import Recommendation

extension Endpoint {
    /// What is for one member, and nobody else.
    static let members = [
        Endpoint(
            "recommendations", .get, "/v1/users/{id}/recommendations", .member(ofPathParameter: "id"),
            summary: "Groups for a member, best first",
            path: [Parameter("id", .identifier, "The member's user id")], parameters: [.limit],
            content: .json(schema: "Recommendations"), caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.recommendations)
    ]

    /// What is known of photos.
    static let photos = [
        Endpoint(
            "groupsForPhoto", .get, "/v1/photos/{id}/groups", .site(.photos),
            summary: "Groups that a public photo could go to, best first",
            path: [Parameter("id", .identifier, "The photo's id")], parameters: [.limit],
            content: .json(schema: "GroupsForPhoto"), caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.groupsForPhoto)
    ]
}

extension Responder {
    /// `GET /v1/users/{id}/recommendations?limit=N`: groups for a member, best first.
    @Sendable
    fileprivate static func recommendations(_ call: Call) throws(Problem) -> HTTPResponse {
        let limit = call.parameters.limit
        guard let directory = call.directory else { throw .noCatalog("who is a member of what") }
        let snapshot = try call.snapshot
        let joined = try readingDirectory { () throws(ServiceError) in
            try directory.joinedGroups(ofUser: call.id, in: snapshot)
        }
        guard let joined else {
            throw .unknown(.unknownUser, "user", id: call.id, near: try usersNear(call, in: directory))
        }
        let suggestions = snapshot.recommender.recommendations(joined: joined, limit: limit)
        return .json { json in
            json.member("modelVersion", snapshot.version.description)
            json.member("userId", call.id)
            json.suggestions("recommendations", suggestions, in: snapshot.model)
        }
    }

    /// `GET /v1/photos/{id}/groups?limit=N`: groups that a public photo could go to, best first.
    ///
    /// A photo that is not public is answered like one that does not exist, and no ids near it are named: an
    /// answer must not tell which private photos there are.
    @Sendable
    fileprivate static func groupsForPhoto(_ call: Call) throws(Problem) -> HTTPResponse {
        let limit = call.parameters.limit
        guard let directory = call.directory, directory.knowsPhotos else { throw .noCatalog("photos") }
        let snapshot = try call.snapshot
        let photo = try readingDirectory { () throws(ServiceError) in
            try directory.context(ofPhoto: call.id, in: snapshot)
        }
        guard let photo else { throw .unknown(.unknownPhoto, "photo", id: call.id, near: []) }
        let suggestions = snapshot.photoRecommender.suggestions(for: photo, limit: limit)
        return .json { json in
            json.member("modelVersion", snapshot.version.description)
            json.member("photoId", call.id)
            json.photoSuggestions("groups", suggestions, in: snapshot.model)
        }
    }

    /// Ids of users near one that does not exist; none for a member, who must not be told who else there is.
    private static func usersNear(_ call: Call, in directory: any MemberDirectory) throws(Problem) -> [String] {
        guard call.bearer == nil else { return [] }
        return try readingDirectory { () throws(ServiceError) in try directory.userIDs(near: call.id) }
    }

    private static func readingDirectory<Result>(_ body: () throws(ServiceError) -> Result) throws(Problem) -> Result {
        do throws(ServiceError) { return try body() } catch { throw .unavailable(error) }
    }
}
