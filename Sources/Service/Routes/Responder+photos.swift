import Answers
import HTTP
import Model
import Recommendation

extension Endpoint {
    /// Endpoints about photos.
    static let photos = [
        Endpoint(
            "groupsForPhoto", .get, "/v1/photos/{id}/groups", .site(.photos),
            summary: "Groups that a public photo could go to, best first",
            path: [Parameter("id", .identifier, "The photo's id", example: "4711")], parameters: [.limit],
            caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.groupsForPhoto)
    ]
}

extension Responder {
    /// `GET /v1/photos/{id}/groups?limit=N`: groups that a public photo could go to, best first.
    ///
    /// A private photo is answered like one that does not exist, and without similar ids, so that existence does not
    /// leak. Where the area is open, the answer uses nothing about the photo's owner.
    @Sendable
    fileprivate static func groupsForPhoto(_ call: Call) throws(Problem) -> GroupsForPhoto {
        let limit = call.parameters.limit
        let community = try call.community(with: Call.photos)
        guard community.knowsPhotos else { throw .noCatalog(Call.photos) }
        let snapshot = try call.snapshot
        let photo = try call.reading { () throws(ServiceError) in
            try community.context(ofPhoto: call.id, in: snapshot.model)
        }
        guard var photo else { throw .unknown(.unknownPhoto, "photo", id: call.id, near: []) }
        if call.isOpen { photo.forgetOwner() }
        let suggestions = snapshot.photoRecommender.suggestions(for: photo, limit: limit)
        return GroupsForPhoto(
            call.served(snapshot.version), photoId: call.id, suggestions, snapshot.relations, in: snapshot.model)
    }
}
