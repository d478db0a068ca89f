import HTTP
import Model
import Recommendation

extension Responder {
    /// `GET /v1/users/{id}/recommendations?limit=N`: groups for a member, best first.
    @Sendable
    static func recommendations(_ call: Call) throws(Problem) -> HTTPResponse {
        let limit = try call.parameters.limit()
        guard let directory = call.directory else { throw .noCatalog("who is a member of what") }
        let joined = try readingDirectory { () throws(ServiceError) in
            try directory.joinedGroups(ofUser: call.id, in: call.snapshot)
        }
        guard let joined else {
            let near = try readingDirectory { () throws(ServiceError) in try directory.userIDs(near: call.id) }
            throw .unknown(.unknownUser, "user", id: call.id, near: near)
        }
        let suggestions = call.snapshot.recommender.recommendations(joined: joined, limit: limit)
        return .json(.personal) { json in
            json.member("modelVersion", call.snapshot.version.description)
            json.member("userId", call.id)
            json.suggestions("recommendations", suggestions, in: call.snapshot.model)
        }
    }

    /// `GET /v1/photos/{id}/groups?limit=N`: groups that a public photo could go to, best first.
    ///
    /// A photo that is not public is answered like one that does not exist, and no ids near it are named: an
    /// answer must not tell which private photos there are.
    @Sendable
    static func groupsForPhoto(_ call: Call) throws(Problem) -> HTTPResponse {
        let limit = try call.parameters.limit()
        guard let directory = call.directory, directory.knowsPhotos else { throw .noCatalog("photos") }
        let photo = try readingDirectory { () throws(ServiceError) in
            try directory.context(ofPhoto: call.id, in: call.snapshot)
        }
        guard let photo else { throw .unknown(.unknownPhoto, "photo", id: call.id, near: []) }
        let suggestions = call.snapshot.photoRecommender.suggestions(for: photo, limit: limit)
        return .json(.personal) { json in
            json.member("modelVersion", call.snapshot.version.description)
            json.member("photoId", call.id)
            json.photoSuggestions("groups", suggestions, in: call.snapshot.model)
        }
    }

    private static func readingDirectory<Result>(_ body: () throws(ServiceError) -> Result) throws(Problem) -> Result {
        do throws(ServiceError) { return try body() } catch { throw .unavailable(error) }
    }
}
