import Answers
import HTTP
import Looks
import Recommendation

/// An example of what a photo should show, or should not: a photo of the catalog, or a vector.
struct PhotoExample: BoundedObject {
    static let schemaName = "PhotoExample"
    static let fields: [BodyField<PhotoExample>] = [
        .text("photoId", \.photoId, .identifier, "A public photo that has a vector, unless a vector is sent"),
        .numbers("vector", \.vector, VectorLimits.dimensions, "A vector of the model of the site's vectors"),
    ]

    var photoId: String?
    var vector: [Double]?
}

/// A request for groups by what photos show.
struct PhotoQuery: RequestBody {
    static let schemaName = "PhotoQuery"
    static let fields: [BodyField<PhotoQuery>] = [
        .numbers(
            "vector", \.vector, VectorLimits.dimensions, "The vector of a photo that is not known yet; one more example"
        ),
        .objects("like", \.like, 0...LookExamples.limit, "Examples of what the groups' photos should show"),
        .objects("unlike", \.unlike, 0...LookExamples.limit, "Examples of what they should not show"),
        .integer("limit", \.limit, 1...200, standard: 20, "How many rows to answer with, at most"),
    ]
    static let example = #"{"like":[{"photoId":"4711"},{"photoId":"4712"}],"unlike":[{"photoId":"4713"}],"limit":5}"#

    var vector: [Double]?
    var like, unlike: [PhotoExample]?
    var limit: Int?
}

extension Endpoint {
    static let photos = [
        Endpoint(
            "groupsForPhoto", .get, "/v1/photos/{id}/groups", .site(.photos),
            summary: "Groups that a public photo could go to, best first",
            path: [.photo],
            parameters: [
                Parameter(
                    "by", standard: PhotoBasis.pools,
                    "The evidence: pools, tags, place and owner; photos that look like it; or both"),
                .limit,
            ],
            caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.groupsForPhoto),
        Endpoint(
            "groupsForExamples", .post, "/v1/photos/groups", .site(.photos),
            summary: "Groups of photos that look like some examples, and not like others, best first",
            body: PhotoQuery.self, caching: .never, threads: .server,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.groupsForExamples),
        Endpoint(
            "similarPhotos", .get, "/v1/photos/{id}/similar", .site(.photos),
            summary: "Public photos that look like a public photo, the most similar first",
            path: [.photo],
            parameters: [
                Parameter("duplicates", standard: DuplicateChoice.keep, "Whether near-duplicates are in the answer"),
                .limit,
            ],
            caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.similarPhotos),
    ]
}

extension Parameter {
    /// The path parameter `{id}` for a photo.
    fileprivate static let photo = Parameter("id", .identifier, "The photo's id", example: "4711")
}

/// The ways to treat near-duplicates of a photo.
private enum DuplicateChoice: String, CaseIterable {
    case keep
    case omit
}

extension Responder {
    /// Answers `GET /v1/photos/{id}/groups?by=BASIS&limit=N`: groups for a public photo, best first.
    ///
    /// The answer for a private photo is the one for an unknown photo, without similar ids, so its existence does not
    /// leak. In an open area the answer uses nothing about the photo's owner.
    @Sendable
    fileprivate static func groupsForPhoto(_ call: Call) throws(Problem) -> GroupsForPhoto {
        try call.answer(from: call.snapshot, with: .photos) { answers throws(AnswerError) in
            try answers.groups(
                forPhoto: call.id, by: call.parameters.choice("by", of: PhotoBasis.self),
                limit: call.parameters.limit, usesOwner: !call.isOpen)
        }
    }

    /// Answers `POST /v1/photos/groups`: groups of photos that look like some examples.
    @Sendable
    fileprivate static func groupsForExamples(_ call: Call) throws(Problem) -> GroupsForPhoto {
        let snapshot = try call.snapshot
        _ = try call.community(with: .photos)
        let query = try call.body(as: PhotoQuery.self)
        let (like, unlike) = try query.examples
        return try call.answer(from: snapshot, with: .photos) { answers throws(AnswerError) in
            try answers.groups(like: like, unlike: unlike, limit: query.limit ?? 20)
        }
    }

    /// Answers `GET /v1/photos/{id}/similar?duplicates=keep|omit&limit=N`: public photos that look like a public photo.
    @Sendable
    fileprivate static func similarPhotos(_ call: Call) throws(Problem) -> SimilarPhotos {
        try call.answer(from: call.snapshot, with: .photos) { answers throws(AnswerError) in
            try answers.similarPhotos(
                to: call.id, withDuplicates: call.parameters.choice("duplicates", of: DuplicateChoice.self) == .keep,
                limit: call.parameters.limit)
        }
    }
}

extension PhotoQuery {
    /// The examples, each with its place in the body.
    fileprivate var examples: (like: [LookExample], unlike: [LookExample]) {
        get throws(Problem) {
            let alone = vector.map { [LookExample(.vector($0.map { Float($0) }), at: "vector")] } ?? []
            let like = try alone + Self.examples(self.like, "like")
            guard !like.isEmpty else {
                throw .badField("like", "is missing: send a vector, or an example that is liked")
            }
            return (like, try Self.examples(unlike, "unlike"))
        }
    }

    private static func examples(_ examples: [PhotoExample]?, _ field: String) throws(Problem) -> [LookExample] {
        try (examples ?? []).enumerated().map { index, example throws(Problem) in
            let place = "\(field)[\(index)]"
            return switch (example.photoId, example.vector) {
            case (let id?, nil): LookExample(.photo(id), at: "\(place).photoId")
            case (nil, let numbers?): LookExample(.vector(numbers.map { Float($0) }), at: "\(place).vector")
            default: throw .badField(place, "must have either photoId or vector")
            }
        }
    }
}
