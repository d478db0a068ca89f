import Answers
import HTTP
import Model
import Recommendation

extension Endpoint {
    /// Endpoints for photos and other members that a member may like.
    static let discoveries = [
        Endpoint(
            "photosForMember", .get, "/v1/users/{id}/photos", .member(ofPathParameter: "id", orServiceWith: .lists),
            summary: "Public photos that a member may like, varied over interests and owners", path: [.member],
            parameters: [.limit], caching: .personal, threads: .batch,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.photosForMember),
        Endpoint(
            "contactsForMember", .get, "/v1/users/{id}/contacts",
            .member(ofPathParameter: "id", orServiceWith: .lists),
            summary: "Members of like taste who agreed to be shown, and the public groups that both are in",
            path: [.member], parameters: [.limit], caching: .personal, threads: .batch,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.contactsForMember),
    ]
}

extension Responder {
    /// Answers `GET /v1/users/{id}/photos?limit=N`: public photos that a member may like.
    @Sendable
    fileprivate static func photosForMember(_ call: Call) throws(Problem) -> PhotosForMember {
        let community = try call.community(with: .photos)
        let (taste, snapshot) = try call.taste
        let found = try call.reading { () throws(ServiceError) in try community.photos(for: taste, in: snapshot) }
        var answer = taste.photos(found, limit: call.parameters.limit)
        if let addresses = call.responder.addresses.photos {
            for row in answer.photos.indices {
                answer.photos[row].photo.url = addresses.address(of: answer.photos[row].photo.photoId)
            }
        }
        return answer
    }

    /// Answers `GET /v1/users/{id}/contacts?limit=N`: members whom a member may want to know.
    @Sendable
    fileprivate static func contactsForMember(_ call: Call) throws(Problem) -> ContactsForMember {
        let community = try call.community(with: .contacts)
        let (taste, snapshot) = try call.taste
        let limit = call.parameters.limit
        let found = try call.reading { () throws(ServiceError) in
            try community.contacts(for: taste, in: snapshot, limit: limit)
        }
        return taste.contacts(found, limit: limit)
    }
}

extension Call {
    /// The taste of the member in the path, and the version that it is of.
    fileprivate var taste: (MemberTaste, VisibleSnapshot) {
        get throws(Problem) {
            let context = try context(ofMember: id, at: responder.now(), in: snapshotWithMembers)
            return (MemberTaste(context), context.snapshot)
        }
    }
}
